# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The table of operators of PaddlePaddle 2 that are functions of this package, and what such a function is given."""

from .attributes import dtype_of_number

TABLE = {}


class Call:
    """The inputs and attributes of one call."""

    def __init__(self, inputs, attrs):
        self._inputs, self._attrs = inputs, attrs

    def all(self, slot):
        """The tensors of an input."""
        return list(self._inputs.get(slot, []))

    def one(self, slot):
        """The tensor of an input; None where it is absent."""
        return next(iter(self._inputs.get(slot, [])), None)

    def attribute(self, name, default=None):
        """An attribute."""
        return self._attrs.get(name, default)

    def attributes(self, index):
        """All attributes for one of several parameters: of those that are lists, its entry."""
        return {
            name: value[index if len(value) > 1 else 0] if isinstance(value, list) and value else value
            for name, value in self._attrs.items()
            if value != []
        }

    def dtype(self, name, default):
        """An attribute that is the number of a dtype."""
        number = self._attrs.get(name, -1)
        return default if number is None or number < 0 else dtype_of_number(number)


def operator(function, name=None):
    """Puts a function of a Call, which gives results by slot, into the table under its name."""
    TABLE[name or function.__name__.strip("_")] = function
    return function
