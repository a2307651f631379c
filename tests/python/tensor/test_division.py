# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Dtypes of quotients: PaddlePaddle's for integers; docs/user/differences.md for bool."""

import paddle
import pytest


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int32", "int64", "bool"])
def test_quotients_of_integers_are_float32(dtype):
    x, y = paddle.to_tensor([7, 8, 1]).astype(dtype), paddle.to_tensor([2, 2, 2]).astype(dtype)
    expected = [1.0, 1.0, 1.0] if dtype == "bool" else [3.5, 4.0, 0.5]
    for quotient in (paddle.divide(x, y), x / y, x.divide(y)):
        assert quotient.dtype == paddle.float32 and quotient.tolist() == expected


def test_an_integer_divided_in_place_becomes_float32():
    x = paddle.to_tensor([7, 8, 1])
    x.divide_(paddle.to_tensor([2, 2, 2]))
    assert x.dtype == paddle.float32 and x.tolist() == [3.5, 4.0, 0.5]
