# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Copies of programs that can be continued on their own, and which value became which."""

from .. import _core
from .program import Program, data, recorded_into


class _Copier:
    """Calls the operators of one program again, into another one."""

    def __init__(self, program):
        self._program = program
        self.values, self.keys = {}, {}  # by id of the old value
        self._numbers = {}  # what constant operands hold

    def _of(self, value):
        if value is None:
            return None
        if isinstance(value, list):
            return [self._of(v) for v in value]
        if id(value) in self._numbers and id(value) not in self.values:
            self._remember(value, _core.to_tensor(self._numbers[id(value)], dtype=value.dtype))
        return self.values.get(id(value), value)  # parameters and other state are shared

    def _remember(self, old, new):
        pairs = zip(old, new, strict=True) if isinstance(old, list) else [(old, new)]
        for before, after in pairs:
            if before is not None:
                after.persistable = before.persistable
                self.values[id(before)], self.keys[id(before)] = after, before

    def copy(self, operation):
        """Append a copy of one operation."""
        full_name, operands, results, attributes, input_names, _, _, regions, _ = operation
        dialect, _, name = full_name.rpartition(".")
        if full_name == "builtin.parameter":
            return
        if full_name == "pd_op.data":
            old = results[0]
            shape = getattr(old, "_declared", attributes["shape"])
            made = data(attributes["name"], list(shape), old.dtype)
            made.stop_gradient = old.stop_gradient
            self._remember(old, made)
            return
        if regions or dialect != "pd_op":
            raise NotImplementedError(f"clone_program: the program holds {full_name}, which is not copied.")
        if name == "full_int_array":
            self._numbers[id(results[0])] = list(attributes["value"])
            return
        if name == "full":
            self._numbers[id(results[0])] = attributes["value"]
        kinds = {argument: kind for argument, kind, _ in _core.describe_op(name)["arguments"]}
        given = {}
        for argument, operand in zip(input_names, operands, strict=True):
            if not kinds[argument].startswith("Tensor") and id(operand) in self._numbers:
                given[argument] = self._numbers[id(operand)]
            elif operand is not None:
                given[argument] = self._of(operand)
        for argument, value in attributes.items():
            if value is not None and value != "undefined":
                given[argument] = value
        made = getattr(_core.ops, name)(**given)
        if len(results) == 1:
            self._remember(results[0], made)
        else:
            for old, new in zip(results, made, strict=True):
                self._remember(old, new)


def clone_program(program):
    """A copy of a program that can be continued on its own; parameters are shared.

    Args:
        program: The Program.

    Returns:
        The copy, and (values of the program, values of the copy) as two lists in the same order.

    Raises:
        NotImplementedError: The program holds branches or loops.
    """
    made, copier = Program(), _Copier(program)
    with recorded_into(made):
        for operation in program._operations():
            copier.copy(operation)
    made.random_seed = program.random_seed
    return made, (list(copier.keys.values()), list(copier.values.values()))
