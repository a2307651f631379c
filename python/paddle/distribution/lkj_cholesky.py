# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cholesky factors of random correlation matrices (Lewandowski, Kurowicka and Joe, 2009)."""

import math

import paddle

from .beta import Beta
from .distribution import Distribution, as_value, parameters


class LKJCholesky(Distribution):
    """Lower Cholesky factors of correlation matrices of density det ** (concentration - 1).

    Args:
        dim: Size of the matrices, at least 2.
        concentration: Positive parameter; 1 is uniform.
        sample_method: 'onion' or 'cvine'; both give the same distribution and are drawn row by row.
    """

    def __init__(self, dim=2, concentration=1.0, sample_method="onion"):
        if not isinstance(dim, int) or dim < 2:
            raise ValueError(f"LKJCholesky: dim has value {dim!r}; it must be an integer of at least 2.")
        if sample_method not in ("onion", "cvine"):
            raise ValueError(f"LKJCholesky: sample_method has value {sample_method!r}; it must be 'onion' or 'cvine'.")
        self.dim, self.sample_method = dim, sample_method
        self.concentration = parameters("LKJCholesky", concentration)
        self.dtype = self.concentration.dtype
        super().__init__(self.concentration.shape, (dim, dim))

    def sample(self, sample_shape=[]):
        """Draws of shape `sample_shape + batch_shape + [dim, dim]`."""
        with paddle.no_grad():
            shape = self._extend_shape(sample_shape)
            rows = paddle.arange(1, self.dim, dtype=self.dtype)
            rest = self.concentration.unsqueeze(-1) + 0.5 * (self.dim - 2) - 0.5 * (rows - 1)
            below = Beta(0.5 * rows + paddle.zeros_like(rest), rest).sample(sample_shape)
            below = paddle.concat([paddle.zeros([*below.shape[:-1], 1], dtype=self.dtype), below], -1)
            direction = paddle.tril(paddle.randn(shape, dtype=self.dtype), -1)
            norm = paddle.sqrt((direction**2).sum(-1, keepdim=True))
            direction = direction / paddle.where(norm == 0, paddle.ones_like(norm), norm)
            diagonal = paddle.eye(self.dim, dtype=self.dtype) * paddle.sqrt(1 - below).unsqueeze(-1)
            return paddle.sqrt(below).unsqueeze(-1) * direction + diagonal

    def log_prob(self, value):
        value = as_value(value, self.concentration)
        diagonal = (value * paddle.eye(self.dim, dtype=self.dtype)).sum(-1)[..., 1:]
        order = self.dim - paddle.arange(2, self.dim + 1, dtype=self.dtype)
        power = 2 * (self.concentration.unsqueeze(-1) - 1) + order
        return (power * paddle.log(diagonal)).sum(-1) - self._log_normalizer()

    def _log_normalizer(self):
        count = self.dim - 1
        alpha = self.concentration + 0.5 * count
        halves = 0.5 * paddle.arange(count, dtype=self.dtype)
        gammas = paddle.lgamma(alpha.unsqueeze(-1) - 0.5 - halves).sum(-1) + count * (count - 1) / 4 * math.log(math.pi)
        return 0.5 * count * math.log(math.pi) + gammas - count * paddle.lgamma(alpha)
