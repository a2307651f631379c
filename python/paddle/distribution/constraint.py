# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions on values: called with a Tensor, a constraint tells where it holds."""

from .. import tensor


class Constraint:
    """Base: a subclass defines `__call__`."""

    def __call__(self, value):
        """Where the condition holds, as a Tensor of bool."""
        raise NotImplementedError(f"{type(self).__name__}: the subclass must define __call__.")

    def check(self, value):
        """The same as calling it."""
        return self(value)


class Real(Constraint):
    """Numbers other than NaN."""

    def __call__(self, value):
        return value == value


class Range(Constraint):
    """Numbers of a closed interval.

    Args:
        lower: Lower end.
        upper: Upper end.
    """

    def __init__(self, lower, upper):
        self._lower, self._upper = lower, upper

    def __call__(self, value):
        return (value >= self._lower) & (value <= self._upper)


class Positive(Constraint):
    """Numbers that are not negative."""

    def __call__(self, value):
        return value >= 0.0


class Simplex(Constraint):
    """Rows of numbers that are not negative and add up to 1."""

    def __call__(self, value):
        return tensor.logical_and((value >= 0).all(-1), (value.sum(-1) - 1).abs() < 1e-6)


real, positive, simplex = Real(), Positive(), Simplex()
