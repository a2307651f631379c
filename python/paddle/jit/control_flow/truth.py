# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`and`, `or`, `not`, comparisons, `assert` and `print` of values that only the running program knows."""

import builtins

from ... import _core
from ...framework.symint import SymInt, is_known, number
from . import one_of, state
from .moved import moves
from .undefined import Undefined
from .values import (
    active,
    as_tensor,
    is_symbolic,
    is_true,
    truth,
)


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


def _known(value):
    """What `and` and `or` go by: the truth of a value that may be None in some runs, and state as the program has it."""
    return truth(value) if isinstance(value, (one_of.OneOf, dict)) else state.latest(value)


class _Term:
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


def _later(term, condition):
    with _Term(condition):
        return _known(term())


def _is_plain(value):
    """Whether its truth is the same in every run, so that it decides about the terms behind it."""
    return value is None or type(value) in (bool, int, float, str, list, tuple, dict)


def and_(*terms):
    value = _known(terms[0]())
    for term in terms[1:]:
        if is_symbolic(value):
            later = _later(term, lambda value=value: value)
            value = _chosen(_core.ops.logical_and, value, later)
            if _is_plain(later) and not later:
                return value
        elif not value:
            return value
        else:
            value = _known(term())
    return value


def or_(*terms):
    value = _known(terms[0]())
    for term in terms[1:]:
        if is_symbolic(value):
            later = _later(term, lambda value=value: not_(scalar(value)))
            value = _chosen(_core.ops.logical_or, value, later)
            if _is_plain(later) and later:
                return value
        elif value:
            return value
        else:
            value = _known(term())
    return value


def _chosen(operator, a, b):
    """`a and b` or `a or b`: what Python gives, in the dtype of `b`; of bools, and of what is no number, the truth."""
    is_number = isinstance(b, (_core.Tensor, int, float)) and not isinstance(b, SymInt)
    if not is_number or not _is_one(a) or not _is_one(b) or (_is_bool(a) and _is_bool(b)):
        return _combine(operator, a, b)
    b = as_tensor(b, Undefined("b"))
    pair = (b, a.astype(b.dtype)) if operator is _core.ops.logical_and else (a.astype(b.dtype), b)
    return moves(_core.ops.where)(scalar(a), *pair)


def _is_bool(value):
    return value.dtype == _core.bool if isinstance(value, _core.Tensor) else isinstance(value, bool)


def _is_one(value):
    """Whether it has just one value, as a condition does."""
    return not isinstance(value, _core.Tensor) or all(isinstance(e, int) and e == 1 for e in value.shape)


def _combine(operator, a, b):
    return operator(scalar(a), scalar(b))


def not_(value):
    value = truth(value)
    if not is_symbolic(value):
        return not value
    return _core.ops.logical_not(is_true(value) if isinstance(value, _core.Tensor) else value)


def none_of(*flags):
    """True while no flag is up; flags are bools or tensors."""
    value = True
    for flag in flags:
        if not is_symbolic(flag):
            if flag:
                return False
            continue
        down = _core.ops.logical_not(scalar(flag))
        value = down if value is True else _core.ops.logical_and(value, down)
    return value


def flagged(flag, test):
    """The flag of a `break` or `continue` behind `if test: break`."""
    test = truth(test)
    if not is_symbolic(test):
        return True if test else flag
    if is_symbolic(flag):
        return _core.ops.logical_or(scalar(flag), scalar(test))
    return scalar(test) if isinstance(flag, Undefined) or not flag else True  # undefined: a block that nothing follows


_COMPARE = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def known_or_number(value):
    """The value; an extent without an example as the tensor that holds it when the program runs."""
    return number(value) if isinstance(value, SymInt) and not is_known(value) else value


def _compared(sign, left, right):
    for operand in (left, right):
        if isinstance(operand, Undefined):
            operand()
        if isinstance(operand, one_of.OneOf):
            return one_of.applied(lambda a, b: _compared(sign, a, b), (left, right), drop_none=sign not in ("==", "!="))
    if isinstance(left, SymInt) and isinstance(right, SymInt) and left._dim == right._dim:
        return _COMPARE[sign](0, 0)
    return _COMPARE[sign](known_or_number(left), known_or_number(right))


def compare(signs, *operands):
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


def assert_(test, message):
    value = truth(test())
    if is_symbolic(value):
        return _assert_when_run(value, message)
    if not value:
        if message is None:
            raise AssertionError
        raise AssertionError(message())


def _assert_when_run(value, message):
    said = None if message is None else message()

    def check(holds, *parts):
        if not holds.all():
            raise AssertionError(*(parts or (() if said is None else (said,))))

    active.capture.host_call(check, [value, *([said] if is_symbolic(said) else [])])


def print_(*values, **options):
    """print(); tensors of the capture are printed when the program runs."""
    tensors = [v for v in values if is_symbolic(v)]
    if not tensors:
        return print(*values, **options)
    is_tensor = [is_symbolic(v) for v in values]
    constants = [None if t else v for v, t in zip(values, is_tensor, strict=True)]

    def show(*given):
        given = iter(given)
        print(*(next(given) if t else v for v, t in zip(constants, is_tensor, strict=True)), **options)

    active.capture.host_call(show, tensors)
