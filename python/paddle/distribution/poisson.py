# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The Poisson distribution."""

import numbers

from .. import tensor
from ..framework.dtypes import finfo
from ..framework.modes import no_grad
from .distribution import Distribution, as_value, parameters


class Poisson(Distribution):
    """Number of events.

    Args:
        rate: Expected number. A plain number is a batch of one: the batch shape is [1].
    """

    def __init__(self, rate):
        self.rate = parameters("Poisson", [rate] if isinstance(rate, numbers.Real) else rate)
        self.dtype = self.rate.dtype
        super().__init__(self.rate.shape)

    @property
    def mean(self):
        return self.rate

    @property
    def variance(self):
        return self.rate

    def sample(self, shape=[]):
        with no_grad():
            return tensor.poisson(tensor.expand(self.rate, self._extend_shape(shape)))

    def log_prob(self, value):
        value = as_value(value, self.rate)
        log_rate = tensor.log(tensor.clip(self.rate, min=float(finfo(self.rate.dtype).tiny)))
        return value * log_rate - self.rate - tensor.lgamma(value + 1)

    def entropy(self):
        """Minus the sum of p log p over all counts within 30 standard deviations."""
        top = self.rate.max()
        count = tensor.ceil(top + 30 * (tensor.sqrt(top) + 1)).astype("int64") + 1
        values = tensor.arange(count).astype(self.rate.dtype).reshape([-1] + [1] * self.rate.ndim)
        log_p = self.log_prob(values)
        return -(tensor.exp(log_p) * log_p).sum(0)
