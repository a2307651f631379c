# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Linear algebra composites: norms, einsum, tensordot and products of matrices."""

import functools
import math

from .. import _core
from ..framework.checked_numbers import check_real, real, shown
from ._args import (
    Tensor,
    aliases,
    as_tensor,
    axis_of,
    check_tensor,
    convert,
    finish,
    ops,
    program_operands,
    tensors_of,
    writes_out,
)
from .einsum import einsum

__all__ = [
    "norm",
    "vector_norm",
    "matrix_norm",
    "cdist",
    "pdist",
    "einsum",
    "tensordot",
    "multi_dot",
    "matrix_transpose",
    "householder_product",
    "renorm",
]


def matrix_transpose(x, name=None):
    """The last two axes exchanged."""
    check_tensor("matrix_transpose", x=x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose: x has rank {x.ndim}; it must be at least 2.")
    order = list(range(x.ndim))
    order[-2], order[-1] = order[-1], order[-2]
    return ops.transpose(x, order)


@aliases(input="x")
def householder_product(x, tau, name=None):
    """The first n columns of the product of k Householder reflectors I - tau_i v_i v_i^H.

    Args:
        x: A tensor [..., m, n] with n <= m; v_i stands below its diagonal, with 1 on it.
        tau: A tensor [..., k] with k <= n.

    Returns:
        A tensor of the shape of x.

    Raises:
        AssertionError: The shapes are others.

    Example:
        >>> paddle.linalg.householder_product(paddle.eye(2), paddle.zeros([2])).abs().tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """
    check_tensor("householder_product", x=x, tau=tau)
    try:
        return ops.householder_product(x, tau)
    except ValueError as error:
        raise _core.ArgumentValueError(str(error)) from None


def _is_complex(x):
    return x.dtype in (_core.complex64, _core.complex128)


def _axes(axis, ndim, op):
    if axis is None:
        return list(range(ndim))
    return [axis_of(a, ndim, op) for a in ([axis] if hasattr(axis, "__index__") else axis)]


def _merge_last(x, axes):
    """x with `axes` merged into one last axis."""
    kept = [a for a in range(x.ndim) if a not in axes]
    moved = ops.transpose(x, kept + axes)
    return ops.reshape(moved, [x.shape[a] for a in kept] + [-1])


@aliases(input="x", ord="p", dim="axis")
def vector_norm(x, p=2.0, axis=None, keepdim=False, name=None, *, dtype=None, out=None):
    """The p-norm of the elements along axes.

    Args:
        x: Real or complex floating-point Tensor.
        p: A number, inf or -inf.
        axis: An int, a list of them, or None for all.
        dtype: Cast x first.
        out: Receives the result.
    """
    check_tensor("vector_norm", x=x)
    if isinstance(p, str):
        raise ValueError(f"vector_norm: p has value {p!r}; it must be a number, inf or -inf.")
    if dtype is not None:
        x = ops.cast(x, convert(dtype))
    x = ops.abs(x) if _is_complex(x) else x
    axes = _axes(axis, x.ndim, "vector_norm")
    if len(axes) in (1, x.ndim):
        one = axes[0] if len(axes) == 1 else -1
        return finish(ops.p_norm(x, real("vector_norm", "p", p), one, 1e-12, keepdim, len(axes) != 1), out)
    result = ops.p_norm(_merge_last(x, axes), real("vector_norm", "p", p), -1, 1e-12, False, False)
    return finish(ops.unsqueeze(result, sorted(axes)) if keepdim else result, out)


@aliases(input="x", A="x", ord="p", dim="axis")
def matrix_norm(x, p="fro", axis=[-2, -1], keepdim=False, name=None, *, dtype=None, out=None):  # noqa: B006
    """The norm of matrices in two axes.

    Args:
        x: Real or complex floating-point Tensor.
        p: 'fro', 'nuc' (sum of singular values), 1 and -1 (largest and smallest sum of a column), inf and -inf
            (of a row), 2 and -2 (largest and smallest singular value).
        axis: The axes of rows and columns.
        dtype: Cast x first.
        out: Receives the result.
    """
    check_tensor("matrix_norm", x=x)
    if dtype is not None:
        x = ops.cast(x, convert(dtype))
    if len(axis) != 2:
        raise ValueError(f"matrix_norm: axis has value {axis}; it must name the two axes of the matrices.")
    rows, columns = _axes(axis, x.ndim, "matrix_norm")
    if rows == columns:
        raise ValueError(f"matrix_norm: axis is {axis}; its two entries must differ.")
    if p == "fro":
        return finish(vector_norm(x, 2.0, [rows, columns], keepdim), out)
    if p in (1, -1, float("inf"), float("-inf")):
        inner, outer = (rows, columns) if abs(p) == 1 else (columns, rows)
        sums = ops.sum(ops.abs(x), [inner], None, True)
        result = (ops.max if p > 0 else ops.min)(sums, [outer], True)
        return finish(result if keepdim else ops.squeeze(result, [rows, columns]), out)
    if p not in (2, -2, "nuc"):
        raise ValueError(f"matrix_norm: p has value {p!r}; it must be 'fro', 'nuc', 1, -1, 2, -2, inf or -inf.")
    order = [a for a in range(x.ndim) if a not in (rows, columns)] + [rows, columns]
    values = ops.svdvals(ops.transpose(x, order))
    if p == "nuc":
        result = ops.sum(values, [-1], None, False)
    else:
        result = (ops.max if p > 0 else ops.min)(values, [-1], False)
    return finish(ops.unsqueeze(result, sorted([rows, columns])) if keepdim else result, out)


@aliases(input="x", A="x", ord="p", dim="axis")
def norm(x, p=None, axis=None, keepdim=False, out=None, dtype=None, name=None):
    """The vector norm of all elements or along an axis, or the matrix norm of two axes.

    Args:
        x: Real or complex floating-point Tensor.
        p: 'fro', 'nuc', inf, -inf or a number; None is 2, which of a matrix is its largest singular value.
        axis: None or an empty list for all elements, an int, or a list of one or two.
        keepdim: Keep reduced axes with size 1.
        out: Receives the result.
        dtype: Cast x first.

    Returns:
        A Tensor of real numbers, of the shape of x without the reduced axes.

    Example:
        >>> paddle.norm(paddle.to_tensor([[3.0, 4.0], [6.0, 8.0]]), axis=1).tolist()
        [5.0, 10.0]
    """
    check_tensor("norm", x=x)
    if p is not None and not isinstance(p, str):
        check_real("norm", p=p)
    if axis is None and p == "nuc" and x.ndim == 2:
        axis = [0, 1]
    if isinstance(axis, str) or (axis is not None and not hasattr(axis, "__index__") and not hasattr(axis, "__len__")):
        raise _core.ArgumentTypeError(f"norm: axis {shown(axis)}; it must be an int or a list of one or two.")
    count = None if axis is None else 1 if hasattr(axis, "__index__") else len(axis)
    if p == "nuc" and count != 2 or p == "fro" and count not in (None, 1, 2):
        raise ValueError(f"norm: p is {p!r} and axis is {axis}; axis must be an int or a list of one or two.")
    if count == 2:
        return matrix_norm(x, 2 if p is None else p, axis, keepdim, dtype=dtype, out=out)
    if isinstance(p, str) and p != "fro":
        raise ValueError(f"norm: p is {p!r}; along one axis it must be 'fro', a number, inf or -inf.")
    return vector_norm(x, 2.0 if p in (None, "fro") else p, axis if count else None, keepdim, dtype=dtype, out=out)


@aliases(x1="x", x2="y")
def cdist(x, y, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary", name=None):
    """The p-norm distance of every row of x to every row of y.

    Args:
        x: [..., m, d].
        y: [..., n, d]; the leading axes broadcast.
        p: The norm, at least 0.
        compute_mode: 'use_mm_for_euclid_dist_if_necessary' uses a matrix product for p = 2 when there are more than
            25 rows, unless these are short, 'use_mm_for_euclid_dist' always, 'donot_use_mm_for_euclid_dist' never. The
            product is faster and less accurate for close rows.

    Returns:
        [..., m, n].
    """
    check_tensor("cdist", x=x, y=y)
    modes = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")
    if compute_mode not in modes:
        raise _core.ArgumentValueError(f"cdist: compute_mode has value {compute_mode!r}; it must be one of {modes}.")
    if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-1]:
        raise _core.ArgumentValueError(
            f"cdist: x has shape {list(x.shape)} and y {list(y.shape)}; their rows must be equally long."
        )
    if p < 0:
        raise _core.ArgumentValueError(f"cdist: p has value {p}; it must not be negative.")
    many = any(isinstance(rows, int) and rows > 25 for rows in (x.shape[-2], y.shape[-2]))
    alike = x.dtype == y.dtype and _is_single_or_double(x) and x.shape[:-2] == y.shape[:-2]
    short = alike and isinstance(x.shape[-1], int) and 0 <= x.shape[-1] <= 32  # no product is faster
    if p == 2 and (compute_mode == modes[1] or compute_mode == modes[0] and many and not short):
        square_x = ops.sum(x * x, [-1], None, True)
        square_y = matrix_transpose(ops.sum(y * y, [-1], None, True))
        squares = square_x + square_y - 2.0 * ops.matmul(x, y, False, True)
        positive = squares > 0
        root = ops.sqrt(ops.where(positive, squares, ops.full_like(squares, 1.0)))
        return ops.where(positive, root, ops.full_like(squares, 0.0))
    if alike and p in _DISTANCES:
        return getattr(ops, _DISTANCES[p])(x, y)
    return vector_norm(ops.unsqueeze(x, [-2]) - ops.unsqueeze(y, [-3]), float(p), -1)


# The operators of orders that have one.
_DISTANCES = {
    1: "manhattan_distances",
    2: "euclidean_distances",
    float("inf"): "chebyshev_distances",
}


def _is_single_or_double(x):
    return x.dtype in (_core.float32, _core.float64)


@aliases(input="x")
def pdist(x, p=2.0, name=None):
    """The p-norm distances of all pairs of rows of a matrix, [n * (n - 1) / 2]: of row 0 to 1, 2, ..., of row 1 to 2 ...

    Args:
        x: [n, d].
        p: The norm, at least 0.
    """
    check_tensor("pdist", x=x)
    if x.ndim != 2:
        raise AssertionError(f"pdist: x has shape {list(x.shape)}; it must be a matrix.")
    rows = x.shape[0]
    first, second = ops.unbind(ops.triu_indices(rows, rows, 1, _core.int64), 0)
    if (p == 2 or p in _DISTANCES and x.stop_gradient) and _is_single_or_double(x):
        distances = getattr(ops, _DISTANCES[p])(x, x)
        return ops.gather(ops.reshape(distances, [-1]), first * rows + second, 0)
    difference = ops.index_select(x, first, 0) - ops.index_select(x, second, 0)
    return vector_norm(difference, float(p), -1)


@aliases(a="x", b="y", dims="axes")
@writes_out
def tensordot(x, y, axes=2, name=None):
    """Sums of products over pairs of axes.

    Args:
        axes: A number of last axes of `x` and first of `y`, or two lists of axes, of which the longer completes the
            other. Axes of a pair have one size, or one of them has size 1.
    """
    check_tensor("tensordot", x=x, y=y)
    program_operands("tensordot", "floating and complex", x=x, y=y)
    axes = [a.tolist() if isinstance(a, Tensor) else a for a in axes] if isinstance(axes, (list, tuple)) else axes
    if isinstance(axes, Tensor):
        axes = axes.tolist()
    if isinstance(axes, int) and axes < 0:
        raise _core.ArgumentValueError(f"tensordot: axes has value {axes}; it must not be negative.")
    if isinstance(axes, int):
        left, right = list(range(x.ndim - axes, x.ndim)), list(range(axes))
    elif axes and isinstance(axes[0], (list, tuple)):
        left = list(axes[0])
        right = list(axes[1]) if len(axes) > 1 else left
        left, right = left + right[len(left) :], right + left[len(right) :]  # the longer list completes the other
    else:
        left = right = list(axes)
    left = [axis_of(a, x.ndim, "tensordot") for a in left]
    right = [axis_of(a, y.ndim, "tensordot") for a in right]
    for a, b in zip(left, right, strict=False):
        # An extent of 1 is summed with every element of the other one.
        if type(x.shape[a]) is int and type(y.shape[b]) is int and 1 in (x.shape[a], y.shape[b]):
            x = ops.sum(x, [a], None, True) if x.shape[a] != 1 else x
            y = ops.sum(y, [b], None, True) if y.shape[b] != 1 else y
        if not _core.is_capturing() and x.shape[a] != y.shape[b]:
            raise _core.ArgumentValueError(
                f"tensordot: axis {a} of x has size {x.shape[a]} and axis {b} of y {y.shape[b]}; they must be equal."
            )
    free_x = [a for a in range(x.ndim) if a not in left]
    free_y = [a for a in range(y.ndim) if a not in right]
    size = math.prod(x.shape[a] for a in left)
    rows, columns = (math.prod(t.shape[a] for a in free) for t, free in ((x, free_x), (y, free_y)))
    rows = ops.reshape(ops.transpose(x, free_x + left), [rows, size])
    columns = ops.reshape(ops.transpose(y, right + free_y), [size, columns])
    result = [x.shape[a] for a in free_x] + [y.shape[a] for a in free_y]
    return ops.reshape(ops.matmul(rows, columns), result)


@aliases(tensors="x")
def multi_dot(x, name=None):
    """The product of a list of matrices, in the order that needs the fewest multiplications.

    Args:
        x: Two or more Tensors; the first and the last may be vectors.
    """
    chain = tensors_of("multi_dot", "x", x)
    if len(x) < 2:
        raise ValueError(f"multi_dot: x has {len(x)} matrices; there must be at least two.")
    for i, m in enumerate(x):
        if m.ndim != 2 and not (m.ndim == 1 and i in (0, len(x) - 1)):
            raise ValueError(
                f"multi_dot: x[{i}] has shape {list(m.shape)}; it must be a matrix, the ends may be vectors."
            )
    row, column = chain[0].ndim == 1, chain[-1].ndim == 1
    if row:
        chain[0] = ops.unsqueeze(chain[0], [0])
    if column:
        chain[-1] = ops.unsqueeze(chain[-1], [1])
    for a, b in zip(chain[:-1], chain[1:], strict=True):
        inner = (a.shape[1], b.shape[0])
        if all(isinstance(extent, int) for extent in inner) and inner[0] != inner[1]:
            raise ValueError(
                f"multi_dot: matrices of shapes {list(a.shape)} and {list(b.shape)} follow each other; they do not fit."
            )
    sizes = [m.shape[0] for m in chain] + [chain[-1].shape[1]]
    if all(isinstance(size, int) for size in sizes):
        result = _chain_product(chain, _best_splits(sizes), 0, len(chain) - 1)
    else:
        result = functools.reduce(ops.matmul, chain)
    ends = [0] * row + [-1] * column
    return ops.squeeze(result, ends) if ends else result


def _best_splits(sizes):
    """Where to cut each part of a chain of matrices (dynamic programming over its parts)."""
    n = len(sizes) - 1
    cost = {(i, i): 0 for i in range(n)}
    splits = {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i, j], splits[i, j] = min(
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            )
    return splits


def _chain_product(chain, splits, i, j):
    if i == j:
        return chain[i]
    k = splits[i, j]
    return ops.matmul(_chain_product(chain, splits, i, k), _chain_product(chain, splits, k + 1, j))


@aliases(input="x", dim="axis", maxnorm="max_norm")
def renorm(x, p, axis, max_norm):
    """x with every slice along an axis scaled down so that its p-norm is at most max_norm.

    Args:
        x: A floating tensor of at least two dimensions.
        p: The order of the norm, positive.
        axis: The axis of the slices.
        max_norm: The bound.
    """
    check_tensor("renorm", x=x)
    if x.ndim < 2:
        raise ValueError(f"renorm: x has shape {list(x.shape)}; it must have at least 2 dimensions.")
    axis = axis_of(axis, x.ndim, "renorm")
    others = [a for a in range(x.ndim) if a != axis]
    rows = ops.reshape(ops.transpose(x, [axis, *others]), [x.shape[axis], -1])
    norm = ops.p_norm(rows, float(p), 1, 1e-12, True, False)
    limit = as_tensor(float(max_norm), x)
    factor = ops.where(norm > limit, limit / (norm + 1e-7), ops.full_like(norm, 1))
    shape = [1] * x.ndim
    shape[axis] = x.shape[axis]
    return x * ops.reshape(factor, shape)
