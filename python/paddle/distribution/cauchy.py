# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The Cauchy distribution."""

import math

from .. import tensor
from ..framework.modes import no_grad
from .distribution import Distribution, as_value, parameters, uniform_like


class Cauchy(Distribution):
    """Cauchy distribution; it has neither mean nor variance.

    Args:
        loc: Median.
        scale: Half of the width at half of the height.
    """

    _only_of_its_kind = True

    def __init__(self, loc, scale, name=None):
        self.name = "Cauchy" if name is None else name
        self.loc, self.scale = parameters("Cauchy", loc, scale)
        self.dtype = self.loc.dtype
        super().__init__(self.loc.shape)

    @property
    def mean(self):
        raise ValueError("Cauchy: the distribution has no mean.")

    @property
    def variance(self):
        raise ValueError("Cauchy: the distribution has no variance.")

    @property
    def stddev(self):
        """Not defined."""
        raise ValueError("Cauchy: the distribution has no stddev.")

    def sample(self, shape=[], name=None):
        with no_grad():
            return self.rsample(shape, name)

    def rsample(self, shape=[], name=None):
        noise = uniform_like(self._extend_shape(shape), self.loc.dtype)
        return self.loc + self.scale * tensor.tan(math.pi * (noise - 0.5))

    def _standard(self, value):
        return (as_value(value, self.loc) - self.loc) / self.scale

    def log_prob(self, value):
        return -tensor.log1p(self._standard(value) ** 2) - tensor.log(self.scale) - math.log(math.pi)

    def cdf(self, value):
        """Probability of values up to `value`."""
        return tensor.atan(self._standard(value)) / math.pi + 0.5

    def entropy(self):
        return tensor.log(self.scale) + math.log(4 * math.pi)
