# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Searching, sorting and indexed access: `where`, `argmax`, `argsort`, `nonzero`, `unique`."""

from .. import _core
from .._bind import fallback
from ._args import Tensor, aliases, as_tensor, axis_of, convert, finish, ops

__all__ = [
    "where",
    "argmax",
    "argmin",
    "argsort",
    "sort",
    "nonzero",
    "cumsum",
    "cumprod",
    "take_along_axis",
    "put_along_axis",
    "index_sample",
    "unique",
    "bucketize",
    "searchsorted",
    "bincount",
    "kthvalue",
    "mode",
    "masked_scatter",
]


@fallback
@aliases(input="x", other="y")
def where(condition, x=None, y=None, name=None, *, out=None):
    """Elements of x where the condition is true, else of y; indices when both are left out."""
    if x is None and y is None:
        return nonzero(condition, as_tuple=True)
    if x is None or y is None:
        raise ValueError("where: one of x and y is given; pass both or none.")
    like = x if isinstance(x, Tensor) else y if isinstance(y, Tensor) else None
    x, y = _operand(x, like), _operand(y, like)
    if condition.dtype.name != "bool":
        condition = ops.cast(condition, _core.bool)
    return finish(ops.where(condition, x, y), out)


def _operand(value, like):
    if isinstance(value, Tensor):
        return value
    if like is None or (isinstance(value, float) and not like.dtype.name.startswith(("float", "bfloat", "complex"))):
        return _core.to_tensor(value)
    return _core.to_tensor(value, like.dtype)


def _extreme(op, x, axis, keepdim, dtype):
    if axis is None:
        result = op(x, 0, False, True, convert(dtype))
        return ops.reshape(result, [1] * x.ndim) if keepdim else result
    return op(x, axis_of(axis, x.ndim, "argmax"), keepdim, False, convert(dtype))


@fallback
@aliases(input="x", dim="axis")
def argmax(x, axis=None, keepdim=False, dtype="int64", name=None):
    """Index of the largest element, of the flattened tensor or along an axis."""
    return _extreme(ops.argmax, x, axis, keepdim, dtype)


@fallback
@aliases(input="x", dim="axis")
def argmin(x, axis=None, keepdim=False, dtype="int64", name=None):
    """Index of the smallest element, of the flattened tensor or along an axis."""
    return _extreme(ops.argmin, x, axis, keepdim, dtype)


@fallback
@aliases(input="x", dim="axis")
def argsort(x, axis=-1, descending=False, stable=False, name=None):
    """Indices that sort along an axis."""
    return ops.argsort(x, axis, descending, stable)[1]


@fallback
@aliases(input="x", dim="axis")
def sort(x, axis=-1, descending=False, stable=False, name=None):
    """The elements in order along an axis."""
    return ops.argsort(x, axis, descending, stable)[0]


@fallback
@aliases(input="x")
def nonzero(x, as_tuple=False, *, out=None):
    """Indices of the elements that are not zero, as rows, or as one tensor per axis."""
    rows = ops.nonzero(x)
    if not as_tuple:
        return finish(rows, out)
    return tuple(ops.slice(rows, [1], [i], [i + 1]).squeeze([1]) for i in range(x.ndim))


@fallback
@aliases(input="x", dim="axis")
def cumsum(x, axis=None, dtype=None, name=None, *, out=None):
    """Running sums along an axis (of the flattened tensor without one)."""
    if dtype is not None:
        x = ops.cast(x, convert(dtype))
    elif x.dtype.name in ("bool", "int8", "int16", "uint8", "int32"):
        x = ops.cast(x, _core.int64) if x.dtype.name != "int32" else x
    if axis is None:
        return finish(ops.cumsum(ops.reshape(x, [-1]), 0), out)
    return finish(ops.cumsum(x, axis), out)


@fallback
@aliases(input="x", axis="dim")
def cumprod(x, dim=None, *, dtype=None, out=None, name=None):
    """Running products along an axis (of the flattened tensor without one)."""
    x = x if dtype is None else ops.cast(x, convert(dtype))
    if dim is None:
        x, dim = ops.reshape(x, [-1]), 0
    return finish(ops.cumprod(x, dim), out)


def _spread(arr, indices, axis, *others):
    """Arguments expanded to each other's sizes except along the axis."""
    shape = list(arr.shape)
    for t in (indices, *others):
        shape = [max(a, b) if a != 0 else 0 for a, b in zip(shape, t.shape, strict=False)]
    wide = list(shape)
    wide[axis] = indices.shape[axis]
    full = list(shape)
    full[axis] = arr.shape[axis]
    return (ops.expand(arr, full), ops.expand(indices, wide), *(ops.expand(t, wide) for t in others))


@fallback
@aliases(input="arr", index="indices", dim="axis")
def take_along_axis(arr, indices, axis, broadcast=True, *, out=None):
    """Elements along an axis by an index tensor of as many dimensions."""
    if arr.ndim != indices.ndim:
        raise ValueError(
            f"take_along_axis: arr has {arr.ndim} dimensions and indices {indices.ndim}; the numbers must be equal."
        )
    axis = axis_of(axis, arr.ndim, "take_along_axis")
    if broadcast:
        arr, indices = _spread(arr, indices, axis)
    return finish(ops.take_along_axis(arr, indices, axis), out)


@fallback
@aliases(input="arr", index="indices", dim="axis", src="values")
def put_along_axis(arr, indices, values, axis, reduce="assign", include_self=True, broadcast=True):
    """A copy of arr with values at the indices along an axis.

    Args:
        reduce: 'assign', 'add', 'mul', 'mean', 'amin' or 'amax'.
        include_self: Whether the old element takes part.
    """
    axis = axis_of(axis, arr.ndim, "put_along_axis")
    values = as_tensor(values, arr)
    if values.dtype != arr.dtype:
        values = ops.cast(values, arr.dtype)
    if broadcast:
        shape = list(arr.shape)
        shape[axis] = indices.shape[axis]
        indices = ops.expand(indices, shape)
    values = ops.expand(values, indices.shape) if values.shape != indices.shape else values
    return ops.put_along_axis(arr, indices, values, axis, reduce, include_self)


@fallback
def index_sample(x, index):
    """Elements of each row of a matrix by the indices of the same row."""
    return ops.take_along_axis(x, index, 1)


def _host(fn, x):
    """A function of NumPy on the values; gradients do not flow through it."""
    return fn(x.detach().numpy())


@fallback
@aliases(input="x", dim="axis")
def unique(
    x,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=None,
    dtype="int64",
    sorted=True,
    name=None,
):
    """The different elements (or slices along an axis) in order, computed on the host."""
    import numpy

    made = _host(lambda a: numpy.unique(a, True, True, True, axis), x)
    values, first, inverse, counts = made
    results = [_core.to_tensor(values)]
    for wanted, part in ((return_index, first), (return_inverse, inverse.reshape(-1)), (return_counts, counts)):
        if wanted:
            results.append(_core.to_tensor(part, convert(dtype)))
    return results[0] if len(results) == 1 else tuple(results)


@fallback
def searchsorted(sorted_sequence, values, out_int32=False, right=False, name=None):
    """Positions at which values would be inserted into sorted rows."""
    sequence, values = sorted_sequence, as_tensor(values)
    wide = ops.unsqueeze(sequence, [-2])
    column = ops.unsqueeze(values, [-1])
    before = ops.less_equal(wide, column) if right else ops.less_than(wide, column)
    dtype = _core.int32 if out_int32 else _core.int64
    return ops.sum(ops.cast(before, dtype), [-1], dtype, False)


@fallback
def bucketize(x, sorted_sequence, out_int32=False, right=False, name=None):
    """`searchsorted` with the arguments exchanged."""
    return searchsorted(sorted_sequence, x, out_int32, right)


@fallback
def bincount(x, weights=None, minlength=0, name=None):
    """How often each integer occurs (or the sums of weights), computed on the host."""
    import numpy

    given = None if weights is None else weights.detach().numpy()
    counts = _host(lambda a: numpy.bincount(a, given, minlength), x)
    return _core.to_tensor(counts if weights is None else counts.astype(given.dtype))


@fallback
def kthvalue(x, k, axis=None, keepdim=False, name=None):
    """The k-th smallest element along an axis, and its index."""
    axis = axis_of(-1 if axis is None else axis, x.ndim, "kthvalue")
    parts = [ops.slice(t, [axis], [k - 1], [k]) for t in ops.argsort(x, axis)]
    return tuple(parts) if keepdim else tuple(ops.squeeze(t, [axis]) for t in parts)


@fallback
def mode(x, axis=-1, keepdim=False, name=None):
    """The most frequent element along an axis (the largest of several), and its last index."""
    axis = axis_of(axis, x.ndim, "mode")
    size = x.shape[axis]
    last = ops.transpose(x, [a for a in range(x.ndim) if a != axis] + [axis])
    same = ops.equal(ops.unsqueeze(last, [-1]), ops.unsqueeze(last, [-2]))
    counts = ops.sum(ops.cast(same, _core.int64), [-1], None, False)
    frequent = ops.equal(counts, ops.max(counts, [-1], True))
    top = ops.max(ops.where(frequent, last, ops.min(last, [-1], True)), [-1], True)
    place = ops.arange(0, size, 1, _core.int64)
    hit = ops.equal(last, top)
    index = ops.max(ops.where(hit, place, ops.full_like(place, -1)), [-1], False)
    value = ops.squeeze(top, [-1])
    if keepdim:
        return ops.unsqueeze(value, [axis]), ops.unsqueeze(index, [axis])
    return value, index


@fallback
def masked_scatter(x, mask, value, name=None):
    """x with the first elements of value where the mask is true, in order."""
    mask = ops.expand(mask, x.shape)
    order = ops.cumsum(ops.reshape(ops.cast(mask, _core.int64), [-1]), 0) - 1
    flat = ops.reshape(value, [-1])
    picked = ops.gather(flat, ops.clip(order, 0, max(flat.size - 1, 0)), 0)
    return ops.where(mask, ops.reshape(picked, x.shape), x)
