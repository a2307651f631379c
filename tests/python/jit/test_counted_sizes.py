# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Counting up to an extent that is known only when the captured program runs."""

import numpy as np
import paddle
import pytest
from paddle.static import InputSpec


def positions(x):
    n = x.shape[1]
    return paddle.arange(n), x + paddle.arange(n).astype("float32")


def parts(x):
    n = x.shape[1]
    return paddle.arange(1, n, dtype="float32"), paddle.arange(n, 0, -2)


def captured(function):
    return paddle.jit.to_static(function, input_spec=[InputSpec([None, None], "float32", "x")], full_graph=True)


def check(f, wanted):
    for n in (3, 8):
        for a, b in zip(f(paddle.ones([2, n])), wanted(n), strict=True):
            np.testing.assert_array_equal(a.numpy(), b)


@pytest.mark.parametrize("saved", [False, True])
def test_arange_over_an_extent(tmp_path, saved):
    f = captured(positions)
    if saved:
        paddle.jit.save(f, str(tmp_path / "f"))
        f = paddle.jit.load(str(tmp_path / "f"))
    check(f, lambda n: (np.arange(n), np.ones((2, n), "float32") + np.arange(n, dtype="float32")))


def test_arange_over_a_part_of_an_extent():
    check(captured(parts), lambda n: (np.arange(1, n, dtype="float32"), np.arange(n, 0, -2)))


def test_other_bounds_beside_an_extent_are_integers():
    with pytest.raises(TypeError, match="arange: .*must be integers"):
        paddle.jit.to_static(
            lambda x: paddle.arange(0.5, x.shape[0]), input_spec=[InputSpec([None], "float32")], full_graph=True
        )(paddle.ones([3]))
