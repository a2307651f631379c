# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading of programs and their state by folders, and readers of batches."""

import json
import os
import tempfile

from .. import _core
from .. import static as _static
from ..base.io import DataLoader as _DataLoader
from ..base.reader import GeneratorLoader as _GeneratorLoader
from ..framework.modes import in_dynamic_mode
from ..io.reader import batch as batch
from ..reader import buffered as buffered
from ..reader import cache as cache
from ..reader import chain as chain
from ..reader import compose as compose
from ..reader import firstn as firstn
from ..reader import map_readers as map_readers
from ..reader import multiprocess_reader as multiprocess_reader
from ..reader import shuffle as shuffle
from ..reader import xmap_readers as xmap_readers
from ..static import load_program_state as load_program_state
from ..static import set_program_state as set_program_state
from ..static.io import is_parameter, is_persistable, load_vars, save_vars
from ..static.program import default_main_program
from . import absent

_MODEL = "__model__"


def _of_program(main_program):
    program = main_program or default_main_program()
    return getattr(program, "_program", program)


def save_params(executor, dirname, main_program=None, filename=None):
    """Write the parameters of a program: a file each under its name, or all of them into `filename`.

    Args:
        executor: Kept.
        dirname: The folder; it is made.
        main_program: The Program; None: the default one.
        filename: The file that holds all, in the order of names.
    """
    save_vars(executor, dirname, _of_program(main_program), predicate=is_parameter, filename=filename)


def load_params(executor, dirname, main_program=None, filename=None):
    """Read what `save_params` wrote."""
    load_vars(executor, dirname, _of_program(main_program), predicate=is_parameter, filename=filename)


def save_persistables(executor, dirname, main_program=None, filename=None):
    """Write the parameters and the other state of a program; see `save_params`."""
    save_vars(executor, dirname, _of_program(main_program), predicate=is_persistable, filename=filename)


def load_persistables(executor, dirname, main_program=None, filename=None):
    """Read what `save_persistables` wrote."""
    load_vars(executor, dirname, _of_program(main_program), predicate=is_persistable, filename=filename)


def save(program, model_path, protocol=4, **configs):
    """Write a program and its state; see `paddle.static.save`."""
    _static.save(_of_program(program), model_path, protocol, **configs)


def load(program, model_path, executor=None, var_list=None):
    """Read the state of a program that `save` wrote; of a folder or file what `save_params` wrote.

    Args:
        program: The Program.
        model_path: The prefix of the files of `save`, or a folder or file of variables.
        executor: Kept.
        var_list: The variables that are read; None for all.
    """
    program = _of_program(program)
    if os.path.isfile(model_path + ".pdparams"):
        return _static.load(program, model_path, executor, var_list)
    if os.path.isdir(model_path):
        known = var_list or [v for v in program._persistables() if os.path.isfile(os.path.join(model_path, v.name))]
        return load_vars(executor, model_path, program, vars=known)
    folder, file = os.path.split(model_path)
    if not os.path.isfile(model_path):
        raise ValueError(f"fluid.load: {model_path}.pdparams, {model_path} do not exist.")
    return load_vars(executor, folder, program, vars=var_list, predicate=is_persistable, filename=file)


def save_inference_model(
    dirname,
    feeded_var_names,
    target_vars,
    executor,
    main_program=None,
    model_filename=None,
    params_filename=None,
    export_for_deployment=True,
    program_only=False,
    clip_extra=False,
):
    """Write a program for inference into a folder. The file of the program has the form of PaddlePaddle 3.

    Args:
        dirname: The folder; it is made.
        feeded_var_names: Names of the inputs.
        target_vars: The outputs.
        executor: Kept.
        main_program: The Program; None: the default one.
        model_filename: Name of the file of the program; None: '__model__'.
        params_filename: Name of the file of all parameters; None: a file each.
        export_for_deployment: Kept.
        program_only: Whether parameters are not written.
        clip_extra: Kept.

    Returns:
        The names of the outputs.
    """
    program = _of_program(main_program)
    names = [feeded_var_names] if isinstance(feeded_var_names, str) else list(feeded_var_names or [])
    targets = list(target_vars) if isinstance(target_vars, (list, tuple)) else [target_vars]
    block = program.global_block()
    feeds = [block.var(name) for name in names]
    levels_in = _offsets(program, feeds)
    levels_out = _offsets(program, targets)
    os.makedirs(dirname, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "model")
        inputs = [*feeds, *(o for levels in levels_in for o in levels)]
        outputs = [*targets, *(o for levels in levels_out for o in levels)]
        _static.save_inference_model(prefix, inputs, outputs, executor, program=program)
        content = _marked(_read(prefix + ".json"), names, levels_in, levels_out)
        _static.save_to_file(os.path.join(dirname, model_filename or _MODEL), content)
        values = prefix + ".pdiparams"
        if not program_only and os.path.isfile(values):
            _save_values(dirname, params_filename, _read(values), content)
    return [target.name for target in targets]


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def _offsets(program, variables):
    """The offsets of the sequences in the rows of variables, a list for each."""
    from ..static.program import recorded_into
    from .operators import offsets_of

    with recorded_into(program):
        return [list(offsets_of(v)) for v in variables]


def _marked(content, names, levels_in, levels_out):
    """The program, its inputs and outputs that are offsets of sequences being marked as such."""
    if not any(levels_in) and not any(levels_out):
        return content
    read = json.loads(content)

    def mark(op, position):
        op["A"].append({"AT": {"#": "0.a_i64", "D": position}, "N": "offsets_of"})

    of_input = {o.name: i for i, levels in enumerate(levels_in) for o in levels}
    of_output = [i for i, levels in enumerate(levels_out) for _ in levels]
    fetched = 0
    for op in read["program"]["regions"][0]["blocks"][0]["ops"]:
        if op["#"].endswith(".data"):
            name = next(a["AT"]["D"] for a in op["A"] if a["N"] == "name")
            if name in of_input:
                mark(op, of_input[name])
        elif op["#"].endswith(".fetch"):
            if fetched >= len(levels_out):
                mark(op, of_output[fetched - len(levels_out)])
            fetched += 1
    return json.dumps(read, separators=(",", ":")).encode()


def _save_values(dirname, params_filename, records, content):
    if params_filename is not None:
        return _static.save_to_file(os.path.join(dirname, params_filename), records)
    from ..framework import modes
    from ..static.loaded import saved_of

    with modes.eager_region():
        saved = saved_of(content, records, False)
        for name, value in zip(saved.parameter_names, saved.parameters, strict=True):
            _static.save_to_file(os.path.join(dirname, name), _core.pir.tensors_to_records([value]))
    return None


def load_inference_model(dirname, executor, model_filename=None, params_filename=None, pserver_endpoints=None):
    """Read a program for inference.

    Args:
        dirname: Its folder.
        executor: Kept.
        model_filename: Name of the file of the program; None: '__model__'.
        params_filename: Name of the file of all parameters; None: a file each.
        pserver_endpoints: Kept.

    Returns:
        [program, names of the inputs, outputs].
    """
    model = model_filename or (_MODEL if os.path.isfile(os.path.join(dirname, _MODEL)) else None)
    if model is None:
        return _static.load_inference_model(dirname, executor)
    from ..framework import modes
    from ..static.loaded import LoadedProgram

    path = os.path.join(dirname, model)
    if not os.path.isfile(path):
        raise ValueError(f"fluid.io.load_inference_model: {path} does not exist.")
    params = os.path.join(dirname, params_filename) if params_filename is not None else ""
    with modes.eager_region():
        program = LoadedProgram(_core.pir.SavedProgram.load(path, params))
    scope = _static.global_scope()
    for name, tensor in zip(program._saved.parameter_names, program._saved.parameters, strict=False):
        scope._put(name, tensor)
    return [program, list(program._saved.input_names), program.fetch_targets]


def get_program_parameter(program):
    """The parameters of a program."""
    return [v for v in program.list_vars() if is_parameter(v)]


def get_program_persistable_vars(program):
    """The parameters and the other state of a program."""
    return [v for v in program.list_vars() if is_persistable(v)]


class GeneratorLoader(_GeneratorLoader):
    """Batches of a function; see `DataLoader.from_generator`.

    Without `iterable` it feeds the program of its variables: `start()` begins, `Executor.run` raises
    `fluid.core.EOFException` at the end, then `reset()` is called.
    """

    def __init__(self, feed_list, return_list, drop_last, iterable=True):
        super().__init__(feed_list, return_list, drop_last)
        self._iterable, self._started = iterable, None
        if not iterable:
            from .operators import require_program

            require_program("DataLoader").__dict__.setdefault("_readers", []).append(self)

    def set_sample_list_generator(self, reader, places=None):
        """Take batches from a function that returns an iterator of lists of samples."""
        levels = [getattr(v, "lod_level", 0) or 0 for v in self._feed_list or ()]
        if in_dynamic_mode() or not any(levels):
            return super().set_sample_list_generator(reader, places)
        from .data_feeder import DataFeeder

        feeder = DataFeeder(self._feed_list)

        def batches():
            for samples in reader():
                fed = feeder.feed(samples)
                yield [fed[name] for name in feeder.feed_names]

        return self._set(batches, places)

    def start(self):
        """Begin with the first batch."""
        if self._iterable:
            raise RuntimeError("DataLoader.start: iterable=True; iterate over the loader instead.")
        self._started = iter(self)

    def reset(self):
        """End; `start` begins again."""
        self._started = None

    def _feeds(self, program, feed):
        """Whether the program is to be fed by this reader."""
        return self._started is not None and not any(v.name in feed for v in self._feed_list)

    def _next(self):
        from ..base.core import EOFException

        found = next(self._started, None)
        if found is None:
            self._started = None
            raise EOFException("There is no next data: the reader is at its end; call reset() and start().")
        parts = found[0] if isinstance(found, list) and found and isinstance(found[0], dict) else found
        return parts if isinstance(parts, dict) else dict(zip([v.name for v in self._feed_list], parts, strict=True))


class PyReader(GeneratorLoader):
    """Batches of a function, in the words of PaddlePaddle 1: `decorate_...` for `set_...`.

    Args:
        feed_list: The variables that a batch is for.
        capacity: Kept: batches are made when they are asked for.
        use_double_buffer: Kept.
        iterable: Whether it is iterated over; else `start()` lets it feed its program.
        return_list: Whether batches are lists rather than dicts by name.
    """

    def __init__(self, feed_list=None, capacity=None, use_double_buffer=True, iterable=True, return_list=False):
        super().__init__(feed_list, return_list, True, iterable)

    def decorate_sample_generator(self, sample_generator, batch_size, drop_last=True, places=None):
        """Take samples from a function that returns an iterator of them."""
        self.set_sample_generator(sample_generator, batch_size, drop_last, places)

    def decorate_sample_list_generator(self, reader, places=None):
        """Take batches from a function that returns an iterator of lists of samples."""
        self.set_sample_list_generator(reader, places)

    def decorate_batch_generator(self, reader, places=None):
        """Take batches from a function that returns an iterator of lists of arrays."""
        self.set_batch_generator(reader, places)

    decorate_paddle_reader = decorate_sample_list_generator
    decorate_tensor_provider = decorate_batch_generator


class DataLoader(_DataLoader):
    """`paddle.io.DataLoader`, and loaders of what functions give."""

    @staticmethod
    def from_generator(
        feed_list=None,
        capacity=None,
        use_double_buffer=True,
        iterable=True,
        return_list=False,
        use_multiprocess=False,
        drop_last=True,
    ):
        """A loader that gets its batches from a function; see `GeneratorLoader`.

        Args:
            feed_list: In static mode the variables that a batch is for.
            capacity: Kept: batches are made when they are asked for.
            use_double_buffer: Kept.
            iterable: Whether it is iterated over; else `start()` lets it feed its program.
            return_list: In static mode, whether batches are lists of tensors rather than dicts by name.
            use_multiprocess: Kept.
            drop_last: Leave out an incomplete group of batches where there are several places.

        Example:
            >>> import numpy as np
            >>> from paddle import fluid
            >>> loader = fluid.io.DataLoader.from_generator(capacity=2)
            >>> loader.set_batch_generator(lambda: ([np.ones([2, 3])] for _ in range(2))) is loader
            True
            >>> [list(x.shape) for (x,) in loader()]
            [[2, 3], [2, 3]]
        """
        return GeneratorLoader(feed_list, return_list, drop_last, iterable)


def __getattr__(name):
    from ..io import __dict__ as present

    if name in present:
        return present[name]
    raise absent.error(__name__, name)
