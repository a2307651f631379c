# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured functions whose forward part is fused before it is differentiated: values and gradients as in eager mode."""

import numpy as np
import paddle
import pytest
from paddle.nn import functional as F


def normal(*shape, seed=0):
    return paddle.to_tensor(np.random.default_rng(seed).standard_normal(shape).astype("float32"))


def leaf(*shape, seed=0):
    t = normal(*shape, seed=seed)
    t.stop_gradient = False
    return t


def rms_norm(x, scale):
    return x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * scale


def rotary(x, cos, sin):
    left, right = paddle.chunk(x, 2, axis=-1)
    return x * cos + paddle.concat([-right, left], axis=-1) * sin


def results(function, inputs, leaves):
    """The output and the gradients of its weighted sum."""
    out = function(*inputs)
    weights = normal(*out.shape, seed=9)
    (out * weights).sum().backward()
    grads = [t.grad.numpy() for t in leaves]
    for t in leaves:
        t.clear_grad()
    return [out.numpy(), *grads]


def check(function, inputs, leaves=()):
    """Captured against eager; the program of the captured function."""
    captured = paddle.jit.to_static(function, full_graph=True)
    leaves = [*inputs, *leaves]
    expected = results(function, inputs, leaves)
    for _ in range(2):
        for value, reference in zip(results(captured, inputs, leaves), expected, strict=True):
            np.testing.assert_allclose(value, reference, rtol=2e-5, atol=2e-5)
    return str(captured.concrete_program.main_program)


def test_norm_gate_and_rotation_become_operators_with_their_own_gradients():
    scale, cos, sin = leaf(8, seed=1), normal(1, 5, 1, 8, seed=2), normal(1, 5, 1, 8, seed=3)

    def function(x):
        y = rotary(rms_norm(x, scale), cos, sin)
        return F.silu(y) * x

    program = check(function, [leaf(2, 5, 3, 8)], [scale])
    for name in ("rms_norm", "rms_norm_grad", "swiglu", "swiglu_grad", "rotate_halves"):
        assert f'"pd_op.{name}"' in program
    assert "pd_op.concat" not in program and "pd_op.silu" not in program


def test_tables_that_are_learned():
    cos, sin = leaf(1, 5, 1, 8, seed=2), leaf(1, 5, 1, 8, seed=3)
    assert "rotate_halves" in check(lambda x: rotary(x, cos, sin), [leaf(2, 5, 3, 8)], [cos, sin])


@pytest.mark.unsanitized  # that build contracts other products and sums
@pytest.mark.parametrize("width", [8, 32, 80])
def test_rotation_and_gate_have_the_bits_of_the_operators_that_they_are_made_of(width):
    cos, sin = normal(1, 9, 1, width, seed=2), normal(1, 9, 1, width, seed=3)

    def function(x):
        y = rotary(x, cos, sin)
        return F.silu(y) * y

    captured = paddle.jit.to_static(function, full_graph=True)
    x = leaf(4, 9, 6, width, seed=1)
    plain, fused = (results(f, [x], [x]) for f in (function, captured))
    for a, b in zip(plain, fused, strict=True):
        np.testing.assert_array_equal(a, b)


def test_detached_values_have_no_gradient():
    scale = leaf(8)

    def function(x):
        with paddle.no_grad():
            limit = rms_norm(x, scale)
        return rms_norm(x, scale) * limit + F.silu(x.detach()) * x

    assert "swiglu" in check(function, [leaf(4, 8, seed=1)], [scale])


def test_dropout_draws_the_same_numbers():
    scale = leaf(64)

    def function(x):
        return F.dropout(rms_norm(F.dropout(x, 0.3), scale), 0.5)

    captured = paddle.jit.to_static(function, full_graph=True)
    x = leaf(16, 64, seed=1)
    found = []
    for f in (function, captured, captured):
        paddle.seed(7)
        found.append(results(f, [x], [x, scale]))
    for values in found[1:]:
        for value, reference in zip(values, found[0], strict=True):
            np.testing.assert_allclose(value, reference, rtol=2e-5, atol=2e-5)


class Doubled(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_gradients_of_pylayers_are_kept():
    scale = leaf(8)
    check(lambda x: rms_norm(Doubled.apply(x), scale), [leaf(4, 8, seed=1)], [scale])


def test_hooks_are_kept():
    scale = leaf(8)

    def function(x):
        y = rms_norm(x, scale)
        y.register_hook(lambda g: g * 3)
        return F.silu(y) * x

    check(function, [leaf(4, 8, seed=1)], [scale])


def test_state_that_the_function_writes():
    norm, scale = paddle.nn.BatchNorm1D(8), leaf(8)

    def function(x):
        return rms_norm(norm(x), scale)

    captured = paddle.jit.to_static(function, full_graph=True)
    x = leaf(4, 8, seed=1)
    results(captured, [x], [x, scale])
    assert float(norm._mean.abs().sum()) > 0


def test_higher_derivatives():
    scale = leaf(6)

    def function(x):
        return (F.silu(rms_norm(x, scale)) * x).sum()

    def second(f):
        x = leaf(3, 6, seed=1)
        (first,) = paddle.grad(f(x), x, create_graph=True)
        return paddle.grad((first * first).sum(), x)[0].numpy()

    captured = paddle.jit.to_static(function, full_graph=True)
    np.testing.assert_allclose(second(captured), second(function), rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("dtype", ["float64", "bfloat16"])
def test_other_dtypes(dtype):
    x, y = (normal(40, 30, seed=i).astype(dtype) for i in (1, 2))
    x.stop_gradient = y.stop_gradient = False

    def function(x, y):
        return (F.silu(x) * y).astype("float32")

    def run(f):
        out = f(x, y)
        out.sum().backward()
        values = [t.astype("float64").numpy() for t in (out, x.grad, y.grad)]
        x.clear_grad(), y.clear_grad()
        return values

    tolerance = 1e-12 if dtype == "float64" else 2e-2
    captured = paddle.jit.to_static(function, full_graph=True)
    for value, reference in zip(run(captured), run(function), strict=True):
        np.testing.assert_allclose(value, reference, rtol=max(tolerance, 1e-6), atol=max(tolerance, 1e-6))
