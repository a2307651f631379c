# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The normal distribution of vectors."""

import math

from .. import linalg, tensor
from .distribution import Distribution, as_value, parameters


class MultivariateNormal(Distribution):
    """Normal distribution of vectors.

    Args:
        loc: Mean, of shape [..., n], or [..., 1] where all components have the same.
        covariance_matrix: Covariance, of shape [..., n, n].
        precision_matrix: Its inverse.
        scale_tril: Its lower Cholesky factor.

    Raises:
        ValueError: Not exactly one of the three matrices is given, or shapes do not fit.
    """

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None):
        given = [covariance_matrix, precision_matrix, scale_tril]
        if sum(m is not None for m in given) != 1:
            raise ValueError(
                "MultivariateNormal: exactly one of covariance_matrix, precision_matrix and scale_tril must be given."
            )
        loc = parameters("MultivariateNormal", loc)
        loc = loc.reshape([1]) if loc.ndim == 0 else loc
        matrix = as_value(next(m for m in given if m is not None), loc)
        if loc.shape[-1] == 1 and matrix.ndim > 1:  # one mean for all components
            loc = tensor.expand(loc, [*loc.shape[:-1], matrix.shape[-1]])
        if matrix.ndim < 2 or matrix.shape[-1] != loc.shape[-1] or matrix.shape[-2] != loc.shape[-1]:
            raise ValueError(
                f"MultivariateNormal: loc has shape {list(loc.shape)} and the matrix {list(matrix.shape)}; the matrix "
                f"must be square, of the size of loc's last axis."
            )
        batch = tensor.broadcast_shape(loc.shape[:-1], matrix.shape[:-2])
        self.loc = tensor.expand(loc, [*batch, loc.shape[-1]])
        matrix = tensor.expand(matrix, [*batch, *matrix.shape[-2:]])
        self.dtype = self.loc.dtype
        self.covariance_matrix, self.precision_matrix, self.scale_tril = None, None, None
        if covariance_matrix is not None:
            self.covariance_matrix = matrix
            self._tril = linalg.cholesky(matrix)
        elif precision_matrix is not None:
            self.precision_matrix = matrix
            self._tril = linalg.cholesky(linalg.inv(matrix))
        else:
            self.scale_tril = self._tril = matrix
        super().__init__(batch, loc.shape[-1:])

    @property
    def mean(self):
        return self.loc

    @property
    def variance(self):
        return (self._tril**2).sum(-1)

    def sample(self, shape=[]):
        return super().sample(shape)

    def rsample(self, shape=[]):
        noise = tensor.randn(self._extend_shape(shape), dtype=self.dtype)
        return self.loc + tensor.matmul(self._tril, noise.unsqueeze(-1)).squeeze(-1)

    def _half_log_det(self):
        diagonal = (self._tril * tensor.eye(self.loc.shape[-1], dtype=self.dtype)).sum(-1)
        return tensor.log(diagonal).sum(-1)

    def log_prob(self, value):
        offset = as_value(value, self.loc) - self.loc
        tril = tensor.expand(self._tril, [*offset.shape[:-1], *self._tril.shape[-2:]])
        solved = linalg.triangular_solve(tril, offset.unsqueeze(-1), upper=False).squeeze(-1)
        size = self.loc.shape[-1]
        return -0.5 * (size * math.log(2 * math.pi) + (solved**2).sum(-1)) - self._half_log_det()

    def prob(self, value):
        return tensor.exp(self.log_prob(value))

    def entropy(self):
        return 0.5 * self.loc.shape[-1] * (1 + math.log(2 * math.pi)) + self._half_log_det()
