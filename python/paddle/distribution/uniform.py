# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The uniform distribution of an interval."""

import numbers

from .. import tensor
from ..framework.modes import no_grad
from .distribution import Distribution, as_value, check_seed, parameters


class Uniform(Distribution):
    """Uniform distribution of [low, high).

    Args:
        low: Lower bound.
        high: Upper bound.

    Example:
        >>> uniform = paddle.distribution.Uniform(0.0, 2.0)
        >>> float(uniform.mean), uniform.sample([3]).shape
        (1.0, paddle.Size([3]))
    """

    def __init__(self, low, high, name=None):
        self.name = "Uniform" if name is None else name
        self.all_arg_is_float = isinstance(low, numbers.Number) and isinstance(high, numbers.Number)
        self.batch_size_unknown = False
        self.low, self.high = parameters("Uniform", low, high)
        self.dtype = self.low.dtype.name
        super().__init__(self.low.shape)

    @property
    def mean(self):
        return (self.low + self.high) / 2

    @property
    def variance(self):
        return (self.high - self.low) ** 2 / 12

    def sample(self, shape=[], seed=0):
        """Draws without gradient; `seed` is accepted and unused, `paddle.seed` sets the state."""
        check_seed(seed)
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape=[]):
        return self.low + (self.high - self.low) * tensor.rand(self._extend_shape(shape), dtype=self.low.dtype)

    def log_prob(self, value):
        return tensor.log(self.prob(value))

    def prob(self, value):
        value = as_value(value, self.low)
        inside = tensor.logical_and(value > self.low, value < self.high)
        return inside.astype(self.low.dtype) / (self.high - self.low)

    def probs(self, value):
        return self.prob(value)

    def entropy(self):
        return tensor.log(self.high - self.low)
