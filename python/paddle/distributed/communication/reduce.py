# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of reductions."""


class ReduceOp:
    """Names of reductions."""

    SUM = 0
    MAX = 1
    MIN = 2
    PROD = 3
    AVG = 4


def check(operation, op):
    """Raise unless `op` is a reduction."""
    if op not in (ReduceOp.SUM, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD, ReduceOp.AVG):
        raise ValueError(f"{operation}: op has value {op!r}; pass ReduceOp.SUM, MAX, MIN, PROD or AVG.")


def _get_reduce_op(reduce_op, func_name):
    """What the collective operators take for a reduction."""
    check(func_name, reduce_op)
    return reduce_op
