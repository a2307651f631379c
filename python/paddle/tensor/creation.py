# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Creation: `to_tensor`, `full` and its relatives, diagonals, copies. Numbers in a row: ranges.py."""

import warnings

from .. import _core
from ..framework.checked_numbers import check_whole, real
from ..framework.devices import check_device, honours_device
from ..framework.dtypes import get_default_dtype
from ..framework.modes import no_grad
from ._args import (
    Tensor,
    aliases,
    check_tensor,
    convert,
    finish,
    is_later,
    ops,
    packed,
    shape_arg,
    write,
)
from .ranges import arange

__all__ = [
    "to_tensor",
    "full",
    "zeros",
    "ones",
    "empty",
    "full_like",
    "zeros_like",
    "ones_like",
    "empty_like",
    "eye",
    "diag",
    "diagflat",
    "assign",
    "clone",
    "polar",
]

_full = ops.full
_complex = complex  # `complex` is a function of this module
_warned_of_copy = False


def _warn_of_copy():
    """Once in a process: a tensor was given where values are expected."""
    global _warned_of_copy
    if not _warned_of_copy:
        _warned_of_copy = True
        warnings.warn(
            "To copy construct from a tensor, write x.clone().detach(); paddle.to_tensor(x) makes the same "
            "copy, without history, but reads as if x held plain values.",
            stacklevel=3,
        )


def to_tensor(data, dtype=None, place=None, stop_gradient=True):
    """A new tensor from numbers, nested lists, arrays or a Tensor (copied).

    Args:
        data: The values.
        dtype: None keeps that of the data; Python floats take the default dtype, integers int64.
        place: Device, or None for the current one.
        stop_gradient: False to compute a gradient for it.

    Returns:
        A Tensor of the shape of data; of shape [] for a number.

    Raises:
        ValueError: The lists are no rectangle, or the dtype or place is unknown.
        TypeError: data holds what is no number.

    Example:
        >>> paddle.to_tensor([[1, 2], [3, 4]])
        Tensor(shape=[2, 2], dtype=int64, place=Place(cpu), stop_gradient=True,
               [[1, 2],
                [3, 4]])
    """
    if isinstance(data, Tensor):
        _warn_of_copy()
    if dtype is not None:
        dtype = convert(dtype)
    return _core.to_tensor(data, dtype, place, stop_gradient)


@aliases(size="shape")
def full(
    shape,
    fill_value,
    dtype=None,
    name=None,
    *,
    out=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
):
    """A tensor of one value.

    Args:
        shape: List, tuple or integer Tensor of extents.
        fill_value: A number, its text ("inf") or a Tensor of one element.
        dtype: dtype of the result. None: bool for a bool, complex128 for a complex number, else the default dtype.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.full([2], 7.5).tolist()
        [7.5, 7.5]
    """
    if isinstance(fill_value, str):
        fill_value = real("full", "fill_value", fill_value)
    elif dtype is None and isinstance(fill_value, (bool, _complex)):
        dtype = _core.bool if isinstance(fill_value, bool) else _core.complex128
    shape, dtype = shape_arg(shape), convert(dtype)
    if isinstance(fill_value, Tensor) and _core.is_capturing():
        result = ops.expand(ops.cast(ops.reshape(fill_value, []), dtype), shape)
    else:
        result = _full(shape, fill_value, dtype, check_device(device))
    return finish(result, out, requires_grad, device, pin_memory)


@packed(0, "shape", "size")
def zeros(shape, dtype=None, name=None, *, out=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of zeros.

    Args:
        shape: Ints, or one list, tuple or integer Tensor of them: `zeros(2, 3)` is `zeros([2, 3])`.
        dtype: dtype of the result; the default dtype (float32) when None.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.zeros([2, 3]).shape
        paddle.Size([2, 3])
    """
    made = _full(shape_arg(shape), 0, convert(dtype), check_device(device))
    return finish(made, out, requires_grad, device, pin_memory)


@packed(0, "shape", "size")
def ones(shape, dtype=None, name=None, *, out=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor of ones.

    Args:
        shape: Ints, or one list, tuple or integer Tensor of them: `ones(2, 3)` is `ones([2, 3])`.
        dtype: dtype of the result; the default dtype (float32) when None.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.ones([2], dtype="int64").tolist()
        [1, 1]
    """
    made = _full(shape_arg(shape), 1, convert(dtype), check_device(device))
    return finish(made, out, requires_grad, device, pin_memory)


@packed(0, "shape", "size")
def empty(shape, dtype=None, name=None, *, out=None, device=None, requires_grad=False, pin_memory=False):
    """A tensor whose values are not set.

    Args:
        shape: Ints, or one list, tuple or integer Tensor of them: `empty(2, 3)` is `empty([2, 3])`.
        dtype: dtype of the result; the default dtype (float32) when None.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.empty([4, 2]).shape
        paddle.Size([4, 2])
    """
    made = _full(shape_arg(shape), 0, convert(dtype), check_device(device))
    return finish(made, out, requires_grad, device, pin_memory)


@aliases(input="x", value="fill_value")
def full_like(x, fill_value, dtype=None, name=None, *, device=None, requires_grad=False, pin_memory=False):
    """A tensor of one value in the shape of another.

    Args:
        x: Tensor whose shape is taken.
        fill_value: A number or its text ("inf").
        dtype: dtype of the result; that of x when None.
        name: Unused.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.full_like(paddle.to_tensor([1, 2]), 3).tolist()
        [3, 3]
    """
    if not isinstance(x, Tensor):
        check_tensor("full_like", x=x)
    if isinstance(fill_value, str):
        fill_value = real("full_like", "fill_value", fill_value)
    result = ops.full_like(x, fill_value, convert(dtype, x.dtype), check_device(device))
    return finish(result, None, requires_grad, device, pin_memory)


@aliases(input="x")
def zeros_like(x, dtype=None, name=None, *, device=None, requires_grad=False, pin_memory=False):
    """Zeros in the shape of another tensor.

    Args:
        x: Tensor whose shape is taken.
        dtype: dtype of the result; that of x when None.
        name: Unused.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.zeros_like(paddle.to_tensor([[1.5, 2.5]])).tolist()
        [[0.0, 0.0]]
    """
    if not isinstance(x, Tensor):
        check_tensor("zeros_like", x=x)
    return finish(
        ops.full_like(x, 0, convert(dtype, x.dtype), check_device(device)), None, requires_grad, device, pin_memory
    )


@aliases(input="x")
def ones_like(x, dtype=None, name=None, *, device=None, requires_grad=False, pin_memory=False):
    """Ones in the shape of another tensor.

    Args:
        x: Tensor whose shape is taken.
        dtype: dtype of the result; that of x when None.
        name: Unused.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.ones_like(paddle.to_tensor([[1.5, 2.5]])).tolist()
        [[1.0, 1.0]]
    """
    if not isinstance(x, Tensor):
        check_tensor("ones_like", x=x)
    return finish(
        ops.full_like(x, 1, convert(dtype, x.dtype), check_device(device)), None, requires_grad, device, pin_memory
    )


@aliases(input="x")
def empty_like(x, dtype=None, name=None, *, device=None, requires_grad=False, pin_memory=False):
    """A tensor in the shape of another, whose values are not set.

    Args:
        x: Tensor whose shape is taken.
        dtype: dtype of the result; that of x when None.
        name: Unused.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.empty_like(paddle.ones([2, 3])).shape
        paddle.Size([2, 3])
    """
    if not isinstance(x, Tensor):
        check_tensor("empty_like", x=x)
    made = _full(x.shape, 0, convert(dtype, x.dtype), check_device(device))
    return finish(made, None, requires_grad, device, pin_memory)


@aliases(n="num_rows", m="num_columns")
@honours_device
def eye(
    num_rows,
    num_columns=None,
    dtype=None,
    name=None,
    *,
    out=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
):
    """A matrix with ones on the main diagonal and zeros elsewhere.

    Args:
        num_rows: Number of rows.
        num_columns: Number of columns; num_rows when None.
        dtype: dtype of the result; the default dtype (float32) when None.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether a gradient is computed for the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Example:
        >>> paddle.eye(2, 3).tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    if is_later(num_rows) or is_later(num_columns):
        rows = ops.reshape(arange(num_rows), [-1, 1])
        columns = rows if num_columns is None else arange(num_columns)
        made = ops.equal(rows, ops.reshape(columns, [1, -1]))
        return ops.cast(made, convert(dtype or get_default_dtype()))
    rows = _count(num_rows, "num_rows")
    columns = rows if num_columns is None else _count(num_columns, "num_columns")
    if isinstance(rows, int) and isinstance(columns, int):
        made = ops.eye(rows, columns, convert(dtype))
    else:  # an extent that varies in the program that is captured
        made = ops.cast(arange(rows).unsqueeze(1) == arange(columns), convert(dtype))
    return finish(made, out, requires_grad, device)


def _count(number, argument):
    check_whole("eye", **{argument: number})
    count = number
    if isinstance(number, Tensor):  # PaddlePaddle drops the fraction of one in a Tensor alone
        count = int(number) if number.dtype.is_floating_point else number.item()
    if not hasattr(count, "__index__") or count < 0:
        raise TypeError(f"eye: {argument} has value {count}; it must be an integer that is not negative.")
    return count


@aliases(input="x", diagonal="offset")
def diag(x, offset=0, padding_value=0, name=None, *, out=None):
    """The diagonal of a matrix, or the matrix that has a vector on its diagonal.

    Args:
        x: A vector or a matrix.
        offset: Which diagonal; positive ones lie above the main one.
        padding_value: What stands beside the diagonal of a new matrix.
        out: Receives the result.

    Example:
        >>> paddle.diag(paddle.to_tensor([1, 2])).tolist(), paddle.diag(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
        ([[1, 0], [0, 2]], [1, 4])
    """
    return finish(ops.diag(x, offset, padding_value), out)


@aliases(input="x")
def diagflat(x, offset=0, name=None):
    """The matrix that has the flattened `x` on a diagonal.

    Args:
        x: A Tensor of n elements.
        offset: Which diagonal; positive ones lie above the main one.
        name: Unused.

    Returns:
        A Tensor [n + |offset|, n + |offset|].

    Example:
        >>> paddle.diagflat(paddle.to_tensor([[1, 2]])).tolist()
        [[1, 0], [0, 2]]
    """
    return ops.diag(ops.reshape(x, [-1]), offset, 0.0)


def _are_known(*tensors):
    """Whether all extents are numbers: a comparison of others would bind the program to its answer."""
    return all(type(n) is int and n >= 0 for t in tensors for n in t.shape)


def assign(x, output=None):
    """A copy that gradients flow through.

    Args:
        x: Tensor, array, list or number.
        output: A Tensor that takes the values; None makes a new one.

    Returns:
        output, or the new Tensor.

    Example:
        >>> target = paddle.zeros([2])
        >>> paddle.assign(paddle.to_tensor([1.0, 2.0]), target).tolist()
        [1.0, 2.0]
    """
    if not isinstance(x, Tensor):
        x = _from_numbers(x)
    if output is None:
        return ops.assign(x)
    records = _core.is_grad_enabled() and not x.stop_gradient
    if output.dtype != x.dtype or not _are_known(output, x) or output.shape != x.shape:
        if output.is_leaf and not output.stop_gradient:
            if not records:
                with no_grad():
                    return _core.rebind_inplace(output, ops.assign(x), "assign")
            output.stop_gradient = True
        return _core.rebind_inplace(output, ops.assign(x), "assign")
    if not records:
        write(output, x)
        return output
    if output.is_leaf:
        output.stop_gradient = True  # from here on it is a result, no longer a leaf
    _core.assign_inplace(output, x, "assign")
    return output


def _from_numbers(data):
    """`data` as NumPy would hold it: float64 for Python floats, one axis for a single number."""
    import numpy

    if isinstance(data, (list, tuple)) and any(isinstance(part, Tensor) for part in data):
        if all(isinstance(part, Tensor) for part in data):
            return ops.stack(list(data), 0)
        data = [part.numpy() if isinstance(part, Tensor) else part for part in data]
    try:
        array = numpy.asarray(data)
    except ValueError:
        raise ValueError("assign: x holds lists of different lengths; all must have the same.") from None
    if array.ndim == 0 and not isinstance(data, numpy.ndarray):
        array = array.reshape(1)
    return _core.to_tensor(array)


@aliases(input="x")
def clone(x, name=None):
    """A copy that gradients flow through.

    Args:
        x: Tensor of any shape and dtype.
        name: Unused.

    Example:
        >>> x = paddle.to_tensor([3.0], stop_gradient=False)
        >>> (2 * paddle.clone(x)).backward()
        >>> x.grad.tolist()
        [2.0]
    """
    return ops.assign(x)


def polar(abs, angle, name=None, *, out=None):
    """The complex tensor of an absolute value and an angle, which broadcast.

    Args:
        abs: float32 or float64 Tensor.
        angle: Tensor of the same dtype, in radians.
        name: Unused.
        out: A Tensor that takes the result.

    Returns:
        A complex64 or complex128 Tensor.

    Example:
        >>> paddle.polar(paddle.to_tensor([2.0]), paddle.to_tensor([0.0])).tolist()
        [(2+0j)]
    """
    return finish(ops.complex(abs * ops.cos(angle), abs * ops.sin(angle)), out)
