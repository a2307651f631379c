# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.cuda`: the GPU functions by the names that other libraries use. There is no GPU: `is_available()` is False."""

from . import _lazy

# Most of these are made on first use.
__all__ = """
BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor Event FloatTensor HalfTensor IntTensor LongTensor
ShortTensor Stream StreamContext check_error cudart current_device current_stream device device_count empty_cache
get_device_capability get_device_name get_device_properties get_rng_state get_stream_from_external ipc_collect
is_available is_bf16_supported is_initialized is_initialized manual_seed manual_seed_all max_memory_allocated
mem_get_info memory_allocated memory_reserved reset_peak_memory_stats set_device set_rng_state set_stream stream
synchronize
""".split()


def current_device():
    """Number of the current GPU: 0."""
    return 0


def device_count():
    """Number of GPUs."""
    return 0


def is_available():
    """Whether there is a GPU."""
    return False


def is_initialized():
    """Whether a GPU is in use."""
    return False


def empty_cache():
    """AttributeError in a build without CUDA: give unused memory of the GPU back."""
    raise AttributeError("empty_cache: paddle has no CUDA; check paddle.cuda.is_available() first.")


def memory_allocated(device=None):
    """AttributeError in a build without CUDA: bytes of GPU memory in use."""
    raise AttributeError("memory_allocated: paddle has no CUDA; check paddle.cuda.is_available() first.")


def memory_reserved(device=None):
    """AttributeError in a build without CUDA: bytes of GPU memory held."""
    raise AttributeError("memory_reserved: paddle has no CUDA; check paddle.cuda.is_available() first.")


def synchronize(device=None):
    """TypeError: there is no GPU to wait for."""
    raise TypeError("synchronize: the current device is the CPU; it must be a GPU.")


def current_stream(device=None):
    """TypeError: the CPU has no streams."""
    raise TypeError("current_stream: the current device is the CPU; it must be a GPU.")


def set_device(device):
    """Make new tensors on a GPU.

    Raises:
        ValueError: There is none.
    """
    raise ValueError(f"cuda.set_device: device has value {device!r}; paddle has no CUDA.")


def manual_seed_all(seed):
    """Seed the generators of the GPUs: there are none."""


manual_seed = manual_seed_all


def cudart():
    """The CUDA runtime library.

    Raises:
        AttributeError: Paddle has none.
    """
    raise AttributeError("cudart: paddle has no CUDA.")


def check_error(res):
    """Raise when a call of the CUDA runtime library failed.

    Raises:
        AttributeError: Paddle has none.
    """
    raise AttributeError("check_error: paddle has no CUDA.")


class CudaError(RuntimeError):
    """A call of the CUDA runtime library failed."""


_DEVICE = (
    "amp",
    "nvtx",
    "ipc_collect",
    "is_bf16_supported",
    "get_stream_from_external",
    "device",
    "set_stream",
    "stream",
)
_CUDA = ("get_device_capability", "get_device_name", "get_device_properties", "max_memory_allocated", "mem_get_info")
_TYPES = ("BFloat16", "Bool", "Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")
_FROM = {
    **{name: ("paddle.device", name) for name in (*_DEVICE, "Event", "Stream", "StreamContext")},
    **{name: ("paddle.device.cuda", name) for name in (*_CUDA, "reset_peak_memory_stats")},
    **{name: ("paddle.device.cuda", name) for name in ("get_rng_state", "set_rng_state")},
    **{f"{name}Tensor": ("paddle.device", f"{name}Tensor") for name in _TYPES},
}
__getattr__ = _lazy.attribute_hook(__name__, (), _FROM)
