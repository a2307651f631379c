# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Axes, counts and steps that are fed: results have unknown extents until the program runs."""

import numpy as np
import paddle
import pytest
from paddle import static

X = np.arange(24, dtype="float32").reshape(4, 6) / 8


def run(main, function, value, gradient=False):
    x = static.data("x", [-1, 6])
    x.stop_gradient = False
    fed = np.asarray(value)
    out = function(x, static.data("n", fed.shape, str(fed.dtype)))
    outs = out if isinstance(out, list) else [out]
    if gradient:
        outs = static.gradients(sum((o * o).sum() for o in outs), x)
    values = static.Executor().run(main, feed={"x": X, "n": fed}, fetch_list=outs)
    return values if isinstance(out, list) and not gradient else values[0]


SUMS = np.tile(X.sum(1, keepdims=True), (1, 6))


CASES = [
    (lambda x, n: paddle.sum(x, n), [1], X.sum(1), 2 * SUMS),
    (lambda x, n: paddle.mean(x, n, keepdim=True), [1], X.mean(1, keepdims=True), SUMS / 18),
    (lambda x, n: paddle.max(x, n), [0], X.max(0), np.where(np.arange(4)[:, None] == 3, 2 * X, 0)),
    (lambda x, n: paddle.concat([x, x], n), [1], np.concatenate([X, X], 1), 4 * X),
    (lambda x, n: paddle.cumsum(x, n), [0], X.cumsum(0), 2 * X.cumsum(0)[::-1].cumsum(0)[::-1]),
    (lambda x, n: paddle.unsqueeze(x, n), [1], X[:, None], 2 * X),
    (lambda x, n: paddle.squeeze(paddle.unsqueeze(x, 1), n), [1], X, 2 * X),
    (lambda x, n: paddle.gather(x, paddle.to_tensor([0, 2]), n), [1], X[:, [0, 2]], X * [2, 0, 2, 0, 0, 0]),
    (lambda x, n: x[::-1], 0, X[::-1], 2 * X),
    (lambda x, n: x[n::-1], 2, X[2::-1], np.where(np.arange(4)[:, None] < 3, 2 * X, 0)),
    (lambda x, n: paddle.strided_slice(x, [1], [0], [6], n), [2], X[:, ::2], X * [2, 0, 2, 0, 2, 0]),
]


@pytest.mark.parametrize(("function", "value", "expected", "slope"), CASES)
def test_axes_that_are_fed(fresh, function, value, expected, slope):
    assert np.allclose(run(fresh[0], function, value), expected)


@pytest.mark.parametrize(("function", "value", "expected", "slope"), CASES)
def test_gradients_through_axes_that_are_fed(fresh, function, value, expected, slope):
    assert np.allclose(run(fresh[0], function, value, gradient=True), slope)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, n: paddle.split(x, 3, n), np.split(X, 3, 1)),
        (lambda x, n: paddle.split(x, [n, 5], 1), np.split(X, [1], 1)),
        (lambda x, n: paddle.split(x, [n, -1], 1), np.split(X, [1], 1)),
        (lambda x, n: paddle.chunk(x, 2, 0), np.split(X, 2, 0)),
    ],
)
def test_parts_of_fed_sizes(fresh, function, expected):
    found = run(fresh[0], function, [1])
    assert [f.tolist() for f in found] == [e.tolist() for e in expected]


def test_counts_that_are_fed(fresh):
    x, n = static.data("x", [-1], "int64"), static.data("n", [], "int64")
    outs = [
        paddle.nn.functional.one_hot(x, n),
        paddle.eye(n),
        paddle.eye(n, 2, "int64"),
        paddle.argmax(outer(x), n - 3),
    ]
    assert [list(o.shape) for o in outs] == [[-1, -1], [-1, -1], [-1, 2], [-1]]
    found = static.Executor().run(fresh[0], feed={"x": np.array([2, 0]), "n": np.array(4)}, fetch_list=outs)
    assert np.array_equal(found[0], np.eye(4)[[2, 0]]) and np.array_equal(found[1], np.eye(4))
    assert np.array_equal(found[2], np.eye(4, 2)) and found[2].dtype == np.int64
    assert found[3].tolist() == [0, 0]


def outer(x):
    return paddle.reshape(x, [-1, 1]) * paddle.reshape(x, [1, -1])


def test_factors_that_are_fed(fresh):
    image, factor = static.data("x", [-1, 1, -1, -1]), static.data("s", [1])
    outs = [paddle.nn.functional.interpolate(image, scale_factor=s) for s in (factor, 1.5)]
    fed = {"x": X[None, None], "s": np.array([2], "float32")}
    double, half_more = static.Executor().run(fresh[0], feed=fed, fetch_list=outs)
    assert np.array_equal(double[0, 0], X.repeat(2, 0).repeat(2, 1)) and half_more.shape == (1, 1, 6, 9)


def test_loops_and_lengths_refuse_what_has_no_value(fresh):
    with pytest.raises(TypeError, match="one element"):
        static.nn.while_loop(lambda i: i < 3, lambda i: i + 1, [paddle.zeros([2])])
