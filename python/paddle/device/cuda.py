# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The GPU functions in a build without CUDA: there is no GPU, and what asks for one raises."""

from .. import _lazy
from . import cpu, streams
from ._absent import absent_functions

__all__ = [
    "Event",
    "Stream",
    "current_stream",
    "device_count",
    "empty_cache",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "memory_summary",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "stream_guard",
    "synchronize",
    "vmm_compact",
]


Event, Stream = streams.Event, streams.Stream
get_rng_state, set_rng_state = cpu.get_rng_state, cpu.set_rng_state
current_stream, stream_guard = streams.current_stream, streams.stream_guard


def device_count():
    """Number of GPUs."""
    return 0


def empty_cache():
    """Give unused memory of the GPU back."""


def synchronize(device=None):
    """RuntimeError: there is no GPU to wait for. ValueError: device names something else."""
    if isinstance(device, str) and device.split(":")[0] not in ("gpu", "cuda"):
        raise ValueError(f"synchronize: device has value {device!r}; it must name a GPU, as 'gpu:0'.")
    raise RuntimeError("synchronize: paddle has no CUDA, so there is no GPU to wait for.")


_absent = absent_functions(__name__, "in a build without CUDA", "paddle has no CUDA.")
memory_allocated = _absent("memory_allocated", "bytes of GPU memory in use")
max_memory_allocated = _absent("max_memory_allocated", "most bytes of GPU memory in use")
memory_reserved = _absent("memory_reserved", "bytes of GPU memory held")
max_memory_reserved = _absent("max_memory_reserved", "most bytes of GPU memory held")
reset_max_memory_allocated = _absent("reset_max_memory_allocated", "start measuring max_memory_allocated again")
reset_max_memory_reserved = _absent("reset_max_memory_reserved", "start measuring max_memory_reserved again")
reset_peak_memory_stats = _absent("reset_peak_memory_stats", "start measuring the peaks of GPU memory again")
memory_summary = _absent("memory_summary", "a table of GPU memory")
mem_get_info = _absent("mem_get_info", "free and whole GPU memory in bytes")
vmm_compact = _absent("vmm_compact", "join free GPU memory")
get_device_properties = _absent("get_device_properties", "the description of a GPU")
get_device_name = _absent("get_device_name", "the name of a GPU")
get_device_capability = _absent("get_device_capability", "the version of a GPU's instruction set")


def manual_seed(seed):
    """Seed the generators of the GPUs: there are none, and the CPU's own stays as it is."""


def extract_cuda_device_id(device, op_name):
    """The number of the GPU that a name, a number or a place stands for.

    Raises:
        ValueError: There is no GPU.
    """
    raise ValueError(f"{op_name}: device has value {device!r}; paddle has no CUDA.")


def create_stream(device_id=None, priority=2, device_type=None, blocking=False):
    """A new stream.

    Raises:
        RuntimeError: There is no GPU.
    """
    raise RuntimeError("create_stream: paddle has no CUDA, so there are no streams.")


def create_event(enable_timing=False, blocking=False, interprocess=False, device_type=None, device_id=0):
    """A new event.

    Raises:
        RuntimeError: There is no GPU.
    """
    raise RuntimeError("create_event: paddle has no CUDA, so there are no events.")


def allocate_record_guard(flag):
    """Record allocations of GPU memory inside of a `with`.

    Raises:
        ValueError: There is no GPU.
    """
    raise ValueError("allocate_record_guard: paddle has no CUDA.")


def allocate_record_table(device=None, save_path=None):
    """A table of the recorded allocations.

    Raises:
        ValueError: There is no GPU.
    """
    raise ValueError("allocate_record_table: paddle has no CUDA.")


def allocate_record_plot(device=None, save_path=None):
    """A drawing of the recorded allocations.

    Raises:
        ValueError: There is no GPU.
    """
    raise ValueError("allocate_record_plot: paddle has no CUDA.")


class MemoryAnalysisTool:
    """Looks at GPU memory; it holds functions alone."""

    def __init__(self):
        raise TypeError("MemoryAnalysisTool: it has no instances; call its functions.")

    @staticmethod
    def memory_summary(device_id=None):
        """A table of GPU memory."""
        return memory_summary(device_id)

    @staticmethod
    def vmm_all_block_info(device_id=None):
        """The blocks of GPU memory."""
        return _blocks("vmm_all_block_info")

    @staticmethod
    def vmm_free_block_info(device_id=None):
        """The free blocks of GPU memory."""
        return _blocks("vmm_free_block_info")

    @staticmethod
    def vmm_max_free_size(device_id=None):
        """Size of the largest free block of GPU memory."""
        return _blocks("vmm_max_free_size")

    @staticmethod
    def allocate_record_table(data, output_filepath=""):
        """A table of recorded allocations."""
        return _blocks("allocate_record_table")

    @staticmethod
    def allocate_record_plot(data, save_path=""):
        """A drawing of recorded allocations."""
        return _blocks("allocate_record_plot")


def _blocks(name):
    raise ValueError(f"MemoryAnalysisTool.{name}: paddle has no CUDA.")


_FROM = {"deprecated": ("paddle.utils", "deprecated")}
__getattr__ = _lazy.attribute_hook(__name__, (), _FROM)
