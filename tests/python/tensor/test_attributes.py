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


def test_members_that_the_runtime_of_paddle_shows():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    assert x._place_str == str(x.place) and x._grad_value() is None and x._grad_name() == ""
    (x * x).sum().backward()
    assert np.array(x._grad_value()).tolist() == [2.0, 4.0]
    x._copy_gradient_from(paddle.full([2], 7.0))
    assert x.grad.tolist() == [7.0, 7.0]
    x._set_grad_ivar(paddle.full([2], 8.0))
    assert x._grad_ivar().tolist() == [8.0, 8.0]
    x._zero_grads()
    assert x.grad.tolist() == [0.0, 0.0] and x._is_dense_tensor_hold_allocation()
    assert x._getitem_dygraph(1).item() == 2.0 and not paddle.zeros([0])._is_dense_tensor_hold_allocation()
    y = paddle.zeros([3])
    x._share_underline_tensor_to(y)
    assert x._is_shared_underline_tensor_with(y) and y.tolist() == x._use_gpudnn(False).tolist() == [1.0, 2.0]
    x.persistable = True
    copy = x._copy_to(paddle.CPUPlace(), True)
    assert copy.persistable and copy.stop_gradient and not copy._is_shared_buffer_with(x)
    with pytest.raises(AssertionError, match="blocking"):
        x._to(blocking=1)
    scale = paddle.base.core.eager.scale
    assert scale(x, 2.0, 1.0, True, False).stop_gradient and not scale(x, 2.0, 1.0, True, True).stop_gradient
    assert scale(x, 2.0, 1.0, False, True).tolist() == [4.0, 6.0]


def test_copies_take_the_shape_of_the_source():
    x = paddle.ones([4, 2])
    assert x.copy_(paddle.zeros([3], "float64"), True) is x and x.tolist() == [0.0] * 3 and x.dtype == paddle.float32


def test_a_variable_of_the_default_program_is_made_after_a_tensor():
    weight = paddle.nn.Linear(2, 3, weight_attr=paddle.ParamAttr(learning_rate=0.5)).weight
    variable = weight._to_static_var()
    assert (variable.name, list(variable.shape), variable.dtype) == (weight.name, [2, 3], weight.dtype)
    assert variable.is_parameter and variable.optimize_attr == {"learning_rate": 0.5}
    assert not paddle.ones([2])._to_static_var().is_parameter


def test_a_parameter_of_a_shape_needs_a_dtype_and_one_of_a_dtype_a_shape():
    Parameter = paddle.base.framework.EagerParamBase
    for settings in ({"shape": None, "dtype": "float32"}, {"shape": [1], "dtype": None}):
        with pytest.raises(ValueError, match="is None"):
            Parameter(**settings)


@pytest.mark.parametrize("name", ["stop_gradient", "persistable"])
def test_flags_are_bools(name):
    x = paddle.ones([2])
    for value in (3, "a", None):
        with pytest.raises(TypeError, match=f"{name}.*must be a bool"):
            setattr(x, name, value)
    for value in (True, np.bool_(False)):
        setattr(x, name, value)
        assert getattr(x, name) is bool(value)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int32", "int64"])
def test_a_number_is_true_when_it_is_above_zero(dtype):
    below, zero, above = (paddle.to_tensor(v, dtype=dtype) for v in (-1, 0, 1))
    assert [bool(v) for v in (below, zero, above, below.reshape([1]))] == [False, False, True, False]
    assert [v.__nonzero__() for v in (below, above)] == [False, True]
    assert (below and above) is below and (below or above) is above and not below
    assert list(filter(None, [below, zero, above])) == [above]
    assert not paddle.to_tensor(float("nan")) and paddle.to_tensor(255, dtype="uint8")
