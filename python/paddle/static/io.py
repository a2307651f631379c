# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Saving and loading of static programs and their state."""

import os
import tempfile

from .. import _core
from ..framework import modes
from ..framework.io import load as _load_file
from ..framework.io import save as _save_file
from .loaded import FetchTarget, LoadedProgram, UnboundProgram, content_of, saved_of
from .parameter import Parameter
from .program import Program, default_main_program
from .scope import global_scope


def _variables(name, given):
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    listed = [v.variable if isinstance(v, FetchTarget) else v for v in listed]
    if not all(isinstance(v, _core.Tensor) for v in listed):
        raise ValueError(f"save_inference_model: {name} must be a variable or a list of variables.")
    return listed


def _check_prefix(function, path_prefix):
    if not isinstance(path_prefix, (str, os.PathLike)):
        raise ValueError(f"{function}: path_prefix has type {type(path_prefix).__name__}; it must be a string.")


def _compiled_for_inference(program, feed_vars, fetch_vars):
    feeds, fetches = _variables("feed_vars", feed_vars), _variables("fetch_vars", fetch_vars)
    scope = global_scope()
    held = [(t, scope._find(t.name)) for t in program._persistables()]
    bound = [(t, holder) for t, holder in held if holder is not None and holder is not t]
    return program._recording.compile([v.name for v in feeds], fetches, True, False, True, bound, False)


def save_inference_model(path_prefix, feed_vars, fetch_vars, executor, **kwargs):
    """Write `path_prefix.json` and `path_prefix.pdiparams`.

    Args:
        path_prefix: Prefix of both files; folders are made.
        feed_vars: The inputs.
        fetch_vars: The outputs.
        executor: Accepted for its place in the call.
        kwargs: `program`: the Program; default: the main program.

    Raises:
        ValueError: `path_prefix` is no prefix; `feed_vars` or `fetch_vars` holds something else than variables.

    Example:
        >>> import os, tempfile, numpy as np
        >>> paddle.enable_static()
        >>> program, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(program, startup):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> executor = paddle.static.Executor()
        >>> _ = executor.run(startup)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     prefix = os.path.join(folder, "model")
        ...     paddle.static.save_inference_model(prefix, [x], [y], executor, program=program)
        ...     loaded, inputs, outputs = paddle.static.load_inference_model(prefix, executor)
        >>> values = executor.run(loaded, feed={inputs[0]: np.ones([4, 3], "float32")}, fetch_list=outputs)
        >>> values[0].shape
        (4, 2)
        >>> paddle.disable_static()
    """
    _check_prefix("save_inference_model", path_prefix)
    if not os.path.basename(path_prefix):
        raise ValueError(f"save_inference_model: path_prefix has value {path_prefix!r}; a prefix of files is missing.")
    program = kwargs.get("program") or default_main_program()
    if hasattr(program, "_program"):
        program = program._program
    folder = os.path.dirname(path_prefix)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with modes.eager_region():
        executable = _compiled_for_inference(program, feed_vars, fetch_vars)
        executable.save(path_prefix, [t.name for t in executable.captured])


def _serialized(feed_vars, fetch_vars, suffix, program):
    with tempfile.TemporaryDirectory() as folder, modes.eager_region():
        executable = _compiled_for_inference(program or default_main_program(), feed_vars, fetch_vars)
        executable.save(os.path.join(folder, "model"), [t.name for t in executable.captured])
        path = os.path.join(folder, "model" + suffix)
        return _read(path) if os.path.isfile(path) else b""


def serialize_program(feed_vars, fetch_vars, **kwargs):
    """The content of the `.json` file that `save_inference_model` writes, as bytes.

    Args:
        feed_vars: The inputs.
        fetch_vars: The outputs.
        kwargs: `program`: the Program; default: the main program.
    """
    return _serialized(feed_vars, fetch_vars, ".json", kwargs.get("program"))


def serialize_persistables(feed_vars, fetch_vars, executor, **kwargs):
    """The content of the `.pdiparams` file that `save_inference_model` writes, as bytes.

    Args:
        feed_vars: The inputs.
        fetch_vars: The outputs.
        executor: Accepted for its place in the call.
        kwargs: `program`: the Program; default: the main program.
    """
    return _serialized(feed_vars, fetch_vars, ".pdiparams", kwargs.get("program"))


def deserialize_program(data):
    """The program that `serialize_program` gave as bytes; `deserialize_persistables` gives it its parameters."""
    if not isinstance(data, bytes):
        raise TypeError(f"deserialize_program: data has type {type(data).__name__}; it must be bytes.")
    return UnboundProgram(data)


def deserialize_persistables(program, data, executor):
    """Give a program its parameters.

    Args:
        program: What `deserialize_program` returned.
        data: What `serialize_persistables` returned.
        executor: Accepted for its place in the call.
    """
    if not isinstance(program, UnboundProgram):
        raise TypeError(
            f"deserialize_persistables: program has type {type(program).__name__}; pass what deserialize_program gave."
        )
    program._bind(data)


def save_to_file(path, content):
    """Write bytes to a file.

    Raises:
        ValueError: `content` is no bytes.
    """
    if not isinstance(content, bytes):
        raise ValueError(f"save_to_file: content has type {type(content).__name__}; it must be bytes.")
    with open(path, "wb") as file:
        file.write(content)


def load_from_file(path):
    """The content of a file, as bytes."""
    return _read(path)


def is_persistable(var):
    """Whether a variable keeps its value from run to run."""
    return bool(var.persistable)


def is_parameter(var):
    """Whether a variable is a parameter."""
    return isinstance(var, Parameter)


def _stored(path, *endings):
    """The path itself where it is a file, else the first file of that name with an ending."""
    found = [path + e for e in ("", *endings) if os.path.isfile(path + e)]
    return found[0] if found else path


def load_inference_model(path_prefix, executor, **kwargs):
    """Read an exported program.

    Args:
        path_prefix: Prefix of its files, or their folder with `model_filename` and
            `params_filename`, whose endings (`.json` or `.pdmodel`, and `.pdiparams`) may be left out.
            None: both are the contents of files, as bytes.

    Returns:
        [program, input names, outputs]; `Executor.run(program, feed, fetch_list=outputs)`.

    Raises:
        ValueError: There are no such files, or an argument names none.

    Example: see `save_inference_model`.
    """
    from ..inference.config import Config

    if path_prefix is None:
        contents = [kwargs.get(name) for name in ("model_filename", "params_filename")]
        if not all(isinstance(content, bytes) for content in contents):
            raise ValueError(
                "load_inference_model: path_prefix is None; then model_filename and params_filename must be the contents "
                "of the files, as bytes."
            )
        return _as_loaded(LoadedProgram(saved_of(*contents)))
    _check_prefix("load_inference_model", path_prefix)
    model, params = kwargs.get("model_filename"), kwargs.get("params_filename")
    if model is not None:
        program = _stored(os.path.join(path_prefix, model), ".json", ".pdmodel")
        values = _stored(os.path.join(path_prefix, params or os.path.splitext(model)[0]), ".pdiparams")
        config = Config(program, values if params or os.path.isfile(values) else "")
    elif os.path.isdir(path_prefix):
        config = Config(path_prefix)
    else:
        found = [path_prefix + e for e in (".json", ".pdmodel") if os.path.isfile(path_prefix + e)]
        if not found:
            raise ValueError(f"load_inference_model: {path_prefix}.json and {path_prefix}.pdmodel do not exist.")
        values = path_prefix + ".pdiparams"
        config = Config(found[0], values if os.path.isfile(values) else "")
    with modes.eager_region():
        return _as_loaded(LoadedProgram(_core.pir.SavedProgram.load(*config.files())))


def _as_loaded(program):
    scope = global_scope()
    for name, tensor in zip(program._saved.parameter_names, program._saved.parameters, strict=False):
        scope._put(name, tensor)
    return [program, list(program._saved.input_names), program.fetch_targets]


def save(program, model_path, protocol=4, **configs):
    """Write a program: its operators into `.json`, its parameters into `.pdparams`, its other state into `.pdopt`.

    Args:
        program: The Program.
        model_path: Folder and prefix of the files.
        protocol: Protocol of the pickles, 2 to 4.
        **configs: pickle_protocol, an older name of protocol.

    Raises:
        AssertionError: model_path has no prefix.
    """
    if not os.path.basename(model_path):
        raise AssertionError(f"static.save: model_path has value {model_path!r}; it must have the form folder/prefix.")
    protocol = configs.get("pickle_protocol", protocol)
    with modes.eager_region():
        _save_file(program.state_dict("param"), model_path + ".pdparams", protocol)
        _save_file(program.state_dict("opt"), model_path + ".pdopt", protocol)
    save_to_file(model_path + ".json", content_of(program))


def load(program, model_path, executor=None, var_list=None):
    """Read the state of a program that `save` wrote into its variables.

    Args:
        program: The Program.
        model_path: The prefix of the files.
        executor: Accepted; it is not needed.
        var_list: The variables that are read; None for all.
    """
    with modes.eager_region():
        program.set_state_dict(load_program_state(model_path, var_list))


def load_program_state(model_path, var_list=None):
    """The state that `save` wrote, without a program.

    Args:
        model_path: The prefix of the files, or one of them.
        var_list: The variables that are read; None for all.

    Returns:
        A dict of names and NumPy arrays.

    Raises:
        FileNotFoundError: There are no such files.
    """
    stem, suffix = os.path.splitext(model_path)
    if suffix in (".pdparams", ".pdopt", ".pdmodel", ".json"):
        model_path = stem
    if not os.path.isfile(model_path + ".pdparams"):
        raise FileNotFoundError(f"load_program_state: {model_path}.pdparams does not exist.")
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
    """Give the state of a program the values of those names.

    Raises:
        AssertionError: A shape differs.
    """
    for tensor in program._persistables():
        given = state_dict.get(tensor.name)
        if given is not None and list(given.shape) != list(tensor.shape):
            raise AssertionError(
                f"set_program_state: {tensor.name} has shape {list(tensor.shape)} in the program and "
                f"{list(given.shape)} in the state; they must be equal."
            )
    program.set_state_dict(state_dict)


def _chosen(main_program, variables, predicate):
    program = main_program or default_main_program()
    if variables is None:
        variables = [v for v in program._persistables() if predicate is None or predicate(v)]
    return sorted(((v.name, _held(v)) for v in variables), key=lambda pair: pair[0])


def _held(variable):
    found = global_scope()._find(variable.name)
    return variable if found is None else found


def save_vars(executor, dirname, main_program=None, vars=None, predicate=None, filename=None):
    """Write variables, one file each under its name, or all in `filename`, in sorted order of name.

    Args:
        executor: Accepted for its place in the call.
        dirname: The folder; it is made.
        main_program: The Program; None: the default.
        vars: The variables; None: those of the program for which `predicate` is true.
        predicate: A function of a variable.
        filename: The file that holds all.
    """
    chosen = _chosen(main_program, vars, predicate)
    os.makedirs(dirname, exist_ok=True)
    with modes.eager_region():
        if filename is not None:
            content = _core.pir.tensors_to_records([t for _, t in chosen])
            return save_to_file(os.path.join(dirname, filename), content)
        for name, tensor in chosen:
            save_to_file(os.path.join(dirname, name), _core.pir.tensors_to_records([tensor]))


def load_vars(executor, dirname, main_program=None, vars=None, predicate=None, filename=None):
    """Read variables that were saved one file each, or all in `filename`, in sorted order of name.

    Args:
        executor: Accepted for its place in the call.
        dirname: The folder.
        main_program: The Program; None: the default.
        vars: The variables; None: those of the program for which `predicate` is true.
        predicate: A function of a variable.
        filename: The file that holds all.
    """
    chosen = _chosen(main_program, vars, predicate)
    with modes.eager_region():
        if filename is not None:
            content = _read(os.path.join(dirname, filename))
            values = _core.pir.tensors_from_records(content, len(chosen))
        else:
            values = [_core.pir.tensors_from_records(_read(os.path.join(dirname, name)), 1)[0] for name, _ in chosen]
        for (_, tensor), value in zip(chosen, values, strict=True):
            tensor.set_value(value)


def _read(path):
    with open(path, "rb") as file:
        return file.read()


def normalize_program(program, feed_vars, fetch_vars, **kwargs):
    """What a program computes of fetched variables, in its form for inference.

    Raises:
        TypeError: `program` is no Program, or `feed_vars` or `fetch_vars` holds something else than variables.
    """
    if not isinstance(program, Program):
        raise TypeError(f"normalize_program: program has type {type(program).__name__}; it must be a Program.")
    for name, given in (("feed_vars", feed_vars), ("fetch_vars", fetch_vars)):
        for value in given if isinstance(given, (list, tuple)) else [given]:
            if not isinstance(value, (_core.Tensor, FetchTarget)):
                raise TypeError(f"normalize_program: {name} holds a {type(value).__name__}; it must hold variables.")
    return program._copied(for_test=True, targets=_variables("fetch_vars", fetch_vars))
