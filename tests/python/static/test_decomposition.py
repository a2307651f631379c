# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of programs as what they are composed of."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle.autograd.ir_backward import grad
from paddle.base import core
from paddle.decomposition import decomp, decompose

X = np.random.RandomState(0).rand(4, 6).astype("float32")


@pytest.fixture(autouse=True)
def program():
    paddle.enable_static()
    core._set_prim_forward_enabled(True)
    main = paddle.static.Program()
    with paddle.static.program_guard(main):
        yield main
    core._set_prim_forward_enabled(False)
    core._prim_forward_blacklist.clear()
    paddle.disable_static()


def names(program):
    return [op.name() for op in program.global_block().ops]


def fetched(*variables):
    return paddle.static.Executor().run(feed={"x": X}, fetch_list=list(variables))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_operators_become_basic_ones_with_the_same_values(program):
    x = paddle.static.data("x", [4, 6])
    y = F.softmax(x)
    [z] = decompose(program, [y])
    assert "pd_op.softmax" not in names(program)
    for value in fetched(y, z):
        np.testing.assert_allclose(value, softmax(X), rtol=1e-5)


def test_nothing_changes_where_decomposition_is_off(program):
    core._set_prim_forward_enabled(False)
    y = F.softmax(paddle.static.data("x", [4, 6]))
    assert decompose(program, [y]) == [y] and "pd_op.softmax" in names(program)


@pytest.mark.parametrize("how", ["argument", "core", "whitelist"])
def test_named_operators_stay(program, how):
    x = paddle.static.data("x", [4, 6])
    y = F.gelu(F.softmax(x))
    if how == "core":
        core._set_prim_forward_blacklist("pd_op.softmax")
    lists = {"argument": {"blacklist": {"pd_op.softmax"}}, "whitelist": {"whitelist": {"pd_op.gelu"}}}.get(how, {})
    decompose(program, [y], **lists)
    assert "pd_op.softmax" in names(program) and "pd_op.gelu" not in names(program)


def test_gradients_of_what_was_taken_apart(program):
    x = paddle.static.data("x", [4, 6])
    x.stop_gradient = False
    y = paddle.rsqrt(paddle.mean(paddle.pow(x, 2), axis=-1, keepdim=True) + 1.0) * x
    [y] = decompose(program, [y])
    (dx,) = grad(y, [x])
    rms = 1 / np.sqrt((X**2).mean(-1, keepdims=True) + 1)
    expected = rms - rms**3 * X * X.sum(-1, keepdims=True) / 6
    np.testing.assert_allclose(fetched(dx)[0], expected, rtol=1e-4, atol=1e-6)


def test_gradients_that_stand_in_the_program_stay_right(program):
    x = paddle.static.data("x", [4, 6])
    x.stop_gradient = False
    y = F.softmax(x)
    (dx,) = grad(paddle.sum(y * y), [x])
    with decomp.prim_guard():
        decomp.decompose_dist_program(program)
    s = softmax(X)
    np.testing.assert_allclose(fetched(dx)[0], 2 * s * (s - (s * s).sum(-1, keepdims=True)), rtol=1e-4, atol=1e-6)


def test_parameters_are_trained_after_decomposition(program):
    startup = paddle.static.Program()
    with paddle.static.program_guard(program, startup), paddle.static.scope_guard(paddle.static.Scope()):
        x = paddle.static.data("x", [4, 6])
        layer = paddle.nn.LayerNorm(6)
        loss = paddle.mean(layer(x) ** 2)
        [loss] = decompose(program, [loss])
        paddle.optimizer.SGD(0.5, parameters=layer.parameters()).minimize(loss)
        exe = paddle.static.Executor()
        exe.run(startup)
        first, second = (exe.run(program, feed={"x": X}, fetch_list=[loss])[0] for _ in range(2))
    assert second < first and "pd_op.layer_norm" not in names(program)


def test_one_operator_is_taken_apart(program):
    y = F.gelu(paddle.static.data("x", [4, 6]))
    op = program.global_block().ops[-1]
    assert core.has_decomp_rule(op) and core.has_custom_vjp(op)
    assert decomp.call_decomp_rule(op)[0] is y and "pd_op.gelu" not in names(program)
    data = program.global_block().ops[0]
    assert not core.has_decomp_rule(data)
    with pytest.raises(ValueError, match="not composed"):
        decomp.call_decomp_rule(data)


def test_what_is_wrong_is_said(program):
    with pytest.raises(TypeError, match="Program"):
        decompose(3, [])
    with pytest.raises(TypeError, match="blacklist"):
        decompose(program, [], blacklist="pd_op.gelu")


def test_operators_of_branches_stay(program):
    x = paddle.static.data("x", [4, 6])
    y = paddle.static.nn.cond(paddle.sum(x) > 0, lambda: F.softmax(x), lambda: F.gelu(x))
    [z] = decompose(program, [F.softmax(y)])
    assert "pd_op.softmax" not in names(program)
    np.testing.assert_allclose(fetched(z)[0], softmax(softmax(X)), rtol=1e-5)


@pytest.mark.parametrize("layer", [F.gelu, F.log_softmax, F.silu, lambda x: F.layer_norm(x, [6]), paddle.var, F.mish])
def test_values_and_gradients_are_those_of_the_whole_operator(program, layer):
    x = paddle.static.data("x", [4, 6])
    x.stop_gradient = False
    y = layer(x)
    (dx,) = grad(y, [x])
    whole = fetched(y, dx)
    decompose(program, [y])
    (again,) = grad(y, [x])
    for one, other in zip((whole[0], whole[1], whole[1]), fetched(y, dx, again), strict=True):
        np.testing.assert_allclose(other, one, rtol=1e-4, atol=1e-5)
