# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of Python's, and methods of tensors that ask for their values, on values that only the running program
knows."""

import functools
import math
import types

from .... import _core
from ....framework.symint import SymInt, is_known, is_open, larger, number, smaller
from ..context import active, is_symbolic
from ..values.conditions import is_true
from ..values.data_movement import data_movement
from ..values.dynamic_list import DynamicList, list_function
from ..values.state_reads import current_value
from ..values.tagged_union import apply_to_alternatives
from .higher_order import all_, any_, filter_, map_, reduce_, sorted_
from .iteration import iterable_of


def _cast(dtype):
    def cast(value):
        return (number(value) if isinstance(value, SymInt) else value.detach()).astype(dtype)

    return cast


def _truth(value):
    return is_true(number(value) if isinstance(value, SymInt) else value.detach())


_CASTS = {int: _cast("int64"), float: _cast("float32"), bool: _truth}


def _numpy_of(tensor):
    """numpy(): a tensor of the capture stands for the array."""
    values = tensor.detach()
    return lambda: values


def _item_of(tensor):
    tensor = tensor.detach()

    def item(*index):
        if not index:
            return tensor.reshape([])
        return tensor.flatten()[index[0]] if len(index) == 1 else tensor[index]

    return item


def _list_of(tensor):
    def nested(t):
        return [nested(row) for row in t.unbind(0)] if t.ndim else t

    return lambda: nested(tensor.detach())


# Methods that ask for the values of a tensor, and what they give while a program is captured.
_VALUE_METHODS = {"numpy": _numpy_of, "item": _item_of, "tolist": _list_of}


def _real(value):
    value = number(value) if isinstance(value, SymInt) else value.detach()
    return value if "float" in value.dtype.name else value.astype("float32")


_ROUNDINGS = {math.ceil: _core.ops.ceil, math.floor: _core.ops.floor, math.trunc: _core.ops.trunc}


_REALS = {
    getattr(math, name): getattr(_core.ops, name) for name in ("sqrt", "exp", "log", "log2", "sin", "cos", "tanh")
}


def _of_numbers(callee):
    """A function of the math module, also of extents and tensors of the capture."""

    def function(*args):
        if len(args) != 1 or not (is_open(args[0]) or (_is_deferred(args[0]) and not isinstance(args[0], SymInt))):
            return callee(*args)
        if callee in _ROUNDINGS:
            return _ROUNDINGS[callee](_real(args[0])).astype("int64")
        return _REALS[callee](_real(args[0]))

    return function


_MATH_FUNCTIONS = {callee: _of_numbers(callee) for callee in (*_ROUNDINGS, *_REALS)}


def _round(value, ndigits=None):
    """round(), also of a number that only the running program knows: halves go to the even neighbour."""
    if not _is_deferred(value) or (isinstance(value, SymInt) and is_known(value)):
        return round(value) if ndigits is None else round(value, ndigits)
    value = number(value) if isinstance(value, SymInt) else value.detach()
    if "float" not in value.dtype.name and (ndigits is None or ndigits >= 0):
        return value.astype("int64")
    # The product of a float32 number and a power of ten below 1e12 is exact in float64.
    places = ndigits or 0
    factor = 10.0 ** abs(places)
    exact = value.astype("float64")
    scaled = exact * factor if places >= 0 else exact / factor
    below = _core.ops.floor(scaled)
    odd = _core.ops.remainder(below, _core.ops.full_like(below, 2.0))
    up = _core.ops.where(scaled - below == 0.5, odd, _core.ops.cast(scaled - below > 0.5, below.dtype))
    whole = below + up
    if ndigits is None:
        return whole.astype("int64")
    return (whole / factor if places >= 0 else whole * factor).astype(value.dtype)


def _is_deferred(value):
    """Whether only the running program knows a value."""
    return isinstance(value, SymInt) or (isinstance(value, _core.Tensor) and _core.pir.is_symbolic(value))


def _length(value):
    return value.shape[0] if _is_deferred(value) and value.ndim else len(value)


def _extreme_of(callee, pick):
    """max() or min(), also of extents and of tensors with one element."""

    def extreme(*args, **kwargs):
        values = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        if kwargs or len(values) < 2 or not any(map(_is_deferred, values)):
            return callee(*args, **kwargs)
        return data_movement(functools.reduce)(pick, values)

    return extreme


_SIZE_FUNCTIONS = {len: _length, max: _extreme_of(max, larger), min: _extreme_of(min, smaller)}


_TRUTH_FUNCTIONS = {any: any_, all: all_, filter: filter_, sorted: sorted_, map: map_, functools.reduce: reduce_}


def _on_lists(callee):
    """What is called in the place of a function that DynamicLists have, too; None for others."""
    function = list_function(callee)
    if function is None:
        return None
    plain = _SIZE_FUNCTIONS.get(callee, callee)

    def on_lists(*args, **kwargs):
        first = iterable_of(args[0]) if args else kwargs.get("x")
        if not isinstance(first, DynamicList):
            return plain(*args, **kwargs)
        return function(*((first, *args[1:]) if args else ()), **kwargs)

    return on_lists


def is_instance(value, kind):
    """isinstance(), of TaggedUnions of their alternatives."""
    return apply_to_alternatives(isinstance, (value, kind), drop_none=False)


def print_(*values, **options):
    """print(); tensors of the capture are printed by the running program."""
    tensors = [v for v in values if is_symbolic(v)]
    if not tensors:
        return print(*values, **options)
    is_tensor = [is_symbolic(v) for v in values]
    constants = [None if t else v for v, t in zip(values, is_tensor, strict=True)]

    def show(*given):
        given = iter(given)
        print(*(next(given) if t else v for v, t in zip(constants, is_tensor, strict=True)), **options)

    active.capture.host_call(show, tensors)


def tensor_method(callee):
    """What is called in the place of a method of a tensor that asks for its values; None for others."""
    owner = getattr(callee, "__self__", None)
    if not isinstance(owner, _core.Tensor) or callee.__name__ not in _VALUE_METHODS:
        return None
    owner = current_value(owner)
    return _VALUE_METHODS[callee.__name__](owner) if _core.pir.is_symbolic(owner) else None


def builtin_function(callee):
    """What is called in the place of a function of Python's, or of one on lists; None for others."""
    if callee is print:
        return print_
    if callee is round:
        return _round
    if isinstance(callee, types.BuiltinFunctionType) and callee in _MATH_FUNCTIONS:
        return _MATH_FUNCTIONS[callee]
    if callee in (filter, map) or (isinstance(callee, types.BuiltinFunctionType) and callee in _TRUTH_FUNCTIONS):
        return _TRUTH_FUNCTIONS[callee]
    return _on_lists(callee) or (_cast_to(callee) if isinstance(callee, type) and callee in _CASTS else None)


def _cast_to(callee):
    """int, float or bool, also of values that only a run knows."""

    def cast(*args, **kwargs):
        args = [current_value(a) for a in args]
        if kwargs or len(args) != 1 or not _is_deferred(args[0]):
            return callee(*args, **kwargs)
        if isinstance(args[0], SymInt) and (callee is int or is_known(args[0])):
            return callee(args[0]) if is_known(args[0]) else args[0]
        return _CASTS[callee](args[0])

    return cast
