# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The GPU functions in a build without CUDA: counts are zero, waiting is done at once."""

from . import streams

Event, Stream = streams.Event, streams.Stream
current_stream, stream_guard = streams.current_stream, streams.stream_guard


def device_count():
    """Number of GPUs."""
    return 0


def empty_cache():
    """Give unused memory of the GPU back."""


def synchronize(device=None):
    """Wait until the GPU has done its work."""


def _zero(what):
    def read(device=None):
        return 0

    read.__doc__ = f"Bytes of GPU memory: {what}."
    return read


memory_allocated = _zero("in use")
max_memory_allocated = _zero("most in use")
memory_reserved = _zero("held")
max_memory_reserved = _zero("most held")


def get_device_properties(device=None):
    """Description of a GPU; it needs a build with CUDA."""
    raise ValueError("get_device_properties: this build has no CUDA.")


get_device_name = get_device_capability = get_device_properties
