# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers that compare channels, draw slopes, or drop and compare features."""

from ...framework.call_forms import aliases
from .. import functional as F
from ._repr import named
from .computed import computed
from .layers import Layer

__all__ = ["Maxout", "RReLU", "FeatureAlphaDropout", "PairwiseDistance"]


class Maxout(Layer):
    """The maximum over groups of neighbouring channels (Goodfellow et al. 2013).

    Args:
        groups: Channels in a group; divides their number.
        axis: The axis of the channels, 1 or the last.
        name: Unused.

    Example:
        >>> paddle.nn.Maxout(2)(paddle.to_tensor([1.0, 3.0, 5.0, 2.0]).reshape([1, 4, 1, 1])).flatten().tolist()
        [3.0, 5.0]
    """

    def __init__(self, groups, axis=1, name=None):
        super().__init__()
        self._groups, self._axis, self._name = groups, axis, name

    def forward(self, x):
        return F.maxout(x, self._groups, self._axis)

    def extra_repr(self):
        return named(f"groups={self._groups}, axis={self._axis}", self._name)


class RReLU(Layer):
    """x where positive, else x times a slope drawn from [lower, upper]; in eval its middle (Xu et al. 2015).

    Args:
        lower: Least slope.
        upper: Greatest slope.
        name: Unused.

    Example:
        >>> layer = paddle.nn.RReLU(0.25, 0.75)
        >>> layer.eval()(paddle.to_tensor([-2.0, 3.0])).tolist()
        [-1.0, 3.0]
    """

    def __init__(self, lower=0.125, upper=0.3333333333333333, name=None):
        super().__init__()
        self._lower, self._upper, self._name = lower, upper, name

    def forward(self, x):
        return F.rrelu(x, self._lower, self._upper, self.training)

    def extra_repr(self):
        text = f"lower={self._lower}, upper={self._upper}, training={self.training}, dtype={self._dtype}"
        return named(text, self._name)


class FeatureAlphaDropout(Layer):
    """`AlphaDropout` of whole channels.

    Args:
        p: Probability that a channel is replaced.
        name: Unused.

    Example:
        >>> layer = paddle.nn.FeatureAlphaDropout(0.5)
        >>> layer.eval()(paddle.ones([1, 2, 1])).tolist()
        [[[1.0], [1.0]]]
    """

    def __init__(self, p=0.5, name=None):
        super().__init__()
        self.p, self.name = p, name

    def forward(self, input):
        return F.feature_alpha_dropout(input, self.p, self.training)

    def extra_repr(self):
        return named(f"p={self.p}", self.name)


class PairwiseDistance(Layer):
    """The p-norm of the difference of two tensors along the last axis.

    Args:
        p: Order of the norm.
        epsilon: Added to the differences, so that the norm has a gradient at 0.
        keepdim: Whether the last axis stays, with extent 1.
        name: Unused.

    Example:
        >>> distance = paddle.nn.PairwiseDistance(epsilon=0.0)
        >>> distance(paddle.zeros([1, 2]), paddle.to_tensor([[3.0, 4.0]])).tolist()
        [5.0]
    """

    @aliases(eps="epsilon")
    def __init__(self, p=2.0, epsilon=1e-06, keepdim=False, name=None):
        super().__init__()
        self.p, self.epsilon, self.keepdim, self.name = p, epsilon, keepdim, name

    norm = computed(lambda self: self.p, doc="The p of the norm.")
    eps = computed(lambda self: self.epsilon, doc="What is added to the differences.")

    @aliases(x1="x", x2="y")
    def forward(self, x, y):
        return F.pairwise_distance(x, y, self.p, self.epsilon, self.keepdim)

    def extra_repr(self):
        text = f"p={self.p}"
        if self.epsilon != 1e-06:
            text += f", epsilon={self.epsilon}"
        return named(text + (f", keepdim={self.keepdim}" if self.keepdim else ""), self.name)
