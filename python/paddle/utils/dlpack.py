# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Exchange of Tensors without copying, by DLPack."""

from .. import _core

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(x):
    """A DLPack capsule over the memory of a Tensor; it can be taken once.

    Raises:
        TypeError: x is no Tensor.
    """
    if not isinstance(x, _core.Tensor):
        raise TypeError(f"to_dlpack: x is a {type(x).__name__}; it must be a Tensor.")
    return x.__dlpack__()


def from_dlpack(dlpack, *, device=None, copy=None):
    """A Tensor over the memory of a DLPack capsule, or of an object with `__dlpack__`.

    Args:
        dlpack: The capsule or object.
        device: Place of the result; its own by default.
        copy: True copies, False refuses to; None copies only where it must.
    """
    if not (hasattr(dlpack, "__dlpack__") or type(dlpack).__name__ == "PyCapsule"):
        raise TypeError(
            f"from_dlpack: dlpack is a {type(dlpack).__name__}; it must be a DLPack capsule or have __dlpack__."
        )
    out = _core.from_dlpack(dlpack)
    return out.clone() if copy else out
