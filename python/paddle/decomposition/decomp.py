# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of a program as what they are composed of."""

import contextlib

from . import primitive_mode

__all__ = ["call_decomp_rule", "decompose", "decompose_dist_program", "has_decomp_rule", "prim_guard"]


@contextlib.contextmanager
def prim_guard():
    """A block in which decomposition is switched on for operators and for their gradients."""
    before = primitive_mode._is_fwd_prim_enabled(), primitive_mode._is_bwd_prim_enabled()
    primitive_mode._set_prim_all_enabled(True)
    try:
        yield
    finally:
        primitive_mode._set_prim_forward_enabled(before[0])
        primitive_mode._set_prim_backward_enabled(before[1])


def has_decomp_rule(op):
    """Whether an operator of a program is composed of others."""
    return primitive_mode.has_decomp_rule(op)


def call_decomp_rule(op):
    """Put what an operator of a program is composed of in its place.

    Args:
        op: An Operator of a `paddle.static.Program`.

    Returns:
        The results of the operator, which stand for the new values.

    Raises:
        ValueError: The operator is not composed of others.
    """
    results = op.results()
    if not _take_apart(op.block.program, op.id()):
        raise ValueError(f"call_decomp_rule: {op.name()} is not composed of other operators.")
    return results


def _take_apart(program, number):
    from ..static.program import recorded_into

    with recorded_into(program):
        done = program._recording.decompose(number)
    program._forget_compiled()
    return done


def decompose(program, src_vars, blacklist=frozenset(), whitelist=frozenset(), start_index=0, end_index=-1):
    """Take operators of a program apart into basic ones, where `_set_prim_forward_enabled` switched this on. Those inside
    of branches and loops stay as they are.

    Args:
        program: A `paddle.static.Program`.
        src_vars: Variables of the program, in a list that may hold lists.
        blacklist: Names of operators, such as 'pd_op.softmax', that stay.
        whitelist: Names of the only operators that are taken apart; empty: all that are not in `blacklist`.
        start_index: Position of the first operator that is looked at.
        end_index: Position behind the last one; -1: all.

    Returns:
        src_vars; the variables stand for the new values.

    Raises:
        TypeError: program is no Program, or a list of names is none.

    Example:
        >>> import paddle
        >>> from paddle.base import core
        >>> from paddle.decomposition import decompose
        >>> paddle.enable_static()
        >>> core._set_prim_forward_enabled(True)
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2, 3])
        ...     [y] = decompose(main, [paddle.nn.functional.softmax(x)])
        >>> "pd_op.softmax" in [op.name() for op in main.global_block().ops]
        False
        >>> core._set_prim_forward_enabled(False)
        >>> paddle.disable_static()
    """
    from ..static.program import Program

    if not isinstance(program, Program):
        raise TypeError(f"decompose: program has type {type(program).__name__}; it must be a Program.")
    for label, names in (("blacklist", blacklist), ("whitelist", whitelist)):
        if not isinstance(names, (set, frozenset, list, tuple)):
            raise TypeError(f"decompose: {label} has type {type(names).__name__}; it must be a set of names.")
    if not primitive_mode._is_fwd_prim_enabled():
        return src_vars
    kept = set(blacklist) | primitive_mode._prim_forward_blacklist
    listed = program.global_block().ops[start_index : None if end_index == -1 else end_index]
    for op in listed:
        if op.name() not in kept and (not whitelist or op.name() in whitelist):
            _take_apart(program, op.id())
    return src_vars


def decompose_dist_program(program):
    """Take all operators of a program apart that are composed of others; see `decompose`."""
    decompose(program, [])
