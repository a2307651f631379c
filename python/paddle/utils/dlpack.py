# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Exchange of Tensors without copying, by DLPack."""

import enum

from .. import _core, _lazy
from ..framework import modes

__all__ = ["from_dlpack", "to_dlpack"]
__dir__ = _lazy.listing(__name__)


class DLDeviceType(enum.IntEnum):
    """Kinds of devices, as DLPack counts them."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14


def to_dlpack(x):
    """A DLPack capsule over the memory of a Tensor; it can be taken once.

    Raises:
        TypeError: x is no Tensor.
    """
    from ..static.scope import DenseTensor

    if isinstance(x, DenseTensor):
        return x._to_dlpack()
    if not isinstance(x, _core.Tensor):
        raise TypeError(f"to_dlpack: x has type {type(x).__name__}; it must be a Tensor.")
    return x.__dlpack__()


def from_dlpack(dlpack, *, device=None, copy=None):
    """A Tensor over the memory of a DLPack capsule, or of an object with `__dlpack__`; a DenseTensor in static mode.

    Args:
        dlpack: The capsule or object.
        device: Place of the result; its own by default.
        copy: True copies, False refuses to; None copies only where it must.
    """
    if not (hasattr(dlpack, "__dlpack__") or type(dlpack).__name__ == "PyCapsule"):
        raise TypeError(
            f"from_dlpack: dlpack has type {type(dlpack).__name__}; it must be a DLPack capsule or have __dlpack__."
        )
    if not modes.in_dynamic_mode():
        from ..static.scope import DenseTensor

        with modes.eager_region():
            out = _core.from_dlpack(dlpack)
            return DenseTensor(out.clone() if copy else out)
    out = _core.from_dlpack(dlpack)
    return out.clone() if copy else out
