# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs that are recorded while Python runs and executed later by an `Executor`."""

import contextlib
import os

from .. import _core
from ..framework import modes
from ..framework.dtypes import convert
from ..framework.parameter import EagerParamBase


class Program:
    """Operators over named inputs, parameters and what is computed from them.

    Calls made under `program_guard(program)`, or after `paddle.enable_static()` for the default
    program, are appended to it.
    """

    def __init__(self):
        self._recording = _core.pir.Recording()
        self._until, self._for_test = None, False
        self._initial = []  # (parameter, function that gives its first values)
        self._initialised = False
        self._rates = {}  # optimizer -> its learning rate as a tensor
        self._compiled = {}
        self.random_seed = 0

    # -- what it holds ---------------------------------------------------------------------------
    def _learning_rate_of(self, optimizer):
        if optimizer not in self._rates:
            with modes.eager_region():
                rate = _core.ops.full([1], optimizer.get_lr(), _core.float32)
            rate.persistable = True
            self._rates[optimizer] = rate
        return self._rates[optimizer]

    def _captured(self):
        return [t for t in self._recording.captured if t is not None]

    def all_parameters(self):
        """The parameters that the program reads."""
        return [t for t in self._captured() if isinstance(t, EagerParamBase)]

    def _persistables(self):
        return [t for t in self._captured() if t.persistable or isinstance(t, EagerParamBase)]

    def list_vars(self):
        """Inputs, then parameters and other state."""
        yield from (self._recording.find(name) for name in self._recording.input_names)
        yield from self._captured()

    @property
    def blocks(self):
        """The one block of the program, as a list."""
        return [self.global_block()]

    @property
    def num_blocks(self):
        """1."""
        return 1

    def global_block(self):
        """The block that holds everything."""
        return Block(self, 0)

    current_block = global_block

    def block(self, index):
        """The block of that number."""
        return self.blocks[index]

    # -- copies and text -------------------------------------------------------------------------
    def clone(self, for_test=False):
        """The program as it is now; what is recorded later belongs to the original alone.

        Args:
            for_test: Run dropout and normalisation in their inference form, and update nothing.
        """
        other = Program.__new__(Program)
        other.__dict__.update(self.__dict__)
        other._until = self._until or self._recording.mark()
        other._for_test = self._for_test or for_test
        other._compiled = {}
        return other

    def to_string(self, throw_on_error=False, with_details=False):
        """The program as text."""
        return str(self)

    def __str__(self):
        return str(self._recording)

    def visualize(self, path):
        """Draw the program.

        Args:
            path: File to write: `.svg`, or `.html` with regions that fold.
        """
        self._recording.visualize(os.fspath(path))

    # -- state -----------------------------------------------------------------------------------
    def state_dict(self, mode="all", scope=None):
        """Values by name: mode 'param' parameters, 'opt' the other state, 'all' both."""
        if mode not in ("all", "param", "opt"):
            raise ValueError(f"Program.state_dict: mode has value {mode!r}; pass 'all', 'param' or 'opt'.")
        state = {}
        for tensor in self._persistables():
            is_parameter = isinstance(tensor, EagerParamBase)
            if mode == "all" or is_parameter == (mode == "param"):
                state[tensor.name] = tensor
        return state

    def set_state_dict(self, state_dict, scope=None):
        """Give parameters and other state the values of those names."""
        with modes.eager_region():
            for tensor in self._persistables():
                if tensor.name in state_dict:
                    tensor.set_value(state_dict[tensor.name])

    # -- running ---------------------------------------------------------------------------------
    def _executable(self, feeds, fetches):
        key = (tuple(feeds), tuple(id(t) for t in fetches), self._recording.num_operations)
        if key not in self._compiled:
            made = self._recording.compile(feeds, fetches, self._until, self._for_test, False)
            self._compiled[key] = (made, fetches)
        return self._compiled[key][0]

    def _initialise(self):
        """What running a startup program does: parameters get their first values (again)."""
        if self._initialised:
            for parameter, values in self._initial:
                with modes.no_grad():
                    made = values()
                    if isinstance(made, _core.Tensor) and made is not parameter:
                        parameter.set_value(made)
        self._initialised = True


class Block:
    """The operators and variables of a program."""

    def __init__(self, program, idx):
        self.program, self.idx = program, idx

    @property
    def vars(self):
        """Variables by name."""
        return {v.name: v for v in self.program.list_vars()}

    def all_parameters(self):
        """The parameters that the program reads."""
        return self.program.all_parameters()

    def has_var(self, name):
        """Whether there is a variable of that name."""
        return self.program._recording.find(name) is not None

    def var(self, name):
        """The variable of that name.

        Raises:
            ValueError: There is none.
        """
        found = self.program._recording.find(name)
        if found is None:
            raise ValueError(f"Block.var: the program has no variable {name!r}.")
        return found

    def create_parameter(self, *args, **kwargs):
        """A parameter."""
        from ..framework.parameter import create_parameter

        return create_parameter(*args, **kwargs)


class _VariableType(type):
    def __instancecheck__(cls, instance):
        if not isinstance(instance, _core.Tensor):
            return False
        return modes.in_dynamic_mode() or not instance._is_initialized()


class Variable(metaclass=_VariableType):
    """Type of values, for `isinstance`: tensors, in a program those that have no values yet."""

    def __init__(
        self,
        block,
        type=None,
        name=None,
        shape=None,
        dtype=None,
        lod_level=None,
        capacity=None,
        persistable=None,
        error_clip=None,
        stop_gradient=False,
        is_data=False,
        need_check_feed=False,
        belong_to_optimizer=False,
        **kwargs,
    ):
        raise TypeError("Variable: values of a program come from paddle.static.data and from operators.")


_main, _startup = None, None


def default_main_program():
    """The program to which calls are appended."""
    global _main
    if _main is None:
        _main = Program()
    return _main


def default_startup_program():
    """The program that gives parameters their first values."""
    global _startup
    if _startup is None:
        _startup = Program()
    return _startup


def remember_initial(parameter, values):
    """Let the startup program give `parameter` the values of `values()`."""
    default_startup_program()._initial.append((parameter, values))


@contextlib.contextmanager
def program_guard(main_program, startup_program=None):
    """Inside, calls are appended to another program.

    Args:
        main_program: The Program.
        startup_program: The Program that initialises its parameters; None: the current one.
    """
    global _main, _startup
    for name, program in (("main_program", main_program), ("startup_program", startup_program)):
        if not isinstance(program, Program) and not (name == "startup_program" and program is None):
            raise TypeError(f"program_guard: {name} is a {type(program).__name__}; it must be a Program.")
    before = (_main, _startup)
    _main = main_program
    _startup = startup_program if startup_program is not None else _startup
    outer = modes._record(main_program)
    try:
        yield
    finally:
        modes._record(outer)
        _main, _startup = before


def data(name, shape, dtype=None, lod_level=0):
    """An input of the program.

    Args:
        name: Its name in `feed`.
        shape: Its shape; None or -1 for extents that vary.
        dtype: Its dtype; None: the default dtype.
        lod_level: Must be 0.
    """
    from ..framework.dtypes import get_default_dtype

    program = modes.recording_program()
    if program is None:
        raise RuntimeError("static.data: no program is recorded; call paddle.enable_static() first.")
    if lod_level:
        raise NotImplementedError("static.data: lod_level must be 0; pass padded tensors and their lengths.")
    extents = [-1 if n is None else int(n) for n in shape]
    return program._recording.data(name, extents, convert(dtype or get_default_dtype()), True)


@contextlib.contextmanager
def name_scope(prefix=None):
    """Inside, names of new parameters begin with a prefix."""
    from ..utils import unique_name

    with unique_name.guard(f"{prefix}/" if prefix else None):
        yield


@contextlib.contextmanager
def device_guard(device=None):
    """Inside, operators run on a device: 'cpu' or None.

    Raises:
        ValueError: Another device.
    """
    if device not in (None, "cpu"):
        raise ValueError(f"device_guard: device has value {device!r}; this build has 'cpu'.")
    yield


def create_global_var(shape, value, dtype, persistable=False, force_cpu=False, name=None):
    """State of the program, filled with a number.

    Args:
        shape: Its shape.
        value: The number.
        dtype: Its dtype.
        persistable: Whether it is saved with the program.
    """
    from ..utils import unique_name

    with modes.eager_region():
        made = _core.ops.full([int(n) for n in shape], value, convert(dtype))
    made.name = name or unique_name.generate("global_var")
    made.persistable = persistable
    return made
