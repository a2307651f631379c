# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Branches, loops, arrays of tensors, and Python functions as operators."""

import contextlib

from ... import _core
from ...static.nn.control_flow import case as case
from ...static.nn.control_flow import cond as cond
from ...static.nn.control_flow import switch_case as switch_case
from ...static.nn.control_flow import while_loop as while_loop
from ...static.nn.with_blocks import ConditionalBlock as ConditionalBlock
from ...static.nn.with_blocks import Switch as Switch
from ...static.nn.with_blocks import While as While
from ...static.py_func import Assert as Assert
from ...static.py_func import Print as Print
from ...static.py_func import py_func as py_func
from ...tensor.array import array_read as array_read
from ...tensor.array import array_write as array_write
from ...tensor.array import create_array as create_array
from ..operators import of_rank_one, offsets_of, require_program

ops = _core.ops


def array_length(array):
    """The number of tensors in an array, int64 of shape [1]."""
    from ...tensor.array import array_length as length

    made = length(array)
    return of_rank_one(made) if isinstance(made, _core.Tensor) else ops.full([1], made, _core.int64)


def reorder_lod_tensor_by_rank(x, rank_table):
    """The sequences of x, or its rows, in the order of the lengths of those of another variable, longest first.

    Args:
        x: A variable.
        rank_table: What `lod_rank_table` gave.
    """
    order = rank_table.order
    if not offsets_of(x):
        return ops.gather(x, order, 0)
    from .sequences import padded, sequence_unpad

    whole, length = padded(x)
    return sequence_unpad(ops.gather(whole, order, 0), ops.gather(length, order, 0))


class RankTable:
    """The order of sequences by their lengths, longest first: `order`, int64 of shape [sequences]."""

    def __init__(self, order):
        self.order = order


def lod_rank_table(x, level=0):
    """The order of the sequences of a variable by their lengths, longest first."""
    offsets = offsets_of(x)
    if not offsets:
        raise ValueError("lod_rank_table: x has no sequences; pass a variable made with lod_level=1.")
    lengths = offsets[level][1:] - offsets[level][:-1]
    return RankTable(ops.argsort(lengths, 0, True, True)[1])


class IfElse:
    """Two branches, of which each takes the rows where a condition holds, or does not.

    Args:
        cond: A bool variable of shape [N, 1].
        name: Not read.

    Example:
        >>> import numpy as np
        >>> import paddle
        >>> from paddle import fluid
        >>> paddle.enable_static()
        >>> main = fluid.Program()
        >>> with fluid.program_guard(main):
        ...     x = fluid.data("x", [None, 1], "float32")
        ...     branch = fluid.layers.IfElse(x > fluid.layers.zeros_like(x))
        ...     with branch.true_block():
        ...         branch.output(branch.input(x) * 2.0)
        ...     with branch.false_block():
        ...         branch.output(branch.input(x) - 1.0)
        ...     (y,) = branch()
        >>> fluid.Executor().run(main, feed={"x": np.array([[3.0], [-3.0]], "float32")}, fetch_list=[y])[0].tolist()
        [[6.0], [-4.0]]
        >>> paddle.disable_static()
    """

    def __init__(self, cond, name=None):
        require_program("IfElse")
        self._cond, self._inside, self._outputs = cond.reshape([-1]), None, {True: [], False: []}

    @contextlib.contextmanager
    def _block(self, holds):
        self._inside = holds
        try:
            yield
        finally:
            self._inside = None

    def true_block(self):
        """What is done with the rows where the condition holds."""
        return self._block(True)

    def false_block(self):
        """What is done with the other rows."""
        return self._block(False)

    def input(self, x):
        """The rows of a variable that the branch takes."""
        if self._inside is None:
            raise ValueError(
                "IfElse.input: it must be called inside of a branch; enter true_block() or false_block() first."
            )
        return ops.gather(x, self._rows(self._inside), 0)

    def _rows(self, holds):
        wanted = self._cond if holds else ops.logical_not(self._cond)
        return ops.nonzero(wanted).reshape([-1])

    def output(self, *outs):
        """What the branch gives."""
        if self._inside is None:
            raise ValueError(
                "IfElse.output: it must be called inside of a branch; enter true_block() or false_block() first."
            )
        self._outputs[self._inside].extend(outs)

    def __call__(self):
        """The outputs, their rows in the order of the condition; a list."""
        with_true, with_false = self._outputs[True], self._outputs[False]
        if not with_true or not with_false:
            return with_true or with_false
        if len(with_true) != len(with_false):
            raise ValueError(
                f"IfElse: the branches have {len(with_true)} and {len(with_false)} outputs; they must have as many."
            )
        rows = ops.concat([self._rows(True), self._rows(False)], 0)
        back = ops.argsort(rows, 0, False, True)[1]
        pairs = zip(with_true, with_false, strict=True)
        return [ops.gather(ops.concat([a, b], 0), back, 0) for a, b in pairs]


__all__ = (
    "Assert ConditionalBlock IfElse Print RankTable Switch While array_length array_read array_write case cond create_array "
    "lod_rank_table py_func reorder_lod_tensor_by_rank switch_case while_loop"
).split()
