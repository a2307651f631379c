# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`and`, `or`, `not` and comparisons of values of the capture, and the truth of a value that decides about a branch or
loop."""

import builtins

from .... import _core
from ....framework.symint import SymInt, is_known, number
from ..context import is_symbolic
from .conditions import ShortCircuit, is_true, scalar
from .data_movement import data_movement
from .dynamic_list import DynamicList
from .flattening import as_tensor
from .optional_items import is_nonempty_dict
from .optional_keys import optional_keys_of
from .state_reads import current_value
from .tagged_union import TaggedUnion, apply_to_alternatives, union_truth
from .undefined import Undefined


def _operand(value):
    """The value that `and` and `or` decide by: the truth of a TaggedUnion or dict, and state as the program has it."""
    return truth(value) if isinstance(value, (TaggedUnion, dict)) else current_value(value)


def _guarded_operand(operand, condition):
    with ShortCircuit(condition):
        return _operand(operand())


def _is_constant(value):
    """Whether the truth of a value is the same in every run, so that it decides whether the following operands are
    evaluated."""
    return value is None or type(value) in (bool, int, float, str, list, tuple, dict)


def and_(*operands):
    """`a and b and ...` of functions that evaluate the operands."""
    value = _operand(operands[0]())
    for operand in operands[1:]:
        if is_symbolic(value):
            right = _guarded_operand(operand, lambda value=value: value)
            value = _select_operand(_core.ops.logical_and, value, right)
            if _is_constant(right) and not right:
                return value
        elif not value:
            return value
        else:
            value = _operand(operand())
    return value


def or_(*operands):
    """`a or b or ...` of functions that evaluate the operands."""
    value = _operand(operands[0]())
    for operand in operands[1:]:
        if is_symbolic(value):
            right = _guarded_operand(operand, lambda value=value: not_(scalar(value)))
            value = _select_operand(_core.ops.logical_or, value, right)
            if _is_constant(right) and right:
                return value
        elif value:
            return value
        else:
            value = _operand(operand())
    return value


def _select_operand(operator, a, b):
    """The value of `a and b` or `a or b`, in the dtype of `b`; of two bools, or of what is no number, its truth."""
    is_number = isinstance(b, (_core.Tensor, int, float)) and not isinstance(b, SymInt)
    if not is_number or not _has_one_element(a) or not _has_one_element(b) or (_is_bool(a) and _is_bool(b)):
        return _combine(operator, a, b)
    b = as_tensor(b, Undefined("b"))
    pair = (b, a.astype(b.dtype)) if operator is _core.ops.logical_and else (a.astype(b.dtype), b)
    return data_movement(_core.ops.where)(scalar(a), *pair)


def _is_bool(value):
    return value.dtype == _core.bool if isinstance(value, _core.Tensor) else isinstance(value, bool)


def _has_one_element(value):
    """Whether a value has one element, as a condition has."""
    return not isinstance(value, _core.Tensor) or all(isinstance(e, int) and e == 1 for e in value.shape)


def _combine(operator, a, b):
    return operator(scalar(a), scalar(b))


def not_(value):
    """`not value`."""
    value = truth(value)
    if not is_symbolic(value):
        return not value
    return _core.ops.logical_not(is_true(value) if isinstance(value, _core.Tensor) else value)


def none_of(*flags):
    """Whether no flag is set; flags are bools or bool tensors."""
    value = True
    for flag in flags:
        if not is_symbolic(flag):
            if flag:
                return False
            continue
        down = _core.ops.logical_not(scalar(flag))
        value = down if value is True else _core.ops.logical_and(value, down)
    return value


def jump_flag(flag, test):
    """The flag of a `break` or `continue` after `if test: break`."""
    test = truth(test)
    if not is_symbolic(test):
        return True if test else flag
    if is_symbolic(flag):
        return _core.ops.logical_or(scalar(flag), scalar(test))
    is_undefined = isinstance(flag, Undefined)  # it is that of a block that nothing follows
    return scalar(test) if is_undefined or not flag else True


_COMPARISONS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def number_if_open(value):
    """The value; an extent without an example as the tensor that holds it in a run."""
    return number(value) if isinstance(value, SymInt) and not is_known(value) else value


def _compared(sign, left, right):
    for operand in (left, right):
        if isinstance(operand, Undefined):
            operand()
        if isinstance(operand, TaggedUnion):
            return apply_to_alternatives(
                lambda a, b: _compared(sign, a, b), (left, right), drop_none=sign not in ("==", "!=")
            )
    if isinstance(left, SymInt) and isinstance(right, SymInt) and left._dim == right._dim:
        return _COMPARISONS[sign](0, 0)
    return _COMPARISONS[sign](number_if_open(left), number_if_open(right))


def compare(signs, *operands):
    """`a < b <= ...`: the signs, and functions that evaluate the operands."""
    if len(signs) == 1:
        return _compared(signs[0], operands[0](), operands[1]())
    left, value = operands[0](), True
    for sign, operand in builtins.zip(signs, operands[1:], strict=True):
        right = operand()
        outcome = _compared(sign, left, right)
        value = _combine(_core.ops.logical_and, value, outcome) if is_symbolic(value) else outcome
        if not is_symbolic(value) and not value:
            return value
        left = right
    return value


def truth(test):
    """The condition of a branch or loop: a tensor of the capture, or a value that Python decides by."""
    if isinstance(test, SymInt) and not is_known(test):
        return number(test) != 0
    if isinstance(test, TaggedUnion):
        return union_truth(test)
    if isinstance(test, DynamicList):
        return test.length() > 0
    return is_nonempty_dict(test) if optional_keys_of(test) else current_value(test)
