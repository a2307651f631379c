# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sets that keep the order in which elements came."""

from collections.abc import MutableSet


class OrderedSet(MutableSet):
    """A set whose elements are iterated in the order in which they were added.

    Args:
        items: Elements; None: none.

    Example:
        >>> from paddle.jit.utils import OrderedSet
        >>> OrderedSet([3, 1, 3]) | OrderedSet([2])
        OrderedSet(3, 1, 2)
    """

    def __init__(self, items=None):
        self._elements = dict.fromkeys(items or ())

    def __contains__(self, item):
        return item in self._elements

    def __iter__(self):
        return iter(self._elements)

    def __len__(self):
        return len(self._elements)

    def __eq__(self, other):
        return list(self) == list(other) if isinstance(other, OrderedSet) else NotImplemented

    __hash__ = None

    def add(self, item):
        """Add an element at the end, unless it is there."""
        self._elements[item] = None

    def discard(self, item):
        """Take an element out if it is there."""
        self._elements.pop(item, None)

    def __repr__(self):
        return f"OrderedSet({', '.join(map(repr, self))})"
