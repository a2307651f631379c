# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Products of sparse and dense matrices."""

import math

from .. import _core, tensor
from . import _layout
from .binary import add, multiply
from .tensor import is_sparse


def _check(name, x, y):
    """The shapes fit a product of matrices or of batches of them."""
    a, b = list(x.shape), list(y.shape)
    if len(a) < 2 or len(a) != len(b) or a[:-2] != b[:-2] or a[-1] != b[-2]:
        raise ValueError(
            f"sparse.{name}: x has shape {a} and y {b}; both need 2 or more axes of which all but the last two are "
            f"equal, and the last axis of x must equal the last but one of y."
        )
    for one in (x, y):
        if is_sparse(one) and _layout.sparse_dim(one) != one.ndim:
            raise ValueError(
                f"sparse.{name}: an argument of shape {list(one.shape)} has dense axes; all must be sparse."
            )


def _is_for_kernels(a, b):
    return a.dtype == b.dtype and a.dtype in (_core.float32, _core.float64)


def _places(x):
    """Row and column of each stored value of a matrix, or of a stack of them one below the other and side by side."""
    import numpy as np

    if len(x._shape) == 2 and x.is_sparse_coo():
        return x._index[0][0], x._index[0][1]
    if len(x._shape) == 2:
        crows, cols = x._index
        version = crows.inplace_version
        if x._rows is None or x._rows[0] != version:
            rows = np.repeat(np.arange(x._shape[0]), np.diff(crows.numpy()))
            x._rows = version, tensor.to_tensor(rows)
        return x._rows[1], cols
    *batch, rows, inner = x._shape
    index = _layout.coords(x)
    group = _layout.flat(index[:-2], batch) if batch else 0
    return tensor.to_tensor(group * rows + index[-2]), tensor.to_tensor(group * inner + index[-1])


def _times_dense(x, y):
    """Sparse x times dense y: rows of y, scaled, are added up in the rows of the result."""
    *batch, rows, _ = x._shape
    count, columns = math.prod(batch) * rows, y.shape[-1]
    row, column = _places(x)
    values, lines = x._values, y if y.ndim == 2 else y.reshape([-1, columns])
    if _is_for_kernels(values, y):
        out = _core.ops.coo_matmul(row, column, values, lines, count)
    else:
        picked = tensor.gather(lines, column, axis=0)
        out = _layout.add_at(picked * values.unsqueeze(1), row.numpy(), count)
    return out.reshape([*batch, rows, columns]) if batch else out


def _times_sparse(x, y):
    """Sparse x times sparse y: each value of x meets the values of y in the row of its column."""
    import numpy as np

    *batch, rows, inner = x._shape
    columns = y._shape[-1]
    left, right = _layout.coords(x), _layout.coords(y)
    wanted = _layout.flat(left[:-2], batch) * inner + left[-1]
    there = _layout.flat(right[:-1], [*batch, inner])
    order = np.argsort(there, kind="stable")
    start, stop = np.searchsorted(there[order], wanted), np.searchsorted(there[order], wanted, side="right")
    counts = stop - start
    of_left = np.repeat(np.arange(len(wanted)), counts)
    step = np.arange(len(of_left)) - np.repeat(np.cumsum(counts) - counts, counts)
    of_right = order[np.repeat(start, counts) + step]
    place = _layout.flat(left[:-1], [*batch, rows])[of_left] * columns + right[-1][of_right]
    values = _layout.take(x._values, of_left) * _layout.take(y._values, of_right)
    shape = [*batch, rows, columns]
    place, values = _layout.merge(place, values)
    return _layout.build(_layout.unflat(place, shape), values, shape, x.is_sparse_csr(), coalesced=True, like=x)


def matmul(x, y, name=None):
    """Product of matrices, or of batches of them, of which one or both are sparse.

    Args:
        x: Tensor of shape [..., M, K], sparse or dense.
        y: Tensor of shape [..., K, N], sparse or dense.
        name: Unused.

    Returns:
        A Tensor of shape [..., M, N]: sparse in the form of x if both are sparse, else dense.

    Raises:
        TypeError: Neither is sparse.
        ValueError: The shapes do not fit.
    """
    if not is_sparse(x) and not is_sparse(y):
        raise TypeError("sparse.matmul: neither x nor y is a sparse tensor; use paddle.matmul.")
    _check("matmul", x, y)
    if is_sparse(x):
        return _times_sparse(x, y) if is_sparse(y) else _times_dense(x, y)
    from .manipulation import transpose

    swap = [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2]
    return _times_dense(transpose(y.to_sparse_coo(), swap), x.transpose(swap)).transpose(swap)


def masked_matmul(x, y, mask, name=None):
    """Elements of the product of two dense matrices at the places that a sparse tensor stores.

    Args:
        x: Dense Tensor of shape [..., M, K].
        y: Dense Tensor of shape [..., K, N].
        mask: Sparse Tensor of shape [..., M, N]; its values do not matter.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of mask.

    Raises:
        TypeError: mask is not sparse.
        ValueError: The shapes do not fit.
    """
    if not is_sparse(mask):
        raise TypeError(
            "sparse.masked_matmul: mask is not a sparse tensor; convert it with to_sparse_coo() or to_sparse_csr()."
        )
    _check("masked_matmul", x, y)
    if mask.shape != [*x.shape[:-1], y.shape[-1]]:
        raise ValueError(
            f"sparse.masked_matmul: mask has shape {list(mask.shape)}; the product has {[*x.shape[:-1], y.shape[-1]]}."
        )
    row, column = _places(mask)
    left = x.reshape([-1, x.shape[-1]])
    right = y.transpose([*range(y.ndim - 2), y.ndim - 1, y.ndim - 2]).reshape([-1, x.shape[-1]])
    if _is_for_kernels(left, right):
        return mask._with_values(_core.ops.coo_dots(row, column, left, right))
    left, right = tensor.gather(left, row, axis=0), tensor.gather(right, column, axis=0)
    return mask._with_values((left * right).sum(-1))


def mv(x, vec, name=None):
    """Product of a sparse matrix and a dense vector.

    Args:
        x: Sparse Tensor of shape [M, N].
        vec: Dense Tensor of shape [N].
        name: Unused.

    Returns:
        A dense Tensor of shape [M].

    Raises:
        ValueError: The shapes do not fit.
    """
    if x.ndim != 2 or vec.ndim != 1:
        raise ValueError(f"sparse.mv: x has shape {list(x.shape)} and vec {list(vec.shape)}; they must be 2-D and 1-D.")
    return matmul(x, vec.unsqueeze(1)).squeeze(1)


def addmm(input, x, y, beta=1.0, alpha=1.0, name=None):
    """beta * input + alpha * (x @ y).

    Args:
        input: Tensor of shape [M, N]; sparse if x and y both are, else dense.
        x: Sparse Tensor of shape [M, K].
        y: Tensor of shape [K, N], dense or sparse.
        beta, alpha: Numbers.
        name: Unused.

    Returns:
        A Tensor of shape [M, N], in the form of input.

    Raises:
        TypeError: input is dense and the product sparse, or the other way round.
        ValueError: The shapes do not fit.
    """
    product = matmul(x, y)
    if is_sparse(product) != is_sparse(input):
        raise TypeError("sparse.addmm: input must be sparse if x and y both are, and dense otherwise.")
    if list(input.shape) != list(product.shape):
        raise ValueError(f"sparse.addmm: input has shape {list(input.shape)}; x @ y has {list(product.shape)}.")
    if is_sparse(product):
        return add(multiply(input, beta), multiply(product, alpha))
    return beta * input + alpha * product
