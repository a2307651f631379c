# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What `paddle.device` says of a device of a plugin: memory, properties, seeds."""

import gc

import numpy as np
import paddle
import pytest
from paddle import device

from tests.device.skeleton import place, statistics, there


def test_memory_is_measured():
    place()
    gc.collect()
    before = device.memory_allocated("skeleton:0")
    device.reset_max_memory_allocated("skeleton:0")
    x = there(np.zeros([512, 512], "float32"))
    assert device.memory_allocated("skeleton:0") == before + x.nbytes
    assert device.max_memory_allocated("skeleton:0") >= before + x.nbytes
    held = device.memory_reserved("skeleton:0")
    del x
    assert device.memory_allocated("skeleton:0") == before and device.memory_reserved("skeleton:0") == held


def test_unused_memory_goes_back_to_the_device():
    x = there(np.zeros([3 << 20], "float32"))  # a block of its own
    before = statistics()
    del x
    gc.collect()
    assert statistics()["blocks"] == before["blocks"]
    device.empty_cache()
    after = statistics()
    assert after["blocks"] < before["blocks"] and after["block_bytes"] <= before["block_bytes"] - (12 << 20)
    np.testing.assert_array_equal((there([1.0]) + 1).numpy(), [2])


def test_more_memory_than_there_is_is_an_error_and_no_end():
    place()
    with pytest.raises(MemoryError, match=r"allocate: 8796093022208 bytes on Place\(skeleton:0\) while \d+ are in use"):
        paddle.empty([1 << 41], "float32", device="skeleton:0")
    np.testing.assert_array_equal((there([1.0]) + 1).numpy(), [2])


def test_properties_are_told():
    place()
    properties = device.get_device_properties("skeleton:1")
    assert (properties.name, properties.total_memory) == ("skeleton on host memory", 8 << 30)
    assert device.get_device_name("skeleton:0") == "skeleton on host memory"
    assert device.get_device_capability("skeleton:0") == (1, 0)
    module = device.get_device_module("skeleton:0")
    assert module.device_count("skeleton") == 2 <= module.device_count()
    with pytest.raises(
        ValueError, match="memory_allocated: device has value 'cpu'; it must be one of a plugin: .*skeleton:0"
    ):
        module.memory_allocated("cpu")
    with pytest.raises(ValueError, match="paddle has no CUDA"):
        device.memory_allocated("gpu:0")


def test_seeds_of_devices_leave_the_cpu_alone():
    place()
    host = paddle.get_rng_state("cpu")
    device.custom_device.manual_seed(41)
    assert paddle.get_rng_state("cpu") == host
    assert paddle.Generator("skeleton:1").initial_seed() == 41
