# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows sent to the processes of their experts and back. With one process all experts are here: rows, which are
sorted by expert, stay where they are."""

from ... import _core
from ..communication.group import group_of_one


def _moved(operation, x, counts, group):
    group_of_one(operation, group)
    total = int(_core.ops.sum(counts, None, None, False))
    if x.ndim != 2 or total != x.shape[0]:
        raise ValueError(
            f"{operation}: x has shape {list(x.shape)} and the counts sum up to {total}; x must be [that many, size]."
        )
    return _core.ops.assign(x)


def global_scatter(x, local_count, global_count, group=None, use_calc_stream=True):
    """Send rows to the processes of their experts.

    Args:
        x: Rows, sorted by expert, [rows, size].
        local_count: Rows for each expert of each process, int64 [processes * experts].
        global_count: Rows from each process for each expert here, of the same shape.
        group: A Group; None: the default group.
        use_calc_stream: Accepted: the rows are there when the call returns.

    Returns:
        The rows for the experts here, differentiable.

    Raises:
        ValueError: local_count does not sum up to the rows of x.
    """
    return _moved("global_scatter", x, local_count, group)


def global_gather(x, local_count, global_count, group=None, use_calc_stream=True):
    """Send rows back to the processes that `global_scatter` took them from.

    Args:
        x: Results for the rows that experts here got, [rows, size].
        local_count, global_count: As for `global_scatter`.
        group: A Group; None: the default group.
        use_calc_stream: Accepted: the rows are there when the call returns.

    Returns:
        The rows in the order of the input of `global_scatter`, differentiable.

    Raises:
        ValueError: global_count does not sum up to the rows of x.
    """
    return _moved("global_gather", x, global_count, group)
