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


def test_types_without_tensors_have_names():
    import pickle

    for name, size in (("uint32", 4), ("uint64", 8), ("pstring", 16), ("raw", 0)):
        kind = getattr(paddle, name)
        assert isinstance(kind, paddle.dtype) and repr(kind) == f"paddle.{name}"
        assert kind.name == name and kind.itemsize == size and int(kind) == kind.value
        assert kind == paddle.dtype(name) == pickle.loads(pickle.dumps(kind)) and kind != paddle.int32
        assert kind == name and paddle.int32 != kind and not kind.is_floating_point and not kind.is_complex
        assert {kind: 1}[getattr(paddle, name)] == 1 and getattr(paddle.dtype, name.upper()) is kind
    assert paddle.dtype.UNDEFINED is paddle.dtype.ALL_DTYPE is paddle.raw and paddle.uint32 != paddle.uint64
    assert paddle.iinfo(paddle.uint32).max == 2**32 - 1
    x = paddle.ones([2])
    for kind in (paddle.uint32, "uint64", paddle.raw):
        with pytest.raises((TypeError, ValueError)):
            x.astype(kind)
        with pytest.raises((TypeError, ValueError)):
            paddle.zeros([2], dtype=kind)
        with pytest.raises((TypeError, ValueError)):
            paddle.to_tensor([1], dtype=kind)
    assert x.dtype != paddle.uint32
