# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Executor`: runs programs; scopes give access to their state by name."""

import contextlib
import weakref

from .. import _core
from ..framework import modes
from .program import Program, default_main_program, default_startup_program


class BuildStrategy:
    """Settings of earlier versions for building a program; kept, without effect."""

    def __init__(self):
        self.__dict__["_settings"] = {}

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._settings.get(name, False)

    def __setattr__(self, name, value):
        self._settings[name] = value


class ExecutionStrategy(BuildStrategy):
    """Settings of earlier versions for running a program; kept, without effect."""


class CompiledProgram:
    """A program with settings for building it.

    Args:
        program_or_graph: The Program.
        build_strategy: A BuildStrategy.
    """

    def __init__(self, program_or_graph, build_strategy=None):
        self._program = program_or_graph
        self._build_strategy = build_strategy


class _ScopeTensor:
    """The memory of a variable: an array to read, `set` to write."""

    def __init__(self, tensor):
        self._tensor = tensor

    def __array__(self, dtype=None, copy=None):
        import numpy

        return numpy.array(self._tensor.detach().numpy(), dtype=dtype)

    def set(self, value, place=None):
        """Copy an array in."""
        with modes.eager_region():
            self._tensor.set_value(value)

    def shape(self):
        """The shape as a list."""
        return list(self._tensor.shape)

    def __str__(self):
        return str(self._tensor)


class _ScopeVariable:
    def __init__(self, tensor):
        self._tensor = tensor

    def get_tensor(self):
        """The memory of the variable."""
        return _ScopeTensor(self._tensor)

    def name(self):
        """Its name."""
        return self._tensor.name


class Scope:
    """State of programs by name."""

    def __init__(self):
        self._programs = weakref.WeakSet()
        self._own = {}

    def find_var(self, name):
        """The variable of that name, or None."""
        for program in list(self._programs):
            for tensor in program._captured():
                if tensor.name == name:
                    return _ScopeVariable(tensor)
        return _ScopeVariable(self._own[name]) if name in self._own else None

    def var(self, name):
        """The variable of that name; a new one is empty."""
        found = self.find_var(name)
        if found is None:
            with modes.eager_region():
                self._own[name] = _core.ops.full([0], 0.0, _core.float32)
            found = self.find_var(name)
        return found


_scopes = [Scope()]


def global_scope():
    """The current scope."""
    return _scopes[-1]


@contextlib.contextmanager
def scope_guard(scope):
    """Inside, `global_scope()` is another scope."""
    _scopes.append(scope)
    try:
        yield
    finally:
        _scopes.pop()


class Executor:
    """Runs programs.

    Args:
        place: The device; the CPU.
    """

    def __init__(self, place=None):
        self.place = place
        self._closed = False

    def close(self):
        """Forget what was kept for runs; `run` raises from now on."""
        self._closed = True

    def run(
        self,
        program=None,
        feed=None,
        fetch_list=None,
        feed_var_name="feed",
        fetch_var_name="fetch",
        scope=None,
        return_numpy=True,
        use_program_cache=False,
        use_prune=False,
    ):
        """Run a program once.

        Args:
            program: A Program, a CompiledProgram, or what `load_inference_model` returned; None:
                the default main program.
            feed: Arrays by input name.
            fetch_list: Variables or names whose values are wanted.
            return_numpy: Whether values come as arrays rather than Tensors.

        Returns:
            The values, in the order of `fetch_list`.

        Raises:
            ValueError: An input is missing, or a shape or dtype differs from its declaration.
        """
        if self._closed:
            raise RuntimeError("Executor.run: the executor is closed; make a new one.")
        program = default_main_program() if program is None else program
        if isinstance(program, CompiledProgram):
            program = program._program
        fetch_list = [] if fetch_list is None else fetch_list
        fetch_list = list(fetch_list) if isinstance(fetch_list, (list, tuple)) else [fetch_list]
        with modes.eager_region(), modes.no_grad():
            if isinstance(program, Program):
                values = self._run(program, feed or {}, fetch_list, scope)
            else:
                values = program._run(feed or {}, fetch_list)
        return [v.numpy() for v in values] if return_numpy else values

    def _run(self, program, feed, fetch_list, scope):
        is_startup = program is default_startup_program() or program._initial
        if is_startup and not fetch_list and not program._recording.num_operations:
            program._initialise()
            return []
        (scope or global_scope())._programs.add(program)
        known = program._recording.input_names
        names = [name for name in known if name in feed]
        extra = sorted(set(feed) - set(known))
        if extra:
            raise ValueError(f"Executor.run: feed has {extra}; the program has the inputs {list(known)}.")
        block = program.global_block()
        fetches = [block.var(f) if isinstance(f, str) else f for f in fetch_list]
        inputs = [_as_declared(block.var(name), feed[name]) for name in names]
        for optimizer, rate in program._rates.items():
            rate.fill_(optimizer.get_lr())
        executable = program._executable(names, fetches)
        if not executable.guards_hold(inputs):
            raise ValueError("Executor.run: the shapes in feed contradict each other or what the program was built on.")
        return executable.run(inputs)


def _as_declared(variable, value):
    """`value` as a Tensor of the variable's dtype; its shape is compared."""
    tensor = value if isinstance(value, _core.Tensor) else None
    if tensor is None:
        tensor = _core.to_tensor(value) if hasattr(value, "dtype") else _core.to_tensor(value, dtype=variable.dtype)
    if tensor.dtype != variable.dtype:
        raise ValueError(
            f"Executor.run: {variable.name} is fed {tensor.dtype}; it was declared {variable.dtype}; cast the array."
        )
    declared = [n if type(n) is int else -1 for n in variable.shape]
    given = list(tensor.shape)
    if len(given) != len(declared) or any(d not in (-1, g) for d, g in zip(declared, given, strict=True)):
        raise ValueError(f"Executor.run: {variable.name} is fed shape {given}; it was declared {declared}.")
    return tensor
