# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of devices that plugins add."""

from .. import _core
from ..framework import random
from ..framework.devices import convert_to_place, current_place, get_available_custom_device
from . import cpu, streams

Event, Stream = streams.Event, streams.Stream
get_rng_state, set_rng_state = cpu.get_rng_state, cpu.set_rng_state
current_stream = streams.current_stream


def _place(function, device):
    """The place of a plugin's device.

    Raises:
        ValueError: There is no such device, or it is none of a plugin.
    """
    place = current_place() if device is None else convert_to_place(device)
    if not place.is_custom_place():
        known = ", ".join(get_available_custom_device()) or "none"
        raise ValueError(f"{function}: device has value {device!r}; it must be one of a plugin: {known}.")
    return place


def device_count(device_type=None):
    """Number of devices that plugins add: of a kind, or of all."""
    names = get_available_custom_device()
    return len([name for name in names if device_type in (None, name.partition(":")[0])])


def memory_allocated(device=None):
    """Bytes that tensors on a device hold."""
    return _core.memory_stats(_place("memory_allocated", device))[0]


def max_memory_allocated(device=None):
    """Most bytes that tensors on a device held, since `reset_max_memory_allocated`."""
    return _core.memory_stats(_place("max_memory_allocated", device))[1]


def reset_max_memory_allocated(device=None):
    """Start measuring `max_memory_allocated` again."""
    _core.reset_peak_memory(_place("reset_max_memory_allocated", device))


def memory_reserved(device=None):
    """Bytes that tensors on a device hold, and those that are kept for reuse."""
    live, _, kept = _core.memory_stats(_place("memory_reserved", device))
    return live + kept


def mem_get_info(device=None):
    """Two numbers: the free memory of a device, and all of it, in bytes.

    Raises:
        NotImplementedError: The plugin does not tell.
    """
    return _core.memory_info(_place("mem_get_info", device))


def max_memory_reserved(device=None):
    """NotImplementedError: the most bytes that were kept are not measured."""
    raise NotImplementedError("max_memory_reserved: it is not measured; max_memory_allocated is.")


def reset_max_memory_reserved(device=None):
    """NotImplementedError: the most bytes that were kept are not measured."""
    raise NotImplementedError("reset_max_memory_reserved: it is not measured; max_memory_allocated is.")


class DeviceProperties:
    """What a device says of itself: name, total_memory in bytes, multi_processor_count, major and minor."""

    def __init__(self, name, total_memory, multi_processor_count, major, minor):
        self.name, self.total_memory, self.multi_processor_count = name, total_memory, multi_processor_count
        self.major, self.minor = major, minor

    def __repr__(self):
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"DeviceProperties({fields})"


def get_device_properties(device=None):
    """The description of a device, a `DeviceProperties`."""
    return DeviceProperties(*_core.device_properties(_place("get_device_properties", device)))


def synchronize(device=None):
    """Wait until a device has done its work."""
    _core.synchronize_device(_place("synchronize", device))


def empty_cache():
    """Give unused memory of all devices that are in use back."""
    for name in get_available_custom_device():
        if sum(_core.plugin_statistics(name).values()):
            _core.release_cached(_core.Place(name))


def get_device_name(device=None):
    """The name of a device's model."""
    return get_device_properties(device).name


def get_device_capability(device=None):
    """Two numbers: the version of a device's instruction set, or of its driver."""
    properties = get_device_properties(device)
    return properties.major, properties.minor


def manual_seed(seed):
    """Seed the generators of the devices; the CPU's own stays as it is.

    Args:
        seed: The seed, an integer.
    """
    for name in get_available_custom_device():
        random.Generator(name).manual_seed(seed)
