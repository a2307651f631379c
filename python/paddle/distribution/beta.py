# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The beta distribution."""

from .. import tensor
from ..framework.modes import no_grad
from .distribution import as_value, parameters
from .exponential_family import ExponentialFamily


def _log_beta(a, b):
    return tensor.lgamma(a) + tensor.lgamma(b) - tensor.lgamma(a + b)


class Beta(ExponentialFamily):
    """Beta distribution of numbers between 0 and 1.

    Args:
        alpha, beta: Positive shape parameters.
    """

    def __init__(self, alpha, beta):
        self.alpha, self.beta = parameters("Beta", alpha, beta)
        if self.alpha.size == 0:
            raise ValueError(
                f"Beta: alpha and beta have together shape {list(self.alpha.shape)}; they must hold a number."
            )
        super().__init__(self.alpha.shape)

    @property
    def mean(self):
        return self.alpha / (self.alpha + self.beta)

    @property
    def variance(self):
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total**2 * (total + 1))

    def sample(self, shape=[]):
        with no_grad():
            shape = self._extend_shape(shape)
            x, y = (tensor.standard_gamma(tensor.expand(p, shape)) for p in (self.alpha, self.beta))
            return x / (x + y)

    def log_prob(self, value):
        value = as_value(value, self.alpha)
        powers = (self.alpha - 1) * tensor.log(value) + (self.beta - 1) * tensor.log1p(-value)
        return powers - _log_beta(self.alpha, self.beta)

    def prob(self, value):
        return tensor.exp(self.log_prob(value))

    def entropy(self):
        a, b = self.alpha, self.beta
        terms = (a - 1) * tensor.digamma(a) + (b - 1) * tensor.digamma(b)
        return _log_beta(a, b) - terms + (a + b - 2) * tensor.digamma(a + b)
