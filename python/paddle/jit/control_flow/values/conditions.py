# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of branches and loops as 0-d bool tensors."""

from .... import _core
from ....framework.symint import SymInt
from ..context import active


def is_true(tensor):
    """Elementwise, what bool() of a tensor gives: whether numbers are above zero."""
    if tensor.dtype == _core.bool:
        return tensor
    if tensor.is_complex():
        return tensor.astype("bool")
    return _core.ops.greater_than(tensor, _core.ops.full_like(tensor, 0))


def scalar(tensor):
    """A condition as a 0-d bool tensor."""
    if not isinstance(tensor, _core.Tensor):
        import paddle

        tensor = paddle.full([], bool(tensor), "bool")
    if tensor.ndim > 0:
        sizes = [e for e in tensor.shape if not isinstance(e, SymInt)]
        if len(sizes) == tensor.ndim and any(e != 1 for e in sizes) and active.capture is not None:
            tensor = _ambiguous_when_run(tensor)
        tensor = tensor.reshape([])
    return is_true(tensor)


def _ambiguous_when_run(tensor):
    """The condition of a tensor with several elements: it is an error in Python, but only where a run reaches it."""

    def refuse(values):
        raise ValueError(f"bool: x has shape {list(values.shape)}; a condition has one value: use any() or all().")

    active.capture.host_call(refuse, [tensor])
    return _core.ops.any(tensor.astype("bool"))


class ShortCircuit:
    """Around the evaluation of an operand that Python evaluates only where a condition holds."""

    def __init__(self, condition):
        self._condition = condition

    def __enter__(self):
        active.short_circuits = [*getattr(active, "short_circuits", ()), self._condition]

    def __exit__(self, *error):
        active.short_circuits = active.short_circuits[:-1]


def where_reached(condition):
    """A condition, and that the run reaches the operand of `and` or `or` that is being evaluated."""
    for guard in getattr(active, "short_circuits", ()):
        condition = _core.ops.logical_and(condition, scalar(guard()))
    return condition
