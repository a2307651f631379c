# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs that are recorded while Python runs and executed later by an `Executor`."""

import contextlib
import os
import weakref

from .. import _core
from ..framework import modes
from ..framework.dtypes import convert, get_default_dtype
from ..framework.parameter import EagerParamBase
from ..utils import unique_name
from . import values as _of_values
from . import variable_members as _members
from .block import Block, Blocks, Operator, Variable
from .redeclared import declare, declared_before
from .scope import Scope, global_scope

_of_values.install()
_members.install()


class Program(Blocks):
    """Operators over named inputs, parameters and what is computed from them.

    After `paddle.enable_static()` calls are appended to the default program, under `program_guard(program)` to that one.

    Example:
        >>> import numpy
        >>> paddle.enable_static()
        >>> program = paddle.static.Program()
        >>> with paddle.static.program_guard(program):
        ...     x = paddle.static.data("x", [2], "float32")
        ...     y = x * 2
        >>> paddle.static.Executor().run(program, {"x": numpy.array([1, 2], "float32")}, [y])
        [array([2., 4.], dtype=float32)]
        >>> paddle.disable_static()
    """

    def __init__(self):
        self._recording = _core.pir.Recording()
        self._in_old_words = not modes.use_pir_api()  # how operators are shown
        self._calls = {}  # of append_op: id of an operation -> (number, call), where old words are shown
        self._for_test, self._writes = False, True
        self._states, self._state_names = {}, {}  # state that the program gives its first values, by id and by name
        self._first_values = {}  # these values, by id of the state
        self._rates = {}  # optimizer -> its learning rate as a tensor
        self._inputs_of = {}  # name of an input -> the names in the recording of all that were declared by it
        self._named = {}  # variables that were created without an operator
        self._made = {}  # parameters by the name that they were made with
        self._compiled = {}
        self._seed = 0
        self._losses = []  # what append_backward was called with, and what it took as constants
        self._custom_gradients = set()  # names of the PyLayers that it calls
        self._marks = {}  # numbers of operators: see Blocks
        self._insertion = 0  # id of the operator in front of which calls are recorded; 0: at the end
        _of_values.remember(self)

    # -- what it holds ---------------------------------------------------------------------------
    def _learning_rate_of(self, optimizer):
        if optimizer._rate_variable is not None:
            return optimizer._rate_variable
        if optimizer not in self._rates:
            with modes.eager_region():
                rate = _core.ops.full([], optimizer.get_lr(), _core.float32)
            rate.name, rate.persistable = unique_name.generate("learning_rate"), True
            self._rates[optimizer] = rate
            from .state import give_first_values

            give_first_values(rate, lambda program: _core.ops.full([], optimizer.get_lr(), _core.float32))
            rate._has_initial = False  # every run sets it
        return self._rates[optimizer]

    def _captured(self):
        return [t for t in self._recording.captured if t is not None]

    def _read_parameters(self):
        return [t for t in self._captured() if isinstance(t, EagerParamBase)]

    def all_parameters(self):
        """The parameters that the program reads, those that were made for it, and those that it initialises."""
        found = {id(t): t for t in self._read_parameters()}
        found.update((id(t), t) for t in self._made.values())
        found.update((id(t), t) for t in self._states.values() if isinstance(t, EagerParamBase))
        return list(found.values())

    def _persistables(self):
        found = {id(t): t for t in self._captured() if t.persistable or isinstance(t, EagerParamBase)}
        found.update(self._states)
        return list(found.values())

    def list_vars(self):
        """Inputs, then parameters and other state, then what operators give."""
        seen = set()
        inputs = [self._recording.find(name) for name in self._recording.input_names]
        results = [t for operator in self.global_block().ops for t in operator.results()]
        for tensor in (*inputs, *self._captured(), *self._states.values(), *self._named.values(), *results):
            for one in tensor if isinstance(tensor, list) else [tensor]:
                if one is not None and id(one) not in seen:
                    seen.add(id(one))
                    yield one

    def _operations(self):
        return self._recording.operations()

    def _state_named(self, name):
        found = self._state_names.get(name)
        return found if found is not None and found.name == name else None

    def _variable(self, name):
        if name in self._named:
            return self._named[name]
        found = self._state_named(name)
        if found is None:
            found = self._recording.find(name)
        if found is None:
            found = next((rate for rate in self._rates.values() if rate.name == name), None)
        if found is None and self._losses and name.endswith("@GRAD"):
            found = self._gradient_named(name)
        return found

    def _gradient_named(self, name):
        """The gradient of the last loss with respect to a variable, appended to the program when it is first asked
        for by its name; None where there is no such variable."""
        from .gradient import _gradients

        name_of = name[: -len("@GRAD")]
        of = self._variable(name_of)
        if of is None:
            of = next((v for v in self.list_vars() if v.name == name_of), None)
        if of is None:
            return None
        loss, frozen = self._losses[-1]
        outer = modes._record(self)
        try:
            (made,) = _gradients([loss], [of], [_core.ops.full_like(loss, 1.0)], frozen)
        finally:
            modes._record(outer)
        if made is not None:
            made.name = name
            self._named[name] = made
        return made

    def _create_variable(self, *args, name=None, shape=None, dtype=None, persistable=False, **kwargs):
        wanted = None if dtype is None else convert(dtype)
        name, dtype = name or unique_name.generate("_generated_var"), wanted or convert("float32")
        if modes.in_dynamic_mode():
            made = _core.ops.full([0] if shape is None else [max(int(n), 0) for n in shape], 0, dtype)
            made.name = name
            return made
        if not modes.use_pir_api() and name in self._named:
            self._check_same(self._named[name], shape, wanted, kwargs)
        if persistable:
            from .state import create_global_var

            with program_guard(self):
                extents = [1 if n < 0 else n for n in ([1] if shape is None else shape)]
                made = create_global_var(extents, 0, dtype, True, name=name)
        else:
            made = self._plain_variable(name, shape, dtype)
        made.stop_gradient = bool(kwargs.get("stop_gradient", False))
        made._program, made.lod_level = weakref.ref(self), int(kwargs.get("lod_level") or 0)
        self._named[name] = made
        return made

    @staticmethod
    def _check_same(known, shape, dtype, kwargs):
        """Refuse another shape, dtype or depth of sequences for a variable that there is."""
        extents = getattr(known, "_declared", None) or [-1 if n == -1 else int(n) for n in known.shape]
        level = kwargs.get("lod_level")
        if shape is not None and extents and [-1 if n is None else int(n) for n in shape] != list(extents):
            raise ValueError(f"create_var: {known.name} has shape {extents}; shape is {list(shape)}.")
        if dtype is not None and dtype != known.dtype:
            raise ValueError(f"create_var: {known.name} has dtype {known.dtype.name}; dtype is {dtype.name}.")
        if level is not None and int(level) != known.lod_level:
            raise ValueError(f"create_var: {known.name} has lod_level {known.lod_level}; lod_level is {level}.")

    def _plain_variable(self, name, shape, dtype):
        """A variable for an operator to fill; one whose shape is known may be fed instead."""
        if shape is not None and name not in self._recording.input_names:
            with program_guard(self):
                return data(name, list(shape), dtype)
        made = self._recording.placeholder([max(int(n or 1), 1) for n in shape or ()], dtype)
        made.name, made._declared = name, [-1 if n is None else int(n) for n in shape or ()]
        return made

    @property
    def desc(self):
        """The program itself, which is its own description."""
        return self

    def serialize_to_string(self):
        """The program as bytes, for `parse_from_string`; state is named, its values are those of a scope."""
        from .loaded import content_of

        return content_of(self)

    @staticmethod
    def parse_from_string(binary_str):
        """The program that `program.desc.serialize_to_string()` gave as bytes."""
        from .loaded import program_of

        return program_of(binary_str)

    def _copy_param_info_from(self, other):
        """Know the parameters of another program by their names."""
        if not isinstance(other, Program):
            raise TypeError(f"Program: parameters are copied from a {type(other).__name__}; pass a Program.")
        self.set_parameters_from(other)

    _copy_dist_param_info_from = _copy_param_info_from

    def parameters_num(self):
        """Number of parameters and other state that the program reads."""
        return len(self._persistables())

    def get_all_parameter_values(self):
        """The parameters that the program reads."""
        return self.all_parameters()

    def get_parameter_value_by_name(self, name):
        """The parameter of that name."""
        return self.global_block().var(name)

    get_output_value_by_name = get_parameter_value_by_name

    def get_value_by_op_id(self, op_id):
        """What the operators at a position, or at a list of positions, give."""
        wanted = op_id if isinstance(op_id, (list, tuple)) else [op_id]
        ops = self.global_block().ops
        return [t for i in wanted for t in ops[i].results()]

    def set_parameters_from(self, program):
        """Know the parameters of another program by their names."""
        self._named.update((t.name, t) for t in program.all_parameters())

    @property
    def random_seed(self):
        """Number from which the random values of every run are made; 0: the global generator."""
        return self._seed

    @random_seed.setter
    def random_seed(self, seed):
        if not isinstance(seed, int):
            raise ValueError(f"Program: random_seed has type {type(seed).__name__}; it must be an int.")
        self._seed = seed

    def _list_named_vars(self):
        """What `list_vars` gives that a scope or a feed knows by its name."""
        return [v for v in self.list_vars() if v.persistable or v.name in self._recording.input_names]

    def global_seed(self, seed):
        """Set `random_seed`."""
        self.random_seed = seed

    # -- copies and text -------------------------------------------------------------------------
    def clone(self, for_test=False):
        """The program as it is now, which can be continued on its own; state is shared.

        Variables of the original stand for those of the copy as well.

        Args:
            for_test: Run dropout and normalisation in their inference form, and update nothing; or an IrMapping to
                tell which values are which.

        Returns:
            A Program.
        """
        mapping = for_test if hasattr(for_test, "look_up") else None
        made = self._copied(for_test is True or (mapping is None and bool(for_test)))
        if mapping is not None:
            mapping._program = made
        return made

    def _copied(self, for_test=False, targets=None):
        """A copy; with targets of what they need."""
        writes = self._writes and not for_test and targets is None
        recording, numbers = self._recording.copy(for_test, writes, targets)
        other = Program.__new__(Program)
        other.__dict__.update(self.__dict__)
        other._recording = recording
        for name in ("_rates", "_made", "_states", "_state_names"):
            setattr(other, name, dict(getattr(self, name)))
        if targets is not None:
            other._states, other._state_names, other._first_values = {}, {}, {}
        other._losses, other._custom_gradients = list(self._losses), set(self._custom_gradients)
        other._calls = {numbers[key]: call for key, call in self._calls.items() if key in numbers}
        other._inputs_of = {name: list(own) for name, own in self._inputs_of.items()}
        other._named = {name: variable for name, variable in self._named.items() if recording.knows(variable)}
        other._insertion = 0
        other._marks = {(what, numbers[key]): n for (what, key), n in self._marks.items() if key in numbers}
        other._forget_compiled()
        _of_values.remember(other)
        return other

    def _forget_compiled(self):
        self._compiled = {}

    def _prune(self, targets):
        """A copy with what variables, or names, need; it updates nothing."""
        return self._prune_with_input([], targets)

    def _prune_with_input(self, feeded_var_names, targets):
        """As `_prune`; what is fed of other variables than inputs is computed nevertheless."""
        listed = targets if isinstance(targets, (list, tuple, set)) else [targets]
        wanted = []
        for target in listed:
            found = self.global_block().var(target) if isinstance(target, str) else target
            if not isinstance(found, _core.Tensor):
                raise ValueError(
                    f"Program._prune: targets holds a {type(target).__name__}; it must hold variables or names."
                )
            wanted.append(found)
        return self._copied(targets=wanted)

    def _sync_with_cpp(self):
        """Nothing: the program has no second form."""

    @contextlib.contextmanager
    def _optimized_guard(self, param_and_grads=None):
        """Nothing differs inside: operators have no roles."""
        yield

    def _lr_schedule_guard(self, is_with_opt=False):
        """Nothing differs inside: operators have no roles."""
        return self._optimized_guard()

    def set_is_test_attr(self):
        """Run dropout and normalisation in their inference form from now on."""
        self._for_test, self._writes = True, False
        self._compiled = {}

    def to_string(self, throw_on_error=False, with_details=False):
        """The program as text."""
        return str(self)

    def __str__(self):
        return str(self._recording)

    __repr__ = __str__

    def visualize(self, path):
        """Draw the program.

        Args:
            path: File to write: `.svg`, or `.html` with regions that fold.
        """
        self._recording.visualize(os.fspath(path))

    # -- state -----------------------------------------------------------------------------------
    def state_dict(self, mode="all", scope=None):
        """Values by name: mode 'param' parameters, 'opt' the other state, 'all' both.

        Args:
            mode: Which of them.
            scope: The Scope; None: the current one.
        """
        if not isinstance(mode, str):
            raise TypeError(f"Program.state_dict: mode has type {type(mode).__name__}; it must be a str.")
        if scope is not None and not isinstance(scope, Scope):
            raise TypeError(f"Program.state_dict: scope has type {type(scope).__name__}; it must be a Scope.")
        if mode not in ("all", "param", "opt"):
            raise ValueError(f"Program.state_dict: mode has value {mode!r}; pass 'all', 'param' or 'opt'.")
        scope = scope or global_scope()
        state = {}
        for tensor in self._persistables():
            is_parameter = isinstance(tensor, EagerParamBase)
            if mode == "all" or is_parameter == (mode == "param"):
                found = scope._find(tensor.name)
                state[tensor.name] = tensor if found is None else found
        return state

    def set_state_dict(self, state_dict, scope=None, copy_tensor=False):
        """Give parameters and other state the values of those names.

        Args:
            state_dict: Values by name.
            scope: The Scope; None: the current one.
            copy_tensor: Kept for programs that ask for copies; values are always copied.
        """
        if not isinstance(state_dict, dict):
            raise TypeError(
                f"Program.set_state_dict: state_dict has type {type(state_dict).__name__}; it must be a dict."
            )
        scope = scope or global_scope()
        with modes.eager_region():
            for tensor in self._persistables():
                if tensor.name in state_dict:
                    found = scope._find(tensor.name)
                    holder = scope._start(tensor) if found is None else found
                    holder.set_value(_value(state_dict[tensor.name]))

    # -- running ---------------------------------------------------------------------------------
    def _executable(self, feeds, fetches, scope, as_fed=False, writes=True):
        """What computes `fetches`, and with `writes` the next state; with `as_fed`, from shapes that may be others than
        declared."""
        fetched = tuple(id(t) for t in fetches)
        key = (tuple(feeds), fetched, self._recording.num_operations, id(scope), as_fed, writes)
        known = self._compiled.get(key)
        if known is None or known[2]() is not scope or known[3] != scope._version:
            known = self._compiled[key] = self._compile(feeds, fetches, scope, known, as_fed, writes)
        return known[0]

    def _compile(self, feeds, fetches, scope, known, as_fed, writes):
        held = [(t, scope._start(t) if id(t) in self._states else scope._holder(t)) for t in self._persistables()]
        bound = [pair for pair in held if pair[0] is not pair[1]]
        same = known is not None and known[2]() is scope and len(known[4]) == len(bound)
        if same and all(a is c and b is d for (a, b), (c, d) in zip(known[4], bound, strict=True)):
            return (*known[:3], scope._version, known[4])
        settings = (self._for_test, self._writes and writes, False)
        made = self._recording.compile(feeds, fetches, *settings, bound, as_fed)
        return made, fetches, weakref.ref(scope), scope._version, bound


def _value(value):
    from .scope import DenseTensor

    return value._get() if isinstance(value, DenseTensor) else value


_main, _startup = None, None


def default_main_program():
    """The program to which calls are appended in static mode, outside of `program_guard`.

    Returns:
        A Program.

    Example:
        >>> with paddle.static.program_guard(paddle.static.Program()) as _:
        ...     paddle.static.default_main_program() is not None
        True
    """
    global _main
    if _main is None:
        _main = Program()
    return _main


def default_startup_program():
    """The program that gives parameters their first values; `Executor.run` runs it once, before the main program.

    Example: see `program_guard`.
    """
    global _startup
    if _startup is None:
        _startup = Program()
    return _startup


def switch_main_program(program):
    """Append calls to another program from now on; returns the one before."""
    global _main
    before, _main = default_main_program(), program
    if not modes.in_dynamic_mode():
        modes._record(program)
    return before


def switch_startup_program(program):
    """Let another program initialise parameters from now on; returns the one before."""
    global _startup
    before, _startup = default_startup_program(), program
    return before


@contextlib.contextmanager
def program_guard(main_program, startup_program=None):
    """Inside, the default programs are others; in static mode calls are appended to the first.

    Args:
        main_program: The Program.
        startup_program: The Program that initialises its parameters; None: the current one.

    Raises:
        TypeError: An argument is no Program.

    Example:
        >>> main = paddle.static.Program()
        >>> paddle.enable_static()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 2])
        ...     y = x * 2
        >>> paddle.disable_static()
        >>> paddle.static.Executor().run(main, feed={"x": [[1.0, 2.0]]}, fetch_list=[y])[0].tolist()
        [[2.0, 4.0]]
    """
    global _main, _startup
    for name, program in (("main_program", main_program), ("startup_program", startup_program)):
        if not isinstance(program, Program) and not (name == "startup_program" and program is None):
            raise TypeError(f"program_guard: {name} has type {type(program).__name__}; it must be a Program.")
    before = (_main, default_startup_program() if startup_program is None else _startup)
    _main = main_program
    _startup = before[1] if startup_program is None else startup_program
    recorded = not modes.in_dynamic_mode()
    outer = modes._record(main_program) if recorded else None
    try:
        yield
    finally:
        _main, _startup = before
        if modes.in_dynamic_mode():  # perhaps since a call of disable_static inside
            if recorded:
                modes._record(None)
        else:
            modes._record(outer if recorded else default_main_program())


@contextlib.contextmanager
def recorded_into(program):
    """Inside, calls are appended to a program, in dynamic mode as well."""
    outer = modes._record(program)
    try:
        yield
    finally:
        modes._record(outer)


def data(name, shape, dtype=None, lod_level=0):
    """An input of the program.

    A second declaration of a name is the same input where shape and dtype are those of the first, else another one,
    and an array that is fed by the name goes to all that it fits.

    Args:
        name: Its name in `feed`.
        shape: Its shape; None or -1 for dynamic extents.
        dtype: Its dtype; None: the default dtype.
        lod_level: Kept for older programs: inputs are dense.

    Raises:
        TypeError: `name` is no str or `shape` no list or tuple.
        ValueError: An extent is below -1.

    Example:
        >>> paddle.enable_static()
        >>> with paddle.static.program_guard(paddle.static.Program()):
        ...     x = paddle.static.data("x", [None, 3], "float32")
        >>> x.name, list(x.shape)
        ('x', [-1, 3])
        >>> paddle.disable_static()
    """
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"static.data: name has type {type(name).__name__}; it must be a str.")
    if not isinstance(shape, (list, tuple)):
        raise TypeError(f"static.data: shape has type {type(shape).__name__}; it must be a list or tuple.")
    program = modes.recording_program()
    if program is None:
        raise AssertionError("static.data: no program is recorded; call paddle.enable_static() first.")
    extents = [-1 if n is None else int(n) for n in shape]
    if any(n < -1 for n in extents):
        raise ValueError(f"static.data: shape has value {list(shape)}; dynamic extents are None or -1.")
    dtype = convert(dtype or get_default_dtype())
    known = declared_before(program, name, extents, dtype)
    if known is not None:
        return known
    made = declare(program, name, extents, dtype)
    made.lod_level = lod_level
    return made


@contextlib.contextmanager
def name_scope(prefix=None):
    """Inside, drawings and profiles may group operators under a prefix; names of parameters stay as they are.

    Args:
        prefix: The name of the group.
    """
    if not modes.in_dynamic_mode() and prefix is not None and not isinstance(prefix, str):
        raise AssertionError(f"name_scope: prefix has type {type(prefix).__name__}; it must be a str.")
    yield


@contextlib.contextmanager
def device_guard(device=None):
    """Inside, operators are meant for a device; paddle has the CPU and runs all of them there.

    Args:
        device: 'cpu', 'gpu', 'gpu:0', 'xpu' or None.

    Raises:
        ValueError: Another device.
    """
    kind = None if device is None else device.partition(":")[0]
    if kind not in (None, "cpu", "gpu", "xpu", "") or (kind == "cpu" and device != "cpu"):
        raise ValueError(f"device_guard: device has value {device!r}; it must be 'cpu', 'gpu', 'xpu' or None.")
    yield


__all__ = ["Block", "Operator", "Program", "Variable", "data", "program_guard"]
