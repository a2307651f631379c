# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The continuous Bernoulli distribution (Loaiza-Ganem and Cunningham, arXiv:1907.06845)."""

import numbers

import paddle

from .distribution import Distribution, as_value, parameters, uniform_like


class ContinuousBernoulli(Distribution):
    """Density proportional to p^x (1 - p)^(1 - x) between 0 and 1.

    Args:
        probs: The parameter p.
        lims: Between these, series around p = 0.5 are used.
    """

    def __init__(self, probs, lims=(0.499, 0.501)):
        self.probs = parameters("ContinuousBernoulli", [probs] if isinstance(probs, numbers.Real) else probs)
        self.dtype = self.probs.dtype
        self.lims = lims
        eps = float(paddle.finfo(self.dtype).eps)
        self.probs = paddle.clip(self.probs, eps, 1 - eps)
        self._middle = paddle.logical_and(self.probs >= lims[0], self.probs <= lims[1])
        self._cut = paddle.where(self._middle, paddle.full_like(self.probs, lims[0]), self.probs)
        super().__init__(self.probs.shape)

    def _log_constant(self):
        """Logarithm of 2 artanh(1 - 2p) / (1 - 2p)."""
        gap = 1 - 2 * self._cut
        outside = paddle.log(paddle.abs(paddle.log1p(-self._cut) - paddle.log(self._cut))) - paddle.log(paddle.abs(gap))
        square = (self.probs - 0.5) ** 2
        inside = 0.6931471805599453 + (4.0 / 3.0 + 104.0 / 45.0 * square) * square
        return paddle.where(self._middle, inside, outside)

    @property
    def mean(self):
        outside = self._cut / (2 * self._cut - 1) + 1 / (paddle.log1p(-self._cut) - paddle.log(self._cut))
        offset = self.probs - 0.5
        inside = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * offset**2) * offset
        return paddle.where(self._middle, inside, outside)

    @property
    def variance(self):
        odds = paddle.log1p(-self._cut) - paddle.log(self._cut)
        outside = self._cut * (self._cut - 1) / (1 - 2 * self._cut) ** 2 + 1 / odds**2
        square = (self.probs - 0.5) ** 2
        inside = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * square) * square
        return paddle.where(self._middle, inside, outside)

    def sample(self, shape=[]):
        return super().sample(shape)

    def rsample(self, shape=[]):
        return self.icdf(uniform_like(self._extend_shape(shape), self.dtype))

    def log_prob(self, value):
        value = as_value(value, self.probs)
        return value * paddle.log(self.probs) + (1 - value) * paddle.log1p(-self.probs) + self._log_constant()

    def prob(self, value):
        return paddle.exp(self.log_prob(value))

    def entropy(self):
        log_p, log_q = paddle.log(self.probs), paddle.log1p(-self.probs)
        return -(self.mean * (log_p - log_q) + log_q + self._log_constant())

    def cdf(self, value):
        """Probability of values up to `value`."""
        value = as_value(value, self.probs)
        p = self._cut
        outside = (paddle.pow(p, value) * paddle.pow(1 - p, 1 - value) + p - 1) / (2 * p - 1)
        return paddle.clip(paddle.where(self._middle, value + 0 * outside, outside), 0.0, 1.0)

    def icdf(self, value):
        """The value below which draws fall with probability `value`."""
        value = as_value(value, self.probs)
        p = self._cut
        outside = (paddle.log1p(-p + value * (2 * p - 1)) - paddle.log1p(-p)) / (paddle.log(p) - paddle.log1p(-p))
        return paddle.where(self._middle, value + 0 * outside, outside)
