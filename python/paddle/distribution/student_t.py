# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Student's t distribution."""

import math

from .. import tensor
from ..framework.modes import no_grad
from .distribution import Distribution, as_value, check_positive, parameters


class StudentT(Distribution):
    """Student's t distribution.

    Args:
        df: Degrees of freedom.
        loc: Location.
        scale: Scale.
    """

    def __init__(self, df, loc, scale, name=None):
        self.name = "StudentT" if name is None else name
        self.df, self.loc, self.scale = parameters("StudentT", df, loc, scale)
        check_positive("StudentT", df=self.df, scale=self.scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self):
        return tensor.where(self.df > 1, self.loc, tensor.full_like(self.loc, math.nan))

    @property
    def variance(self):
        safe = tensor.where(self.df > 2, self.df, tensor.full_like(self.df, 3.0))
        finite = self.scale**2 * safe / (safe - 2)
        other = tensor.where(self.df > 1, tensor.full_like(self.df, math.inf), tensor.full_like(self.df, math.nan))
        return tensor.where(self.df > 2, finite, other)

    def sample(self, shape=[]):
        with no_grad():
            shape = self._extend_shape(shape)
            chi2 = 2 * tensor.standard_gamma(tensor.expand(self.df / 2, shape))
            return self.loc + self.scale * tensor.randn(shape, dtype=self.loc.dtype) * tensor.rsqrt(chi2 / self.df)

    def _log_normalizer_value(self):
        half = self.df / 2
        gammas = tensor.lgamma(half) - tensor.lgamma(half + 0.5)
        return gammas + 0.5 * tensor.log(self.df) + 0.5 * math.log(math.pi) + tensor.log(self.scale)

    def log_prob(self, value):
        y = (as_value(value, self.loc) - self.loc) / self.scale
        return -0.5 * (self.df + 1) * tensor.log1p(y**2 / self.df) - self._log_normalizer_value()

    def prob(self, value):
        return tensor.exp(self.log_prob(value))

    def entropy(self):
        half = self.df / 2
        return (half + 0.5) * (tensor.digamma(half + 0.5) - tensor.digamma(half)) + self._log_normalizer_value()
