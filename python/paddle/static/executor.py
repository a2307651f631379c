# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Executor`: runs programs."""

import contextlib
import time
import warnings

from .. import _core
from ..framework import modes
from ..framework.devices import device_to_place
from ..tensor.typed import TensorSize
from .block import Variable
from .program import Program, default_main_program, recorded_into
from .redeclared import feed_by_input
from .scope import DenseTensor, global_scope
from .strategy import CompiledProgram


@contextlib.contextmanager
def _seeded(program):
    """Inside, random values follow from the program's seed, if it has one: those of a startup program from the seed
    itself, those of other programs go on where the run before ended."""
    if not program._seed:
        yield
        return
    from ..framework.random import Generator, get_rng_state, set_rng_state

    before, known = get_rng_state(), program.__dict__.get("_random_state")
    if known is None or known[0] != program._seed or program._states:
        Generator().manual_seed(program._seed)
    else:
        set_rng_state(known[1])
    try:
        yield
    finally:
        program._random_state = (program._seed, get_rng_state())
        set_rng_state(before)


def _flattened(fetch_list):
    for item in fetch_list:
        if isinstance(item, (list, tuple)):
            yield from _flattened(item)
        else:
            yield item


class Executor:
    """Runs programs.

    Args:
        place: The device; the CPU.

    Example:
        >>> import numpy as np
        >>> import paddle
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2])
        ...     y = x * 2
        >>> paddle.static.Executor().run(main, feed={"x": np.ones(2, "float32")}, fetch_list=[y])
        [array([2., 2.], dtype=float32)]
        >>> paddle.disable_static()
    """

    def __init__(self, place=None):
        self.place = _core.CPUPlace() if place is None else device_to_place(place)
        self._closed = False
        self.op_role_key, self.plan, self.enable_job_schedule_profiler = "op_role", None, False
        # Programs keep what was compiled of them; scripts that clear an executor's caches find these.
        self.program_caches, self.pruned_program_caches, self.pruned_program_scope_caches = {}, {}, {}
        self.scope_caches, self.micro_scope_cache, self.var_caches = {}, {}, {}
        self.ctx_caches, self.trainer_caches = {}, {}

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
            feed_var_name: Kept for older programs.
            fetch_var_name: Kept for older programs.
            scope: The Scope that holds the values of parameters; None: the current one.
            return_numpy: Whether values come as arrays rather than as DenseTensors.
            use_program_cache: Kept for older programs; compiled programs are always kept.
            use_prune: Whether to do only what the fetched values and the optimizer need.

        Returns:
            The values, in the order of `fetch_list`.

        Raises:
            KeyError: An input is missing.
            ValueError: The dtype of an input differs from its declaration, or an operator cannot work with the shapes
                that are fed; those may be others than the declared ones.
            RuntimeError: The executor is closed, a fetched name is unknown, or the startup program was not run.

        Example: see `paddle.static.program_guard`.
        """
        if self._closed:
            raise RuntimeError("Executor.run: the executor is closed; make a new one.")
        program = default_main_program() if program is None else program
        if isinstance(program, CompiledProgram):
            program = program._program
        if not isinstance(program, Program):
            raise AttributeError(f"Executor.run: program has type {type(program).__name__}; it must be a Program.")
        fetch_list = [] if fetch_list is None else fetch_list
        fetches = list(_flattened(fetch_list if isinstance(fetch_list, (list, tuple)) else [fetch_list]))
        feed = _fed(feed)
        from_file = hasattr(program, "_gives") and program._gives(fetches)
        if not from_file:
            fetches = [_fetched(program, f, i) for i, f in enumerate(fetches)]
        with modes.eager_region(), modes.no_grad():
            if not from_file:
                with _seeded(program):
                    values = self._run(program, feed, fetches, scope or global_scope(), use_prune)
            else:
                values = program._run(feed, fetches)
        return [v.numpy() for v in values] if return_numpy else [DenseTensor(v) for v in values]

    def _run(self, program, feed, fetches, scope, use_prune):
        if not program._recording.num_operations and not fetches:
            return []
        feed = feed_by_input(program, feed)
        known = program._recording.input_names
        names = [name for name in known if name in feed]
        extra = sorted(set(feed) - set(known))
        if extra:
            warnings.warn(f"Executor.run: feed has {extra}; the program has the inputs {list(known)}.", stacklevel=3)
        inputs = [_as_declared(program._variable(name), name, feed[name]) for name in names]
        others = {n: list(t.shape) for n, t in zip(names, inputs, strict=True) if not _fits(program._variable(n), t)}
        for name, given in others.items():
            declared = program._variable(name)._declared
            warnings.warn(f"Executor.run: {name} is fed shape {given}; it was declared {declared}.", stacklevel=3)
        writes = bool(program._rates) or not (use_prune and fetches)
        executable = program._executable(names, fetches, scope, bool(others), writes)
        for optimizer, rate in program._rates.items():
            held = scope._find(rate.name)
            (rate if held is None else held).fill_(optimizer.get_lr())
        if not executable.guards_hold(inputs):
            executable = program._executable(names, fetches, scope, True, writes)
        if not executable.guards_hold(inputs):
            raise ValueError(
                "Executor.run: the shapes in feed contradict each other or what the program was built on; feed shapes that fit the declarations."
            )
        return executable.run(inputs)

    def flush(self):
        """Kept for older programs: nothing waits to be sent."""

    def train_from_dataset(
        self,
        program=None,
        dataset=None,
        scope=None,
        thread=0,
        debug=False,
        fetch_list=None,
        fetch_info=None,
        print_period=100,
        fetch_handler=None,
    ):
        """Run a program on every batch of a dataset.

        Args:
            program: The Program.
            dataset: A `paddle.distributed.QueueDataset` or InMemoryDataset, or any iterable of feeds.
            scope: The Scope of the parameters.
            thread: Kept for older programs.
            debug: Kept for older programs.
            fetch_list: Variables that are printed every `print_period` batches.
            fetch_info: Texts before them.
            print_period: Number of batches between two prints.
            fetch_handler: Kept for older programs.

        Raises:
            RuntimeError: `dataset` is None.
        """
        if dataset is None:
            raise RuntimeError("Executor.train_from_dataset: dataset is None; pass a dataset.")
        names = fetch_info or [getattr(f, "name", str(f)) for f in fetch_list or []]
        for number, feed in enumerate(dataset, 1):
            values = self.run(program, feed=feed, fetch_list=fetch_list, scope=scope)
            if fetch_list and number % print_period == 0:
                print(_progress(number, names, values))

    def infer_from_dataset(
        self,
        program=None,
        dataset=None,
        scope=None,
        thread=0,
        debug=False,
        fetch_list=None,
        fetch_info=None,
        print_period=100,
        fetch_handler=None,
    ):
        """`train_from_dataset` of the program's test form: nothing is updated."""
        program = (program or default_main_program()).clone(for_test=True)
        return self.train_from_dataset(
            program, dataset, scope, thread, debug, fetch_list, fetch_info, print_period, fetch_handler
        )


def _progress(number, names, values):
    """A line about a batch: the time, its number, and the values that are fetched."""
    shown = [f"{n}[{v.size}]:[{' '.join(f'{x:g}' for x in v.ravel())}]" for n, v in zip(names, values, strict=True)]
    return ", ".join([f"time: [{time.strftime('%Y-%m-%d %H:%M:%S')}]", f"batch: [{number}]", *shown])


def _fed(feed):
    feed = {} if feed is None else feed
    if isinstance(feed, (list, tuple)):
        if len(feed) > 1:
            raise ValueError(f"Executor.run: feed has {len(feed)} dicts; paddle has one device, so pass one.")
        feed = feed[0] if feed else {}
    if not isinstance(feed, dict):
        raise TypeError(f"Executor.run: feed has type {type(feed).__name__}; it must be a dict of arrays by name.")
    return feed


def _fetched(program, item, position):
    item = getattr(item, "variable", item)
    if isinstance(item, _core.Tensor):
        return item
    if isinstance(item, TensorSize):
        with recorded_into(program):
            return _core.to_tensor(int(item))
    if not isinstance(item, str):
        raise TypeError(
            f"Executor.run: fetch_list[{position}] has type {type(item).__name__}; it must be a variable or a name."
        )
    found = program._variable(item)
    if found is None:
        found = next((v for v in program.list_vars() if v.name == item), None)
    if found is None:
        raise RuntimeError(f"Executor.run: the program has no variable {item!r} to fetch.")
    return found


def _as_declared(variable, name, value):
    """`value` as a Tensor of the variable's dtype."""
    if isinstance(value, DenseTensor):
        value = value._get()
    if isinstance(value, _core.Tensor):
        tensor = value
    else:
        tensor = _core.to_tensor(value) if hasattr(value, "dtype") else _core.to_tensor(value, dtype=variable.dtype)
    if tensor.dtype != variable.dtype:
        raise ValueError(
            f"Executor.run: {name} is fed {tensor.dtype}; it was declared {variable.dtype}; cast the array."
        )
    return tensor


def _fits(variable, tensor):
    """Whether a tensor has the declared shape of a variable."""
    declared, given = variable._declared, list(tensor.shape)
    return len(given) == len(declared) and all(d in (-1, g) for d, g in zip(declared, given, strict=True))


__all__ = ["Executor", "Variable"]
