# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Branches and loops on values, as functions of functions: recorded in a program, run at once outside."""

import contextlib

from ... import _core
from ...framework import modes
from ...jit.control_flow.context import is_symbolic, set_capture
from ...jit.control_flow.recording.branches import if_
from ...jit.control_flow.recording.loops import while_
from ...jit.control_flow.values.mismatch import Mismatch
from ..py_func import Print
from .with_blocks import ConditionalBlock, Switch, While

__all__ = [
    "Assert",
    "ConditionalBlock",
    "Print",
    "Switch",
    "While",
    "case",
    "cond",
    "switch_case",
    "while_loop",
]


@contextlib.contextmanager
def _recording():
    """Regions are recorded into the program that is recorded now."""
    program = modes.recording_program()
    if program is None:
        yield
        return
    before = set_capture(program._recording)
    try:
        yield
    finally:
        set_capture(*before)


def Assert(cond, data=None, summarize=20, name=None):
    """Raise ValueError when the program runs and a condition does not hold; see `paddle.static.py_func`."""
    from ..py_func import Assert as check

    return check(cond, data, summarize, name)


def _require_callable(fn, name, value):
    if value is not None and not callable(value):
        raise TypeError(f"{fn}: {name} has type {type(value).__name__}; it must be callable.")


def _require_condition(fn, name, value):
    if isinstance(value, _core.Tensor):
        if value.dtype != _core.bool:
            raise TypeError(f"{fn}: {name} has dtype {value.dtype.name}; it must be a bool.")
    elif not isinstance(value, (bool, int)) and type(value).__name__ != "bool":
        raise TypeError(f"{fn}: {name} has type {type(value).__name__}; it must be a Tensor of dtype bool.")


def _one_element(fn, name, value):
    if isinstance(value, _core.Tensor):
        size = 1
        for extent in value.shape:
            size = size * int(extent)
        if size != 1:
            raise TypeError(f"{fn}: {name} has shape {list(value.shape)}; it must have one element.")


def cond(pred, true_fn=None, false_fn=None, name=None, return_names=None):
    """What one of two functions returns.

    Args:
        pred: A bool of one element.
        true_fn: Called without arguments when `pred` holds; None: nothing is done.
        false_fn: The same when it does not. Both return tensors, numbers, None or equal structures.
        name: Unused.
        return_names: Names of the results, for messages.

    Returns:
        The structure that both return.

    Raises:
        TypeError: `pred` is no bool, or a function is not callable.
        ValueError: The functions return different structures.

    Example:
        >>> import paddle
        >>> x = paddle.to_tensor(2.0)
        >>> float(paddle.static.nn.cond(x > 1, lambda: x * 2, lambda: x))
        4.0
    """
    _require_condition("cond", "pred", pred)
    _require_callable("cond", "true_fn", true_fn)
    _require_callable("cond", "false_fn", false_fn)

    def branch(function):
        return lambda _: (function() if function is not None else None,)

    with _recording():
        if is_symbolic(pred):
            _one_element("cond", "pred", pred)
            if true_fn is None and false_fn is None:
                return None
        try:
            return if_(pred, branch(true_fn), branch(false_fn), (None,), ("result",), allow_unions=False)[0]
        except Mismatch as error:
            raise ValueError(f"Incompatible return values of true_fn and false_fn in cond: {error}") from None


def _as_loop_variable(value):
    """What a loop of a program may change without a change of what stands before it."""
    from ...jit.control_flow.values.dynamic_list import DynamicList
    from ...tensor.array import TensorArray

    if isinstance(value, TensorArray):
        return DynamicList.of(value, value[0]) if value else []
    if isinstance(value, _core.Tensor) and _core.pir.is_symbolic(value) and value.is_leaf and not value.stop_gradient:
        return _core.ops.assign(value)
    return value


def while_loop(cond, body, loop_vars, is_test=False, name=None):
    """Calls `body` on the loop variables as long as `cond` of them holds.

    Args:
        cond: Function of the loop variables; a bool of one element.
        body: Function of the loop variables; their next values.
        loop_vars: List or tuple of tensors, numbers or structures of them.
        is_test: Unused.
        name: Unused.

    Returns:
        The last values, as a list.

    Raises:
        TypeError: An argument has the wrong type.
        ValueError: `loop_vars` is empty, or `body` returns another number of values.

    Example:
        >>> import paddle
        >>> i, x = paddle.static.nn.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x * 2], [0, paddle.ones([1])])
        >>> x.numpy()
        array([8.], dtype=float32)
    """
    for argument, value in (("cond", cond), ("body", body)):
        if not callable(value):
            raise TypeError(f"while_loop: {argument} has type {type(value).__name__}; it must be callable.")
    if not isinstance(loop_vars, (list, tuple)):
        raise TypeError(f"while_loop: loop_vars has type {type(loop_vars).__name__}; it must be a list or tuple.")
    if not loop_vars:
        raise ValueError("while_loop: loop_vars is empty; pass at least one variable.")

    def test(*values):
        holds = cond(*values)
        if modes.recording_program() is not None and not isinstance(holds, _core.Tensor):
            kind = type(holds).__name__
            raise TypeError(f"while_loop: the result of cond has type {kind}; it must be a bool variable.")
        _require_condition("while_loop", "the result of cond", holds)
        if is_symbolic(holds):
            _one_element("while_loop", "the result of cond", holds)
        return holds

    def step(*values):
        result = body(*values)
        result = tuple(result) if isinstance(result, (list, tuple)) else (result,)
        if len(result) != len(values):
            raise ValueError(
                f"while_loop: body returns {len(result)} values for {len(values)} loop variables; return as many."
            )
        return result

    with _recording():
        names = tuple(f"loop_vars[{i}]" for i in range(len(loop_vars)))
        return list(while_(test, step, tuple(map(_as_loop_variable, loop_vars)), names))


def case(pred_fn_pairs, default=None, name=None):
    """What the function of the first true condition returns.

    Args:
        pred_fn_pairs: List of (condition, function).
        default: Function for when none holds; None: the last function of the list.
        name: Unused.

    Raises:
        TypeError: A pair is no tuple of a bool and a function.
    """
    if not isinstance(pred_fn_pairs, (list, tuple)):
        raise TypeError(f"case: pred_fn_pairs has type {type(pred_fn_pairs).__name__}; it must be a list or tuple.")
    pairs = list(pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("case: pred_fn_pairs holds something else than pairs; give tuples (condition, function).")
        _require_condition("case", "a condition", pair[0])
        if modes.recording_program() is not None and not isinstance(pair[0], _core.Tensor):
            raise TypeError(f"case: a condition has type {type(pair[0]).__name__}; it must be a bool variable.")
        _require_callable("case", "a function of pred_fn_pairs", pair[1])
    _require_callable("case", "default", default)
    if not pairs:
        raise ValueError("case: pred_fn_pairs is empty; give at least one pair.")
    if default is None:
        default = pairs.pop()[1]

    def chosen(rest):
        if not rest:
            return default()
        (condition, function), *others = rest
        return cond(condition, function, lambda: chosen(others))

    return chosen(pairs)


def switch_case(branch_index, branch_fns, default=None, name=None):
    """What the function of a number returns.

    Args:
        branch_index: An integer of one element.
        branch_fns: Functions, or pairs (number, function), or a dict of them.
        default: Function for all other numbers; None: the function of the largest number.
        name: Unused.

    Raises:
        TypeError: A function is not callable, or a number is no int.
        ValueError: A number occurs twice.
    """
    if modes.recording_program() is not None and not isinstance(branch_index, _core.Tensor):
        raise TypeError(f"switch_case: branch_index has type {type(branch_index).__name__}; it must be a variable.")
    if isinstance(branch_index, _core.Tensor) and branch_index.dtype not in (_core.int32, _core.int64, _core.uint8):
        raise TypeError(
            f"switch_case: branch_index has dtype {branch_index.dtype.name}; it must be uint8, int32 or int64."
        )
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError(f"switch_case: branch_fns has type {type(branch_fns).__name__}; give a list, tuple or dict.")
    pairs = list(branch_fns.items()) if isinstance(branch_fns, dict) else list(branch_fns)
    if pairs and all(callable(p) for p in pairs):
        pairs = list(enumerate(pairs))
    known = set()
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("switch_case: branch_fns holds something else than functions and pairs (number, function).")
        if not isinstance(pair[0], int):
            raise TypeError(f"switch_case: a number has type {type(pair[0]).__name__}; it must be an int.")
        if pair[0] in known:
            raise ValueError(f"switch_case: the number {pair[0]} occurs twice in branch_fns.")
        known.add(pair[0])
        _require_callable("switch_case", f"the function of {pair[0]}", pair[1])
    _require_callable("switch_case", "default", default)
    pairs.sort(key=lambda pair: pair[0])
    if not pairs:
        raise ValueError("switch_case: branch_fns is empty; give at least one function.")
    if default is None:
        default = pairs.pop()[1]

    def chosen(rest):
        if not rest:
            return default()
        (number, function), *others = rest
        return cond(branch_index == number, function, lambda: chosen(others))

    return chosen(pairs)
