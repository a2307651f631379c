# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cells over a number of steps that only a run of the program knows."""

from ... import _core

ops = _core.ops


def _leaves(nest):
    """The tensors of nested tuples and lists."""
    return [leaf for part in nest for leaf in _leaves(part)] if isinstance(nest, (tuple, list)) else [nest]


def _like(nest, leaves):
    """An iterator of tensors in the structure of `nest`."""
    if isinstance(nest, (tuple, list)):
        return type(nest)(_like(part, leaves) for part in nest)
    return next(leaves)


def run_open_steps(cell, x, states, length, reverse, kwargs):
    """All steps of any cell by a loop of the program. At least one step is needed.

    Args:
        cell: Called with a step of x and the states.
        x: [steps, batch, size].
        states: Nested tensors.
        length: int64 [batch], or None; behind its length a sample keeps its states.
        reverse: Whether the last step comes first.
        kwargs: Further arguments of the cell.

    Returns:
        Outputs, nested, with steps in front, and the last states.
    """
    from ...static.nn import while_loop

    count = ops.cast(ops.slice(ops.shape64(x), [0], [0], [1]), _core.int64)

    def run(i, states):
        at = count - 1 - i if reverse else i
        out, new = cell(ops.squeeze(ops.gather(x, at, 0), [0]), states, **kwargs)
        if length is not None:
            alive = ops.reshape(length, [-1, 1]) > at
            pairs = zip(_leaves(new), _leaves(states), strict=True)
            new = _like(new, iter([ops.where(alive, a, b) for a, b in pairs]))
        return at, out, new

    at, out, states = run(ops.full([1], 0, _core.int64), states)
    num_states = len(_leaves(states))

    def body(i, *held):
        at, out, new = run(i, _like(states, iter(held[:num_states])))
        wholes = zip(held[num_states:], _leaves(out), strict=True)
        return [i + 1, *_leaves(new), *(ops.scatter(whole, at, ops.unsqueeze(part, [0])) for whole, part in wholes)]

    empty = [ops.full([x.shape[0], *part.shape], 0.0, part.dtype) for part in _leaves(out)]
    first = [ops.scatter(e, at, ops.unsqueeze(part, [0])) for e, part in zip(empty, _leaves(out), strict=True)]
    start = [ops.full([1], 1, _core.int64), *_leaves(states), *first]
    _, *held = while_loop(lambda i, *_: i < count, body, start)
    return _like(out, iter(held[num_states:])), _like(states, iter(held[:num_states]))
