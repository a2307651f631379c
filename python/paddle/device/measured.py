# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Memory and properties of a device of any kind: of one of a plugin what it says, else what `paddle.device.cuda` says."""

from ..framework.devices import convert_to_place, current_place
from . import cuda, custom_device


def _module(device):
    if isinstance(device, int) or (isinstance(device, str) and device.partition(":")[0] in ("gpu", "cuda", "cpu")):
        return cuda
    place = current_place() if device is None else convert_to_place(device)
    return custom_device if place.is_custom_place() else cuda


def _by_device(name):
    def ask(device=None):
        return getattr(_module(device), name)(device)

    ask.__name__ = ask.__qualname__ = name
    ask.__module__ = __name__
    ask.__doc__ = getattr(custom_device, name).__doc__
    return ask


get_device_capability = _by_device("get_device_capability")
get_device_name = _by_device("get_device_name")
get_device_properties = _by_device("get_device_properties")
max_memory_allocated = _by_device("max_memory_allocated")
max_memory_reserved = _by_device("max_memory_reserved")
memory_allocated = _by_device("memory_allocated")
memory_reserved = _by_device("memory_reserved")
reset_max_memory_allocated = _by_device("reset_max_memory_allocated")
reset_max_memory_reserved = _by_device("reset_max_memory_reserved")


def empty_cache():
    """Give unused memory of all devices back."""
    custom_device.empty_cache()


def reset_peak_memory_stats(device=None):
    """Start measuring the peaks of memory again."""
    module = _module(device)
    if module is custom_device:
        return custom_device.reset_max_memory_allocated(device)
    return cuda.reset_peak_memory_stats(device)
