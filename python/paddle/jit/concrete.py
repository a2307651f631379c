# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a captured function is for those who look into it: its program, inputs, outputs, parameters."""


class CapturedProgram:
    """The program of a captured function, to be read: `str(program)`, `num_ops`, `guards`."""

    def __init__(self, executable):
        self._executable = executable

    @property
    def num_ops(self):
        """Number of operations."""
        return self._executable.num_operations

    @property
    def guards(self):
        """What the program relies on, besides dtypes and ranks."""
        return list(self._executable.guards)

    def __str__(self):
        return str(self._executable)

    __repr__ = __str__


class ConcreteProgram:
    """One capture of a function.

    Attributes:
        inputs: InputSpec of each input.
        outputs: Structure of the results, tensors numbered.
        parameters: Parameters and buffers that the program reads.
        main_program: The program, as text.
        startup_program: None: parameters have their values when they are made.
        function: The function that was captured.
    """

    def __init__(self, function, entry, specs):
        self.function = function
        self.inputs = list(specs)
        self.outputs = entry.structure
        self.parameters = [t for t in entry.executable.captured if t is not None]
        self.main_program = CapturedProgram(entry.executable)
        self.startup_program = None
