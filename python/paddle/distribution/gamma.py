# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The gamma distribution."""

from .. import tensor
from .distribution import as_value, parameters
from .exponential_family import ExponentialFamily


class Gamma(ExponentialFamily):
    """Gamma distribution.

    Args:
        concentration: Shape parameter.
        rate: Inverse scale.
    """

    def __init__(self, concentration, rate):
        self.concentration, self.rate = parameters("Gamma", concentration, rate)
        self.dtype = self.rate.dtype
        super().__init__(self.rate.shape)

    @property
    def mean(self):
        return self.concentration / self.rate

    @property
    def variance(self):
        return self.concentration / self.rate**2

    def sample(self, shape=[]):
        return super().sample(shape)

    def rsample(self, shape=[]):
        return tensor.standard_gamma(tensor.expand(self.concentration, self._extend_shape(shape))) / self.rate

    def log_prob(self, value):
        value, a = as_value(value, self.rate), self.concentration
        return a * tensor.log(self.rate) + (a - 1) * tensor.log(value) - self.rate * value - tensor.lgamma(a)

    def prob(self, value):
        return tensor.exp(self.log_prob(value))

    def entropy(self):
        a = self.concentration
        return a - tensor.log(self.rate) + tensor.lgamma(a) + (1 - a) * tensor.digamma(a)
