# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The normal distribution."""

import math

from .. import _core, tensor
from ..framework.modes import no_grad
from .distribution import Distribution, as_value, check_seed, parameters


class Normal(Distribution):
    """Normal distribution; with complex loc, circularly symmetric.

    Args:
        loc: Mean.
        scale: Standard deviation.

    Example:
        >>> import paddle
        >>> normal = paddle.distribution.Normal(0.0, 2.0)
        >>> normal.sample([3]).shape
        paddle.Size([3])
        >>> round(float(normal.log_prob(paddle.to_tensor(1.0))), 4)
        -1.7371
    """

    _only_of_its_kind = True

    def __init__(self, loc, scale, name=None):
        import numbers

        self.name = "Normal" if name is None else name
        self.all_arg_is_float = isinstance(loc, numbers.Number) and isinstance(scale, numbers.Number)
        self.loc, self.scale = parameters("Normal", loc, scale)
        self._complex = self.loc.dtype in (_core.complex64, _core.complex128)
        if self._complex:
            self.scale = self.scale.real()
        self.dtype = self.loc.dtype.name
        super().__init__(self.loc.shape)

    @property
    def mean(self):
        return self.loc

    @property
    def variance(self):
        return self.scale * self.scale

    def sample(self, shape=[], seed=0):
        """Draws without gradient.

        Args:
            shape: Extents in front of those of the distribution.
            seed: Accepted and unused: `paddle.seed` sets the state.

        Returns:
            A Tensor of shape [*shape, *batch_shape].
        """
        check_seed(seed)
        with no_grad():
            return self.rsample(shape)

    def rsample(self, shape=[]):
        shape = self._extend_shape(shape)
        if not self._complex:
            return self.loc + self.scale * tensor.randn(shape, dtype=self.loc.dtype)
        parts = [tensor.randn(shape, dtype=self.scale.dtype) * math.sqrt(0.5) for _ in range(2)]
        return self.loc + self.scale * tensor.complex(*parts)

    def entropy(self):
        if self._complex:
            return 1.0 + math.log(math.pi) + 2.0 * tensor.log(self.scale)
        return 0.5 + 0.5 * math.log(2 * math.pi) + tensor.log(self.scale)

    def log_prob(self, value):
        offset = as_value(value, self.loc) - self.loc
        if self._complex:
            square = tensor.abs(offset) ** 2 / self.variance
            return (-square - math.log(math.pi) - 2.0 * tensor.log(self.scale)).astype(self.loc.dtype)
        return -offset * offset / (2 * self.variance) - tensor.log(self.scale) - 0.5 * math.log(2 * math.pi)
