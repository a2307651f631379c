# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Hooks around `Layer.state_dict` and `Layer.load_state_dict`: when they are called, with what, and what they change."""

import paddle
import pytest
from paddle import nn


def nested():
    outer, inner = nn.Layer(), nn.Layer()
    outer.register_parameter("weight", outer.create_parameter([1]))
    inner.register_parameter("weight", inner.create_parameter([1]))
    outer.add_sublayer("child", inner)
    return outer, inner


def full_state():
    return {"weight": paddle.ones([1]), "child.weight": paddle.ones([1])}


def test_states_are_hooked_before_and_after():
    outer, inner = nested()
    told = []
    before = outer.register_state_dict_pre_hook(lambda *given: told.append(given))
    inner.register_state_dict_pre_hook(lambda *given: told.append(given))
    assert list(outer.state_dict(prefix="p.", keep_vars=False)) == ["p.weight", "p.child.weight"]
    assert told == [(outer, "p.", False), (inner, "p.child.", False)]
    before.remove()
    assert before._hook_id not in outer._state_dict_pre_hooks

    def rename(state):
        state["other"] = state.pop("weight")

    after = outer.register_state_dict_post_hook(rename)
    assert set(outer.state_dict()) == {"other", "child.weight"}
    after.remove()
    assert set(outer.state_dict()) == {"weight", "child.weight"}


def test_loading_is_hooked_from_the_top_and_back():
    outer, inner = nested()
    told = []
    for name, layer in (("outer", outer), ("inner", inner)):
        layer.register_load_state_dict_pre_hook(lambda *given, name=name: told.append((name, given[2], given[4])))
        layer.register_load_state_dict_post_hook(lambda _, keys, name=name: told.append((name, *keys)))
    assert outer.load_state_dict(full_state()) == ([], [])
    expected = [("outer", "", True), ("inner", "child.", True), ("inner", [], []), ("outer", [], [])]
    assert told == expected and outer.weight.tolist() == [1.0]


def test_hooks_forgive_keys_and_tell_of_errors():
    outer, _ = nested()
    forgive = outer.register_load_state_dict_post_hook(lambda layer, keys: keys.missing_keys.clear())
    assert outer.load_state_dict({"weight": paddle.ones([1])}).missing_keys == []
    forgive.remove()
    outer.register_load_state_dict_pre_hook(lambda *given: given[7].append("too old"))
    with pytest.raises(RuntimeError, match="too old"):
        outer.load_state_dict(full_state(), strict=False)


def test_a_hook_that_returns_keys_is_refused():
    outer, _ = nested()
    outer.register_load_state_dict_post_hook(lambda layer, keys: keys)
    with pytest.raises(AssertionError, match="Hooks registered with ``register_load_state_dict_post_hook``"):
        outer.load_state_dict(full_state())


@pytest.mark.parametrize("kind", [TypeError, AssertionError])
def test_blocking_is_a_bool(kind):
    with pytest.raises(kind, match="blocking has type int"):
        nn.Linear(1, 1).to(blocking=1)
