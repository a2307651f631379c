# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The multinomial distribution."""

from .. import tensor
from ..framework.dtypes import finfo
from ..framework.modes import no_grad
from ..nn import functional as F
from .distribution import Distribution, _shape, as_value, parameters


class Multinomial(Distribution):
    """Counts of the classes in `total_count` independent draws.

    Args:
        total_count: Number of draws, at least 1.
        probs: Weights of the classes, of shape [..., classes].
    """

    def __init__(self, total_count, probs):
        if not isinstance(total_count, int) or total_count < 1:
            raise ValueError(f"Multinomial: total_count has value {total_count!r}; it must be a positive integer.")
        probs = parameters("Multinomial", probs)
        if probs.ndim < 1:
            raise ValueError("Multinomial: probs has shape []; its last axis must be that of the classes.")
        self.probs = probs / probs.sum(-1, keepdim=True)
        self.total_count = total_count
        super().__init__(self.probs.shape[:-1], self.probs.shape[-1:])

    @property
    def mean(self):
        return self.probs * self.total_count

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, shape=[]):
        shape = _shape(shape)
        classes = self.probs.shape[-1]
        with no_grad():
            rows = tensor.expand(self.probs, [*shape, *self.probs.shape]).reshape([-1, classes])
            drawn = tensor.multinomial(rows, self.total_count, True)
            counts = F.one_hot(drawn, classes).sum(-2)
            return counts.reshape(self._extend_shape(shape)).astype(self.probs.dtype)

    def log_prob(self, value):
        value = as_value(value, self.probs)
        log_p = tensor.log(self.probs)
        impossible = tensor.logical_and(value == 0, self.probs == 0)
        log_p = tensor.where(impossible, tensor.zeros_like(log_p + value), log_p + tensor.zeros_like(value))
        return tensor.lgamma(value.sum(-1) + 1) - tensor.lgamma(value + 1).sum(-1) + (value * log_p).sum(-1)

    def entropy(self):
        """n H(p) - log n! + sum over classes and counts of binomial probabilities times log k!."""
        n, p = self.total_count, self.probs
        k = tensor.arange(n + 1, dtype=p.dtype).reshape([-1] + [1] * p.ndim)
        log_n = tensor.lgamma(tensor.full([], n + 1.0, p.dtype))
        log_k = tensor.lgamma(k + 1)
        eps = float(finfo(p.dtype).tiny)
        safe, rest = tensor.clip(p, min=eps), tensor.clip(1 - p, min=eps)
        log_binomial = log_n - log_k - tensor.lgamma(n - k + 1) + k * tensor.log(safe) + (n - k) * tensor.log(rest)
        single = -(p * tensor.log(safe)).sum(-1)
        return n * single - log_n + (tensor.exp(log_binomial) * log_k).sum([0, -1])
