# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The categorical distribution."""

import math

from .. import tensor
from ..framework.modes import no_grad
from ..nn import functional as F
from .distribution import Distribution, _shape, parameters


class Categorical(Distribution):
    """Distribution of the integers below the number of classes.

    As in PaddlePaddle, draws, `probs` and `log_prob` take `logits` as weights, which are divided by
    their sum; `entropy` and `kl_divergence` take them as logarithms.

    Args:
        logits: Weights, of shape [..., classes].

    Example:
        >>> coin = paddle.distribution.Categorical(paddle.to_tensor([1.0, 3.0]))
        >>> coin.probs(paddle.to_tensor([0, 1])).tolist()
        [0.25, 0.75]
        >>> coin.sample([5]).shape
        paddle.Size([5])
    """

    _only_of_its_kind = True

    def __init__(self, logits, name=None):
        self.name = "Categorical" if name is None else name
        self.logits = parameters("Categorical", logits)
        self.dtype = self.logits.dtype.name
        self._prob = self.logits / self.logits.sum(-1, keepdim=True)
        super().__init__(self.logits.shape[:-1])

    def sample(self, shape=[]):
        """Draws of shape `shape + batch_shape`, int64."""
        shape = _shape(shape)
        with no_grad():
            rows = self._prob.reshape([-1, self._prob.shape[-1]])
            drawn = tensor.multinomial(rows, math.prod(shape), True)
            return drawn.transpose([1, 0]).reshape([*shape, *self._batch_shape])

    def entropy(self):
        log_p = F.log_softmax(self.logits, -1)
        return -(tensor.exp(log_p) * log_p).sum(-1)

    def kl_divergence(self, other):
        """Divergence of shape `batch_shape + [1]`."""
        if not isinstance(other, Categorical):
            return super().kl_divergence(other)
        p, q = (F.log_softmax(d.logits, -1) for d in (self, other))
        return (tensor.exp(p) * (p - q)).sum(-1, keepdim=True)

    def probs(self, value):
        """Probabilities of classes; `value` has the batch's shape, or any shape for a single distribution."""
        if self._prob.ndim == 1:
            return tensor.gather(self._prob, value.reshape([-1])).reshape(value.shape)
        if value.ndim == 1:
            index = tensor.broadcast_to(value, [*self._batch_shape, value.shape[0]])
            return tensor.take_along_axis(self._prob, index, -1)
        return tensor.take_along_axis(self._prob, value, -1)

    def prob(self, value):
        return self.probs(value)

    def log_prob(self, value):
        return tensor.log(self.probs(value))
