# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attributes of Tensor that name its place, its shape and its memory."""

import copy
import pickle

import numpy as np
import paddle
import pytest
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


def test_a_shape_is_a_list_that_equals_tuples():
    shape = paddle.ones([3, 2]).shape
    assert isinstance(shape, list) and isinstance(shape, paddle.Size)
    assert shape == [3, 2] and shape == (3, 2) and (3, 2) == shape and shape != (3, 1)
    assert repr(shape) == "paddle.Size([3, 2])" and shape.numel() == 6
    assert [1] + shape == shape[:0] + (1, 3, 2) == (1, 3, 2)
    assert all(isinstance(s, paddle.Size) for s in (shape + [1], (1,) + shape, shape * 2, shape[1:], copy.copy(shape)))
    assert pickle.loads(pickle.dumps(shape)) == shape
    shape.append(4)
    assert shape == [3, 2, 4] and type(list(shape)) is list
    with pytest.raises(TypeError, match="item 1 is a float"):
        paddle.Size([1, 2.0])


def test_the_number_of_elements_is_callable():
    x = paddle.ones([3, 2])
    assert x.size == 6 and x.size() == [3, 2] and x.size(-1) == 2 and x.size * 2 == 12


def test_data_shares_memory_without_history():
    p = paddle.create_parameter([3], "float32")
    p.data.fill_(2.0)
    assert p.numpy().tolist() == [2.0, 2.0, 2.0] and p.data.stop_gradient and not p.stop_gradient
    p.data = p.data * 2
    assert p.numpy().tolist() == [4.0, 4.0, 4.0] and not p.stop_gradient


def test_kind_hash_and_memory():
    x = paddle.to_tensor([1.0, 2.0])
    assert x.type == paddle.base.core.VarDesc.VarType.DENSE_TENSOR
    assert str(x.type) == "VarType.DENSE_TENSOR"
    assert hash(x) == hash(id(x))
    np.testing.assert_array_equal(x.numpy(False), x.numpy())
    memory = x.value().get_tensor()
    memory.set(np.array([3.0, 4.0], "float32"), paddle.CPUPlace())
    assert (x.tolist(), memory.shape(), memory._ptr()) == ([3.0, 4.0], [2], x.data_ptr())
    assert paddle.utils.dlpack.from_dlpack(memory._to_dlpack()).data_ptr() == x.data_ptr()
