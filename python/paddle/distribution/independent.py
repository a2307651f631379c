# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Axes of a batch taken as axes of the event."""

from .distribution import Distribution


class Independent(Distribution):
    """`base` with its last batch axes as event axes.

    Args:
        base: A distribution.
        reinterpreted_batch_rank: How many axes, at least 1.
    """

    def __init__(self, base, reinterpreted_batch_rank):
        if not isinstance(base, Distribution):
            raise TypeError(f"Independent: base has type {type(base).__name__}; it must be a Distribution.")
        if not 0 < reinterpreted_batch_rank <= len(base.batch_shape):
            raise ValueError(
                f"Independent: reinterpreted_batch_rank has value {reinterpreted_batch_rank}; it must be from 1 to "
                f"{len(base.batch_shape)}, the number of batch axes."
            )
        self._base, self._reinterpreted_batch_rank = base, reinterpreted_batch_rank
        shape, rank = base.batch_shape + base.event_shape, len(base.batch_shape) - reinterpreted_batch_rank
        super().__init__(shape[:rank], shape[rank:])

    @property
    def mean(self):
        return self._base.mean

    @property
    def variance(self):
        return self._base.variance

    def sample(self, shape=[]):
        return self._base.sample(shape)

    def rsample(self, shape=[]):
        return self._base.rsample(shape)

    def _summed(self, value):
        return value.sum(list(range(-self._reinterpreted_batch_rank, 0)))

    def log_prob(self, value):
        return self._summed(self._base.log_prob(value))

    def prob(self, value):
        return self.log_prob(value).exp()

    def entropy(self):
        return self._summed(self._base.entropy())
