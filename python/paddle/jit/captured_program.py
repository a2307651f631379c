# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A captured program, to be looked at."""

from ..static.block import Blocks


class CapturedProgram(Blocks):
    """The program of a captured function, to be read: its text, blocks, operators, parameters, guards."""

    def __init__(self, executable):
        self._executable = executable

    def _operations(self):
        return self._executable.operations()

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

    def all_parameters(self):
        """The parameters and buffers that the program reads."""
        return [t for t in self._executable.captured if t is not None]

    @property
    def guards(self):
        """What the program relies on, besides dtypes and ranks."""
        return list(self._executable.guards)

    def __str__(self):
        return str(self._executable)

    __repr__ = __str__
