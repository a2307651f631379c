# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The XPU functions in a build without XPUs: there is none, and what asks for one raises."""

from ._absent import absent_functions

__all__ = [
    "Event",
    "Stream",
    "device_count",
    "empty_cache",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_total",
    "memory_used",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "set_debug_level",
    "synchronize",
]


def device_count():
    """Number of XPUs."""
    return 0


def _refused(name):
    return ValueError(f"{name}: paddle has no XPU.")


_absent = absent_functions(__name__, "in a build without XPU", "paddle has no XPU.")
memory_allocated = _absent("memory_allocated", "bytes of XPU memory in use")
max_memory_allocated = _absent("max_memory_allocated", "most bytes of XPU memory in use")
memory_reserved = _absent("memory_reserved", "bytes of XPU memory held")
max_memory_reserved = _absent("max_memory_reserved", "most bytes of XPU memory held")
memory_total = _absent("memory_total", "bytes of XPU memory")
memory_used = _absent("memory_used", "bytes of XPU memory that all processes hold")
reset_max_memory_allocated = _absent("reset_max_memory_allocated", "start measuring max_memory_allocated again")
reset_max_memory_reserved = _absent("reset_max_memory_reserved", "start measuring max_memory_reserved again")


def empty_cache():
    """ValueError in a build without XPU: give unused memory of the XPU back."""
    raise _refused("empty_cache")


def set_debug_level(level=0):
    """ValueError in a build without XPU: how much the XPU's library tells."""
    raise _refused("set_debug_level")


def synchronize(device=None):
    """RuntimeError: there is no XPU to wait for."""
    raise RuntimeError("synchronize: paddle has no XPU, so there is none to wait for.")


class Stream:
    """A queue of work on an XPU."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError("xpu.Stream: paddle has no XPU.")


class Event:
    """A point in the work of a stream."""

    def __init__(self):
        raise RuntimeError("xpu.Event: paddle has no XPU.")
