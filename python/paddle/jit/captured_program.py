# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured and loaded programs, to be looked at."""

from ..static.block import Blocks


class ProgramView(Blocks):
    """A program to be read: its text, blocks, operators, variables.

    Args:
        held: The program of the core.
    """

    def __init__(self, held):
        self._held = held

    @property
    def program(self):
        """The program itself."""
        return self

    def _operations(self):
        return self._held.operations()

    def list_vars(self):
        """What operators give, parameters and inputs among it."""
        found = {}
        for operator in self.global_block().ops:
            for tensor in operator.results():
                for one in tensor if isinstance(tensor, list) else [tensor]:
                    if one is not None:
                        found[id(one)] = one
        return iter(found.values())

    def _variable(self, name):
        return next((t for t in self.list_vars() if t.name == name), None)

    def __str__(self):
        return str(self._held)

    __repr__ = __str__


class CapturedProgram(ProgramView):
    """The program of a captured function."""

    def all_parameters(self):
        """The parameters and buffers that the program reads."""
        return [t for t in self._held.captured if t is not None]

    @property
    def guards(self):
        """What the program relies on, besides dtypes and ranks."""
        return list(self._held.guards)


class LoadedProgram(ProgramView):
    """The program of a loaded layer, as its file has it."""

    def all_parameters(self):
        """The parameters and buffers that the program reads."""
        return list(self._held.parameters)
