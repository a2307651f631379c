# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Copies of programs, and which value of them is which."""

from ..framework.parameter import EagerParamBase
from ..static.program import Program


class IrMapping:
    """Which value of a copy stands for which value of the original: `program.clone(IrMapping())`.

    Variables of a program stand for the values of its copies too, so each is found as itself.
    """

    def __init__(self):
        self._program, self._pairs = None, {}

    def add(self, key, value):
        """Let a value be found under another one."""
        self._pairs[id(key)] = (key, value)

    def has(self, value):
        """Whether something is found under the value."""
        return id(value) in self._pairs or (self._program is not None and self._program._recording.knows(value))

    def look_up(self, value):
        """What stands for the value.

        Raises:
            ValueError: Nothing does.
        """
        if id(value) in self._pairs:
            return self._pairs[id(value)][1]
        if not self.has(value):
            raise ValueError("IrMapping.look_up: the value is not one of the cloned program.")
        return value

    def size(self):
        """How many values it knows."""
        values = 0 if self._program is None else len(list(self._program.list_vars()))
        return values + len(self._pairs)


def translate_to_pir(desc):
    """The program of a description: a copy that names operators as PaddlePaddle 3 does.

    Args:
        desc: `program.desc`.

    Raises:
        TypeError: It describes no program.
    """
    if not isinstance(desc, Program):
        raise TypeError(f"translate_to_pir: desc has type {type(desc).__name__}; pass program.desc.")
    made = desc._copied()
    made._in_old_words, made._calls = False, {}
    return made


def translate_to_pir_with_param_map(desc):
    """`translate_to_pir`, and the values of each variable by its name.

    Args:
        desc: `program.desc`.
    """
    made = translate_to_pir(desc)
    return made, {value.name: [value] for value in made.list_vars()}


def value_is_persistable(value):
    """Whether the value is kept from run to run."""
    return bool(value.persistable) or isinstance(value, EagerParamBase)
