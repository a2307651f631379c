# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors from and for other array libraries: `asarray`, `as_tensor`, `from_numpy`, DLPack."""

from .. import _core
from ..framework.devices import pinned, placed
from ._args import Tensor, convert, ops

__all__ = ["asarray", "as_tensor", "from_numpy", "from_dlpack", "to_dlpack"]


def _made(data, dtype, device, requires_grad, pin_memory=False):
    wanted = None if dtype is None else convert(dtype)
    if isinstance(data, Tensor):
        data = data.detach()
        result = ops.assign(data) if wanted is None or data.dtype == wanted else ops.cast(data, wanted)
        if device is not None:
            result = placed(result, device)
    else:
        result = _core.to_tensor(data, wanted, device, True)
    if pin_memory:
        result = pinned(result, device)
    if requires_grad:
        result.stop_gradient = False
    return result


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    """A tensor of what a tensor, an array, or nested lists hold.

    Args:
        obj: The data. A tensor is copied, without its history.
        dtype: None keeps that of the data.
        device: None keeps that of a tensor, else the current one.
        copy: Kept: the result has memory of its own in any case.
        requires_grad: Whether a gradient is computed for it.
    """
    return _made(obj, dtype, device, requires_grad)


def as_tensor(data, dtype=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of what a tensor, an array, or nested lists hold; see `asarray`."""
    return _made(data, dtype, device, requires_grad, pin_memory)


def from_numpy(ndarray):
    """A tensor over the memory of a NumPy array where the array can lend it, else a copy."""
    import numpy

    if not isinstance(ndarray, numpy.ndarray):
        raise TypeError(f"from_numpy: ndarray has type {type(ndarray).__name__}; it must be a numpy.ndarray.")
    if ndarray.flags.writeable and ndarray.dtype.kind in "iufc" and all(s >= 0 for s in ndarray.strides):
        return _core.from_dlpack(ndarray)
    return _core.to_tensor(ndarray)


def from_dlpack(dlpack, *, device=None, copy=None):
    """A tensor over the memory of an object of another library.

    Args:
        dlpack: An object with `__dlpack__`, or a DLPack capsule.
        device: Where the tensor shall be; None keeps the place.
        copy: True for memory of its own.
    """
    result = _core.from_dlpack(dlpack)
    if device is not None:
        result = result.to(device)
    return ops.assign(result) if copy else result


def to_dlpack(x):
    """A DLPack capsule of the memory of a tensor."""
    if not isinstance(x, Tensor):
        raise TypeError(f"to_dlpack: x has type {type(x).__name__}; it must be a Tensor.")
    return x.__dlpack__()
