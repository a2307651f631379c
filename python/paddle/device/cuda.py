# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The GPU functions in a build without CUDA: there is no GPU, and what asks for one raises."""

from . import streams

Event, Stream = streams.Event, streams.Stream
current_stream, stream_guard = streams.current_stream, streams.stream_guard


def device_count():
    """Number of GPUs."""
    return 0


def empty_cache():
    """Give unused memory of the GPU back."""


def synchronize(device=None):
    """RuntimeError: there is no GPU to wait for."""
    raise RuntimeError("synchronize: this build has no CUDA, so there is no GPU to wait for.")


def _absent(name, what):
    def read(device=None):
        raise ValueError(f"{name}: this build has no CUDA.")

    read.__name__ = read.__qualname__ = name
    read.__doc__ = f"ValueError in a build without CUDA: {what}."
    return read


memory_allocated = _absent("memory_allocated", "bytes of GPU memory in use")
max_memory_allocated = _absent("max_memory_allocated", "most bytes of GPU memory in use")
memory_reserved = _absent("memory_reserved", "bytes of GPU memory held")
max_memory_reserved = _absent("max_memory_reserved", "most bytes of GPU memory held")
reset_max_memory_allocated = _absent("reset_max_memory_allocated", "start measuring max_memory_allocated again")
reset_max_memory_reserved = _absent("reset_max_memory_reserved", "start measuring max_memory_reserved again")
get_device_properties = _absent("get_device_properties", "the description of a GPU")
get_device_name = _absent("get_device_name", "the name of a GPU")
get_device_capability = _absent("get_device_capability", "the version of a GPU's instruction set")
