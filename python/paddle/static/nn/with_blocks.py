# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Branches and loops as `with` blocks. A block is recorded once; what it assigns to variables from outside of it is
what the branch or loop gives."""

import contextlib

from ... import _core
from ...framework import modes


def _recording(fn):
    program = modes.recording_program()
    if program is None:
        raise AssertionError(f"{fn}: no program is recorded; call paddle.enable_static() first.")
    return program._recording


def _require_bool(fn, value):
    if not isinstance(value, _core.Tensor):
        raise TypeError(f"{fn}: cond has type {type(value).__name__}; it must be a bool variable.")
    if value.dtype != _core.bool:
        raise TypeError(f"{fn}: cond has dtype {value.dtype.name}; it must be bool.")
    size = 1
    for extent in value.shape:
        size *= int(extent)
    if size != 1:
        raise TypeError(f"{fn}: cond has shape {list(value.shape)}; it must have one element.")


@contextlib.contextmanager
def _only_if(recording, condition):
    """Inside, operators run where the condition holds."""
    recording.begin_if(condition)
    recording.enter_branch(0)
    yield
    recording.leave_branch(0)
    recording.enter_branch(1)
    recording.leave_branch(1)
    recording.end_if([], [])


class While:
    """A loop whose body is a `with` block.

    Args:
        cond: A bool variable of one element; the block assigns the condition of the next round to it.
        is_test: Unused.
        name: Unused.

    Raises:
        TypeError: `cond` is no bool variable of one element.

    Example:
        >>> import paddle
        >>> from paddle.static.nn.control_flow import While
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     i, total = paddle.zeros([1]), paddle.zeros([1])
        ...     more = i < 4
        ...     with While(more).block():
        ...         _ = paddle.increment(i)
        ...         _ = paddle.assign(total + i, total)
        ...         _ = paddle.assign(i < 4, more)
        >>> paddle.static.Executor().run(main, fetch_list=[total])
        [array([10.], dtype=float32)]
        >>> paddle.disable_static()
    """

    def __init__(self, cond, is_test=False, name=None):
        self._recording = _recording("While")
        _require_bool("While", cond)
        self.cond_var, self.is_test = cond, is_test

    @contextlib.contextmanager
    def block(self):
        """The body: it is recorded once and runs as long as the condition holds.

        Raises:
            ValueError: It gives a variable from outside of it another shape or dtype.
        """
        self._recording.begin_while(self.cond_var, [])
        self._recording.begin_round()
        try:
            yield
        except BaseException:
            self._recording.drop_while()
            raise
        self._recording.end_only_round(self.cond_var)
        self._recording.end_while()


class ConditionalBlock:
    """A branch that is a `with` block.

    Args:
        inputs: Variables. The block runs when none of them is empty; with `is_scalar_condition` when the only one,
            a bool of one element, is true.
        is_scalar_condition: Whether `inputs` is a condition.
        name: Unused.

    Raises:
        TypeError: `inputs` holds something else than variables, or a condition is no bool of one element.
    """

    def __init__(self, inputs, is_scalar_condition=False, name=None):
        self._recording = _recording("ConditionalBlock")
        for value in inputs:
            if not isinstance(value, _core.Tensor):
                raise TypeError(f"ConditionalBlock: inputs holds a {type(value).__name__}; it must hold variables.")
        if is_scalar_condition:
            if len(inputs) != 1:
                raise TypeError(f"ConditionalBlock: inputs has {len(inputs)} entries; a condition is one variable.")
            _require_bool("ConditionalBlock", inputs[0])
        self.inputs, self.is_scalar_condition = list(inputs), is_scalar_condition

    def _condition(self):
        if self.is_scalar_condition:
            return self.inputs[0]
        filled = _core.ops.full([], True, _core.bool)
        for value in self.inputs:
            filled = _core.ops.logical_and(filled, _core.ops.numel(value) > 0)
        return filled

    @contextlib.contextmanager
    def block(self):
        """What runs where the condition holds."""
        with _only_if(self._recording, self._condition()):
            yield


class Switch:
    """Several `with` blocks, of which the first runs whose condition holds.

    Args:
        name: Unused.

    Example:
        >>> import paddle
        >>> from paddle.static.nn.control_flow import Switch
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     step, rate = paddle.full([1], 7.0), paddle.zeros([1])
        ...     with Switch() as switch:
        ...         with switch.case(step < 5):
        ...             _ = paddle.assign(paddle.full([1], 0.1), rate)
        ...         with switch.default():
        ...             _ = paddle.assign(paddle.full([1], 0.01), rate)
        >>> paddle.static.Executor().run(main, fetch_list=[rate])
        [array([0.01], dtype=float32)]
        >>> paddle.disable_static()
    """

    def __init__(self, name=None):
        self._recording = _recording("Switch")
        self._inside, self._open = False, None  # whether no condition held so far

    def __enter__(self):
        self._inside = True
        return self

    def __exit__(self, *error):
        self._inside = False
        return False

    def _require_inside(self):
        if not self._inside:
            raise ValueError("Switch: a case must be called inside of `with Switch() as switch:`; enter it first.")

    @contextlib.contextmanager
    def case(self, condition):
        """What runs where the condition holds and none before it did.

        Args:
            condition: A bool variable of one element.
        """
        self._require_inside()
        _require_bool("Switch.case", condition)
        before, ops = self._open, _core.ops
        fails = ops.logical_not(condition)
        self._open = fails if before is None else ops.logical_and(before, fails)
        with _only_if(self._recording, condition if before is None else ops.logical_and(before, condition)):
            yield

    @contextlib.contextmanager
    def default(self):
        """What runs where no condition held."""
        self._require_inside()
        if self._open is None:
            raise ValueError("Switch: default() comes first; put a case before it.")
        with _only_if(self._recording, self._open):
            yield
