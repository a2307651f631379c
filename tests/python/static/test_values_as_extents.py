# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Shapes, bounds and counts that are fed: variables in the places of integers."""

import numpy as np
import paddle
import pytest
from paddle import static

X = np.arange(24, dtype="float32").reshape(4, 6)


def run(main, function, *arrays):
    feed = {f"x{i}": np.asarray(a) for i, a in enumerate(arrays)}
    out = function(*[static.data(name, a.shape, str(a.dtype)) for name, a in feed.items()])
    return static.Executor().run(main, feed=feed, fetch_list=[out])[0]


@pytest.mark.parametrize(
    ("function", "values", "expected"),
    [
        (lambda x, n: paddle.reshape(x, n), np.array([3, 8], "int32"), X.reshape(3, 8)),
        (lambda x, n: paddle.reshape(x, [n, -1]), 3, X.reshape(3, 8)),
        (lambda x, n: paddle.tile(x, [n, 1]), [2], np.tile(X, (2, 1))),
        (lambda x, n: paddle.expand(x[0], [n, 6]), 3, np.tile(X[0], (3, 1))),
        (lambda x, n: paddle.full(n, 2.0), [2, 3], np.full((2, 3), 2.0)),
        (lambda x, n: paddle.full([n, 2], 1.5), 3, np.full((3, 2), 1.5)),
        (lambda x, n: paddle.zeros(n) + x[0, 0], np.array([2, 3]), np.zeros((2, 3))),
        (lambda x, n: paddle.ones([2, n]), 3, np.ones((2, 3))),
        (lambda x, n: paddle.full([2], n), 7, [7, 7]),
        (lambda x, n: paddle.zeros_like(paddle.rand(n)), [2, 2], np.zeros((2, 2))),
        (lambda x, n: paddle.slice(x, [0, 1], [n, 0], [4, 2]), 1, X[1:4, :2]),
        (lambda x, n: paddle.crop(x, [2, 2], n), np.array([1, 2], "int32"), X[1:3, 2:4]),
        (lambda x, n: x[n:], 1, X[1:]),
        (lambda x, n: x[:n, 1:], -1, X[:-1, 1:]),
        (
            lambda x, n: paddle.static.setitem(x, (slice(0, n), 0), 9.0),
            2,
            np.where([[1] + [0] * 5] * 2 + [[0] * 6] * 2, 9, X),
        ),
        (lambda x, n: paddle.logspace(n, n + 2, 3, n), np.array([2]), [4, 8, 16]),
        (lambda x, n: paddle.nn.functional.dropout(x, n), np.array([0.0], "float32"), X),
        (lambda x, n: paddle.nn.functional.dropout(x, n), np.array([1.0], "float32"), X * 0),
        (lambda x, n: paddle.nn.functional.sequence_mask(n), [1, 3], [[1, 0, 0], [1, 1, 1]]),
    ],
)
def test_fed_integers(fresh, function, values, expected):
    got = run(fresh[0], function, X, np.asarray(values))
    np.testing.assert_array_equal(got, expected)


def test_a_program_without_the_value_needs_no_feed(fresh):
    main, _ = fresh
    x, n = static.data("x", [4, 6]), static.data("n", [], "int64")
    wide, plain = paddle.reshape(x, [n, -1]), x + 1
    executor = static.Executor()
    np.testing.assert_array_equal(executor.run(main, feed={"x": X}, fetch_list=[plain])[0], X + 1)
    for rows in (2, 3, 8):
        got = executor.run(main, feed={"x": X, "n": np.array(rows)}, fetch_list=[wide])[0]
        assert got.shape == (rows, 24 // rows)


def test_gradient_through_a_fed_shape(fresh):
    main, _ = fresh
    x, n = static.data("x", [4, 6]), static.data("n", [], "int64")
    x.stop_gradient = False
    y = paddle.reshape(x, [n, -1])
    (grad,) = static.gradients([(y * y).sum()], [x])
    got = static.Executor().run(main, feed={"x": X, "n": np.array(8)}, fetch_list=[grad])[0]
    np.testing.assert_array_equal(got, 2 * X)


def test_unknown_extents_count_as_equal(fresh):
    x, y = static.data("x", [-1, 4]), static.data("y", [-1, 4])
    assert x.shape[0] == y.shape[0] and not x.shape[0] != y.shape[0]
    ones = np.ones([3, 4], "float32")
    out = static.Executor().run(fresh[0], feed={"x": ones, "y": ones * 2}, fetch_list=[x * y])[0]
    np.testing.assert_array_equal(out, ones * 2)


def test_an_expansion_to_an_unknown_extent_has_a_gradient(fresh):
    x = static.data("x", [None, 3])
    w = static.create_parameter([1, 3], "float32", default_initializer=paddle.nn.initializer.Constant(2.0))
    y = x * paddle.expand(w, [x.shape[0], 3])
    ((_, gradient),) = static.append_backward(y.sum())
    main, startup = fresh
    executor = static.Executor()
    executor.run(startup)
    for rows in (1, 4):
        fed = np.arange(rows * 3, dtype="float32").reshape(rows, 3)
        found = executor.run(main, feed={"x": fed}, fetch_list=[gradient])[0]
        np.testing.assert_allclose(found, fed.sum(0, keepdims=True))
