# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Searching, sorting and indexed access: `where`, `argmax`, `argsort`, `nonzero`, `unique`."""

from .. import _core
from ..framework.symint import are_same
from ._args import (
    Tensor,
    aliases,
    as_tensor,
    axis_of,
    check_tensor,
    convert,
    finish,
    is_later,
    ops,
    refused,
    writes_out,
)

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
    "cummax",
    "cummin",
    "logcumsumexp",
    "take_along_dim",
    "scatter_add",
    "scatter_reduce",
    "scatter_nd",
    "unique",
    "unique_consecutive",
    "bucketize",
    "searchsorted",
    "masked_scatter",
    "msort",
    "argwhere",
    "isin",
]


@aliases(input="x", other="y")
def where(condition, x=None, y=None, name=None, *, out=None):
    """Elements of x where a condition holds, else of y.

    Args:
        condition: Bool Tensor; it broadcasts against x and y.
        x: Tensor or number.
        y: The same. With both left out the result is `nonzero(condition, as_tuple=True)`.
        name: Unused.
        out: A Tensor that takes the result.

    Examples:
        >>> x = paddle.to_tensor([-1.0, 2.0])
        >>> paddle.where(x > 0, x, 0.0).tolist()
        [0.0, 2.0]
    """
    if x is None and y is None:
        return nonzero(condition, as_tuple=True)
    if x is None or y is None:
        raise ValueError("where: one of x and y is given; pass both or none.")
    like = x if isinstance(x, Tensor) else y if isinstance(y, Tensor) else None
    x, y = _operand(x, like), _operand(y, like)
    if isinstance(condition, Tensor) and condition.dtype.name != "bool":
        raise ValueError(
            f"where: condition has dtype {condition.dtype.name}; it must be bool; compare it with a number first."
        )
    if x.dtype != y.dtype:
        x, y = _common_floats(x, y)
    return finish(ops.where(condition, x, y), out)


def _common_floats(x, y):
    """Two floating-point tensors, or any beside a complex one, in one dtype; others stay as they are."""
    names = (x.dtype.name, y.dtype.name)
    if all(name.startswith(("float", "bfloat")) for name in names) or any("complex" in name for name in names):
        common = (ops.full([0], 0, x.dtype) + ops.full([0], 0, y.dtype)).dtype
        return ops.cast(x, common), ops.cast(y, common)
    return x, y


_WIDE = ("float32", "float64", "complex64", "complex128")


def _operand(value, like):
    if isinstance(value, Tensor):
        return value
    if like is None or (isinstance(value, float) and like.dtype.name not in _WIDE):  # a float is a float32
        return _core.to_tensor(value)
    if isinstance(value, complex) and not like.dtype.name.startswith("complex"):
        return _core.to_tensor(value, "complex128" if like.dtype.name == "float64" else "complex64")
    return _core.to_tensor(value, like.dtype)


def _extreme(op, x, axis, keepdim, dtype):
    if axis is None:
        result = op(x, 0, False, True, convert(dtype))
        return ops.reshape(result, [1] * x.ndim) if keepdim else result
    axis = axis if is_later(axis) else axis_of(axis, x.ndim, op.__name__)
    return op(x, axis, keepdim, False, convert(dtype))


@writes_out
@aliases(input="x", dim="axis", keepdims="keepdim")
def argmax(x, axis=None, keepdim=False, dtype="int64", name=None):
    """Index of the largest element; of equal ones the first.

    Args:
        x: Tensor.
        axis: The axis; None: the index within the flattened x.
        keepdim: Whether the axis stays, with extent 1.
        dtype: int32 or int64.
        name: Unused.

    Examples:
        >>> paddle.argmax(paddle.to_tensor([[1.0, 5.0], [7.0, 2.0]]), axis=1).tolist()
        [1, 0]
    """
    return _extreme(ops.argmax, x, axis, keepdim, dtype)


@writes_out
@aliases(input="x", dim="axis", keepdims="keepdim")
def argmin(x, axis=None, keepdim=False, dtype="int64", name=None):
    """Index of the smallest element; of equal ones the first.

    Args:
        x: Tensor.
        axis: The axis; None: the index within the flattened x.
        keepdim: Whether the axis stays, with extent 1.
        dtype: int32 or int64.
        name: Unused.

    Examples:
        >>> paddle.argmin(paddle.to_tensor([[1.0, 5.0], [7.0, 2.0]]), axis=1).tolist()
        [0, 1]
    """
    return _extreme(ops.argmin, x, axis, keepdim, dtype)


@aliases(input="x", dim="axis")
def argsort(x, axis=-1, descending=False, stable=False, name=None):
    """Indices that bring the elements into order along an axis.

    Args:
        x: Tensor; NaN counts as the largest value.
        axis: The axis.
        descending: Whether the largest come first.
        stable: Whether equal elements keep their order.
        name: Unused.

    Returns:
        An int64 Tensor of x's shape.

    Examples:
        >>> paddle.argsort(paddle.to_tensor([3.0, 1.0, 2.0])).tolist()
        [1, 2, 0]
    """
    return ops.argsort(x, axis, descending, stable)[1]


@refused("paddle.compat.sort", "input", "dim")
def sort(x, axis=-1, descending=False, stable=False, name=None):
    """The elements in order along an axis.

    Args:
        x: Tensor; NaN counts as the largest value.
        axis: The axis.
        descending: Whether the largest come first.
        stable: Whether equal elements keep their order, which gradients and `argsort` show.
        name: Unused.

    Examples:
        >>> paddle.sort(paddle.to_tensor([3.0, 1.0, 2.0]), descending=True).tolist()
        [3.0, 2.0, 1.0]
    """
    return ops.argsort(x, axis, descending, True)[0]


@aliases(input="x")
def nonzero(x, as_tuple=False, *, out=None):
    """Indices of the elements that are not zero.

    Args:
        x: Tensor of rank r.
        as_tuple: Whether the indices come as one Tensor of shape [n] for each axis.
        out: A Tensor that takes the result.

    Returns:
        An int64 Tensor of shape [n, r], a row for each such element; or a tuple of them.

    Examples:
        >>> paddle.nonzero(paddle.to_tensor([[0, 3], [4, 0]])).tolist()
        [[0, 1], [1, 0]]
    """
    rows = ops.nonzero(x)
    if not as_tuple:
        return finish(rows, out)
    return tuple(ops.slice(rows, [1], [i], [i + 1]).squeeze([1]) for i in range(x.ndim))


@aliases(input="x", dim="axis")
def cumsum(x, axis=None, dtype=None, name=None, *, out=None):
    """Running sums along an axis.

    Args:
        x: Tensor.
        axis: The axis; None: of the flattened x.
        dtype: x is cast to it first; None keeps its own (int64 for narrower integers and bool).
        name: Unused.
        out: A Tensor that takes the result.

    Examples:
        >>> paddle.cumsum(paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
        [1.0, 3.0, 6.0]
    """
    check_tensor("cumsum", x=x)
    if dtype is not None:
        x = ops.cast(x, convert(dtype))
    elif x.dtype.name in ("bool", "int8", "int16", "uint8", "int32"):
        x = ops.cast(x, _core.int64)
    if axis is None:
        return finish(ops.cumsum(ops.reshape(x, [-1]), 0), out)
    return finish(ops.cumsum(x, axis), out)


@aliases(input="x", axis="dim")
def cumprod(x, dim=None, *, dtype=None, out=None, name=None):
    """Running products along an axis.

    Args:
        x: Tensor.
        dim: The axis; None: of the flattened x.
        dtype: x is cast to it first; None keeps its own.
        out: A Tensor that takes the result.
        name: Unused.

    Examples:
        >>> paddle.cumprod(paddle.to_tensor([1.0, 2.0, 3.0]), dim=0).tolist()
        [1.0, 2.0, 6.0]
    """
    check_tensor("cumprod", x=x)
    x = x if dtype is None else ops.cast(x, convert(dtype))
    if dim is None:
        x, dim = ops.reshape(x, [-1]), 0
    return finish(ops.cumprod(x, dim), out)


def _running(op, x, axis, dtype):
    if axis is None:
        x, axis = ops.reshape(x, [-1]), 0
    return op(x, axis_of(axis, x.ndim, "cummax"), convert(dtype))


@aliases(input="x", dim="axis")
@writes_out
def cummax(x, axis=None, dtype="int64", name=None):
    """The largest element so far along an axis (of the flattened tensor without one), and its position.

    Args:
        x: A tensor of real numbers.
        axis: An axis, or None.
        dtype: 'int64' or 'int32', of the positions.

    Returns:
        (values, positions), of the shape of x or of its flattened form.
    """
    return _running(ops.cummax, x, axis, dtype)


@aliases(input="x", dim="axis")
@writes_out
def cummin(x, axis=None, dtype="int64", name=None):
    """The smallest element so far along an axis, and its position; see `cummax`."""
    return _running(ops.cummin, x, axis, dtype)


@aliases(input="x", dim="axis")
@writes_out
def logcumsumexp(x, axis=None, dtype=None, name=None):
    """The logarithm of the running sum of exponentials along an axis, without overflow.

    Args:
        x: A tensor; integers are cast to the default floating dtype.
        axis: An axis; None flattens first.
        dtype: The dtype to compute in.
    """
    check_tensor("logcumsumexp", x=x)
    if dtype is not None:
        x = ops.cast(x, convert(dtype))
    elif x.dtype.name.startswith(("int", "uint", "bool")):
        x = ops.cast(x, convert(None))
    return ops.logcumsumexp(x, -1 if axis is None else axis, axis is None)


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


def _wanted(values, *chosen):
    """The values alone, or with the parts that were asked for."""
    parts = [part for asked, part in chosen if asked]
    return (values, *parts) if parts else values


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
    """The different elements, or slices along an axis, in ascending order.

    Args:
        x: A tensor of real numbers.
        return_index: Whether to give the first position of each.
        return_inverse: Whether to give, for every element of x, its place among the results.
        return_counts: Whether to give how often each occurs.
        axis: None compares the elements of the flattened tensor.
        dtype: 'int64' or 'int32', of the positions and counts.
        sorted: The result is in order in any case.

    Returns:
        The elements, or a tuple of them and of what was asked for.
    """
    axes = [] if axis is None else [axis]
    values, first, inverse, counts = ops.unique(x, return_index, return_inverse, return_counts, axes, convert(dtype))
    return _wanted(values, (return_index, first), (return_inverse, inverse), (return_counts, counts))


@aliases(input="x", dim="axis")
def unique_consecutive(x, return_inverse=False, return_counts=False, axis=None, dtype="int64", name=None):
    """x without the elements, or slices along an axis, that equal the one before.

    Args:
        x: A tensor of real numbers.
        return_inverse: Whether to give, for every element of x, its place among the results.
        return_counts: Whether to give the lengths of the runs.
        axis: None takes the flattened tensor.
        dtype: 'int64' or 'int32', of the places and lengths.

    Returns:
        The elements, or a tuple of them and of what was asked for.
    """
    axes = [] if axis is None else [axis]
    values, inverse, counts = ops.unique_consecutive(x, return_inverse, return_counts, axes, convert(dtype))
    return _wanted(values, (return_inverse, inverse), (return_counts, counts))


@aliases(input="values")
def searchsorted(sorted_sequence, values, out_int32=False, right=False, name=None, *, side=None, out=None, sorter=None):
    """Positions at which values would be inserted into sorted rows.

    Args:
        sorted_sequence: A vector, or rows, in ascending order.
        values: A tensor; with the leading extents of sorted_sequence when that has rows.
        out_int32: Whether the positions are int32 instead of int64.
        right: Whether a position is behind equal elements instead of before them.
        side: 'left' or 'right', in place of `right`.
        out: Receives the result.
        sorter: Positions that put sorted_sequence in order.

    Returns:
        A tensor of the shape of values.
    """
    for name_, value in (("sorted_sequence", sorted_sequence), ("values", values)):
        if not isinstance(value, Tensor):
            raise ValueError(f"searchsorted: {name_} has type {type(value).__name__}; it must be a Tensor.")
    if side is not None:
        if side not in ("left", "right"):
            raise ValueError(f"searchsorted: side has value {side!r}; it must be 'left' or 'right'.")
        if side == "left" and right:
            raise ValueError("searchsorted: side is 'left' and right is True; they contradict each other.")
        right = side == "right"
    if sorter is not None:
        sorted_sequence = ops.take_along_axis(sorted_sequence, sorter, -1)
    return finish(ops.searchsorted(sorted_sequence, values, out_int32, right), out)


@aliases(input="x", boundaries="sorted_sequence")
def bucketize(x, sorted_sequence, out_int32=False, right=False, name=None, *, out=None):
    """The interval of a sorted vector of bounds in which each element of x lies; see `searchsorted`."""
    check_tensor("bucketize", x=x, sorted_sequence=sorted_sequence)
    if sorted_sequence.ndim != 1:
        raise ValueError(f"bucketize: sorted_sequence has {sorted_sequence.ndim} dimensions; it must be a vector.")
    return searchsorted(sorted_sequence, x, out_int32, right, out=out)


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


def msort(input, *, out=None):
    """The elements in order along the first axis."""
    return finish(ops.argsort(input, 0, False, True)[0], out)


def argwhere(input):
    """The positions of the elements that are not zero, as rows.

    Args:
        input: Tensor of any dtype.

    Returns:
        An int64 Tensor [count, rank].

    Example:
        >>> paddle.argwhere(paddle.to_tensor([[0, 1], [2, 0]])).tolist()
        [[0, 1], [1, 0]]
    """
    return ops.nonzero(input)


@aliases(elements="x", test_elements="test_x")
def isin(x, test_x, assume_unique=False, invert=False, name=None):
    """Where elements of x occur in test_x.

    Args:
        x: A tensor.
        test_x: A tensor of any shape.
        assume_unique: Accepted; the result does not depend on it.
        invert: Whether to give where they do not occur.

    Returns:
        A bool tensor of the shape of x.
    """
    for name_, value in (("x", x), ("test_x", test_x)):
        if not isinstance(value, Tensor):
            raise TypeError(f"isin: {name_} has type {type(value).__name__}; it must be a Tensor.")
    flat = ops.argsort(ops.reshape(test_x, [-1]), -1, False, True)[0]
    if flat.shape[0] == 0:
        hit = ops.full_like(x, False, _core.bool)
    else:
        at = ops.searchsorted(flat, x, False, False)
        hit = ops.equal(ops.gather(flat, ops.reshape(ops.clip(at, 0, flat.shape[0] - 1), [-1]), 0).reshape(x.shape), x)
    return ops.logical_not(hit) if invert else hit
