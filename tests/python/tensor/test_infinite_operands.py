# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Quotients of and by infinities, as NumPy and PaddlePaddle 3.3.1 give them."""

import numpy as np
import paddle
import pytest

INF = float("inf")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_floor_divide_of_an_infinity(dtype):
    x, y = [INF, -INF, INF, 1.0, -1.0, 5.0], [2.0, 2.0, INF, INF, INF, -2.0]
    got = paddle.floor_divide(paddle.to_tensor(x, dtype=dtype), paddle.to_tensor(y, dtype=dtype))
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(got.numpy(), np.floor_divide(np.array(x, dtype), np.array(y, dtype)))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_a_complex_number_by_an_infinity_is_zero(dtype):
    x = paddle.to_tensor([3 + 4j, 1 - 2j], dtype=dtype)
    for infinite in (INF, complex(0, INF), complex(-INF, 1)):
        assert (x / infinite).abs().tolist() == [0, 0]
    assert np.isnan((paddle.to_tensor([INF + 0j], dtype=dtype) / INF).numpy()).all()
