# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The binomial distribution."""

import paddle

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
        with paddle.no_grad():
            count = paddle.expand(self.total_count, shape).astype("int32")
            return paddle.binomial(count, paddle.expand(self.probs, shape)).astype(self.dtype)

    def log_prob(self, value):
        value, n = as_value(value, self.probs), self.total_count
        eps = float(paddle.finfo(self.probs.dtype).eps)
        p = paddle.clip(self.probs, eps, 1 - eps)
        choose = paddle.lgamma(n + 1) - paddle.lgamma(value + 1) - paddle.lgamma(n - value + 1)
        return choose + value * paddle.log(p) + (n - value) * paddle.log1p(-p)

    def entropy(self):
        """Minus the sum of p log p over all counts."""
        top = self.total_count.max().astype("int64")
        values = paddle.arange(top + 1).astype(self.probs.dtype).reshape([-1] + [1] * self.probs.ndim)
        possible = values <= self.total_count
        values = paddle.minimum(values + paddle.zeros_like(self.probs), self.total_count)
        log_p = self.log_prob(values)
        return -(paddle.exp(log_p) * log_p * possible.astype(log_p.dtype)).sum(0)
