# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The binomial distribution."""

from .. import tensor
from ..framework.dtypes import finfo
from ..framework.modes import no_grad
from .distribution import Distribution, as_value, parameters


class Binomial(Distribution):
    """Number of successes in `total_count` trials.

    Args:
        total_count: Number of trials.
        probs: Probability of a success.
    """

    def __init__(self, total_count, probs):
        self.total_count, self.probs = parameters("Binomial", total_count, probs)
        self.dtype = self.probs.dtype
        super().__init__(self.probs.shape)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, shape=[]):
        shape = self._extend_shape(shape)
        with no_grad():
            count = tensor.expand(self.total_count, shape).astype("int32")
            return tensor.binomial(count, tensor.expand(self.probs, shape)).astype(self.dtype)

    def log_prob(self, value):
        value, n = as_value(value, self.probs), self.total_count
        eps = float(finfo(self.probs.dtype).eps)
        p = tensor.clip(self.probs, eps, 1 - eps)
        choose = tensor.lgamma(n + 1) - tensor.lgamma(value + 1) - tensor.lgamma(n - value + 1)
        return choose + value * tensor.log(p) + (n - value) * tensor.log1p(-p)

    def entropy(self):
        """Minus the sum of p log p over all counts."""
        top = self.total_count.max().astype("int64")
        values = tensor.arange(top + 1).astype(self.probs.dtype).reshape([-1] + [1] * self.probs.ndim)
        possible = values <= self.total_count
        values = tensor.minimum(values + tensor.zeros_like(self.probs), self.total_count)
        log_p = self.log_prob(values)
        return -(tensor.exp(log_p) * log_p * possible.astype(log_p.dtype)).sum(0)
