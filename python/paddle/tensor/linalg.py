# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear algebra composites: norms, einsum, tensordot and products of matrices."""

from .._bind import fallback
from ._args import Tensor, aliases, axis_of, convert, finish, ops
from .einsum import einsum

__all__ = [
    "bmm",
    "norm",
    "vector_norm",
    "matrix_norm",
    "dist",
    "einsum",
    "tensordot",
    "multi_dot",
    "kron",
    "cross",
    "addmm",
    "baddbmm",
    "matrix_transpose",
]


@fallback
@aliases(input="x", mat2="y")
def bmm(x, y, name=None, *, out=None):
    """Products of the matrices of two batches."""
    if x.ndim != 3 or y.ndim != 3:
        raise ValueError(f"bmm: x has shape {x.shape} and y has shape {y.shape}; both must have 3 dimensions.")
    return finish(ops.matmul(x, y), out)


@fallback
def addmm(input, x, y, beta=1.0, alpha=1.0, name=None):
    """`beta * input + alpha * (x @ y)`."""
    return input * beta + ops.matmul(x, y) * alpha


@fallback
def baddbmm(input, x, y, beta=1.0, alpha=1.0, name=None):
    """`beta * input + alpha * (x @ y)` for batches."""
    return input * beta + ops.matmul(x, y) * alpha


@fallback
def matrix_transpose(x, name=None):
    """The last two axes exchanged."""
    order = list(range(x.ndim))
    order[-2], order[-1] = order[-1], order[-2]
    return ops.transpose(x, order)


def _axes(axis, ndim):
    if axis is None:
        return []
    return [axis] if isinstance(axis, int) else list(axis)


@aliases(input="x", ord="p", dim="axis")
def vector_norm(x, p=2.0, axis=None, keepdim=False, dtype=None, name=None):
    """The p-norm over axes (None: over all elements)."""
    if dtype is not None:
        x = ops.cast(x, convert(dtype))
    axes = _axes(axis, x.ndim)
    size = ops.abs(x)
    if p == float("inf"):
        return ops.max(size, axes, keepdim)
    if p == float("-inf"):
        return ops.min(size, axes, keepdim)
    if p == 0:
        return ops.sum(ops.cast(size > 0, x.dtype), axes, None, keepdim)
    if p == 1:
        return ops.sum(size, axes, None, keepdim)
    if p == 2:
        return ops.sqrt(ops.sum(x * x, axes, None, keepdim))
    return ops.sum(size**p, axes, None, keepdim) ** (1.0 / p)


@aliases(input="x", ord="p", dim="axis")
def matrix_norm(x, p="fro", axis=(-2, -1), keepdim=False, dtype=None, name=None):
    """The norm of matrices: 'fro', 'nuc', 1, -1, 2, -2, inf or -inf."""
    if dtype is not None:
        x = ops.cast(x, convert(dtype))
    rows, columns = (axis_of(a, x.ndim, "matrix_norm") for a in axis)
    if p == "fro":
        return ops.sqrt(ops.sum(x * x, [rows, columns], None, keepdim))
    if p in (1, -1, float("inf"), float("-inf")):
        inner, outer = (rows, columns) if abs(p) == 1 else (columns, rows)
        sums = ops.sum(ops.abs(x), [inner], None, True)
        result = (ops.max if p > 0 else ops.min)(sums, [outer], True)
        return result if keepdim else ops.squeeze(result, [rows, columns])
    if p in (2, -2, "nuc"):
        from .. import linalg

        order = [a for a in range(x.ndim) if a not in (rows, columns)] + [rows, columns]
        values = linalg.svdvals(ops.transpose(x, order))
        if p == "nuc":
            result = ops.sum(values, [-1], None, False)
        else:
            result = (ops.max if p > 0 else ops.min)(values, [-1], False)
        return ops.unsqueeze(result, sorted([rows, columns])) if keepdim else result
    raise ValueError(f"matrix_norm: p has value {p!r}; it is none of the known norms.")


@aliases(input="x", dim="axis", A="x", ord="p")
def norm(x, p=None, axis=None, keepdim=False, out=None, dtype=None, name=None):
    """The vector norm of all elements or along an axis, or the matrix norm of two axes.

    Args:
        p: 'fro' (None), 'nuc', inf, -inf or a number.
        axis: None for all elements, an int, or a list of two.
    """
    if isinstance(axis, (list, tuple)) and len(axis) == 1:
        axis = axis[0]
    if p in (None, "fro") or axis is None and p != "nuc":
        power = 2.0 if p in (None, "fro") else p
        return finish(vector_norm(x, power, axis, keepdim, dtype), out)
    if isinstance(axis, int):
        return finish(vector_norm(x, p, axis, keepdim, dtype), out)
    axis = (-2, -1) if axis is None else axis
    if p == "nuc":
        return finish(matrix_norm(x, p, axis, keepdim, dtype), out)
    return finish(vector_norm(x, p, axis, keepdim, dtype), out)


@fallback
def dist(x, y, p=2, name=None):
    """The p-norm of `x - y`."""
    return vector_norm(x - y, float(p))


def tensordot(x, y, axes=2, name=None):
    """Sums of products over pairs of axes.

    Args:
        axes: A number of last axes of `x` and first of `y`, or two lists of axes.
    """
    if isinstance(axes, Tensor):
        axes = axes.tolist()
    if isinstance(axes, int):
        left, right = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    elif axes and isinstance(axes[0], (list, tuple)):
        left = list(axes[0])
        right = list(axes[1]) if len(axes) > 1 else left
    else:
        left = right = list(axes)
    left = [axis_of(a, x.ndim, "tensordot") for a in left]
    right = [axis_of(a, y.ndim, "tensordot") for a in right]
    free_x = [a for a in range(x.ndim) if a not in left]
    free_y = [a for a in range(y.ndim) if a not in right]
    size = 1
    for a in left:
        size *= x.shape[a]
    rows = ops.reshape(ops.transpose(x, free_x + left), [-1, size])
    columns = ops.reshape(ops.transpose(y, right + free_y), [size, -1])
    result = [x.shape[a] for a in free_x] + [y.shape[a] for a in free_y]
    return ops.reshape(ops.matmul(rows, columns), result)


@fallback
def multi_dot(x, name=None):
    """The product of a list of matrices."""
    result = x[0]
    for matrix in x[1:]:
        result = ops.matmul(result, matrix)
    return result


@fallback
def kron(x, y, name=None, *, out=None):
    """The Kronecker product."""
    rank = max(x.ndim, y.ndim)
    a = [1] * (rank - x.ndim) + x.shape
    b = [1] * (rank - y.ndim) + y.shape
    left = ops.reshape(x, [n for size in a for n in (size, 1)])
    right = ops.reshape(y, [n for size in b for n in (1, size)])
    return finish(ops.reshape(left * right, [m * n for m, n in zip(a, b, strict=False)]), out)


@fallback
@aliases(dim="axis")
def cross(x, y, axis=9, name=None, *, out=None):
    """The cross product along an axis of size 3 (default: the first one)."""
    if axis == 9:
        if 3 not in x.shape:
            raise ValueError(f"cross: x has shape {x.shape}; one axis must have size 3.")
        axis = x.shape.index(3)
    axis = axis_of(axis, x.ndim, "cross")
    x0, x1, x2 = (ops.slice(x, [axis], [i], [i + 1]) for i in range(3))
    y0, y1, y2 = (ops.slice(y, [axis], [i], [i + 1]) for i in range(3))
    parts = [x1 * y2 - x2 * y1, x2 * y0 - x0 * y2, x0 * y1 - x1 * y0]
    return finish(ops.concat(parts, axis), out)
