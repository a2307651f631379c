# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Devices: which one new tensors are made on, and which there are."""

import sys
import types

from .. import _core, _lazy
from ..framework.devices import (
    convert_to_place as _convert_to_place,
)
from ..framework.devices import (
    current_place,
    device_to_place,
    get_available_custom_device,
    get_available_device,
    set_device,
)
from ..tensor.typed import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
)

__all__ = [
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "Event",
    "FloatTensor",
    "HalfTensor",
    "IPUPlace",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
    "Stream",
    "StreamContext",
    "XPUPlace",
    "current_stream",
    "device",
    "device_count",
    "device_guard",
    "empty_cache",
    "get_all_custom_device_type",
    "get_all_device_type",
    "get_available_custom_device",
    "get_available_device",
    "get_cudnn_version",
    "get_device",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "get_rng_state",
    "get_stream_from_external",
    "ipc_collect",
    "is_available",
    "is_bf16_supported",
    "is_compiled_with_cinn",
    "is_compiled_with_cuda",
    "is_compiled_with_custom_device",
    "is_compiled_with_distribute",
    "is_compiled_with_ipu",
    "is_compiled_with_rocm",
    "is_compiled_with_xpu",
    "is_current_stream_capturing",
    "load_plugin",
    "loaded_plugins",
    "manual_seed",
    "max_memory_allocated",
    "max_memory_reserved",
    "memory_allocated",
    "memory_reserved",
    "reset_max_memory_allocated",
    "reset_max_memory_reserved",
    "reset_peak_memory_stats",
    "set_device",
    "set_rng_state",
    "set_stream",
    "stream_guard",
    "support",
    "support_page",
    "synchronize",
]


CPUPlace = _core.CPUPlace
CUDAPlace = _core.CUDAPlace


class CUDAPinnedPlace(_core.Place):
    """Page-locked host memory; it needs a build with CUDA."""

    def __new__(cls):
        raise RuntimeError("CUDAPinnedPlace: paddle has no CUDA; use CPUPlace().")


def get_device(input=None):
    """The name of the current device, or the number of the device of a tensor.

    Args:
        input: A Tensor, or None.

    Returns:
        'cpu'; for a Tensor the number of its device, -1 for the CPU.

    Example:
        >>> paddle.get_device()
        'cpu'
    """
    return _core.place_text(current_place()) if input is None else input.get_device()


def get_all_device_type():
    """Kinds of devices."""
    return ["cpu", *_core.custom_device_types()]


def device_count():
    """Number of GPUs."""
    return 0


def synchronize(device=None):
    """Wait until the device has done its work.

    Args:
        device: Name or place of a device; None for the current one.
    """
    _core.synchronize_device(device_to_place(device))


def _absent(what):
    def check():
        return False

    check.__doc__ = f"False: paddle has no {what}."
    return check


is_compiled_with_cuda = _absent("CUDA")
is_compiled_with_rocm = _absent("ROCm")
is_compiled_with_xpu = _absent("XPU")
is_compiled_with_ipu = _absent("IPU")


def is_compiled_with_cinn():
    """True: the compiler is in every build."""
    return True


def is_compiled_with_distribute():
    """True: `paddle.distributed` is in every build."""
    return True


def is_compiled_with_custom_device(device_type):
    """Whether a plugin of the device is there."""
    return device_type in _core.custom_device_types()


def get_cudnn_version():
    """None: paddle has no cuDNN."""
    return None


def get_all_custom_device_type():
    """Kinds of devices that plugins provide."""
    return _core.custom_device_types()


def current_device():
    """Number of the current device."""
    return current_place().get_device_id()


def is_available():
    """Whether there is an accelerator."""
    return bool(get_available_custom_device())


def get_default_device():
    """The device on which new tensors are made."""
    from .kind import Device

    return Device(get_device())


def set_default_device(device):
    """As `set_device`."""
    set_device(str(device))


class device_guard:
    """Context manager: new tensors are made on a device."""

    def __init__(self, device):
        self._device = device

    def __enter__(self):
        self._previous = get_device()
        if self._device is not None:
            set_device(str(self._device))
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        set_device(self._previous)
        return False


class device(device_guard):
    """`device_guard`, of the current device when none is named; a number names an accelerator, and changes nothing
    where there is none."""

    def __init__(self, device=None):
        super().__init__(None if isinstance(device, int) else device)

    def __exit__(self, exc_type, exc_value, traceback):
        return super().__exit__(exc_type, exc_value, traceback)


class nvtx:
    """Marks for NVIDIA's profilers; they need a build with CUDA."""

    @staticmethod
    def range_push(msg):
        """Begin a named range."""
        raise AttributeError("nvtx.range_push: paddle has no CUDA; paddle.profiler.RecordEvent marks ranges.")

    @staticmethod
    def range_pop():
        """End the last range."""
        raise AttributeError("nvtx.range_pop: paddle has no CUDA; paddle.profiler.RecordEvent marks ranges.")


class _AutocastMode:
    """Questions about mixed precision on devices."""

    @staticmethod
    def is_autocast_available(device_type):
        """Whether `paddle.amp.auto_cast` works on a kind of device."""
        return device_type == "cpu"


class amp:
    """Mixed precision under the names of other libraries' device modules."""

    autocast_mode = _AutocastMode()

    @staticmethod
    def autocast(enabled=True, dtype=_core.float16, cache_enabled=True):
        """`paddle.amp.auto_cast`.

        Args:
            enabled: Whether operators are cast.
            dtype: The low dtype; the CPU takes bfloat16.
            cache_enabled: Kept for programs that pass it.
        """
        from ..amp import auto_cast

        return auto_cast(enable=enabled, dtype=getattr(dtype, "name", dtype))


def is_bf16_supported(including_emulation=True):
    """True: the CPU kernels take bfloat16."""
    return True


def extract_device_id(device, op_name):
    """The number of an accelerator that a name such as 'gpu:1' has.

    Raises:
        ValueError: The name is of another form, or paddle has no such device.
    """
    raise ValueError(f"{op_name}: device has value {device!r}; paddle has no accelerators.")


def get_device_module(device=None):
    """The module with the functions of a kind of device, which paddle need not have.

    Args:
        device: Name or place of a device; None for the current one.

    Raises:
        RuntimeError: There is no such kind.

    Example:
        >>> paddle.device.get_device_module("cpu").__name__
        'paddle.device.cpu'
    """
    import importlib

    kind = getattr(device, "type", device) or get_device()
    kind = "cpu" if isinstance(kind, _core.Place) else str(kind).partition(":")[0].lower()
    path = _MODULES.get(kind, "paddle.device.custom_device" if kind in _core.custom_device_types() else None)
    if path is None:
        raise RuntimeError(f"get_device_module: device has value {device!r}; it must be one of {sorted(_MODULES)}.")
    return importlib.import_module(path)


_PLUGINS = "biren_gpu custom_cpu gcu iluvatar_gpu intel_gpu intel_hpu mlu mps npu sdaa"
_MODULES = {
    "cpu": "paddle.device.cpu",
    "gpu": "paddle.cuda",
    "cuda": "paddle.cuda",
    "xpu": "paddle.device.xpu",
    **dict.fromkeys(_PLUGINS.split(), "paddle.device.custom_device"),
}


def ipc_collect():
    """Free memory that was shared with other processes.

    Raises:
        RuntimeError: Paddle has no accelerators.
    """
    raise RuntimeError("ipc_collect: paddle has no accelerators, so no memory of theirs is shared.")


def _absent_place(name, device, error=ValueError):
    class Place(_core.Place):
        def __new__(cls, dev_id=0, *more):
            raise error(f"{name}: paddle has no {device}; use CPUPlace().")

    Place.__name__ = Place.__qualname__ = name
    Place.__doc__ = f"Memory of {device}; paddle has none."
    return Place


class _CustomPlaces(type(_core.Place)):
    def __instancecheck__(cls, value):
        return isinstance(value, _core.Place) and value.is_custom_place()


class CustomPlace(_core.Place, metaclass=_CustomPlaces):
    """Memory of a device that a plugin provides.

    Args:
        device_type: Name of the kind of device.
        dev_id: Number of the device.

    Raises:
        ValueError: There is no such device.
    """

    def __new__(cls, device_type, dev_id=0):
        if device_type not in _core.custom_device_types():
            known = ", ".join(repr(name) for name in _core.custom_device_types()) or "none"
            raise ValueError(
                f"CustomPlace: paddle has no device plugin {device_type!r}; those that are loaded: {known}."
            )
        place = _core.Place(f"{device_type}:{dev_id}")
        if not 0 <= dev_id < _core.device_count(place):
            raise ValueError(
                f"CustomPlace: dev_id has value {dev_id}; there are {_core.device_count(place)} devices {device_type}."
            )
        return place


XPUPlace = _absent_place("XPUPlace", "XPU")
XPUPinnedPlace = _absent_place("XPUPinnedPlace", "XPU", RuntimeError)
IPUPlace = _absent_place("IPUPlace", "IPU")

_FROM = {
    "framework": ("paddle.base.framework", None),
    "load_plugin": ("paddle.device.plugins", "load_plugin"),
    "loaded_plugins": ("paddle.device.plugins", "loaded_plugins"),
    "support": ("paddle.device.support", "support"),
    "support_page": ("paddle.device.support", "support_page"),
    "Device": ("paddle.device.kind", "Device"),
    "manual_seed": ("paddle.framework.random", "manual_seed"),
    "manual_seed_all": ("paddle.framework.random", "manual_seed"),
    "get_rng_state": ("paddle.device.cpu", "get_rng_state"),
    "set_rng_state": ("paddle.device.cpu", "set_rng_state"),
    **{
        name: ("paddle.device.measured", name)
        for name in (
            "empty_cache",
            "memory_allocated",
            "memory_reserved",
            "get_device_capability",
            "get_device_name",
            "get_device_properties",
            "max_memory_allocated",
            "max_memory_reserved",
            "reset_max_memory_allocated",
            "reset_max_memory_reserved",
            "reset_peak_memory_stats",
        )
    },
    **{
        name: ("paddle.device.streams", name)
        for name in (
            "Event",
            "Stream",
            "StreamContext",
            "current_stream",
            "get_stream_from_external",
            "is_current_stream_capturing",
            "set_stream",
            "stream",
            "stream_guard",
        )
    },
}
__getattr__ = _lazy.attribute_hook(__name__, ("cpu", "cuda", "custom_device", "plugins", "xpu"), _FROM)


class _CallableModule(types.ModuleType):
    """`paddle.device` is both a package and a function that makes a `Device`."""

    def __call__(self, *args, **kwargs):
        return self.Device(*args, **kwargs)


sys.modules[__name__].__class__ = _CallableModule
