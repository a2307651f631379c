# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which dtypes the operators of a static program give."""

from ...amp.debugging import _print_table
from ..operators import _flat
from ..program import Program, default_main_program


def collect_operator_stats(program=None, print_subblocks=False):
    """Count the operators of a program by the dtype of their first result, and print the table.

    Args:
        program: The Program; None: the main program.
        print_subblocks: Whether those of branches and loops have tables of their own.

    Raises:
        TypeError: `program` is no Program.
    """
    program = default_main_program() if program is None else program
    if not isinstance(program, Program):
        raise TypeError(f"collect_operator_stats: program has type {type(program).__name__}; it must be a Program.")
    tables = {}
    for block in program.blocks:
        counts = tables.setdefault(block.idx if print_subblocks else 0, {})
        for operator in block.ops:
            results = [t for t in _flat(operator.results()) if t is not None]
            if results and operator.name().startswith("pd_op.") and operator.name() != "pd_op.data":
                key = (operator.name().rpartition(".")[2], results[0].dtype.name)
                counts[key] = counts.get(key, 0) + 1
    for counts in tables.values():
        _print_table(counts)
