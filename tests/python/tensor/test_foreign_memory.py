# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Data of other makers: DLPack structs with damaged fields, lists in lists without end."""

import ctypes

import numpy as np
import paddle
import pytest


class Struct(ctypes.Structure):
    """DLManagedTensor of dlpack.h, version 0."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


KEPT = []  # capsules do not own what they point to


def capsule(shape, strides=None, **fields):
    numbers = (ctypes.c_float * 16)(*range(16))
    extents = (ctypes.c_int64 * 80)(*shape)
    steps = (ctypes.c_int64 * 80)(*strides) if strides else None
    struct = Struct(ctypes.addressof(numbers), 1, 0, len(shape), 2, 32, 1, extents, steps, 0, None, None)
    for name, value in fields.items():
        setattr(struct, name, value)
    KEPT.append((struct, numbers, extents, steps))
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return make(ctypes.addressof(struct), b"dltensor", None)


@pytest.mark.parametrize(
    "shape, strides, expected",
    [
        ([2, 3], None, [[0, 1, 2], [3, 4, 5]]),
        ([3, 2], [1, 3], [[0, 3], [1, 4], [2, 5]]),
        ([2, 2], [0, 1], [[0, 1], [0, 1]]),
        ([], None, 0),
        ([0, 3], None, np.zeros((0, 3))),
    ],
)
def test_structs_in_order(shape, strides, expected):
    np.testing.assert_array_equal(paddle.from_dlpack(capsule(shape, strides)).numpy(), expected)


@pytest.mark.parametrize(
    "damage",
    [
        dict(shape=[-1]),
        dict(shape=[2], ndim=-1),
        dict(shape=[1] * 70),
        dict(shape=[2], ndim=2**31 - 1),
        dict(shape=[2**62, 2**62]),
        dict(shape=[2], strides=[2**62]),
        dict(shape=[2], strides=[-1]),
        dict(shape=[2], data=None),
        dict(shape=[2], byte_offset=2**63),
        dict(shape=[2], byte_offset=2),
        dict(shape=[2], code=99),
        dict(shape=[2], lanes=4),
        dict(shape=[2], device_type=2),
    ],
    ids=str,
)
def test_damaged_structs_are_refused(damage):
    with pytest.raises((ValueError, TypeError, OverflowError), match=r"^from_dlpack: |^shape: "):
        paddle.from_dlpack(capsule(**damage))


def test_lists_in_lists_without_end():
    endless = []
    endless.append(endless)
    deep = 1.0
    for _ in range(100_000):
        deep = [deep]
    for data in (endless, deep):
        with pytest.raises(ValueError, match="to_tensor: data has lists in more than 64 levels"):
            paddle.to_tensor(data)
