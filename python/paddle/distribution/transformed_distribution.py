# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The distribution of a transformed variable."""

from ..framework.modes import no_grad
from . import transform as _transform
from .distribution import Distribution
from .independent import Independent


def sum_rightmost(value, count):
    """Sum over the last `count` axes."""
    return value.sum(list(range(-count, 0))) if count > 0 else value


class TransformedDistribution(Distribution):
    """Distribution of transforms of a variable.

    Args:
        base: Distribution of the variable.
        transforms: List of Transforms, the first is applied first.
    """

    def __init__(self, base, transforms):
        if not isinstance(base, Distribution):
            raise TypeError(f"TransformedDistribution: base has type {type(base).__name__}; it must be a Distribution.")
        if not isinstance(transforms, (list, tuple)) or not all(
            isinstance(t, _transform.Transform) for t in transforms
        ):
            raise TypeError("TransformedDistribution: transforms must be a list of Transforms.")
        shape = base.batch_shape + base.event_shape
        chain = _transform.ChainTransform(transforms)
        if len(shape) < chain._domain.event_rank:
            raise ValueError(
                f"TransformedDistribution: base has {len(shape)} axes; the transforms need {chain._domain.event_rank}."
            )
        if transforms and chain._domain.event_rank > len(base.event_shape):
            base = Independent(base, chain._domain.event_rank - len(base.event_shape))
        self._base, self._transforms = base, transforms
        shape = chain.forward_shape(base.batch_shape + base.event_shape)
        widened = chain._codomain.event_rank - chain._domain.event_rank
        rank = len(shape) - max(chain._codomain.event_rank, len(base.event_shape) + widened)
        super().__init__(shape[:rank], shape[rank:])

    @property
    def base_dist(self):
        """The base."""
        return self._base

    @property
    def transforms(self):
        """The transforms."""
        return self._transforms

    def sample(self, shape=[]):
        with no_grad():
            x = self._base.sample(shape)
            for t in self._transforms:
                x = t.forward(x)
            return x

    def rsample(self, shape=[]):
        x = self._base.rsample(shape)
        for t in self._transforms:
            x = t.forward(x)
        return x

    def log_prob(self, value):
        """Change of variables: the base's density, and the logarithms of the Jacobian's determinants."""
        rank, total, y = len(self.event_shape), 0.0, value
        for t in reversed(self._transforms):
            x = t.inverse(y)
            rank += t._domain.event_rank - t._codomain.event_rank
            total = total - sum_rightmost(t.forward_log_det_jacobian(x), rank - t._domain.event_rank)
            y = x
        return total + sum_rightmost(self._base.log_prob(y), rank - len(self._base.event_shape))
