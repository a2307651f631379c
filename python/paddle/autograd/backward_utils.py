# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sets and dictionaries of values: two are equal when they are the same value."""


class ValueWrapper:
    """A value, compared by what it is rather than by what it holds."""

    def __init__(self, value):
        self._value = value._value if isinstance(value, ValueWrapper) else value

    def __hash__(self):
        return id(self._value)

    def __eq__(self, other):
        return isinstance(other, ValueWrapper) and self._value is other._value


class ValueDict:
    """A dictionary with values of a program as keys.

    Args:
        iter: Another ValueDict, or pairs, to start with.
        default_factory: Makes what stands under a value that is asked for and not there.
    """

    def __init__(self, iter=None, *, default_factory=None):
        self._items = {}
        self._default_factory = default_factory
        for key, value in iter.items() if hasattr(iter, "items") else iter or ():
            self[key] = value

    def copy(self):
        """A second one with the same content."""
        return ValueDict(self, default_factory=self._default_factory)

    def update(self, other_dict):
        """Take over what another one holds."""
        for key, value in other_dict.items():
            self[key] = value

    def keys(self):
        """The values, one after another."""
        for wrapper in self._items:
            yield wrapper._value

    __iter__ = keys

    def values(self):
        """What stands under them."""
        return self._items.values()

    def items(self):
        """Pairs of both."""
        for wrapper, value in self._items.items():
            yield wrapper._value, value

    def get(self, key, default=None):
        """What stands under a value, or the default."""
        return self[key] if key in self else default

    def pop(self, key):
        """Take a value out; a KeyError where it is not there."""
        if key not in self:
            raise KeyError(f"{key} is not in the ValueDict.")
        return self._items.pop(ValueWrapper(key))

    def setdefault(self, key, default=None):
        """What stands under a value; the default is put there first where nothing does."""
        return self._items.setdefault(ValueWrapper(key), default)

    def __setitem__(self, key, value):
        self._items[ValueWrapper(key)] = value

    def __getitem__(self, key):
        if key not in self:
            if self._default_factory is None:
                raise KeyError(f"{key} is not in the ValueDict.")
            self[key] = self._default_factory()
        return self._items[ValueWrapper(key)]

    def __contains__(self, key):
        return ValueWrapper(key) in self._items

    def __bool__(self):
        return bool(self._items)

    def __len__(self):
        return len(self._items)


class ValueSet:
    """A set of values of a program.

    Args:
        iter: Values, or another ValueSet, to start with.
    """

    def __init__(self, iter=None):
        self._set = {}
        if iter is not None:
            self.update(iter)

    def copy(self):
        """A second one with the same content."""
        return ValueSet(self)

    def add(self, value):
        """Put a value in."""
        self._set.setdefault(ValueWrapper(value))

    def update(self, other):
        """Put several in."""
        for value in other:
            self.add(value)

    def pop(self):
        """Take one out."""
        return self._set.popitem()[0]._value

    def __and__(self, other):
        return ValueSet(value for value in self if value in other)

    def __or__(self, other):
        made = self.copy()
        made.update(other)
        return made

    def __contains__(self, value):
        return ValueWrapper(value) in self._set

    def __iter__(self):
        for wrapper in self._set:
            yield wrapper._value

    def __bool__(self):
        return bool(self._set)

    def __len__(self):
        return len(self._set)


def _as_list(x):
    """None as an empty list, a sequence as a list, anything else as a list of one."""
    if x is None:
        return []
    return list(x) if isinstance(x, (list, tuple)) else [x]


__all__ = ["ValueDict", "ValueSet", "ValueWrapper"]
