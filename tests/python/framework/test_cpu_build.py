# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Devices, versions, modes and small helpers of a CPU build: what each answers or which error it raises."""

import logging

import numpy as np
import paddle
import pytest


@pytest.mark.parametrize(
    "ask",
    [
        paddle.is_compiled_with_cuda,
        paddle.is_compiled_with_rocm,
        paddle.is_compiled_with_xpu,
        lambda: paddle.is_compiled_with_custom_device("npu"),
        paddle.device.is_compiled_with_cuda,
        paddle.device.is_compiled_with_rocm,
        paddle.device.is_compiled_with_xpu,
        lambda: paddle.device.is_compiled_with_custom_device("npu"),
    ],
)
def test_no_device_but_the_cpu_is_built_in(ask):
    assert ask() is False


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: paddle.CUDAPlace(0), ValueError),
        (lambda: paddle.CUDAPinnedPlace(), RuntimeError),
        (lambda: paddle.XPUPinnedPlace(), RuntimeError),
        (lambda: paddle.device.cuda.get_device_properties(), ValueError),
        (lambda: paddle.device.cuda.max_memory_allocated(), ValueError),
        (lambda: paddle.device.cuda.max_memory_reserved(), ValueError),
        (lambda: paddle.device.cuda.synchronize(), RuntimeError),
        (lambda: paddle.set_device("gpu:0"), ValueError),
    ],
)
def test_what_needs_a_gpu_raises_as_in_a_cpu_build(call, error):
    with pytest.raises(error):
        call()


def test_devices_of_a_cpu_build():
    assert paddle.device.cuda.device_count() == 0 and paddle.device.cuda.empty_cache() is None
    assert paddle.device.get_all_custom_device_type() in ([], None)
    assert paddle.set_device("cpu") == paddle.CPUPlace() == paddle.device.set_device("cpu")
    assert paddle.device._convert_to_place("cpu") == paddle.CPUPlace()
    assert paddle.framework._current_expected_place() == paddle.CPUPlace()
    with paddle.device.stream_guard(None):
        assert paddle.ones([2]).sum().item() == 2
    assert paddle.amp.is_bfloat16_supported() in (True, False)


def test_random_state_of_gpus_is_empty():
    state = paddle.get_cuda_rng_state()
    assert state == []
    paddle.set_cuda_rng_state(state)
    assert paddle.get_cuda_rng_state() == []


def test_a_generator_of_ones_own():
    generator = paddle.Generator()
    generator.manual_seed(3)
    assert generator.initial_seed() == 3


def test_modes():
    assert paddle.framework.in_dynamic_or_pir_mode() is True
    assert paddle.framework.use_pir_api() in (True, False)
    assert paddle.framework.core.set_prim_eager_enabled(False) is None
    assert paddle.disable_signal_handler() is None


def test_versions_agree():
    assert paddle.version.full_version == paddle.__version__
    assert isinstance(paddle.version.commit, str) and paddle.version.commit


def test_helpers():
    assert paddle.utils.try_import("json").dumps([1]) == "[1]"
    with pytest.raises(ImportError, match="pip install"):
        paddle.utils.try_import("no_such_module_here")
    assert paddle.utils.map_structure(lambda x: x + 1, {"a": [1, 2], "b": 3}) == {"a": [2, 3], "b": 4}
    with paddle.utils.unique_name.guard():
        assert [paddle.utils.unique_name.generate("fc") for _ in range(2)] == ["fc_0", "fc_1"]
    endpoints = paddle.utils.download._get_unique_endpoints(["a:1", "a:2", "b:1"])
    assert {e.split(":")[0] for e in endpoints} == {"a", "b"} and len(endpoints) == 2


def test_not_to_static_and_enable_to_static():
    calls = []

    def f(x):
        calls.append(1)
        return x * 2

    captured = paddle.jit.to_static(f, full_graph=True)
    paddle.jit.enable_to_static(False)
    try:
        assert [captured(paddle.ones([1])).item() for _ in range(3)] == [2.0] * 3 and len(calls) == 3
    finally:
        paddle.jit.enable_to_static(True)

    @paddle.jit.not_to_static
    def g(x):
        return x + 1

    assert g(paddle.ones([1])).item() == 2.0


def test_regularizers_add_their_part():
    for decay, part in ((paddle.regularizer.L1Decay(0.5), 0.5), (paddle.regularizer.L2Decay(0.5), 1.5)):
        weight = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(3.0))
        optimizer = paddle.optimizer.SGD(1.0, parameters=[weight], weight_decay=decay)
        (weight * 2).sum().backward()
        optimizer.step()
        assert weight.item() == pytest.approx(3 - (2 + part))


def test_loggers_and_sizes():
    assert isinstance(paddle.distributed.fleet.utils.log_util.logger, logging.Logger)
    assert tuple(paddle.vision.transforms.transforms._get_image_size(np.zeros((4, 6, 3)))) == (6, 4)
    assert callable(paddle.vision.models.__dict__["resnet18"])


def test_precision_types_of_inference_are_different():
    kinds = [
        paddle.inference.PrecisionType.Float32,
        paddle.inference.PrecisionType.Half,
        paddle.inference.PrecisionType.Int8,
    ]
    assert len({str(k) for k in kinds}) == 3 and str(kinds[0]).endswith("Float32")
