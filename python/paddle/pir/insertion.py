# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where in a program the operators of calls are recorded."""

from ..framework import modes


class InsertionPoint:
    """A place between two operators of a program.

    Args:
        program: The Program.
        following: Id of the operator behind it; 0: the end of the program.
    """

    def __init__(self, program, following=0):
        self._program, self._following = program, following

    def block(self):
        """The block it is in."""
        return self._program.global_block()

    def _position(self):
        ops = self.block().ops
        return next((i for i, op in enumerate(ops) if op.id() == self._following), len(ops)), ops

    def prev(self):
        """The operator in front of it; None at the start."""
        position, ops = self._position()
        return ops[position - 1] if position else None

    def next(self):
        """The operator behind it; None at the end."""
        position, ops = self._position()
        return ops[position] if position < len(ops) else None

    get_operation = next


def _recorded(what):
    program = modes.recording_program()
    if program is None:
        raise RuntimeError(f"{what}: no program is recorded; call paddle.enable_static() first.")
    return program


def _record_before(program, following):
    program._recording.record_before(following)
    program._insertion = following


def get_current_insertion_point():
    """Where the next call is recorded.

    Raises:
        RuntimeError: No program is recorded.
    """
    program = _recorded("get_current_insertion_point")
    return InsertionPoint(program, program._insertion)


def set_insertion_point(at):
    """Record calls in front of an operator, or at an InsertionPoint, from now on.

    Args:
        at: An Operation or an InsertionPoint.

    Example:
        >>> import paddle
        >>> paddle.enable_static()
        >>> program = paddle.static.Program()
        >>> with paddle.static.program_guard(program):
        ...     x = paddle.static.data("x", [2])
        ...     y = paddle.tanh(x)
        ...     paddle.pir.set_insertion_point(y.get_defining_op())
        ...     z = paddle.sin(x)
        ...     paddle.pir.reset_insertion_point_to_end()
        >>> [op.name() for op in program.global_block().ops]
        ['pd_op.data', 'pd_op.sin', 'pd_op.tanh']
        >>> paddle.disable_static()
    """
    if isinstance(at, InsertionPoint):
        _record_before(at._program, at._following)
    else:
        _record_before(at.block.program, at.id())


def set_insertion_point_after(op):
    """Record calls behind an operator from now on.

    Args:
        op: An Operation.
    """
    ops = op.block.ops
    position = ops.index(op)
    program = op.block.program
    if position + 1 < len(ops):
        _record_before(program, ops[position + 1].id())
    elif op.block.idx == 0:
        _record_before(program, 0)
    else:
        raise ValueError("set_insertion_point_after: the operator ends a branch or loop; no operator may follow it.")


def set_insertion_point_to_block_end(block):
    """Record calls at the end of a block from now on; of a branch or loop in front of what it gives.

    Args:
        block: A Block.
    """
    _record_before(block.program, 0 if block.idx == 0 else block.ops[-1].id())


def reset_insertion_point_to_start():
    """Record calls at the start of the program from now on."""
    program = _recorded("reset_insertion_point_to_start")
    ops = program.global_block().ops
    _record_before(program, ops[0].id() if ops else 0)


def reset_insertion_point_to_end():
    """Record calls at the end of the program from now on."""
    _record_before(_recorded("reset_insertion_point_to_end"), 0)
