# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Conditions of branches and loops as 0-d bool tensors."""

from .... import _core
from ....framework.symint import SymInt
from ..context import active


def is_true(tensor):
    """The elements that Python's bool() finds true: numbers above zero."""
    if tensor.dtype == _core.bool:
        return tensor
    if tensor.is_complex():
        return tensor.astype("bool")
    return _core.ops.greater_than(tensor, _core.ops.full_like(tensor, 0))


def scalar(tensor):
    """A condition: one bool."""
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
    """A condition for a tensor of several values: in Python it is an error, but only where it is reached."""

    def refuse(values):
        raise ValueError(f"bool: x has shape {list(values.shape)}; a condition has one value: use any() or all().")

    active.capture.host_call(refuse, [tensor])
    return _core.ops.any(tensor.astype("bool"))


class _ShortCircuit:
    """While a term is computed that Python computes only where a condition holds."""

    def __init__(self, condition):
        self._condition = condition

    def __enter__(self):
        active.terms = [*getattr(active, "terms", ()), self._condition]

    def __exit__(self, *error):
        active.terms = active.terms[:-1]


def where_reached(test):
    """The test, and that Python comes to the term of `and` or `or` that is being computed."""
    for condition in getattr(active, "terms", ()):
        test = _core.ops.logical_and(test, scalar(condition()))
    return test
