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
