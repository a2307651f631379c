# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The Dirichlet distribution."""

from .. import tensor
from ..framework.modes import no_grad
from .distribution import as_value, parameters
from .exponential_family import ExponentialFamily


class Dirichlet(ExponentialFamily):
    """Distribution of vectors of positive numbers that add up to 1.

    Args:
        concentration: Positive parameters, of shape [..., size].
    """

    def __init__(self, concentration):
        self.concentration = parameters("Dirichlet", concentration)
        if self.concentration.ndim < 1:
            raise ValueError("Dirichlet: concentration has shape []; it must have at least one axis.")
        super().__init__(self.concentration.shape[:-1], self.concentration.shape[-1:])

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, keepdim=True)

    @property
    def variance(self):
        total = self.concentration.sum(-1, keepdim=True)
        return self.concentration * (total - self.concentration) / (total**2 * (total + 1))

    def sample(self, shape=[]):
        with no_grad():
            drawn = tensor.standard_gamma(tensor.expand(self.concentration, self._extend_shape(shape)))
            return drawn / drawn.sum(-1, keepdim=True)

    def _log_normalizer_value(self):
        a = self.concentration
        return tensor.lgamma(a).sum(-1) - tensor.lgamma(a.sum(-1))

    def log_prob(self, value):
        value = as_value(value, self.concentration)
        return ((self.concentration - 1) * tensor.log(value)).sum(-1) - self._log_normalizer_value()

    def entropy(self):
        a = self.concentration
        total, size = a.sum(-1), a.shape[-1]
        terms = ((a - 1) * tensor.digamma(a)).sum(-1)
        return self._log_normalizer_value() + (total - size) * tensor.digamma(total) - terms
