# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Nested state dicts as flat ones; the values are noted from PaddlePaddle 3.3.1."""

import numpy as np
import paddle
import pytest
from paddle.distributed.flex_checkpoint.dcp import utils


def test_a_nested_dict_is_flat_and_back():
    x, y, z = (paddle.full([n], n) for n in (1, 2, 3))
    state = {"a": {"b": x, "c": {"d": y}}, "e": z, "empty": {}}
    flat, mapping = utils.flatten_state_dict(state)
    assert mapping == {"a.b": ("a", "b"), "a.c.d": ("a", "c", "d"), "e": ("e",)}
    assert [flat[name] is value for name, value in (("a.b", x), ("a.c.d", y), ("e", z))] == [True] * 3
    del state["empty"]
    assert utils.unflatten_state_dict(flat, mapping) == state
    with pytest.raises(AssertionError, match="key 1"):
        utils.flatten_state_dict({1: x})
    with pytest.raises(ValueError, match="a.b is 3"):
        utils.flatten_state_dict({"a": {"b": 3}})


def test_descriptions_are_joined():
    assert utils.merge_state_dict_metadata([{"a": [1]}, {"a": [2], "b": [1]}]) == {"a": [1, 2], "b": [1]}
    assert utils.merge_state_dict_metadata([{"a": 1, "b": 2}, {"b": 3}]) == {"a": [1], "b": [2, 3]}
    assert utils.merge_state_dict_metadata([{"a": [1]}, {"a": [1]}]) == {"a": [1]}


def test_positions():
    for position in range(24):
        indices = utils.unravel_index(position, (2, 3, 4))
        assert indices == np.unravel_index(position, (2, 3, 4)) and utils.ravel_index(indices, (2, 3, 4)) == position
