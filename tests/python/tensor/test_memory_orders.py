# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators on tensors that lie in memory otherwise than their axes say, against NumPy."""

import itertools

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

DTYPES = ["float32", "float64", "float16", "int64", "int32", "int16", "uint8"]


def numbers(shape, dtype, high=50):
    return np.random.default_rng(len(shape)).integers(0, high, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shapes",
    [
        ((1000, 4), (4,)),
        ((1000, 4), (1000, 1)),
        ((70, 1, 3), (1, 90, 3)),
        ((5, 300, 7), (5, 1, 7)),
        ((5, 300, 7), (300, 7)),
        ((3, 40, 2), (1,)),
        ((9, 50, 16), (50, 1)),
    ],
)
def test_sums_of_short_rows(dtype, shapes):
    x, y = (numbers(shape, dtype) for shape in shapes)
    np.testing.assert_array_equal((paddle.to_tensor(x) + paddle.to_tensor(y)).numpy(), x + y)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(300, 500), (1000, 33), (17, 1000), (40, 70), (2000, 3), (3, 2000)])
def test_sums_of_transposed_matrices(dtype, shape):
    x, y = numbers(shape, dtype), numbers(shape[::-1], dtype)
    a, b = paddle.to_tensor(x), paddle.to_tensor(y)
    np.testing.assert_array_equal((a + b.T).numpy(), x + y.T)
    np.testing.assert_array_equal((a.T + b).numpy(), x.T + y)
    np.testing.assert_array_equal((a.T + a.T).numpy(), x.T + x.T)


def test_a_sum_in_place_with_its_own_transpose():
    x = numbers((200, 200), "float32")
    t = paddle.to_tensor(x)
    t.add_(t.T)
    np.testing.assert_array_equal(t.numpy(), x + x.T)


@pytest.mark.parametrize("dtype", [*DTYPES, "bool", "complex64", "complex128"])
@pytest.mark.parametrize("shape", [(4, 10, 6, 16), (3, 9, 8, 64), (2, 4, 40, 33), (1, 1, 70, 130)])
def test_copies_of_permuted_tensors(dtype, shape):
    x = numbers(shape, dtype, 2)
    t = paddle.to_tensor(x)
    for order in itertools.permutations(range(4)):
        np.testing.assert_array_equal(t.transpose(list(order)).contiguous().numpy(), x.transpose(order))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape", [(5, 300, 7), (4, 128, 9), (3, 5, 49), (2, 70, 16), (300, 4, 2), (8, 1, 33), (1, 20, 9)]
)
def test_reductions_of_permuted_tensors(dtype, shape):
    x = numbers(shape, dtype, 3)
    t = paddle.to_tensor(x)
    for order in itertools.permutations(range(3)):
        given, tensor = x.transpose(order), t.transpose(list(order))
        assert int(paddle.argmax(tensor)) == given.argmax()
        for axes in itertools.chain.from_iterable(itertools.combinations(range(3), n) for n in (1, 2, 3)):
            np.testing.assert_array_equal(tensor.max(list(axes)).numpy(), given.max(axes))
            np.testing.assert_array_equal(tensor.min(list(axes)).numpy(), given.min(axes))
            if dtype in ("float32", "float64", "int64"):
                np.testing.assert_array_equal(tensor.sum(list(axes)).numpy(), given.sum(axes))


def test_a_maximum_of_any_length_finds_nan():
    for n in (1, 7, 8, 9, 31, 64, 70, 200, 9000):
        for at in {0, n // 2, n - 1}:
            for dtype in ("float32", "float64", "float16"):
                x = np.zeros(n, dtype)
                x[at] = np.nan
                assert np.isnan(float(paddle.to_tensor(x).max())) and np.isnan(float(paddle.to_tensor(x).min()))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(2, 5, 3, 7), (1, 21, 33), (2, 3, 16), (2, 300, 5)])
def test_cross_entropy_behind_an_axis_in_the_middle(dtype, shape):
    rng = np.random.default_rng(1)
    x = (rng.standard_normal(shape) * 3).astype(dtype)
    x[0, 1] += 200
    label = rng.integers(0, shape[1], (shape[0], *shape[2:]))
    label.flat[1] = -100
    logits = paddle.to_tensor(x, stop_gradient=False)
    loss = F.cross_entropy(logits, paddle.to_tensor(label), axis=1, reduction="none")
    wide = x.astype("float64")
    shifted = wide - wide.max(1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    counts, inside = label >= 0, np.maximum(label, 0)
    expected = -np.take_along_axis(log_p, inside[:, None], 1)[:, 0] * counts
    tolerance = {"rtol": 1e-5, "atol": 1e-4} if dtype == "float32" else {"rtol": 1e-12, "atol": 1e-11}
    np.testing.assert_allclose(loss.numpy().reshape(expected.shape), expected, **tolerance)
    weight = rng.standard_normal(loss.shape).astype(dtype)
    loss.backward(paddle.to_tensor(weight))
    hit = np.zeros(shape)
    np.put_along_axis(hit, inside[:, None], 1, 1)
    gradient = (np.exp(log_p) - hit) * (weight.reshape(expected.shape) * counts)[:, None]
    np.testing.assert_allclose(logits.grad.numpy(), gradient, **tolerance)
    with pytest.raises(IndexError):
        F.cross_entropy(logits, paddle.full(label.shape, shape[1], "int64"), axis=1)
