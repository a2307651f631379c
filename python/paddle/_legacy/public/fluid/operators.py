# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of PaddlePaddle 2 as `paddle.fluid` calls them, and the boundaries of sequences (LoD) in the rows of variables.

A variable of a program that has sequences in its rows goes with int64 vectors of offsets, one a level, the coarsest
first: those of an input are inputs of the program themselves, `name@LOD0` and so on, which `fluid.Executor` feeds. Those
of a result are what its operator said, or else those of the first operand with as many rows.
"""

from .. import _core
from .._legacy.operators.slots.call import call
from ..framework.modes import in_dynamic_mode, recording_program
from ..static.operators import _flat

_OTHER_ROWS = (
    "transpose shape shape64 one_hot unsqueeze gather gather_nd nonzero arange stack unstack roi_align roi_pool psroi_pool "
    "full full_int_array numel"
).split()
_OTHER_ROWS = {f"pd_op.{name}" for name in _OTHER_ROWS}


def offsets_of(value):
    """The offsets of the sequences in the rows of a variable: int64 vectors, the coarsest level first; [] for none."""
    own = value.__dict__.get("_offsets")
    program = recording_program()
    if own is not None or program is None or not getattr(program, "_has_sequences", False):
        return own or []
    made_by = {}  # id of a variable -> name and operands of its operator
    for name, operands, results, *_ in program._operations():
        for one in _flat(results):
            made_by[id(one)] = (name, operands)
    return _inherited(value, made_by)


def _inherited(value, made_by):
    """The offsets of a variable whose operators are known, remembered for all variables on the way."""
    waiting, entered = [value], set()
    while waiting:
        one = waiting[-1]
        if one.__dict__.get("_offsets") is not None:
            waiting.pop()
            continue
        name, operands = made_by.get(id(one), ("", ()))
        sources = [] if name in _OTHER_ROWS else [s for s in _flat(operands) if isinstance(s, _core.Tensor)]
        unknown = [s for s in sources if s.__dict__.get("_offsets") is None and id(s) not in entered]
        entered.add(id(one))
        unknown = [s for s in unknown if s is not one]
        if unknown:
            waiting.extend(unknown)
            continue
        known = (s.__dict__.get("_offsets") for s in sources if _as_many_rows(s, one))
        one._offsets = next((levels for levels in known if levels), [])
        waiting.pop()
    return value._offsets


def _as_many_rows(a, b):
    """Whether b may have as many rows as a; dynamic extents are not compared, which would bind the program to them."""
    if not a.ndim or not b.ndim:
        return False
    first, second = a.shape[0], b.shape[0]
    return type(second) is not int or (type(first) is int and first == second)


def set_offsets(value, levels):
    """Say where the sequences in the rows of a variable begin and end; returns the variable."""
    value._offsets = list(levels)
    program = recording_program()
    if levels and program is not None:
        program._has_sequences = True
    return value


def results(type, inputs, outputs, attrs):
    """What one operator gives: a tensor for each name of `outputs`, None for one that it does not give.

    Args:
        type: The name of the operator in PaddlePaddle 2.
        inputs: Tensors, lists of tensors or None, by slot.
        outputs: Names of slots, or pairs of a slot and a number of tensors, which are given as a list.
        attrs: Attributes by name; None for one that has its default.
    """
    inputs = {slot: value for slot, value in inputs.items() if value is not None}
    attrs = {name: value for name, value in attrs.items() if value is not None}
    counts = {o if isinstance(o, str) else o[0]: 1 if isinstance(o, str) else o[1] for o in outputs}
    in_program = not in_dynamic_mode()
    found = call(type, inputs, counts, attrs, offsets_of if in_program else None)
    if in_program:
        for (slot, i), levels in found.get("@LOD", {}).items():
            if found[slot][i] is not None:
                set_offsets(found[slot][i], levels)
    return [found[o][0] if isinstance(o, str) else found[o[0]] for o in outputs]


def result(type, inputs, attrs=None, output="Out"):
    """What one operator gives as its result `output`; see `results`."""
    return results(type, inputs, [output], attrs or {})[0]


def with_extents(value, extents):
    """The value of a program in its own shape, of which some extents are known although its operator does not say so.

    Args:
        value: A tensor.
        extents: Integers; None or SymInt for those that vary.
    """
    known = [int(n) if type(n) is int and n >= 0 else None for n in extents]
    if in_dynamic_mode() or [n if type(n) is int and n >= 0 else None for n in value.shape] == known:
        return value
    levels = offsets_of(value)
    return set_offsets(_core.ops.reshape(value, [0 if n is None else n for n in known]), levels)


def ends_in_one(value):
    """Whether the last of several axes has extent 1; an extent that varies is not asked, which would bind the program."""
    return value.ndim > 1 and type(value.shape[-1]) is int and value.shape[-1] == 1


def of_rank_one(value):
    """The value, a number as a vector of one element: programs of `paddle.fluid` know no tensors without axes."""
    return value if value.ndim else value.reshape([1])


def require_program(fn):
    """The program that is recorded.

    Raises:
        AssertionError: None is.
    """
    program = recording_program()
    if program is None:
        raise AssertionError(f"{fn}: no program is recorded; call paddle.enable_static() first.")
    return program
