# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads and writes at positions that an index tensor names along an axis, or a mask or its rows name."""

from .. import _core
from ..framework.symint import are_same
from ._args import (
    aliases,
    as_tensor,
    axis_of,
    check_tensor,
    finish,
    ops,
)

__all__ = [
    "take_along_axis",
    "put_along_axis",
    "take_along_dim",
    "scatter_add",
    "scatter_reduce",
    "scatter_nd",
    "masked_scatter",
]


def _known(*tensors):
    return all(isinstance(n, int) for t in tensors for n in t.shape)


def _spread(arr, indices, axis):
    """Both expanded to each other's sizes except along the axis."""
    if not _known(arr, indices):  # which of two extents is 1 is seen when the program runs
        first = [ops.slice(t, [axis], [0], [1]) for t in (arr, indices)]
        pairs = [(arr, first[1]), (indices, first[0])]
        # of one dtype, as PaddlePaddle runs the operator
        return [ops.broadcast_tensors([x, ops.cast(like, x.dtype)])[0] for x, like in pairs]
    shape = [a if b == 1 else b for a, b in zip(arr.shape, indices.shape, strict=True)]
    wide, full = list(shape), list(shape)
    wide[axis], full[axis] = indices.shape[axis], arr.shape[axis]
    return (
        arr if arr.shape == full else ops.expand(arr, full),
        indices if indices.shape == wide else ops.expand(indices, wide),
    )


def _integers(indices, name):
    if indices.dtype.name not in ("int32", "int64"):
        if not indices.dtype.name.startswith(("int", "uint")):
            raise TypeError(f"{name}: indices has dtype {indices.dtype.name}; it must hold integers.")
        return ops.cast(indices, _core.int64)
    return indices


@aliases(input="arr", index="indices", dim="axis")
def take_along_axis(arr, indices, axis, broadcast=True, *, out=None):
    """Elements along an axis by an index tensor of as many dimensions.

    Args:
        arr: A tensor.
        indices: Integers; negative ones count from the end.
        axis: An axis; None takes from the flattened tensor.
        broadcast: Whether arr and indices are expanded to each other except along the axis.
        out: Receives the result.

    Returns:
        A tensor of the shape of indices (expanded).

    Raises:
        IndexError: An index is out of range.

    Example:
        >>> paddle.take_along_axis(paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[1], [0]]), 1).tolist()
        [[2], [3]]
    """
    check_tensor("take_along_axis", arr=arr, indices=indices)
    if axis is None:
        arr, axis = ops.reshape(arr, [-1]), 0
    if arr.ndim != indices.ndim:
        raise ValueError(
            f"take_along_axis: arr has {arr.ndim} dimensions and indices {indices.ndim}; the numbers must be equal."
        )
    axis = axis_of(axis, arr.ndim, "take_along_axis")
    indices = _integers(indices, "take_along_axis")
    if broadcast and arr.ndim:
        arr, indices = _spread(arr, indices, axis)
    return finish(ops.take_along_axis(arr, indices, axis), out)


take_along_dim = take_along_axis


@aliases(input="arr", index="indices", dim="axis", src="values")
def put_along_axis(arr, indices, values, axis, reduce="assign", include_self=True, broadcast=True):
    """A copy of arr with values at the indices along an axis.

    Args:
        arr: A tensor.
        indices: Integers, with as many dimensions as arr.
        values: A tensor or a number.
        axis: An axis.
        reduce: 'assign', 'add', 'mul', 'multiply', 'mean', 'amin' or 'amax'.
        include_self: Whether the old element takes part.
        broadcast: Whether indices and values are expanded to the shape of arr except along the axis;
            otherwise indices must not be longer than arr or values.

    Returns:
        A tensor of the shape of arr.

    Raises:
        IndexError: An index is out of range.

    Example:
        >>> paddle.put_along_axis(paddle.zeros([2, 2]), paddle.to_tensor([[1], [0]]), 5.0, 1).tolist()
        [[0.0, 5.0], [5.0, 0.0]]
    """
    axis, indices, values = _fitted_along("put_along_axis", arr, indices, values, axis, broadcast)
    if _writes_part(reduce, include_self):
        return ops.put_along_axis(arr, indices, values, axis, reduce, True)
    return ops.put_along_axis_reduce(arr, indices, values, axis, reduce, include_self)


@aliases(input="arr", index="indices", dim="axis", src="values")
def put_along_axis_(arr, indices, values, axis, reduce="assign", include_self=True, broadcast=True):
    """`put_along_axis`, written into the first argument, which is returned."""
    if not _writes_part(reduce, include_self):
        old = arr if arr.stop_gradient else ops.assign(arr)
        made = put_along_axis(old, indices, values, axis, reduce, include_self, broadcast)
        return _core.assign_inplace(arr, made, "put_along_axis_")
    axis, indices, values = _fitted_along("put_along_axis_", arr, indices, values, axis, broadcast)
    return arr.scatter_(axis, indices, values, reduce)


def _writes_part(reduce, include_self):
    """Whether the elements of arr that no index names take no part and those that one names are written at once."""
    return reduce == "assign" or (reduce == "add" and include_self)


def _fitted_along(name, arr, indices, values, axis, broadcast):
    """The axis from the front, the indices as integers, the values in the dtype of arr; the last two of one shape."""
    check_tensor(name, arr=arr, indices=indices)
    if arr.ndim != indices.ndim:
        raise ValueError(
            f"{name}: arr has {arr.ndim} dimensions and indices {indices.ndim}; the numbers must be equal."
        )
    axis = axis_of(axis, arr.ndim, name)
    indices = _integers(indices, name)
    values = as_tensor(values, arr)
    values = values if values.dtype == arr.dtype else ops.cast(values, arr.dtype)
    fit = [*arr.shape[:axis], *indices.shape[axis : axis + 1], *arr.shape[axis + 1 :]]
    if are_same(indices.shape, fit) and are_same(values.shape, fit):
        return axis, indices, values
    if broadcast and not _known(arr, indices, values):  # which extents are 1 is seen when the program runs
        indices = ops.broadcast_tensors([indices, ops.slice(arr, [axis], [0], [1])])[0]
        return axis, indices, ops.broadcast_tensors([values, indices])[0]
    if broadcast:
        indices = indices if indices.shape == fit else ops.expand(indices, fit)
    elif values.ndim == indices.ndim and values.shape != indices.shape:
        values = values[tuple(slice(0, n) for n in indices.shape)]
    values = values if values.shape == indices.shape else ops.expand(values, indices.shape)
    return axis, indices, values


def scatter_add(input, dim, index, src):
    """A copy of input with src added at the positions that index names along dim.

    Args:
        input: A tensor.
        dim: An axis.
        index: Integers; no longer than src, and than input except along dim.
        src: What is added.
    """
    check_tensor("scatter_add", input=input, index=index)
    return put_along_axis(input, index, src, dim, "add", True, False)


def scatter_add_(input, dim, index, src):
    """`scatter_add`, written into the first argument, which is returned."""
    return put_along_axis_(input, index, src, dim, "add", True, False)


_REDUCTIONS = {"sum": "add", "prod": "mul"}


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    """A copy of input with src reduced into the positions that index names along dim.

    Args:
        input: A tensor.
        dim: An axis.
        index: Integers; no longer than src, and than input except along dim.
        src: The values.
        reduce: 'sum', 'prod', 'mean', 'amin', 'amax' or 'assign'.
        include_self: Whether the old element takes part.
    """
    check_tensor("scatter_reduce", input=input, index=index)
    return put_along_axis(input, index, src, dim, _REDUCTIONS.get(reduce, reduce), include_self, False)


def scatter_nd(index, updates, shape, name=None):
    """Zeros of a shape with updates added at the positions that the last axis of index holds.

    Args:
        index: Tensor [..., k] of int32 or int64: positions on the first k axes.
        updates: Tensor of shape index.shape[:-1] + shape[k:].
        shape: Shape of the result.
        name: Unused.

    Returns:
        A Tensor of the dtype of updates.

    Example:
        >>> paddle.scatter_nd(paddle.to_tensor([[1], [1], [3]]), paddle.to_tensor([1.0, 2.0, 4.0]), [4]).tolist()
        [0.0, 3.0, 0.0, 4.0]
    """
    check_tensor("scatter_nd", index=index, updates=updates)
    return ops.scatter_nd_add(ops.full(list(shape), 0, updates.dtype), index, updates)


@aliases(input="x", source="value")
def masked_scatter(x, mask, value, name=None):
    """x with the first elements of value, in order, where the mask is true.

    Args:
        x: A tensor.
        mask: A bool tensor that broadcasts to the shape of x.
        value: A tensor with at least as many elements as the mask has true ones.
    """
    check_tensor("masked_scatter", x=x, mask=mask, value=value)
    if mask.dtype.name != "bool":
        raise AssertionError(f"masked_scatter: mask has dtype {mask.dtype.name}; it must be bool.")
    if value.dtype != x.dtype:
        raise AssertionError(
            f"masked_scatter: x has dtype {x.dtype.name} and value has dtype {value.dtype.name}; they must be equal. "
            f"Cast one of them with astype()."
        )
    mask = mask if mask.shape == x.shape else ops.expand(mask, x.shape)
    order = ops.cumsum(ops.reshape(ops.cast(mask, _core.int64), [-1]), 0)
    if x.size and not _core.is_capturing() and int(order[-1]) > value.size:
        raise AssertionError(
            f"masked_scatter: the mask has {int(order[-1])} true elements and value has {value.size} elements; "
            f"there must be at least as many."
        )
    flat = ops.reshape(value, [-1])
    order = ops.maximum(order - 1, ops.full_like(order, 0))  # at most value.size - 1: where true elements end
    picked = ops.gather(flat, order, 0) if flat.size else x
    return ops.where(mask, ops.reshape(picked, x.shape), x)
