# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The functions of devices that plugins add; paddle has none."""

from . import cpu, streams
from ._absent import absent_functions

Event, Stream = streams.Event, streams.Stream
get_rng_state, set_rng_state = cpu.get_rng_state, cpu.set_rng_state
current_stream = streams.current_stream

_absent = absent_functions(__name__, "without a device plugin", "paddle has no device plugin.")
memory_allocated = _absent("memory_allocated", "bytes in use")
max_memory_allocated = _absent("max_memory_allocated", "most bytes in use")
memory_reserved = _absent("memory_reserved", "bytes held")
max_memory_reserved = _absent("max_memory_reserved", "most bytes held")
reset_max_memory_allocated = _absent("reset_max_memory_allocated", "start measuring max_memory_allocated again")
reset_max_memory_reserved = _absent("reset_max_memory_reserved", "start measuring max_memory_reserved again")
get_device_properties = _absent("get_device_properties", "the description of a device")
synchronize = _absent("synchronize", "wait for a device")


def device_count(device_type=None):
    """Number of devices that plugins add."""
    return 0


def empty_cache():
    """Give unused memory of the devices back."""


def manual_seed(seed):
    """Seed the generators of the devices: there are none, and the CPU's own stays as it is."""
