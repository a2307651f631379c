# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The sets of values that transforms map from and to: discrete or not, their number of event axes, their condition."""

from .. import tensor
from . import constraint as _constraint


class Variable:
    """A set of values.

    Args:
        is_discrete: Whether the values can be counted.
        event_rank: Number of axes that make one value.
        constraint: Condition on the values.
    """

    def __init__(self, is_discrete=False, event_rank=0, constraint=None):
        self._is_discrete, self._event_rank, self._constraint = is_discrete, event_rank, constraint

    @property
    def is_discrete(self):
        """Whether the values can be counted."""
        return self._is_discrete

    @property
    def event_rank(self):
        """Number of axes that make one value."""
        return self._event_rank

    def constraint(self, value):
        """Where the condition on the values holds."""
        return self._constraint(value)


class Real(Variable):
    """All numbers."""

    def __init__(self, event_rank=0):
        super().__init__(False, event_rank, _constraint.real)


class Positive(Variable):
    """Numbers that are not negative."""

    def __init__(self, event_rank=0):
        super().__init__(False, event_rank, _constraint.positive)


class Independent(Variable):
    """A set whose last batch axes count as event axes.

    Args:
        base: The set.
        reinterpreted_batch_rank: How many axes.
    """

    def __init__(self, base, reinterpreted_batch_rank):
        self._base, self._reinterpreted_batch_rank = base, reinterpreted_batch_rank
        super().__init__(base.is_discrete, base.event_rank + reinterpreted_batch_rank)

    def constraint(self, value):
        """Where the condition holds for all entries of the axes that were taken.

        Raises:
            ValueError: `value` has fewer axes than an event.
        """
        held = self._base.constraint(value)
        rank = self._reinterpreted_batch_rank
        if held.ndim < rank:
            raise ValueError(f"Independent.constraint: value has {value.ndim} axes; an event has {self.event_rank}.")
        return held.all(list(range(held.ndim - rank, held.ndim))) if rank else held


class Stack(Variable):
    """One set for each index of an axis.

    Args:
        vars: The sets.
        axis: The axis.
    """

    def __init__(self, vars, axis=0):
        self._vars, self._axis = vars, axis

    @property
    def is_discrete(self):
        """Whether any of the sets is discrete."""
        return any(v.is_discrete for v in self._vars)

    @property
    def event_rank(self):
        """The largest number of event axes, with the axis of the stack when it is one of them."""
        rank = max(v.event_rank for v in self._vars)
        return rank + 1 if self._axis + rank < 0 else rank

    def constraint(self, value):
        """Where the conditions hold, each on its part of the axis.

        Raises:
            ValueError: The axis has another number of entries than there are sets.
        """
        if not -value.ndim <= self._axis < value.ndim or value.shape[self._axis] != len(self._vars):
            raise ValueError(
                f"Stack.constraint: value has shape {list(value.shape)}; axis {self._axis} must have {len(self._vars)} "
                f"entries."
            )
        parts = tensor.unstack(value, self._axis)
        return tensor.stack([v.constraint(part) for v, part in zip(self._vars, parts, strict=True)], self._axis)


real, positive = Real(), Positive()
