# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The exponential distribution."""

from .. import tensor
from .distribution import as_value, parameters, uniform_like
from .exponential_family import ExponentialFamily


class Exponential(ExponentialFamily):
    """Exponential distribution.

    Args:
        rate: Rate.
    """

    _only_of_its_kind = True

    def __init__(self, rate):
        self.rate = parameters("Exponential", rate)
        self.dtype = self.rate.dtype
        super().__init__(self.rate.shape)

    @property
    def mean(self):
        return 1 / self.rate

    @property
    def variance(self):
        return 1 / self.rate**2

    def sample(self, shape=[]):
        return super().sample(shape)

    def rsample(self, shape=[]):
        return self.icdf(uniform_like(self._extend_shape(shape), self.rate.dtype))

    def prob(self, value):
        return self.rate * tensor.exp(-self.rate * as_value(value, self.rate))

    def log_prob(self, value):
        return tensor.log(self.rate) - self.rate * as_value(value, self.rate)

    def entropy(self):
        return 1 - tensor.log(self.rate)

    def cdf(self, value):
        """Probability of values up to `value`."""
        return -tensor.expm1(-self.rate * as_value(value, self.rate))

    def icdf(self, value):
        """The value below which draws fall with probability `value`."""
        return -tensor.log1p(-as_value(value, self.rate)) / self.rate
