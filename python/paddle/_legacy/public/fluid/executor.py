# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Executors of programs whose variables may have sequences in their rows, and which readers may feed."""

from .. import _core
from .. import static as _static
from ..base.executor import _fetch_var, as_numpy
from ..framework import modes
from ..static import Program, Scope, default_main_program, global_scope, scope_guard
from ..static.scope import DenseTensor
from ..static.strategy import BuildStrategy, ExecutionStrategy
from .operators import offsets_of


class CompiledProgram(_static.CompiledProgram):
    """A program with settings for building it.

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> paddle.enable_static()
        >>> program = fluid.CompiledProgram(fluid.Program()).with_data_parallel(loss_name="loss")
        >>> paddle.disable_static()
    """

    def with_data_parallel(
        self, loss_name=None, build_strategy=None, exec_strategy=None, share_vars_from=None, places=None
    ):
        """The program itself: paddle has one device, which runs whole batches.

        Args:
            loss_name: Kept.
            build_strategy: A BuildStrategy.
            exec_strategy: An ExecutionStrategy; kept.
            share_vars_from: Kept: programs share the scope.
            places: Kept.
        """
        if build_strategy is not None:
            self._build_strategy = build_strategy
        self._exec_strategy = exec_strategy
        return self

    def with_inference_optimize(self, config):
        """The program itself."""
        return self


class Executor(_static.Executor):
    """Runs programs; see `paddle.static.Executor`.

    LoDTensors in `feed` bring the boundaries of their sequences along, fetched ones have theirs. Where a reader was started
    (`fluid.io.PyReader(..., iterable=False)`), it feeds its inputs.

    Args:
        place: The device; the CPU.
    """

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
        return_merged=True,
        use_prune=False,
    ):
        """Run a program once; see `paddle.static.Executor.run`.

        Raises:
            paddle.fluid.core.EOFException: A started reader has no batch left.
        """
        program = default_main_program() if program is None else program
        if isinstance(program, CompiledProgram):
            program = program._program
        feed = _merged(feed)
        for reader in getattr(program, "_readers", ()):
            if reader._feeds(program, feed):
                feed.update(reader._next())
        if not hasattr(program, "_saved"):
            feed = _with_offsets(program, feed)
        listed = [] if fetch_list is None else fetch_list if isinstance(fetch_list, (list, tuple)) else [fetch_list]
        if return_numpy or hasattr(program, "_saved"):
            return super().run(program, feed, list(listed), scope=scope, return_numpy=return_numpy, use_prune=use_prune)
        return self._run_with_sequences(program, feed, listed, scope, use_prune)

    def _run_with_sequences(self, program, feed, listed, scope, use_prune):
        """The fetched values as DenseTensors that have the sequences of their variables."""
        asked, levels = list(listed), []
        for item in listed:
            variable = program.global_block().var(item) if isinstance(item, str) else item
            known = variable.__dict__.get("_offsets") if isinstance(variable, _core.Tensor) else None
            if known is None and isinstance(variable, _core.Tensor):
                known = _offsets_in(program, variable)
            levels.append([o for o in known or [] if o.name not in program._recording.input_names or o.name in feed])
            asked.extend(levels[-1])
        made = super().run(program, feed, asked, scope=scope, return_numpy=False, use_prune=use_prune)
        values, offsets = made[: len(listed)], made[len(listed) :]
        for value, own in zip(values, levels, strict=True):
            if own:
                value.set_lod([as_numpy(offsets.pop(0)).tolist() for _ in own])
        return values


def _offsets_in(program, variable):
    if modes.in_dynamic_mode():
        return []
    from ..static.program import recorded_into

    with recorded_into(program):
        return offsets_of(variable)


def _merged(feed):
    """One dict of what is fed; several ones are batches of several devices, whose rows are joined."""
    if not isinstance(feed, (list, tuple)):
        return dict(feed or {})
    if len(feed) < 2:
        return dict(feed[0]) if feed else {}
    import numpy

    return {name: numpy.concatenate([numpy.asarray(part[name]) for part in feed]) for name in feed[0]}


def _with_offsets(program, feed):
    """What is fed, with the offsets of the sequences that the program asks for."""
    import numpy

    made = dict(feed)
    inputs = set(program._recording.input_names) if isinstance(program, Program) else set()
    for name, value in feed.items():
        if f"{name}@LOD0" not in inputs:
            continue
        lod = value.lod() if isinstance(value, DenseTensor) else DenseTensor(value).lod() if _is_tensor(value) else []
        for level, offsets in enumerate(lod):
            made[f"{name}@LOD{level}"] = numpy.asarray(offsets, "int64")
    return made


def _is_tensor(value):
    return isinstance(value, _core.Tensor)


class ParallelExecutor:
    """An executor of one program, in the words of PaddlePaddle 1.

    Args:
        use_cuda: False: paddle has no CUDA.
        loss_name: Kept.
        main_program: The Program; None: the default one.
        share_vars_from: Kept: programs share the scope.
        exec_strategy: Kept.
        build_strategy: Kept.
        num_trainers: 1.
        trainer_id: 0.
        scope: The Scope; None: the current one.
    """

    def __init__(
        self,
        use_cuda,
        loss_name=None,
        main_program=None,
        share_vars_from=None,
        exec_strategy=None,
        build_strategy=None,
        num_trainers=1,
        trainer_id=0,
        scope=None,
    ):
        if use_cuda:
            raise RuntimeError("ParallelExecutor: paddle has no CUDA; pass use_cuda=False.")
        self._program, self._scope = main_program or default_main_program(), scope
        self._executor = Executor()

    device_count = 1

    def run(self, fetch_list, feed=None, feed_dict=None, return_numpy=True):
        """Run the program once."""
        given = feed if feed is not None else feed_dict
        return self._executor.run(self._program, given, fetch_list, scope=self._scope, return_numpy=return_numpy)

    def drop_local_exe_scopes(self):
        """Nothing: there is one scope."""


class DataFeedDesc:
    """Raises NotImplementedError: `fluid.DatasetFactory` describes files."""

    def __init__(self, proto_file):
        raise NotImplementedError("DataFeedDesc: describe files by fluid.DatasetFactory().create_dataset().")


def cuda_places(device_ids=None):
    """Raises RuntimeError: paddle has no CUDA."""
    return _static.cuda_places(device_ids)


def cuda_pinned_places(device_count=None):
    """Raises RuntimeError: paddle has no CUDA."""
    raise RuntimeError("cuda_pinned_places: paddle has no GPU support; use cpu_places().")


__all__ = [
    "BuildStrategy",
    "CompiledProgram",
    "ExecutionStrategy",
    "Executor",
    "Scope",
    "_fetch_var",
    "as_numpy",
    "global_scope",
    "scope_guard",
]
