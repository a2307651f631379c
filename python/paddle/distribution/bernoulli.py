# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The Bernoulli distribution."""

from .. import tensor
from ..framework.dtypes import finfo
from ..framework.modes import no_grad
from .distribution import as_value, broadcast, parameters, uniform_like
from .exponential_family import ExponentialFamily


def _logit(p):
    return tensor.log(p) - tensor.log1p(-p)


class Bernoulli(ExponentialFamily):
    """1 with probability `probs`, else 0.

    Args:
        probs: Probability of 1.

    Example:
        >>> coin = paddle.distribution.Bernoulli(0.25)
        >>> float(coin.mean), round(float(coin.variance), 4)
        (0.25, 0.1875)
    """

    def __init__(self, probs, name=None):
        self.name = "Bernoulli" if name is None else name
        if isinstance(probs, int):
            raise TypeError(f"Bernoulli: probs is {probs!r}, an int; it must be a float, list, tuple, array or Tensor.")
        given = parameters("Bernoulli", probs)
        self.dtype = given.dtype
        eps = float(finfo(given.dtype).eps)
        self.probs = self._safe = tensor.clip(given, eps, 1 - eps)
        self.logits = _logit(self._safe)
        super().__init__(self.probs.shape)

    @property
    def mean(self):
        return self.probs

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, shape=[]):
        with no_grad():
            return tensor.bernoulli(tensor.expand(self.probs, self._extend_shape(shape)))

    def rsample(self, shape=[], temperature=1.0):
        """Logits of a relaxed draw, logit(probs) plus logistic noise, over the temperature."""
        noise = _logit(uniform_like(self._extend_shape(shape), self.probs.dtype))
        return (self.logits + noise) / temperature

    def cdf(self, value):
        value = as_value(value, self.probs)
        zero, one = tensor.zeros_like(self.probs), tensor.ones_like(self.probs)
        value, zero, one, low = broadcast([value, zero, one, 1 - self.probs])
        return tensor.where(value < 0, zero, tensor.where(value < 1, low, one))

    def log_prob(self, value):
        value = as_value(value, self.probs)
        return value * tensor.log(self._safe) + (1 - value) * tensor.log1p(-self._safe)

    def prob(self, value):
        return tensor.exp(self.log_prob(value))

    def entropy(self):
        p = self._safe
        return -(p * tensor.log(p) + (1 - p) * tensor.log1p(-p))
