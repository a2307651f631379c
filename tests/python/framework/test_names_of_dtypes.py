# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Dtypes as attributes of `paddle.dtype`."""

import paddle
import pytest


@pytest.mark.parametrize(
    "name",
    "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 "
    "float8_e4m3fn float8_e5m2".split(),
)
def test_they_are_the_dtypes(name):
    assert getattr(paddle.dtype, name.upper()) is getattr(paddle, name)
    assert paddle.zeros([1], getattr(paddle.dtype, name.upper())).dtype == getattr(paddle, name)
