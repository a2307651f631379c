# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""First values of state: the operators that a startup program makes them with."""

from .. import _core
from ..framework import modes
from ..framework.dtypes import convert
from ..framework.parameter import EagerParamBase
from ..utils import unique_name
from .program import default_startup_program, recorded_into


def give_first_values(tensor, values, program=None):
    """Append to a startup program what makes the first values of state, and that they become its values.

    State that the program has under the same name keeps the operators that it has.

    Args:
        tensor: The state: a tensor with memory and a name.
        values: Function of the program that computes the values. One that gives nothing has written the tensor.
        program: The startup program; None: the current one.

    Returns:
        The values in the program; None where it had the state.
    """
    program = default_startup_program() if program is None else program
    tensor._has_initial = True
    known = program._state_named(tensor.name)
    if known is not None and list(known.shape) == list(tensor.shape) and known.dtype == tensor.dtype:
        return None
    with recorded_into(program), modes.no_grad():
        made = values(program)
        if id(tensor) in program._states:
            return made  # an initializer that was called with the block
        made = made if isinstance(made, _core.Tensor) and made is not tensor else _core.ops.assign(tensor)
        if made.dtype != tensor.dtype:
            made = _core.ops.cast(made, tensor.dtype)
        is_parameter = isinstance(tensor, EagerParamBase)
        program._recording.give_state(tensor, made, f"builtin.{'set_parameter' if is_parameter else 'shadow_output'}")
    if not made._is_initialized():
        made.name, made.persistable = tensor.name, True
    program._states[id(tensor)] = program._state_names[tensor.name] = tensor
    program._first_values[id(tensor)] = made
    return made


def first_value(tensor):
    """The value that the current startup program makes for state; what other first values are computed from.

    Args:
        tensor: The state.

    Raises:
        ValueError: Another program gives it its first values, or none does.
    """
    made = default_startup_program()._first_values.get(id(tensor))
    if made is None:
        raise ValueError(
            f"first_value: the startup program makes no value of {tensor.name!r}; create it under the same program_guard."
        )
    return made


def rename(tensor, name, program=None):
    """Give state another name.

    Args:
        tensor: The state.
        name: The new name.
        program: The startup program that gives it its first values; None: the current one.
    """
    program = default_startup_program() if program is None else program
    old, tensor.name = tensor.name, name
    if id(tensor) in program._states:
        program._recording.rename_state(old, name)
        program._state_names[name] = program._state_names.pop(old, tensor)
    main = modes.recording_program()
    if main is not None and main._made.get(old) is tensor:
        main._made[name] = main._made.pop(old)


def fill(tensor, values, block):
    """What an initializer does that is called with a block: the program of the block makes the values.

    Args:
        tensor: State, or a variable of the program.
        values: Function without arguments that computes them.
        block: The Block.

    Returns:
        The values in the program.
    """
    if tensor._is_initialized():
        made = give_first_values(tensor, lambda program: values(), block.program)
        return tensor if made is None else made
    with recorded_into(block.program), modes.no_grad():
        tensor.copy_(values())
    return tensor


def start(tensors):
    """Give state of static mode its first values, where it has none, for use in dynamic mode.

    Args:
        tensors: The state, which the current startup program initialises.
    """
    from .executor import Executor
    from .scope import global_scope

    scope, program = global_scope(), default_startup_program()
    waiting = [t for t in tensors if id(t) in program._states and scope._find(t.name) is not t]
    if waiting:
        found = Executor().run(program, fetch_list=waiting, return_numpy=False, use_prune=True)
        with modes.eager_region(), modes.no_grad():
            for tensor, value in zip(waiting, found, strict=True):
                scope._start(tensor).set_value(value._get())


def create_state(name, values, persistable=True):
    """State of the program whose first values a function gives.

    Args:
        name: Its name.
        values: Function without arguments that gives a Tensor; a startup program records it.
        persistable: Whether it is saved with the program.
    """
    with modes.eager_region(), modes.no_grad():
        made = values()
    made.name, made.persistable = name, persistable
    if modes.recording_program() is not None and persistable:
        give_first_values(made, lambda program: values())
    return made


def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """State of the program, filled with a number.

    Args:
        shape: Its shape.
        value: The number.
        dtype: Its dtype.
        persistable: Whether it is saved with the program.

    Raises:
        TypeError: shape is no list of integers.
    """
    if isinstance(shape, str) or not hasattr(shape, "__iter__"):
        raise TypeError(f"create_global_var: shape has type {type(shape).__name__}; it must be a list of integers.")
    shape, dtype = [int(n) for n in shape], convert(dtype)
    name = name or unique_name.generate("global_var")
    return create_state(name, lambda: _core.ops.full(shape, value, dtype), persistable)
