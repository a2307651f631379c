# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading of static programs and their state."""

import os

from .. import _core
from ..framework import modes
from ..framework.io import load as _load_file
from ..framework.io import save as _save_file
from .program import Program, default_main_program


class LoadedProgram:
    """A program read from files, as `Executor.run` takes it."""

    def __init__(self, saved):
        self._saved = saved
        self.fetch_targets = [FetchTarget(name, i) for i, name in enumerate(saved.output_names)]

    def _run(self, feed, fetch_list):
        names = list(self._saved.input_names)
        missing = [name for name in names if name not in feed]
        if missing:
            raise ValueError(f"Executor.run: feed lacks {missing}; the program has the inputs {names}.")
        tensors = [v if isinstance(v, _core.Tensor) else _core.to_tensor(v) for v in (feed[n] for n in names)]
        results = self._saved.run(tensors)
        by_name = dict(zip(self._saved.output_names, results, strict=True))
        return [by_name[f if isinstance(f, str) else f.name] for f in fetch_list]

    def all_parameters(self):
        """The parameters."""
        return self._saved.parameters

    def __str__(self):
        return str(self._saved)

    def visualize(self, path):
        """Draw the program into a `.svg` or `.html` file."""
        self._saved.visualize(os.fspath(path))


class FetchTarget:
    """An output of a loaded program."""

    def __init__(self, name, index):
        self.name, self.index = name, index

    def __repr__(self):
        return f"FetchTarget({self.name!r})"


def save_inference_model(path_prefix, feed_vars, fetch_vars, executor, **kwargs):
    """Write `path_prefix.json` and `path_prefix.pdiparams`.

    Args:
        path_prefix: Prefix of both files; folders are made.
        feed_vars: The inputs.
        fetch_vars: The outputs.
        executor: Accepted for its place in the call.
        kwargs: `program`: the Program; default: the main program.
    """
    program = kwargs.get("program") or default_main_program()
    feeds = [v.name for v in (feed_vars if isinstance(feed_vars, (list, tuple)) else [feed_vars])]
    fetches = list(fetch_vars) if isinstance(fetch_vars, (list, tuple)) else [fetch_vars]
    folder = os.path.dirname(path_prefix)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with modes.eager_region():
        executable = program._recording.compile(feeds, fetches, program._until, True, True)
        executable.save(path_prefix, [t.name for t in executable.captured])


def load_inference_model(path_prefix, executor, **kwargs):
    """Read an exported program.

    Args:
        path_prefix: Prefix of its files, or their folder with `model_filename` and
            `params_filename`.

    Returns:
        [program, input names, outputs]; `Executor.run(program, feed, fetch_list=outputs)`.
    """
    from ..inference.config import Config

    model, params = kwargs.get("model_filename"), kwargs.get("params_filename")
    if model is not None:
        config = Config(os.path.join(path_prefix, model), os.path.join(path_prefix, params) if params else "")
    elif os.path.isdir(path_prefix):
        config = Config(path_prefix)
    else:
        found = [path_prefix + e for e in (".json", ".pdmodel") if os.path.isfile(path_prefix + e)]
        if not found:
            raise ValueError(f"load_inference_model: {path_prefix}.json and {path_prefix}.pdmodel do not exist.")
        values = path_prefix + ".pdiparams"
        config = Config(found[0], values if os.path.isfile(values) else "")
    with modes.eager_region():
        program = LoadedProgram(_core.pir.SavedProgram.load(*config.files()))
    return [program, list(program._saved.input_names), program.fetch_targets]


def save(program, model_path, protocol=4, **configs):
    """Write the state of a program: `.pdparams` and, for optimizers, `.pdopt`."""
    if not os.path.basename(model_path):
        raise ValueError(f"static.save: model_path has value {model_path!r}; it must have the form folder/prefix.")
    with modes.eager_region():
        _save_file(program.state_dict("param"), model_path + ".pdparams", protocol)
        _save_file(program.state_dict("opt"), model_path + ".pdopt", protocol)


def load(program, model_path, executor=None, var_list=None):
    """Read the state of a program that `save` wrote."""
    with modes.eager_region():
        program.set_state_dict(load_program_state(model_path, var_list))


def load_program_state(model_path, var_list=None):
    """Arrays by name of what `save` wrote."""
    if not os.path.isfile(model_path + ".pdparams"):
        raise ValueError(f"load_program_state: {model_path}.pdparams does not exist.")
    names = None if var_list is None else {v.name for v in var_list}
    state = {}
    with modes.eager_region():
        for suffix in (".pdparams", ".pdopt"):
            if os.path.isfile(model_path + suffix):
                for name, value in _load_file(model_path + suffix, return_numpy=True).items():
                    if names is None or name in names:
                        state[name] = value
    return state


def set_program_state(program, state_dict):
    """Give the state of a program the values of those names."""
    program.set_state_dict(state_dict)


def load_vars(executor, dirname, main_program=None, vars=None, predicate=None, filename=None):
    """Read variables that were saved one file each, or all in `filename`, in sorted order of name.

    Args:
        dirname: The folder.
        main_program: The Program; None: the default.
        vars: The variables; None: those of the program for which `predicate` is true.
        predicate: A function of a variable.
        filename: The file that holds all.
    """
    program = main_program or default_main_program()
    chosen = (
        list(vars) if vars is not None else [v for v in program._persistables() if predicate is None or predicate(v)]
    )
    chosen.sort(key=lambda v: v.name)
    with modes.eager_region():
        if filename is not None:
            content = _read(os.path.join(dirname, filename))
            values = _core.pir.tensors_from_records(content, len(chosen))
        else:
            values = [_core.pir.tensors_from_records(_read(os.path.join(dirname, v.name)), 1)[0] for v in chosen]
        for variable, value in zip(chosen, values, strict=True):
            variable.set_value(value)


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def normalize_program(program, feed_vars, fetch_vars, **kwargs):
    """The program for inference: `clone(for_test=True)`."""
    if not isinstance(program, Program):
        raise TypeError(f"normalize_program: program is a {type(program).__name__}; it must be a Program.")
    return program.clone(for_test=True)
