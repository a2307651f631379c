# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Decompositions of sparse matrices."""

from .. import linalg
from .tensor import is_sparse


def pca_lowrank(x, q=None, center=True, niter=2, name=None):
    """Principal components of the rows of a sparse matrix; see `paddle.linalg.pca_lowrank`.

    Args:
        x: Sparse Tensor of shape [N, M]. Its dense matrix is made, as centring fills it.
        q: Number of components; min(6, N, M) if None.
        center: Subtract the mean of each column.
        niter: Iterations of the subspace.
        name: Unused.

    Returns:
        (U of shape [N, q], S of shape [q], V of shape [M, q]).

    Raises:
        TypeError: x is not sparse.
        ValueError: q or niter is out of range.
    """
    if not is_sparse(x):
        raise TypeError("sparse.pca_lowrank: x is not a sparse tensor; use paddle.linalg.pca_lowrank for dense ones.")
    return linalg.pca_lowrank(x.to_dense(), q, center, niter)
