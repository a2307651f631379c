# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The continuous Bernoulli distribution (Loaiza-Ganem and Cunningham, arXiv:1907.06845)."""

import numbers

from .. import tensor
from ..framework.dtypes import finfo
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
        eps = float(finfo(self.dtype).eps)
        self.probs = tensor.clip(self.probs, eps, 1 - eps)
        self._middle = tensor.logical_and(self.probs >= lims[0], self.probs <= lims[1])
        self._cut = tensor.where(self._middle, tensor.full_like(self.probs, lims[0]), self.probs)
        super().__init__(self.probs.shape)

    def _log_constant(self):
        """Logarithm of 2 artanh(1 - 2p) / (1 - 2p)."""
        gap = 1 - 2 * self._cut
        outside = tensor.log(tensor.abs(tensor.log1p(-self._cut) - tensor.log(self._cut))) - tensor.log(tensor.abs(gap))
        square = (self.probs - 0.5) ** 2
        inside = 0.6931471805599453 + (4.0 / 3.0 + 104.0 / 45.0 * square) * square
        return tensor.where(self._middle, inside, outside)

    @property
    def mean(self):
        outside = self._cut / (2 * self._cut - 1) + 1 / (tensor.log1p(-self._cut) - tensor.log(self._cut))
        offset = self.probs - 0.5
        inside = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * offset**2) * offset
        return tensor.where(self._middle, inside, outside)

    @property
    def variance(self):
        odds = tensor.log1p(-self._cut) - tensor.log(self._cut)
        outside = self._cut * (self._cut - 1) / (1 - 2 * self._cut) ** 2 + 1 / odds**2
        square = (self.probs - 0.5) ** 2
        inside = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * square) * square
        return tensor.where(self._middle, inside, outside)

    def sample(self, shape=[]):
        return super().sample(shape)

    def rsample(self, shape=[]):
        return self.icdf(uniform_like(self._extend_shape(shape), self.dtype))

    def log_prob(self, value):
        value = as_value(value, self.probs)
        return value * tensor.log(self.probs) + (1 - value) * tensor.log1p(-self.probs) + self._log_constant()

    def prob(self, value):
        return tensor.exp(self.log_prob(value))

    def entropy(self):
        log_p, log_q = tensor.log(self.probs), tensor.log1p(-self.probs)
        return -(self.mean * (log_p - log_q) + log_q + self._log_constant())

    def cdf(self, value):
        """Probability of values up to `value`."""
        value = as_value(value, self.probs)
        p = self._cut
        outside = (tensor.pow(p, value) * tensor.pow(1 - p, 1 - value) + p - 1) / (2 * p - 1)
        return tensor.clip(tensor.where(self._middle, value + 0 * outside, outside), 0.0, 1.0)

    def icdf(self, value):
        """The value below which draws fall with probability `value`."""
        value = as_value(value, self.probs)
        p = self._cut
        outside = (tensor.log1p(-p + value * (2 * p - 1)) - tensor.log1p(-p)) / (tensor.log(p) - tensor.log1p(-p))
        return tensor.where(self._middle, value + 0 * outside, outside)
