# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Public names of earlier versions: typed constructors, readers, devices, in-place initialisation, module paths."""

import hashlib
import pickle

import numpy as np
import paddle
import pytest


def test_typed_tensors():
    assert paddle.LongTensor([1, 2]).dtype == paddle.int64
    assert paddle.FloatTensor(2, 3).shape == [2, 3] and paddle.LongTensor().shape == [0]
    assert paddle.device.BoolTensor is paddle.BoolTensor


def numbers(n):
    return lambda: iter(range(n))


def test_readers():
    reader = paddle.reader
    assert list(paddle.batch(numbers(5), 2)()) == [[0, 1], [2, 3], [4]]
    assert list(paddle.batch(numbers(5), 2, drop_last=True)()) == [[0, 1], [2, 3]]
    assert list(reader.buffered(numbers(4), 2)()) == [0, 1, 2, 3]
    assert list(reader.xmap_readers(lambda v: v * v, numbers(5), 2, 3)()) == [0, 1, 4, 9, 16]
    assert list(reader.firstn(reader.chain(numbers(2), numbers(3)), 4)()) == [0, 1, 0, 1]
    assert list(reader.compose(numbers(2), reader.map_readers(lambda a: (a, -a), numbers(2)))()) == [
        (0, 0, 0),
        (1, 1, -1),
    ]
    assert sorted(reader.shuffle(numbers(7), 3)()) == list(range(7))
    with pytest.raises(ValueError, match="different lengths"):
        list(reader.compose(numbers(2), numbers(3))())
    with pytest.raises(ValueError, match="batch_size"):
        paddle.batch(numbers(2), 0)

    def broken():
        yield 1
        raise KeyError("broken")

    with pytest.raises(KeyError):
        list(reader.buffered(broken, 2)())


def test_md5file(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"values")
    assert paddle.dataset.common.md5file(str(path)) == hashlib.md5(b"values").hexdigest()


def test_devices():
    device = paddle.ones([1]).device
    assert device == "cpu" and device.type == "cpu" and device.index is None
    other = paddle.device.Device("cuda:1")
    assert (other, other.type, other.index) == ("gpu:1", "gpu", 1)
    assert pickle.loads(pickle.dumps(other)).index == 1
    with paddle.device.Device("cpu"), paddle.device.device_guard("cpu"):
        assert paddle.device.get_default_device() == "cpu"
    assert paddle.ones([1]).get_device() == -1 and not paddle.ones([1]).is_cuda
    for place in (paddle.XPUPlace, paddle.CustomPlace):
        with pytest.raises(ValueError, match="paddle has no"):
            place("npu", 0)
    with pytest.raises(ValueError, match="Stream"):
        paddle.device.Stream()


def test_initialisation_in_place():
    weight = paddle.zeros([200, 300])
    init = paddle.nn.init
    paddle.seed(0)
    assert init.kaiming_uniform_(weight) is weight
    assert abs(float(weight.max()) - np.sqrt(6 / 200)) < 1e-3
    init.kaiming_normal_(weight, a=1, mode="fan_out")
    assert abs(float(weight.std()) - np.sqrt(1 / 300)) < 1e-3
    init.xavier_uniform_(weight, gain=2.0)
    assert abs(float(weight.max()) - 2 * np.sqrt(6 / 500)) < 1e-3
    assert init.eye_(paddle.zeros([2, 2])).tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert init.constant_(paddle.zeros([2]), 3.0).tolist() == [3.0, 3.0]
    with pytest.raises(ValueError, match="mode"):
        init.kaiming_normal_(weight, mode="fan")


def test_conversions():
    array = np.arange(3, dtype="int16")
    assert paddle.from_numpy(array).dtype == paddle.int16
    x = paddle.as_tensor([1.0, 2.0])
    x.stop_gradient = False
    copied = paddle.asarray(x)
    assert copied.tolist() == x.tolist() and copied.stop_gradient and not copied._is_shared_buffer_with(x)
    assert not paddle.asarray(x, requires_grad=True).stop_gradient
    assert paddle.asarray([1, 2], dtype="float64").dtype == paddle.float64
    assert paddle.from_dlpack(paddle.to_dlpack(x)).tolist() == [1.0, 2.0]
    assert x.byte().dtype == paddle.uint8 and x.complex64().dtype == paddle.complex64
    with pytest.raises(TypeError, match="from_numpy"):
        paddle.from_numpy([1])


def test_memory_methods():
    x = paddle.arange(4.0)
    assert x.resize_([6]).tolist() == [0.0, 1.0, 2.0, 3.0, 0.0, 0.0]
    assert x.apply_(lambda v: v * 2).tolist()[:2] == [0.0, 2.0]
    assert x._slice(1, 3).tolist() == [2.0, 4.0] and x._numel() == 6
    assert paddle.zeros([2]).set_(x)._is_shared_buffer_with(x)
    assert x.new_empty(2, 3).shape == [2, 3] and x.is_same_shape(paddle.zeros([6]))
    assert complex(paddle.to_tensor(1 + 2j)) == 1 + 2j
    with pytest.raises(ValueError, match="sparse"):
        x.values()


def test_cast_region_queries():
    assert not paddle.is_autocast_enabled()
    with paddle.autocast("cpu", dtype="bfloat16"):
        assert paddle.is_autocast_enabled() and paddle.get_autocast_dtype("cpu") == "bfloat16"


def test_module_paths():
    from paddle.base import core
    from paddle.base.framework import EagerParamBase, in_dygraph_mode, in_pir_mode
    from paddle.common_ops_import import check_type, check_variable_and_dtype, convert_dtype

    assert core.VarDesc.VarType.FP32 == paddle.float32 and paddle.framework.core is core
    assert isinstance(paddle.nn.Linear(2, 2).weight, EagerParamBase)
    assert in_dygraph_mode() and not in_pir_mode()
    assert convert_dtype(paddle.float32) == "float32"
    check_variable_and_dtype(paddle.ones([1]), "x", ["float32"], "op")
    with pytest.raises(TypeError, match="x has dtype float32"):
        check_variable_and_dtype(paddle.ones([1]), "x", ["int32"], "op")
    with pytest.raises(TypeError, match="x has type int"):
        check_type(1, "x", (list, tuple), "op")
    assert paddle.nn.loss.CrossEntropyLoss is paddle.nn.CrossEntropyLoss


def test_layer_names():
    layer = paddle.nn.Sequential(paddle.nn.Embedding(3, 2, padding_idx=-1))
    assert layer[0].padding_idx == -1 and list(layer._modules) == ["0"]
    with pytest.raises(ValueError, match="no such device"):
        layer.cuda()


def test_devices_that_no_build_has_are_refused():
    with pytest.raises(ValueError, match="kind must be one of cpu, gpu"):
        paddle.device.Device("x")
    with pytest.raises(ValueError, match="number 0"):
        paddle.set_device(3)
    assert paddle.device.Device("cpu") == "cpu" and paddle.set_device(0) == paddle.CPUPlace()
