# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The Laplace distribution."""

import math

from .. import tensor
from .distribution import Distribution, as_value, parameters, uniform_like


class Laplace(Distribution):
    """Laplace distribution.

    Args:
        loc: Mean.
        scale: Scale.
    """

    def __init__(self, loc, scale):
        self.loc, self.scale = parameters("Laplace", loc, scale)
        super().__init__(self.loc.shape)

    @property
    def mean(self):
        return self.loc

    @property
    def stddev(self):
        """Standard deviation."""
        return math.sqrt(2.0) * self.scale

    @property
    def variance(self):
        return self.stddev**2

    def rsample(self, shape=[]):
        return self.icdf(uniform_like(self._extend_shape(shape), self.loc.dtype))

    def sample(self, shape=[]):
        return super().sample(shape)

    def log_prob(self, value):
        return -tensor.log(2 * self.scale) - tensor.abs(as_value(value, self.loc) - self.loc) / self.scale

    def entropy(self):
        return 1 + tensor.log(2 * self.scale)

    def cdf(self, value):
        """Probability of values up to `value`."""
        offset = (as_value(value, self.loc) - self.loc) / self.scale
        return 0.5 - 0.5 * tensor.sign(offset) * tensor.expm1(-tensor.abs(offset))

    def icdf(self, value):
        """The value below which draws fall with probability `value`."""
        term = as_value(value, self.loc) - 0.5
        return self.loc - self.scale * tensor.sign(term) * tensor.log1p(-2 * tensor.abs(term))
