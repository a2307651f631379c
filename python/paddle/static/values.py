# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Methods of the values of programs: which operator gives one, and which ones read it."""

import weakref

from .._bind import set_method
from ..framework import modes
from .operators import OpOperand, _flat

_programs = weakref.WeakSet()


def remember(program):
    """Let values of a program find their operators."""
    _programs.add(program)


def _inner(operators):
    for operator in operators:
        yield operator
        for block in operator.blocks():
            yield from _inner(block.ops)


def _program_of(value):
    """The program that has the value: the one that is recorded if it does, else that which gave the value."""
    current = modes.recording_program()
    if current is not None and not value._is_initialized() and current._recording.knows(value):
        return current
    return next((program for program in _programs if program._recording.owns(value)), None)


def _operators_of(value):
    """The operators of the program that the value belongs to."""
    current = modes.recording_program()
    owner = None if value._is_initialized() else _program_of(value)
    for program in [owner] if owner is not None else (current, *(p for p in _programs if p is not current)):
        if program is None:
            continue
        operators = list(_inner(program.global_block().ops))
        if any(
            one is value for operator in operators for one in _flat((*operator.results(), *operator.operands_source()))
        ):
            return operators
    return []


def get_defining_op(value):
    """The operator that gives the value; None where none does."""
    for operator in _operators_of(value):
        if any(one is value for one in _flat(operator.results())):
            return operator
    return None


def _uses(value):
    for operator in _operators_of(value):
        for index, source in enumerate(operator.operands_source()):
            if any(one is value for one in _flat([source])):
                yield OpOperand(operator, index)


def all_used_ops(value):
    """The operators that read the value."""
    return [use.owner() for use in _uses(value)]


def all_used_ops_in_same_block(value):
    """The operators that read the value, branches and loops as one operator each."""
    block = {op.id() for op in _program_of(value).global_block().ops} if _program_of(value) is not None else set()
    return [op for op in all_used_ops(value) if op.id() in block]


def has_name(value):
    """Whether the value has a name that a scope or a feed knows."""
    program = _program_of(value)
    return bool(value.persistable) or (program is not None and value.name in program._recording.input_names)


def is_selected_row_type(value):
    """Whether it stands for some rows of a tensor."""
    return value.is_selected_rows()


def is_sparse_coo_tensor_type(value):
    """Whether it stands for a sparse tensor in coordinates."""
    return value.is_sparse_coo()


def is_sparse_csr_tensor_type(value):
    """Whether it stands for a sparse tensor in compressed rows."""
    return value.is_sparse_csr()


def is_dist_dense_tensor_type(value):
    """Whether it stands for a part of a tensor on each process."""
    return value.is_dist()


def first_use(value):
    """The first place where the value is read.

    Raises:
        ValueError: It is not read.
    """
    for use in _uses(value):
        return use
    raise ValueError(f"first_use: no operator reads {value.name}.")


def use_empty(value):
    """Whether no operator reads the value."""
    return next(_uses(value), None) is None


def has_one_use(value):
    """Whether the value is read at one place."""
    return len(list(_uses(value))) == 1


def replace_all_uses_with(value, other):
    """Let whatever reads the value read another one.

    Raises:
        ValueError: It belongs to no program.
    """
    program = _program_of(value)
    if program is None:
        raise ValueError("replace_all_uses_with: the value belongs to no program.")
    program._recording.replace_uses(value, other)
    program._forget_compiled()


def is_same(value, other):
    """Whether it is the very same value."""
    return value is other


def initialized(value):
    """Whether it stands for something."""
    return True


def is_dense_tensor_type(value):
    """Whether it stands for one dense tensor."""
    return not value.is_sparse() and not value.is_selected_rows()


def is_dense_tensor_array_type(value):
    """False: arrays are lists of values."""
    return False


def is_combine(value):
    """False: lists of values are Python lists."""
    return False


def get_used_external_value(owner):
    """The values that an operator with branches, or a block, reads from outside of it, in order."""
    found, inside = {}, set()

    def walk(operators):
        for operator in operators:
            for value in _flat(operator.operands_source()):
                if value is not None and id(value) not in inside:
                    found.setdefault(id(value), value)
            inside.update(id(value) for value in _flat(operator.results()) if value is not None)
            for block in operator.blocks():
                walk(block.ops)

    if hasattr(owner, "ops"):
        walk(owner.ops)
    else:
        walk([owner])
    return list(found.values())


def install():
    """Give the values of programs their methods."""
    for method in (
        all_used_ops,
        all_used_ops_in_same_block,
        has_name,
        is_dist_dense_tensor_type,
        is_selected_row_type,
        is_sparse_coo_tensor_type,
        is_sparse_csr_tensor_type,
        first_use,
        get_defining_op,
        has_one_use,
        initialized,
        is_combine,
        is_dense_tensor_array_type,
        is_dense_tensor_type,
        is_same,
        replace_all_uses_with,
        use_empty,
    ):
        set_method(method.__name__, method)
