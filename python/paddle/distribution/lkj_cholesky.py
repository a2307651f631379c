# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cholesky factors of random correlation matrices (Lewandowski, Kurowicka and Joe, 2009)."""

import math

from .. import tensor
from ..framework.modes import no_grad
from .beta import Beta
from .distribution import Distribution, as_value, check_positive, parameters


def tril_matrix_to_vec(mat, diag=0):
    """The entries of the lower triangle of square matrices up to a diagonal, row by row.

    Args:
        mat: Shape [..., n, n].
        diag: The last diagonal that counts; 0 is the main one.

    Returns:
        Shape [..., number of entries].

    Raises:
        ValueError: There is no such diagonal.
    """
    size = mat.shape[-1]
    if not -size <= diag < size:
        raise ValueError(f"tril_matrix_to_vec: diag has value {diag}; it must be in [{-size}, {size}).")
    rows, columns = tensor.tril_indices(size, size, diag).unbind(0)
    return mat.flatten(-2)[..., rows * size + columns]


def vec_to_tril_matrix(p, dim, last_dim, flattened_shape, sample_shape=(), diag=0):
    """The inverse of `tril_matrix_to_vec`; the entries above the diagonal are 0.

    Args:
        p: As many entries as `sample_shape`, `flattened_shape` and the triangle have.
        dim: Size of the matrices.
        last_dim: Entries of a triangle.
        flattened_shape: Number of matrices times `last_dim`.
        sample_shape: Shape of a set of such sets.
        diag: The last diagonal that is filled; 0 is the main one.

    Returns:
        Shape [*sample_shape, flattened_shape / last_dim, dim, dim].
    """
    entries = p.reshape([*sample_shape, flattened_shape // last_dim, last_dim])
    rows, columns = tensor.tril_indices(dim, dim, diag).unbind(0)
    flat = tensor.zeros([*entries.shape[:-1], dim * dim], dtype=p.dtype)
    places = (rows * dim + columns).expand(entries.shape)
    return tensor.put_along_axis(flat, places, entries, -1).unflatten(-1, [dim, dim])


class LKJCholesky(Distribution):
    """Lower Cholesky factors of correlation matrices of density det ** (concentration - 1).

    Args:
        dim: Size of the matrices, at least 2.
        concentration: Positive parameter; 1 is uniform.
        sample_method: 'onion' or 'cvine'; both give the same distribution and are drawn row by row.
    """

    def __init__(self, dim=2, concentration=1.0, sample_method="onion"):
        if not isinstance(dim, int):
            raise TypeError(f"LKJCholesky: dim has type {type(dim).__name__}; it must be an integer of at least 2.")
        if dim < 2:
            raise ValueError(f"LKJCholesky: dim has value {dim!r}; it must be an integer of at least 2.")
        if sample_method not in ("onion", "cvine"):
            raise ValueError(f"LKJCholesky: sample_method has value {sample_method!r}; it must be 'onion' or 'cvine'.")
        self.dim, self.sample_method = dim, sample_method
        self.concentration = parameters("LKJCholesky", concentration)
        check_positive("LKJCholesky", concentration=self.concentration)
        self.dtype = self.concentration.dtype
        super().__init__(self.concentration.shape, (dim, dim))

    def sample(self, sample_shape=[]):
        """Draws of shape `sample_shape + batch_shape + [dim, dim]`."""
        with no_grad():
            shape = self._extend_shape(sample_shape)
            rows = tensor.arange(1, self.dim, dtype=self.dtype)
            rest = self.concentration.unsqueeze(-1) + 0.5 * (self.dim - 2) - 0.5 * (rows - 1)
            below = Beta(0.5 * rows + tensor.zeros_like(rest), rest).sample(sample_shape)
            below = tensor.concat([tensor.zeros([*below.shape[:-1], 1], dtype=self.dtype), below], -1)
            direction = tensor.tril(tensor.randn(shape, dtype=self.dtype), -1)
            norm = tensor.sqrt((direction**2).sum(-1, keepdim=True))
            direction = direction / tensor.where(norm == 0, tensor.ones_like(norm), norm)
            diagonal = tensor.eye(self.dim, dtype=self.dtype) * tensor.sqrt(1 - below).unsqueeze(-1)
            return tensor.sqrt(below).unsqueeze(-1) * direction + diagonal

    def log_prob(self, value):
        value = as_value(value, self.concentration)
        diagonal = (value * tensor.eye(self.dim, dtype=self.dtype)).sum(-1)[..., 1:]
        order = self.dim - tensor.arange(2, self.dim + 1, dtype=self.dtype)
        power = 2 * (self.concentration.unsqueeze(-1) - 1) + order
        return (power * tensor.log(diagonal)).sum(-1) - self._log_normalizer()

    def _log_normalizer(self):
        count = self.dim - 1
        alpha = self.concentration + 0.5 * count
        halves = 0.5 * tensor.arange(count, dtype=self.dtype)
        gammas = tensor.lgamma(alpha.unsqueeze(-1) - 0.5 - halves).sum(-1) + count * (count - 1) / 4 * math.log(math.pi)
        return 0.5 * count * math.log(math.pi) + gammas - count * tensor.lgamma(alpha)
