# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs that were read from files."""

import json
import os
import tempfile

from .. import _core
from ..framework import modes
from ..framework.parameter import EagerParamBase
from .program import Program, data, program_guard
from .scope import DenseTensor
from .state import give_first_values


def record(program, saved):
    """Append a program of a file to one in memory, with inputs of its own.

    Returns:
        Its outputs.
    """
    rows = zip(saved.parameters, saved.trainable, saved.parameter_names, strict=True)
    saved.parameters = [EagerParamBase.from_tensor(t, trainable=learns, name=name) for t, learns, name in rows]
    for parameter in saved.parameters:
        parameter.persistable = True
    with program_guard(program):
        types = zip(saved.input_names, saved.input_types, strict=True)
        inputs = [data(name, list(shape), dtype) for name, (shape, dtype) in types]
        return list(saved.run(inputs))


class LoadedProgram(Program):
    """A program of an exported model.

    As long as its own outputs are asked for it runs from what was read; whoever looks at its operators, copies it or
    appends to it has it recorded first.
    """

    def __init__(self, saved):
        super().__init__()
        self._saved, self._waits, self._outputs = saved, True, []
        self.fetch_targets = [] if saved is None else self._targets()

    def _targets(self):
        return [FetchTarget(self, name, i) for i, name in enumerate(self._saved.output_names)]

    @property
    def _recording(self):
        if self.__dict__.get("_waits", False):
            self._waits = False
            self._outputs = record(self, self._known())
            for name, value in zip(self._saved.output_names, self._outputs, strict=True):
                if value.name not in self._saved.input_names:
                    value.name = name
        return self._own_recording

    @_recording.setter
    def _recording(self, recording):
        self._own_recording = recording

    def _known(self):
        if self._saved is None:
            raise RuntimeError("Program: it has no parameters yet; call deserialize_persistables first.")
        return self._saved

    def _gives(self, fetches):
        """Whether all of a fetch list are outputs that the file names."""
        names = self._known().output_names
        return all((f if isinstance(f, str) else getattr(f, "name", None)) in names for f in fetches) and all(
            isinstance(f, (str, FetchTarget)) for f in fetches
        )

    def _run(self, feed, fetch_list):
        names = list(self._saved.input_names)
        missing = [name for name in names if name not in feed]
        if missing:
            raise ValueError(f"Executor.run: feed lacks {missing}; the program has the inputs {names}.")
        inputs = [_tensor(feed[name]) for name in names]
        if self._saved.has_sequences:
            results, made = self._saved.run_sequences(inputs, [DenseTensor(t).lod() for t in inputs])
            for result, offsets in zip(results, made, strict=True):
                DenseTensor(result).set_lod(offsets)
        else:
            results = self._saved.run(inputs)
        by_name = dict(zip(self._saved.output_names, results, strict=True))
        return [by_name[f if isinstance(f, str) else f.name] for f in fetch_list]

    def all_parameters(self):
        """The parameters."""
        return list(self._known().parameters)

    def __str__(self):
        return str(self._known())

    def visualize(self, path):
        """Draw the program into a `.svg` or `.html` file."""
        self._known().visualize(os.fspath(path))


class UnboundProgram(LoadedProgram):
    """A program without parameters, until `deserialize_persistables` gives it some."""

    def __init__(self, content):
        super().__init__(None)
        self._content = content

    def _bind(self, parameters):
        self._saved = saved_of(self._content, parameters)
        self.fetch_targets = self._targets()


class FetchTarget:
    """An output of a loaded program; what a variable has, it has too."""

    def __init__(self, program, name, index):
        self._program, self.name, self.index = program, name, index

    @property
    def variable(self):
        """The variable of the program."""
        self._program._recording  # noqa: B018 - the program is recorded when it is asked for
        return self._program._outputs[self.index]

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.variable, name)

    def __repr__(self):
        return f"FetchTarget({self.name!r})"


def _tensor(value):
    value = value._get() if isinstance(value, DenseTensor) else value
    return value if isinstance(value, _core.Tensor) else _core.to_tensor(value)


def saved_of(content, parameters, optimize=True):
    """The program of the contents of its two files; with None for the second one, parameters are zeros."""
    with tempfile.TemporaryDirectory() as folder, modes.eager_region():
        model, values = os.path.join(folder, "model.json"), os.path.join(folder, "model.pdiparams")
        with open(model, "wb") as file:
            file.write(content)
        if parameters is None:
            entries = sorted(_core.pir.model_summary(model)["parameters"])
            zeros = [_core.ops.full(list(shape), 0, getattr(_core, dtype)) for _, dtype, _, shape in entries]
            parameters = _core.pir.tensors_to_records(zeros)
        with open(values, "wb") as file:
            file.write(parameters)
        return _core.pir.SavedProgram.load(model, values, optimize)


def is_program(content):
    """Whether bytes are a program as `paddle.save` writes one."""
    return content.lstrip()[:1] == b"{" and b'"base_code"' in content[:200]


def program_of(content):
    """The Program that `content_of` gave as bytes; its parameters have the values of the scope that it runs in."""
    program = Program()
    _append(program, content)
    return program


def _append(program, content):
    saved = saved_of(content, None, False)
    outputs = record(program, saved)
    for parameter in saved.parameters:
        parameter._has_initial = True
    states = json.loads(content)["base_code"].get("first_values", [])
    for (name, is_parameter), value in zip(states, outputs[len(outputs) - len(states) :], strict=True):
        with modes.eager_region():
            state = _core.ops.full(list(value.shape), 0, value.dtype)
        state = EagerParamBase.from_tensor(state, name=name) if is_parameter else state
        state.name, state.persistable = name, True
        give_first_values(state, lambda _, value=value: value, program)


def content_of(program):
    """A whole program, with its gradients and updates, as the content of a `.json` file. The values that it gives
    state as the first ones are its last outputs, which the file names."""
    operators = program.global_block().ops
    states = list(program._states.values())
    read = {id(t) for operator in operators for t in _tensors(operator.operands_source())}
    given = [t for operator in operators for t in _tensors(operator.results()) if id(t) not in read] + states
    recording = program._recording
    with tempfile.TemporaryDirectory() as folder, modes.eager_region():
        settings = (program._for_test, program._writes, True)
        executable = recording.compile(list(recording.input_names), given, *settings, [], False)
        executable.save(os.path.join(folder, "model"), [t.name for t in executable.captured])
        with open(os.path.join(folder, "model.json"), "rb") as file:
            content = file.read()
    if not states:
        return content
    whole = json.loads(content)
    whole["base_code"]["first_values"] = [[t.name, isinstance(t, EagerParamBase)] for t in states]
    return json.dumps(whole, separators=(",", ":")).encode()


def _tensors(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _tensors(value)
        elif value is not None:
            yield value


def serialize_pir_program(program, file_path, overwrite=True, readable=False, trainable=True, pir_version=-1):
    """Write a whole program into a `.json` file.

    Args:
        program: The Program.
        file_path: The file; folders are made.
        overwrite: Whether a file that exists may be written anew.
        readable: Whether lines are broken and indented.
        trainable: What `deserialize_pir_program` answers.
        pir_version: Kept for older programs; the version is paddle's.

    Raises:
        RuntimeError: The file exists and `overwrite` is False.
    """
    if os.path.exists(file_path) and not overwrite:
        raise RuntimeError(f"serialize_pir_program: {file_path} exists; pass overwrite=True to write it anew.")
    whole = json.loads(content_of(program))
    whole["base_code"]["trainable"] = bool(trainable)
    text = json.dumps(whole, indent=1) if readable else json.dumps(whole, separators=(",", ":"))
    os.makedirs(os.path.dirname(file_path) or ".", exist_ok=True)
    with open(file_path, "w", encoding="utf-8") as file:
        file.write(text)


def deserialize_pir_program(file_path, program, pir_version=-1):
    """Append the program of a `.json` file to another one.

    Args:
        file_path: What `serialize_pir_program` wrote.
        program: The Program that it is appended to.
        pir_version: Kept for older programs; the file tells its version.

    Returns:
        Whether the file says that the program is for training.
    """
    with open(file_path, "rb") as file:
        content = file.read()
    _append(program, content)
    return bool(json.loads(content)["base_code"].get("trainable", True))
