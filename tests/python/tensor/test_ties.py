# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients where the derivative has no single value: ties, limits, kinks. The expected values were
measured on PaddlePaddle 3.3.1."""

import math

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def _gradients(fn, *values):
    inputs = [paddle.to_tensor(v) for v in values]
    for x in inputs:
        x.stop_gradient = False
    fn(*inputs).sum().backward()
    return [x.grad.tolist() for x in inputs]


REDUCTIONS = {
    "max": lambda x: paddle.max(x),
    "amax": lambda x: paddle.amax(x),
    "max of an axis": lambda x: paddle.max(x, 0),
    "min": lambda x: -paddle.min(-x),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_tied_extremes_share_the_gradient(name):
    assert _gradients(REDUCTIONS[name], [1.0, 2.0, 2.0]) == [[0.0, 0.5, 0.5]]


@pytest.mark.parametrize("fn, chosen", [(paddle.maximum, [0.5, 0.0, 1.0]), (paddle.minimum, [0.5, 1.0, 0.0])])
def test_equal_operands_share_the_gradient(fn, chosen):
    x, y = _gradients(fn, [1.0, 2.0, 3.0], [1.0, 3.0, 2.0])
    assert x == chosen and y == [1 - g for g in chosen]


KINKS = {
    "clip": (lambda x: paddle.clip(x, 0.0, 0.5), [0.0, 0.5, 0.2, -1.0], [1.0, 1.0, 1.0, 0.0]),
    "leaky_relu": (F.leaky_relu, [-1.0, 0.0, 1.0], [0.01, 1.0, 1.0]),
    "relu": (F.relu, [-1.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
    "rrelu": (lambda x: F.rrelu(x, 0.25, 0.25), [-1.0, 0.0, 1.0], [0.25, 1.0, 1.0]),
    "hardswish": (F.hardswish, [-3.0, 3.0, 0.0], [0.0, 1.0, 0.5]),
    "hardshrink": (F.hardshrink, [-0.5, 0.5, 0.25], [1.0, 1.0, 0.0]),
    "softshrink": (F.softshrink, [-0.5, 0.5, 1.0], [0.0, 0.0, 1.0]),
    "maxout": (lambda x: F.maxout(x.reshape([1, 2, 1, 1]), 2), [1.0, 1.0], [1.0, 0.0]),
    "norm inf": (lambda x: paddle.norm(x, math.inf), [1.0, -1.0], [1.0, -1.0]),
    "norm 0": (lambda x: paddle.norm(x, 0, 0), [0.0, 1.0], [0.0, 0.0]),
    "pow 0": (lambda x: paddle.pow(x, 0), [0.0, -1.0], [0.0, 0.0]),
    "logit": (lambda x: paddle.logit(x, 0.1), [0.05, 0.5], [0.0, 4.0]),
}


@pytest.mark.parametrize("name", KINKS)
def test_the_gradient_at_a_kink(name):
    fn, at, expected = KINKS[name]
    np.testing.assert_allclose(_gradients(fn, at)[0], expected, rtol=1e-6)


def test_hardshrink_keeps_its_threshold():
    assert F.hardshrink(paddle.to_tensor([-0.5, 0.5, 0.25])).tolist() == [-0.5, 0.5, 0.0]


def test_a_power_of_zero_with_exponent_zero_has_gradient_zero():
    assert _gradients(paddle.pow, [0.0, 2.0], [0.0, 1.0])[0] == [0.0, 1.0]


def test_heaviside_gives_its_first_operand_a_gradient_of_zeros():
    assert _gradients(paddle.heaviside, [0.0, 2.0], [1.0, 3.0]) == [[0.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize("fn, at", [(paddle.argmax, [2, 0]), (paddle.argmin, [1, 2])])
def test_positions_of_extremes_pass_over_nan(fn, at):
    nan = math.nan
    x = paddle.to_tensor([[nan, 1.0, 2.0], [3.0, nan, -1.0]])
    assert fn(x, 1).tolist() == at
    assert fn(paddle.to_tensor([nan, nan])).item() == 0


def test_a_negative_ignored_index_counts_in_the_mean_and_another_does_not():
    x = paddle.to_tensor([[1.0, 2.0, 3.0]] * 3)
    each = math.log(1 + math.exp(-1) + math.exp(-2))
    for ignored, divisor in ((-100, 3), (-1, 3), (0, 2)):
        label = paddle.to_tensor([2, ignored, 2])
        loss = F.cross_entropy(x, label, ignore_index=ignored)
        np.testing.assert_allclose(loss.item(), 2 * each / divisor, rtol=1e-6)


def test_the_mean_of_ignored_labels_alone_is_zero():
    x, label = paddle.ones([2, 3]), paddle.to_tensor([1, 1])
    assert F.nll_loss(x, label, ignore_index=1).item() == 0.0


def test_places_behind_the_root_of_the_tree_add_log_2():
    w = paddle.zeros([4, 2])
    loss = F.hsigmoid_loss(paddle.ones([5, 2]), paddle.arange(5).reshape([5, 1]), 5, w)
    np.testing.assert_allclose(loss.numpy(), np.full((5, 1), 3 * math.log(2)), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_first_extreme_of_long_rows_passes_over_nan(name, dtype):
    rng = np.random.default_rng(3)
    for count in (1, 127, 128, 1025, 2050):
        x = rng.integers(0, 5, [4, count]).astype(dtype)
        if dtype.startswith("float"):
            x[rng.random(x.shape) < 0.3] = np.nan
            x[:, 0] = [np.nan, np.inf, -np.inf, np.nan]
            x[3] = np.nan
        extreme = np.fmax.reduce(x, 1) if name == "argmax" else np.fmin.reduce(x, 1)
        expected = np.argmax(x == extreme[:, None], 1)
        assert getattr(paddle, name)(paddle.to_tensor(x), axis=1).tolist() == expected.tolist()
