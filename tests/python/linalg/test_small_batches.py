# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Batches of matrices on both sides of the size from which the library factors them."""

import numpy as np
import paddle
import pytest


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 9])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_inverse_determinant_and_solution(n, dtype):
    rng = np.random.default_rng(n)
    a = rng.standard_normal((20, n, n)).astype(dtype)
    if dtype == "complex128":
        a += 1j * rng.standard_normal((20, n, n))
    a[0] = np.eye(n)[::-1]  # every pivot but one needs an exchange
    y = rng.standard_normal((20, n, 2)).astype(dtype)
    x = paddle.to_tensor(a)
    np.testing.assert_allclose(paddle.linalg.inv(x).numpy(), np.linalg.inv(a), rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(paddle.linalg.det(x).numpy(), np.linalg.det(a), rtol=1e-8)
    np.testing.assert_allclose(
        paddle.linalg.solve(x, paddle.to_tensor(y)).numpy(), np.linalg.solve(a, y), rtol=1e-8, atol=1e-10
    )


def test_a_singular_matrix_of_a_batch_is_named():
    x = paddle.to_tensor(np.stack([np.eye(3), np.ones((3, 3))]))
    with pytest.raises(ValueError, match="matrix 1"):
        paddle.linalg.inv(x)
    assert paddle.linalg.det(x).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("m", [4, 7, 8, 9, 17, 32])
@pytest.mark.parametrize("n", [8, 15, 16, 24, 31, 32, 33, 50])
def test_products_of_small_matrices(m, n):
    rng = np.random.default_rng(m * n)
    a, b = rng.standard_normal((3, m, 13)).astype("float32"), rng.standard_normal((3, 13, n)).astype("float32")
    exact = a.astype("float64") @ b
    for turned_a in (False, True):
        for turned_b in (False, True):
            x = paddle.to_tensor(a.swapaxes(1, 2).copy() if turned_a else a)
            y = paddle.to_tensor(b.swapaxes(1, 2).copy() if turned_b else b)
            out = paddle.matmul(x, y, transpose_x=turned_a, transpose_y=turned_b)
            np.testing.assert_allclose(out.numpy(), exact, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "left, right",
    [((3, 1), (1, 4)), ((3, 4), (3, 1)), ((3, 4), (1, 4)), ((4,), (3, 4)), ((1, 1), (2, 3)), ((2, 3), ())],
)
def test_batches_that_broadcast(left, right):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((*left, 5, 6)), rng.standard_normal((*right, 6, 7))
    out = paddle.matmul(paddle.to_tensor(a), paddle.to_tensor(b)).numpy()
    np.testing.assert_allclose(out, a @ b, rtol=1e-10, atol=1e-12)


def test_batches_of_parts_of_a_tensor():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((3, 5, 4, 6)), rng.standard_normal((1, 6, 4, 7))
    turned = [0, 2, 1, 3]
    x = paddle.to_tensor(a).transpose(turned)
    y = paddle.to_tensor(b).expand([3, 6, 4, 7]).transpose(turned)
    np.testing.assert_allclose((x @ y).numpy(), a.transpose(turned) @ b.transpose(turned), rtol=1e-10, atol=1e-12)
