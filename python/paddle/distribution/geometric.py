# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The geometric distribution."""

from .. import tensor
from .distribution import Distribution, as_value, parameters, uniform_like


class Geometric(Distribution):
    """Number of failures before the first success.

    Args:
        probs: Probability of a success.
    """

    def __init__(self, probs):
        self.probs = parameters("Geometric", probs)
        super().__init__(self.probs.shape)

    @property
    def mean(self):
        return 1 / self.probs - 1

    @property
    def variance(self):
        return (1 / self.probs - 1) / self.probs

    @property
    def stddev(self):
        """Standard deviation."""
        return tensor.sqrt(self.variance)

    def _count(self, k):
        return k if isinstance(k, (int, float)) else as_value(k, self.probs)

    def pmf(self, k):
        """Probability of k failures."""
        return tensor.exp(self.log_pmf(k))

    def log_pmf(self, k):
        """Logarithm of `pmf`."""
        return self._count(k) * tensor.log1p(-self.probs) + tensor.log(self.probs)

    def log_prob(self, value):
        return self.log_pmf(value)

    def sample(self, shape=[]):
        return super().sample(shape)

    def rsample(self, shape=[]):
        noise = uniform_like(self._extend_shape(shape), self.probs.dtype)
        return tensor.floor(tensor.log(noise) / tensor.log1p(-self.probs))

    def entropy(self):
        p = self.probs
        return -(p * tensor.log(p) + (1 - p) * tensor.log1p(-p)) / p

    def cdf(self, k):
        """Probability of up to k failures."""
        return -tensor.expm1((self._count(k) + 1) * tensor.log1p(-self.probs))
