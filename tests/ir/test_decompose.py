# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Whole programs taken apart: lists, views, in-place forms, regions, open extents, gradients."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle.static import InputSpec

from tests.ir.test_fuzz import restore_flags  # noqa: F401 - a fixture for every test
from tests.ir.test_fuzz import run as run_fuzz
from tests.test_op_decompositions import composed_of, decomposed, operators_of

X = np.random.RandomState(3).standard_normal((4, 6)).astype("float32")


def lists(x):
    a, b = paddle.split(x, 2, axis=1)
    return [F.silu(a) + b, *paddle.unbind(F.softmax(x), axis=1)]


def views(x):
    y = paddle.flatten(F.gelu(x))
    return [paddle.unsqueeze(y, 0), y[2:5], F.layer_norm(x, [6])]


def written(x):
    y = F.softmax(x)
    y.add_(paddle.ones_like(y))
    y.clip_(1.1, 1.2)
    return [y, x * 2]


def branches(x):
    if x.sum() > 0:
        y = F.gelu(x)
    else:
        y = F.silu(x)
    i = paddle.zeros([], dtype="int64")
    while i < 3:
        y = F.softmax(y, axis=-1) + paddle.mean(x)
        i = i + 1
    return [y]


def passed_through(x):
    return [paddle.nn.functional.dropout(x, 0.0), paddle.clip(x), x]


PROGRAMS = [lists, views, written, branches, passed_through]


def results(function, spec=None, grad=True):
    x = paddle.to_tensor(X)
    x.stop_gradient = not grad
    program = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
    outs = program(x)
    if grad:
        sum((o * paddle.cos(o.detach())).sum() for o in outs).backward()
    return [o.numpy() for o in outs], None if x.grad is None else x.grad.numpy(), program


@pytest.mark.parametrize("spec", [None, [InputSpec([-1, 6], "float32")]], ids=["known", "open"])
@pytest.mark.parametrize("function", PROGRAMS)
def test_programs_give_the_same_when_they_are_taken_apart(function, spec):
    whole, gradient, program = results(function, spec, function is not branches)
    with decomposed():
        parts, other, apart = results(function, spec, function is not branches)
    for one, two in zip(whole, parts, strict=True):
        np.testing.assert_allclose(two, one, rtol=2e-5, atol=2e-6)
    if gradient is not None:
        np.testing.assert_allclose(other, gradient, rtol=2e-5, atol=2e-5)
    if function is not passed_through:
        assert composed_of(operators_of(program))
    assert not composed_of(operators_of(apart))


@pytest.mark.parametrize("seed", range(20))
def test_generated_programs_give_the_same_values_gradients_and_sharing(seed):
    values, gradients, shares = run_fuzz(seed, True)
    with decomposed():
        others, other_gradients, other_shares = run_fuzz(seed, True)
    for one, two in zip(values, others, strict=True):
        np.testing.assert_allclose(two, one, rtol=1e-4, atol=1e-5)
    for one, two in zip(gradients, other_gradients, strict=True):
        assert (one is None) == (two is None)
        if one is not None:
            np.testing.assert_allclose(two, one, rtol=1e-3, atol=1e-4)
    assert shares == other_shares


def training_step(model, optimizer):
    def step(x):
        loss = (model(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


@pytest.mark.parametrize("kind", ["SGD", "Momentum", "AdamW"])
def test_a_captured_training_step_moves_parameters_alike(kind):
    def losses():
        paddle.seed(1)
        model = paddle.nn.Sequential(
            paddle.nn.Linear(6, 8, bias_attr=False), paddle.nn.BatchNorm1D(8), paddle.nn.GELU()
        )
        optimizer = getattr(paddle.optimizer, kind)(0.1, parameters=model.parameters())
        step = paddle.jit.to_static(training_step(model, optimizer), full_graph=True)
        found = [float(step(paddle.to_tensor(X))) for _ in range(4)]
        return found, [p.numpy() for p in model.state_dict().values()], step

    whole, state, _ = losses()
    with decomposed():
        parts, other, step = losses()
    np.testing.assert_allclose(parts, whole, rtol=1e-4)
    for one, two in zip(state, other, strict=True):
        np.testing.assert_allclose(two, one, rtol=1e-3, atol=1e-4)
    assert not composed_of(operators_of(step))
