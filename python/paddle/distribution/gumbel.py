# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The Gumbel distribution of extreme values."""

import math

from .. import tensor
from ..framework.modes import no_grad
from .distribution import as_value, parameters, uniform_like
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform

_EULER = 0.57721566490153286060


class Gumbel(TransformedDistribution):
    """Gumbel distribution.

    Args:
        loc: Location.
        scale: Scale.
    """

    def __init__(self, loc, scale):
        self.loc, self.scale = parameters("Gumbel", loc, scale)
        super().__init__(Uniform(tensor.zeros_like(self.loc), tensor.ones_like(self.loc)), ())

    @property
    def mean(self):
        return self.loc + self.scale * _EULER

    @property
    def variance(self):
        return self.scale**2 * (math.pi**2 / 6)

    @property
    def stddev(self):
        """Standard deviation."""
        return tensor.sqrt(self.variance)

    def _standard(self, value):
        return (as_value(value, self.loc) - self.loc) / self.scale

    def log_prob(self, value):
        y = self._standard(value)
        return -(y + tensor.exp(-y)) - tensor.log(self.scale)

    def prob(self, value):
        return tensor.exp(self.log_prob(value))

    def cdf(self, value):
        """Probability of values up to `value`."""
        return tensor.exp(-tensor.exp(-self._standard(value)))

    def entropy(self):
        return tensor.log(self.scale) + 1 + _EULER

    def sample(self, shape=[]):
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape=[]):
        noise = uniform_like(self._extend_shape(shape), self.loc.dtype)
        return self.loc - self.scale * tensor.log(-tensor.log(noise))
