# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Devices: which one new tensors are made on, and what this build has."""

from .. import _core

CPUPlace = _core.CPUPlace
CUDAPlace = _core.CUDAPlace
_device = "cpu"


class CUDAPinnedPlace:
    """Page-locked host memory; it needs a build with CUDA."""

    def __init__(self):
        raise RuntimeError("CUDAPinnedPlace: this build has no CUDA; use CPUPlace().")


def set_device(device):
    """Make new tensors on a device ('cpu'), and return its place."""
    name = getattr(device, "type", device)
    if not isinstance(name, str):
        name = "cpu"
    if name.split(":")[0] == "cpu":
        return current_place()
    raise ValueError(f"set_device: device has value {device!r}; this build has no such device, pass 'cpu'.")


def get_device(input=None):
    """Name of the device of a tensor, or of the current one."""
    return _device


def current_place():
    """The place of the current device."""
    return CPUPlace()


def get_all_device_type():
    """Kinds of devices."""
    return ["cpu"]


def get_available_device():
    """Names of devices."""
    return ["cpu"]


def device_count():
    """Number of GPUs."""
    return 0


def synchronize(device=None):
    """Wait until the device has done its work."""


def _absent(what):
    def check():
        return False

    check.__doc__ = f"False: this build has no {what}."
    return check


is_compiled_with_cuda = _absent("CUDA")
is_compiled_with_rocm = _absent("ROCm")
is_compiled_with_xpu = _absent("XPU")
is_compiled_with_cinn = _absent("CINN")
is_compiled_with_ipu = _absent("IPU")
is_compiled_with_distribute = _absent("distributed part")


def is_compiled_with_custom_device(device_type):
    """Whether a plugin of the device is there."""
    return False


def get_cudnn_version():
    """None: this build has no cuDNN."""
    return None


def __getattr__(name):
    if name == "cuda":
        import importlib

        return importlib.import_module("paddle.device.cuda")
    raise AttributeError(f"module 'paddle.device' has no attribute '{name}'")
