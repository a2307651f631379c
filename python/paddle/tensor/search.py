# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Searching and sorting: `where`, `argmax`, `argsort`, `nonzero`, `unique`, `searchsorted`."""

from .. import _core
from ._args import (
    Tensor,
    aliases,
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
    "unique",
    "unique_consecutive",
    "bucketize",
    "searchsorted",
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

    Example:
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
    if not isinstance(x, Tensor):
        check_tensor(op.__name__, x=x)
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

    Example:
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

    Example:
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

    Example:
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

    Example:
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

    Example:
        >>> paddle.nonzero(paddle.to_tensor([[0, 3], [4, 0]])).tolist()
        [[0, 1], [1, 0]]
    """
    rows = ops.nonzero(x)
    if not as_tuple:
        return finish(rows, out)
    return tuple(ops.slice(rows, [1], [i], [i + 1]).squeeze([1]) for i in range(x.ndim))


def _wanted(values, *chosen):
    """The values alone, or with the parts that were asked for."""
    parts = [part for asked, part in chosen if asked]
    return (values, *parts) if parts else values


def _axes(axis):
    if axis is None:
        return []
    return axis if isinstance(axis, Tensor) else [axis]


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

    Example:
        >>> values, counts = paddle.unique(paddle.to_tensor([3, 1, 3]), return_counts=True)
        >>> values.tolist(), counts.tolist()
        ([1, 3], [1, 2])
    """
    axes = _axes(axis)
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
    values, inverse, counts = ops.unique_consecutive(x, return_inverse, return_counts, _axes(axis), convert(dtype))
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
    """The interval of a sorted vector of bounds in which each element of x lies; see `searchsorted`.

    Args:
        x: Tensor of real numbers.
        sorted_sequence: Bounds in ascending order, a vector.
        out_int32: Whether the result is int32 instead of int64.
        right: Whether an element that equals a bound lies behind it.
        name: Unused.
        out: A Tensor that takes the result.

    Returns:
        A Tensor of the shape of x.

    Raises:
        ValueError: sorted_sequence is no vector.

    Example:
        >>> paddle.bucketize(paddle.to_tensor([0.5, 2.0, 9.0]), paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
        [0, 1, 3]
    """
    check_tensor("bucketize", x=x, sorted_sequence=sorted_sequence)
    if sorted_sequence.ndim != 1:
        raise ValueError(f"bucketize: sorted_sequence has {sorted_sequence.ndim} dimensions; it must be a vector.")
    return searchsorted(sorted_sequence, x, out_int32, right, out=out)


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
