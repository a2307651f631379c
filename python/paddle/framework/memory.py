# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Writing values into a tensor that exists."""

from .. import _core


def write(target, values):
    """Put `values` into the memory of `target`, outside the gradient graph.

    Args:
        target: The tensor that is written.
        values: A tensor of the same shape; other dtypes are cast.
    """
    if list(values.shape) != list(target.shape):
        raise ValueError(
            f"set_value: the values have shape {list(values.shape)} and the tensor has shape "
            f"{list(target.shape)}; the shapes must be equal."
        )
    previous = _core.set_grad_enabled(False)
    try:
        if values.dtype != target.dtype:
            values = _core.ops.cast(values, target.dtype)
        target.copy_(values)
    finally:
        _core.set_grad_enabled(previous)
    return target


def from_bits(array, dtype):
    """The tensor of a dtype that NumPy has no type for, from an array of its raw bits."""
    import numpy

    raw = array.view(numpy.uint16 if dtype.itemsize == 2 else numpy.uint8)
    return _core._rebuild_tensor(_core.Tensor, raw, dtype, True, False, False)
