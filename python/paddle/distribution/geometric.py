# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The geometric distribution."""

import paddle

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
        return paddle.sqrt(self.variance)

    def _count(self, k):
        return k if isinstance(k, (int, float)) else as_value(k, self.probs)

    def pmf(self, k):
        """Probability of k failures."""
        return paddle.exp(self.log_pmf(k))

    def log_pmf(self, k):
        """Logarithm of `pmf`."""
        return self._count(k) * paddle.log1p(-self.probs) + paddle.log(self.probs)

    def log_prob(self, value):
        return self.log_pmf(value)

    def sample(self, shape=[]):
        return super().sample(shape)

    def rsample(self, shape=[]):
        noise = uniform_like(self._extend_shape(shape), self.probs.dtype)
        return paddle.floor(paddle.log(noise) / paddle.log1p(-self.probs))

    def entropy(self):
        p = self.probs
        return -(p * paddle.log(p) + (1 - p) * paddle.log1p(-p)) / p

    def cdf(self, k):
        """Probability of up to k failures."""
        return -paddle.expm1((self._count(k) + 1) * paddle.log1p(-self.probs))
