# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows sent to the processes of their experts and back. With one process all experts are here: rows, which are
sorted by expert, stay where they are."""

import itertools

import numpy as np

from ... import _core
from ...autograd import PyLayer
from ..communication import tensors as _t
from ..communication.core_group import empty


def _counts(operation, name, counts, size):
    array = np.asarray(counts.numpy(), "int64").reshape(-1)
    if array.size % size or (array < 0).any():
        raise ValueError(
            f"{operation}: {name} has value {array.tolist()}; it must hold a count for each expert of {size} processes."
        )
    return array.reshape(size, -1)


def _by_expert(counts):
    """Order of the rows that came process by process, when they are sorted by expert."""
    ends = np.cumsum(counts.reshape(-1)).reshape(counts.shape)
    runs = [
        np.arange(ends[p, e] - counts[p, e], ends[p, e]) for e in range(counts.shape[1]) for p in range(len(counts))
    ]
    return np.concatenate(runs)


def _exchanged(processes, rows, given, taken):
    """Rows of which `given[p]` go to process p; `taken[p]` come from it."""
    got = empty([int(sum(taken)), *rows.shape[1:]], rows.dtype)

    def pieces(tensor, counts):
        ends = [int(end) for end in itertools.accumulate(counts)]
        return [tensor[begin:end] for begin, end in itertools.pairwise([0, *ends])]

    processes.all_to_all(pieces(got, taken), pieces(rows, given))
    return got


def _to_experts(x, local, here, processes):
    rows = _exchanged(processes, x.detach(), local.sum(1), here.sum(1))
    return _core.ops.gather(rows, _core.Tensor(_by_expert(here)), 0)


def _from_experts(x, local, here, processes):
    rows = _core.ops.gather(x.detach(), _core.Tensor(np.argsort(_by_expert(here))), 0)
    return _exchanged(processes, rows, here.sum(1), local.sum(1))


class _Moved(PyLayer):
    @staticmethod
    def forward(ctx, x, there, back):
        ctx.back = back
        return there(x)

    @staticmethod
    def backward(ctx, gradient):
        return ctx.back(gradient)


def _moved(operation, x, local_count, global_count, group, sends):
    processes = _t.members(operation, group)
    if processes is None:
        return x
    local = _counts(operation, "local_count", local_count, processes.size)
    here = _counts(operation, "global_count", global_count, processes.size)
    total = int((local if sends else here).sum())
    if x.ndim != 2 or total != x.shape[0]:
        raise ValueError(
            f"{operation}: x has shape {list(x.shape)} and the counts sum up to {total}; x must be [that many, size]."
        )
    if processes.size == 1:
        return _core.ops.assign(x)
    ways = (lambda v: _to_experts(v, local, here, processes)), (lambda v: _from_experts(v, local, here, processes))
    return _Moved.apply(x, *(ways if sends else ways[::-1]))


def global_scatter(x, local_count, global_count, group=None, use_calc_stream=True):
    """Send rows to the processes of their experts.

    Args:
        x: Rows, sorted by process and expert, [rows, size].
        local_count: Rows for each expert of each process, int64 [processes * experts].
        global_count: Rows from each process for each expert here, of the same shape.
        group: A Group; None: the default group.
        use_calc_stream: Accepted: the rows are there when the call returns.

    Returns:
        The rows for the experts here, by expert and process, differentiable.

    Raises:
        ValueError: local_count does not sum up to the rows of x.
    """
    return _moved("global_scatter", x, local_count, global_count, group, True)


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
    return _moved("global_gather", x, local_count, global_count, group, False)
