# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the functions of GPUs and other devices say in a build that has the CPU alone: the answers and the kinds of
errors of PaddlePaddle's CPU build, where that does not stumble over itself."""

import paddle
import pytest
from paddle import cuda, device


def test_questions_have_answers():
    assert not cuda.is_available() and not cuda.is_initialized()
    assert cuda.device_count() == cuda.current_device() == device.xpu.device_count() == 0
    assert cuda.is_bf16_supported() and device.is_bf16_supported()
    assert device.get_device_module() is device.cpu and device.get_device_module("gpu:0") is paddle.cuda
    assert device.get_device_module(paddle.CPUPlace()) is device.cpu and device.cpu.device_count() == 0
    assert device.get_device_module("npu") is device.custom_device and device.get_device_module("xpu") is device.xpu
    assert paddle.get_device_module is device.get_device_module
    assert device.amp.autocast_mode.is_autocast_available("cpu")
    assert cuda.FloatTensor([1.0]).dtype == paddle.float32 and cuda.HalfTensor is paddle.HalfTensor


def test_guards_without_a_device_do_nothing():
    with cuda.stream(None), cuda.StreamContext(None), cuda.device(0), paddle.device_guard("cpu"):
        assert paddle.ones([1]).place.is_cpu_place()
    with device.amp.autocast(dtype=paddle.bfloat16):
        assert paddle.matmul(paddle.ones([2, 2]), paddle.ones([2, 2])).dtype == paddle.bfloat16


def test_seeds_and_states_of_generators():
    cuda.manual_seed(3)
    cuda.manual_seed_all(3)
    state = cuda.get_rng_state()
    first = paddle.rand([3])
    cuda.set_rng_state(state)
    assert (paddle.rand([3]) == first).all()
    with pytest.raises(TypeError):
        device.set_rng_state("x")


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (AttributeError, lambda: cuda.empty_cache()),
        (AttributeError, lambda: cuda.memory_allocated()),
        (AttributeError, lambda: cuda.memory_reserved()),
        (AttributeError, lambda: cuda.cudart()),
        (AttributeError, lambda: cuda.check_error(0)),
        (AttributeError, lambda: device.nvtx.range_push("a")),
        (AttributeError, lambda: device.nvtx.range_pop()),
        (TypeError, lambda: cuda.synchronize()),
        (TypeError, lambda: cuda.current_stream()),
        (TypeError, lambda: device.cuda.MemoryAnalysisTool()),
        (ValueError, lambda: cuda.set_device("gpu:0")),
        (ValueError, lambda: cuda.mem_get_info()),
        (ValueError, lambda: cuda.max_memory_allocated()),
        (ValueError, lambda: cuda.reset_peak_memory_stats()),
        (ValueError, lambda: cuda.get_device_properties()),
        (ValueError, lambda: device.max_memory_reserved()),
        (ValueError, lambda: device.extract_device_id("cpu", "op")),
        (ValueError, lambda: device.cuda.extract_cuda_device_id("gpu:0", "op")),
        (ValueError, lambda: device.cuda.vmm_compact()),
        (ValueError, lambda: device.cuda.memory_summary()),
        (ValueError, lambda: device.cuda.allocate_record_guard(True)),
        (ValueError, lambda: device.cuda.MemoryAnalysisTool.vmm_max_free_size()),
        (ValueError, lambda: device.xpu.memory_allocated()),
        (ValueError, lambda: device.xpu.empty_cache()),
        (ValueError, lambda: device.xpu.set_debug_level(1)),
        (ValueError, lambda: paddle.Stream()),
        (ValueError, lambda: paddle.Event()),
        (ValueError, lambda: paddle.XPUPlace(0)),
        (RuntimeError, lambda: paddle.CUDAPinnedPlace()),
        (RuntimeError, lambda: device.xpu.synchronize()),
        (RuntimeError, lambda: device.xpu.Stream()),
        (RuntimeError, lambda: device.xpu.Event()),
        (RuntimeError, lambda: device.ipc_collect()),
        (RuntimeError, lambda: device.cuda.create_stream()),
        (RuntimeError, lambda: device.cuda.create_event()),
        (RuntimeError, lambda: device.get_device_module("abacus")),
    ],
)
def test_asking_for_a_device_that_is_not_there_raises(error, call):
    with pytest.raises(error):
        call()


def test_places_tell_what_they_are_not():
    place = paddle.CPUPlace()
    assert not place.is_ipu_place() and not place.is_xpu_pinned_place() and place.custom_device_type() == ""
    assert place.xpu_device_id() == place.ipu_device_id() == place.custom_device_id() == 0
