# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Copies of programs, and which value became which."""

from .operators import _flat


def clone_program(program):
    """A copy of a program that can be continued on its own; parameters are shared.

    Args:
        program: The Program.

    Returns:
        The copy, and (values of the program, values of the copy) as two lists in the same order. A variable stands for
        its copy as well, so both hold the same variables.
    """
    made = program.clone()
    values = {id(t): t for operator in made.global_block().ops for t in _flat(operator.results()) if t is not None}
    return made, (list(values.values()), list(values.values()))
