# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The log-normal distribution."""

from .. import tensor
from .normal import Normal
from .transform import ExpTransform
from .transformed_distribution import TransformedDistribution


class LogNormal(TransformedDistribution):
    """Exponential of a normal variable.

    Args:
        loc: Mean of the logarithm.
        scale: Standard deviation of the logarithm.
    """

    def __init__(self, loc, scale):
        self._base = Normal(loc, scale)
        self.loc, self.scale = self._base.loc, self._base.scale
        super().__init__(self._base, [ExpTransform()])

    @property
    def mean(self):
        return tensor.exp(self.loc + self._base.variance / 2)

    @property
    def variance(self):
        return tensor.expm1(self._base.variance) * tensor.exp(2 * self.loc + self._base.variance)

    def entropy(self):
        return self._base.entropy() + self.loc

    def probs(self, value):
        return tensor.exp(self.log_prob(value))
