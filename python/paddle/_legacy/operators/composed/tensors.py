# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators on the values of tensors: norms, products, parts."""

from .... import _core

ops = _core.ops

__all__ = [
    "einsum",
    "frobenius_norm",
    "index_select_strided",
    "l1_norm",
    "linear_v2",
    "matrix_rank",
    "matrix_rank_atol_rtol",
    "matrix_rank_tol",
    "max_with_index",
    "min_with_index",
    "mish",
    "norm",
    "unique",
    "view_slice",
]


def norm(x, axis, epsilon=1e-10, is_test=False):
    """x over its Euclidean length along an axis: (quotient, length)."""
    length = ops.sqrt(ops.sum(ops.square(x), [axis], None, True) + epsilon)
    return x / length, length


def frobenius_norm(x, axis, keep_dim=False, reduce_all=False):
    """The square root of the sum of squares over axes."""
    return ops.sqrt(ops.sum(ops.square(x), [] if reduce_all else axis, None, keep_dim))


def l1_norm(x):
    """The sum of magnitudes."""
    return ops.sum(ops.abs(x), [], None, False)


def einsum(x, equation):
    """A sum of products over named axes: (result, operands, operands)."""
    from ....tensor.einsum import einsum as sum_of_products

    return sum_of_products(equation, *x), list(x), list(x)


def linear_v2(input, weight, bias, transpose_weight=False):
    """input @ weight + bias."""
    product = ops.matmul(input, weight, False, transpose_weight)
    return product if bias is None else product + bias


def matrix_rank(x, tol, use_default_tol=True, hermitian=False):
    """The number of singular values above a threshold."""
    from ....tensor import linalg

    return linalg.matrix_rank(x, None if use_default_tol else tol, hermitian)


def matrix_rank_tol(x, atol_tensor, use_default_tol=True, hermitian=False):
    """The number of singular values above a threshold that is a tensor."""
    return matrix_rank(x, atol_tensor, use_default_tol, hermitian)


def matrix_rank_atol_rtol(x, atol, rtol=None, hermitian=False):
    """The number of singular values above an absolute and a relative threshold."""
    from ....tensor import linalg

    return linalg.matrix_rank(x, hermitian=hermitian, atol=atol, rtol=rtol)


def _extreme(x, dim, keepdim, flatten, value, index):
    axes = [] if flatten else [dim]
    return value(x, axes, keepdim), index(x, dim, keepdim, flatten, _core.int64)


def max_with_index(x, dim, keepdim=False, flatten=False):
    """The largest elements along an axis and their indices."""
    return _extreme(x, dim, keepdim, flatten, ops.max, ops.argmax)


def min_with_index(x, dim, keepdim=False, flatten=False):
    """The smallest elements along an axis and their indices."""
    return _extreme(x, dim, keepdim, flatten, ops.min, ops.argmin)


def mish(x, threshold=20.0):
    """x tanh(softplus(x)); softplus is the identity above the threshold, where it does not differ."""
    return ops.mish(x)


def unique(
    x,
    return_index=False,
    return_inverse=False,
    return_counts=False,
    axis=(),
    dtype=_core.int64,
    is_sorted=False,
):
    """Distinct elements in order: (elements, first indices, inverse, counts); those not asked for are None."""
    return ops.unique(x, return_index, return_inverse, return_counts, list(axis), dtype)


def index_select_strided(x, index, axis=0):
    """x at one index of an axis, without that axis."""
    return x[(*[slice(None)] * (axis % x.ndim), index)]


def view_slice(input, begin_idx, end_idx):
    """Rows begin_idx to end_idx."""
    return input[begin_idx:end_idx]
