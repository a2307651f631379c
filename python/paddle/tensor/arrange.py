# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Composites that arrange elements: combinations, blocks, writes to a part, parts of a tensor."""

from .. import _core
from ._args import Tensor, aliases, axis_of, check_tensor, listed, ops, tensors_of
from .manipulation import broadcast_shape

__all__ = [
    "combinations",
    "cartesian_prod",
    "broadcast_tensors",
    "block_diag",
    "diagonal_scatter",
    "select_scatter",
    "slice_scatter",
    "narrow",
    "reverse",
    "broadcast_shapes",
]


@aliases(input="x")
def combinations(x, r=2, with_replacement=False, name=None):
    """All combinations of r elements of a vector, as rows in lexicographic order.

    Args:
        x: A vector.
        r: How many elements are taken.
        with_replacement: Whether an element may be taken again.
    """
    check_tensor("combinations", x=x)
    if x.ndim != 1:
        raise TypeError(f"combinations: x has {x.ndim} dimensions; it must be a vector.")
    if not isinstance(r, int) or r < 0:
        raise ValueError(f"combinations: r has value {r!r}; it must be an int of at least 0.")
    if r == 0:
        return ops.full([0], 0, x.dtype)
    import itertools
    import math

    n = x.shape[0]
    pool = n + r - 1 if with_replacement else n
    if pool >= r:
        ways = math.lgamma(pool + 1) - math.lgamma(r + 1) - math.lgamma(pool - r + 1)
        if ways + math.log(r) > 30 * math.log(2):
            raise OverflowError(
                f"combinations: x has {n} elements and r is {r}; the result has more than 2^30 elements; take fewer."
            )
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(x.shape[0]), r))
    if not rows:
        return ops.full([0, r], 0, x.dtype)
    index = _core.to_tensor([i for row in rows for i in row], _core.int64)
    return ops.reshape(ops.gather(x, index, 0), [len(rows), r])


@listed("x")
def cartesian_prod(x, name=None):
    """All ways to take one element of each vector, as rows.

    Args:
        x: A list of vectors, or the vectors as arguments; a single one is returned as it is.
    """
    x = tensors_of("cartesian_prod", "x", x)
    for vector in x:
        if vector.ndim != 1:
            raise ValueError(f"cartesian_prod: x holds a tensor of shape {list(vector.shape)}; all must be vectors.")
    if len(x) == 1:
        return x[0]
    return ops.stack([ops.reshape(grid, [-1]) for grid in ops.meshgrid(x)], -1)


@aliases(tensors="input")
@listed("input")
def broadcast_tensors(input, name=None):
    """Tensors expanded to the shape that they have in common.

    Args:
        input: A list of Tensors, or the Tensors as arguments.
        name: Unused.

    Returns:
        A list of Tensors, in memory of their own.

    Raises:
        ValueError: The shapes do not broadcast.

    Example:
        >>> [list(part.shape) for part in paddle.broadcast_tensors([paddle.zeros([2, 1]), paddle.ones([3])])]
        [[2, 3], [2, 3]]
    """
    if not isinstance(input, (list, tuple)):
        raise _core.ArgumentTypeError(
            f"broadcast_tensors: argument input must be a list of Tensors, got {type(input).__name__}."
        )
    return ops.broadcast_tensors(tensors_of("broadcast_tensors", "input", input))


@listed("inputs")
def block_diag(inputs, name=None):
    """The matrix that has the inputs as blocks along its diagonal.

    Args:
        inputs: Tensors of at most two dimensions, in a list or as arguments; vectors count as rows.
    """
    blocks = []
    for x in tensors_of("block_diag", "inputs", inputs):
        if x.ndim > 2:
            raise ValueError(
                f"block_diag: inputs holds a tensor of shape {list(x.shape)}; at most 2 dimensions are allowed."
            )
        blocks.append(x if x.ndim == 2 else ops.reshape(x, [1, -1]))
    width = sum(b.shape[1] for b in blocks)
    rows, left = [], 0
    for block in blocks:
        high, wide = block.shape
        parts = [ops.full([high, left], 0, block.dtype), block, ops.full([high, width - left - wide], 0, block.dtype)]
        rows.append(ops.concat([p for p in parts if p.shape[1] or width == 0], 1))
        left += wide
    return ops.concat(rows, 0)


@aliases(input="x", src="y", dim1="axis1", dim2="axis2")
def diagonal_scatter(x, y, offset=0, axis1=0, axis2=1, name=None):
    """A copy of x whose diagonal in the plane of two axes is y.

    Args:
        x: A tensor.
        y: A tensor of the shape of the diagonal; it is cast to the dtype of x.
        offset: Which diagonal; above the main one for positive numbers.
        axis1: The first axis of the plane.
        axis2: The second.
    """
    check_tensor("diagonal_scatter", x=x, y=y)
    return ops.fill_diagonal_tensor(x, _as_dtype_of(x, y), offset, axis1, axis2)


@aliases(input="x", src="value", dim="axes", start="starts", end="ends", step="strides")
def slice_scatter(x, value, axes, starts, ends, strides, name=None):
    """A copy of x in which the part x[starts:ends:strides] along axes is value.

    Args:
        x: A tensor.
        value: A tensor that broadcasts to the part; it is cast to the dtype of x.
        axes: The axes that are cut.
        starts: Where the part begins on each; a negative number counts from the end.
        ends: Where it ends, this element not included.
        strides: Its steps.

    Example:
        >>> paddle.slice_scatter(paddle.zeros([4]), paddle.ones([2]), [0], [1], [3], [1]).tolist()
        [0.0, 1.0, 1.0, 0.0]
    """
    check_tensor("slice_scatter", x=x, value=value)
    return ops.slice_scatter(x, _as_dtype_of(x, value), axes, starts, ends, strides)


def _as_dtype_of(x, value):
    return value if value.dtype == x.dtype else ops.cast(value, x.dtype)


@aliases(input="x", src="values", dim="axis")
def select_scatter(x, values, axis, index, name=None):
    """A copy of x whose slice at an index along an axis is values.

    Args:
        x: A tensor.
        values: A tensor of the shape of x without the axis.
        axis: An axis.
        index: A position; negative ones count from the end.
    """
    check_tensor("select_scatter", x=x, values=values)
    axis = axis_of(axis, x.ndim, "select_scatter")
    size = x.shape[axis]
    if not -size <= index < size:
        raise ValueError(f"select_scatter: index has value {index}; it must be in [{-size}, {size}).")
    wanted = x.shape[:axis] + x.shape[axis + 1 :]
    if list(values.shape) != list(wanted):
        raise RuntimeError(f"select_scatter: values has shape {list(values.shape)}; it must be {wanted}.")
    index = index + size if index < 0 else index
    part = ops.unsqueeze(_as_dtype_of(x, values), [axis])
    return ops.slice_scatter(x, part, [axis], [index], [index + 1], [1])


def narrow(input, dim, start, length):
    """`length` slices along an axis from `start` on, as a view.

    Args:
        input: A tensor.
        dim: An axis.
        start: A position, an int or a 0-d tensor; negative ones count from the end.
        length: How many slices.
    """
    check_tensor("narrow", input=input)
    start = int(start) if isinstance(start, Tensor) else start
    dim = axis_of(dim, input.ndim, "narrow")
    size = input.shape[dim]
    if length < 0:
        raise AssertionError(f"narrow: length has value {length}; it must be at least 0.")
    if not -size <= start <= size:
        raise AssertionError(f"narrow: start has value {start}; it must be in [{-size}, {size}].")
    start = start + size if start < 0 else start
    if start + length > size:
        raise AssertionError(f"narrow: start {start} and length {length} exceed the extent {size} of axis {dim}.")
    return ops.slice(input, [dim], [start], [start + length])


def reverse(x, axis, name=None):
    """The elements in reverse order along axes.

    Args:
        x: A Tensor.
        axis: An axis or a list of them.
        name: Unused.

    Returns:
        A Tensor of the shape of x.

    Example:
        >>> paddle.reverse(paddle.to_tensor([[1, 2], [3, 4]]), 0).tolist()
        [[3, 4], [1, 2]]
    """
    return ops.flip(x, axis)


def broadcast_shapes(*shapes):
    """The shape that any number of shapes broadcast to."""
    result = []
    for shape in shapes:
        result = broadcast_shape(result, list(shape))
    return result
