# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of Tensor that name its place and its bytes."""

import paddle
from paddle.device.kind import Device


def test_the_device_of_a_tensor():
    device = paddle.ones([1]).device
    assert device == "cpu" and device.type == "cpu" and device.index is None and isinstance(device, Device)
    assert not paddle.ones([1]).is_cuda and paddle.ones([1]).get_device() == -1


def test_bytes():
    x = paddle.ones([2, 3], dtype="float64")
    assert (x.nbytes, x.itemsize, x.strides, x.layout) == (48, 8, [3, 1], "NCHW")
    assert complex(paddle.to_tensor(2.0)) == 2 + 0j
    assert [x.byte().dtype, x.cfloat().dtype, x.char().dtype] == [paddle.uint8, paddle.complex64, paddle.int8]
