# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The base of exponential families."""

from ..autograd import grad
from .distribution import Distribution


class ExponentialFamily(Distribution):
    """Densities exp(t(x) . theta - F(theta) + k(x)).

    A subclass defines `_natural_parameters`, `_log_normalizer(*theta)` and `_mean_carrier_measure`.
    """

    @property
    def _natural_parameters(self):
        raise NotImplementedError(f"{type(self).__name__}: _natural_parameters is not defined.")

    def _log_normalizer(self, *parameters):
        raise NotImplementedError(f"{type(self).__name__}: _log_normalizer is not defined.")

    @property
    def _mean_carrier_measure(self):
        raise NotImplementedError(f"{type(self).__name__}: _mean_carrier_measure is not defined.")

    def entropy(self):
        """F(theta) - theta . grad F(theta) - E[k(x)]."""
        theta = [p.detach() for p in self._natural_parameters]
        for p in theta:
            p.stop_gradient = False
        value = self._log_normalizer(*theta)
        grads = grad(value.sum(), theta, create_graph=True)
        entropy = value - self._mean_carrier_measure
        for p, g in zip(theta, grads, strict=True):
            term = p * g
            rank = term.ndim - value.ndim
            entropy = entropy - (term.sum(list(range(-rank, 0))) if rank > 0 else term)
        return entropy
