# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The layer that `jit.load` gives: programs from files, with their parameters."""

import os
import shutil

from .. import _core
from ..framework.parameter import EagerParamBase
from ..nn import Layer
from ..utils import unique_name
from . import tree
from .spec import InputSpec


class _Method:
    """One program of a loaded layer."""

    def __init__(self, program, files):
        self.program, self.files = program, files

    def __call__(self, *inputs):
        given = []
        tree.flatten(inputs, lambda v: not isinstance(v, (list, tuple, dict)), given)
        tensors = [x if isinstance(x, _core.Tensor) else _core.to_tensor(x) for x in given]
        results = self._run_sequences(tensors) if self.program.has_sequences else self.program.run(tensors)
        return results[0] if len(results) == 1 else results

    def _run_sequences(self, tensors):
        from ..static.scope import DenseTensor

        results, made = self.program.run_sequences(tensors, [DenseTensor(t).lod() for t in tensors])
        for result, offsets in zip(results, made, strict=True):
            DenseTensor(result).set_lod(offsets)
        return results

    def specs(self, names, types):
        return [InputSpec(shape, dtype, name) for name, (shape, dtype) in zip(names, types, strict=True)]

    def as_saved(self):
        """The program as its file has it; as passes have left it where the file is gone."""
        if not os.path.isfile(self.files[0]):
            return self.program
        found = _core.pir.SavedProgram.load(*self.files, optimize=False)
        if found.parameter_names == self.program.parameter_names:
            found.parameters = self.program.parameters
        return found

    def save(self, path):
        """Writes the program and the parameters as they are now."""
        source, target = self.files[0], path + os.path.splitext(self.files[0])[1]
        if os.path.abspath(source) != os.path.abspath(target):
            shutil.copyfile(source, target)
        named = dict(zip(self.program.parameter_names, self.program.parameters, strict=True))
        if named:
            with open(path + ".pdiparams", "wb") as file:
                file.write(_core.pir.tensors_to_records([named[n] for n in sorted(named)]))


class TranslatedLayer(Layer):
    """Loaded programs as a layer; made by `paddle.jit.load`.

    Args:
        programs: Method name -> (program, (file of the program, file of the parameters)).
        persistable_vars: Accepted for its place in the call.
    """

    def __init__(self, programs, persistable_vars=None):
        super().__init__()
        self._methods = {}
        made = {}  # name -> parameter, shared by the methods
        for name, (program, files) in programs.items():
            self._methods[name] = _Method(program, files)
            self._adopt(program, made)
            if name != "forward":
                setattr(self, name, self._methods[name])
        self.eval()

    def _adopt(self, program, made):
        """The program's parameters become those of the layer, in the order of their names."""
        rows = zip(program.parameter_names, program.parameters, program.trainable, strict=True)
        rows = {name: (value, trainable) for name, value, trainable in rows}
        for name in sorted(rows):
            value, trainable = rows[name]
            if name not in made:
                # A file may be loaded twice, or beside the layer that it was saved from.
                made[name] = EagerParamBase(value, trainable=trainable, name=unique_name.generate(name))
                self.add_parameter(f"param_{len(made) - 1}", made[name])
        program.parameters = [made[name] for name in program.parameter_names]

    def forward(self, *inputs):
        return self._method("forward")(*inputs)

    def _method(self, name):
        if name not in self._methods:
            raise ValueError(f"TranslatedLayer: there is no method {name!r}; the methods are {sorted(self._methods)}.")
        return self._methods[name]

    def _save(self, path):
        for name, method in self._methods.items():
            method.save(path if name == "forward" else f"{path}.{name}")

    def _input_spec(self, method_name="forward"):
        """InputSpecs of a method."""
        method = self._method(method_name)
        return method.specs(method.program.input_names, method.program.input_types)

    def _output_spec(self, method_name="forward"):
        """InputSpecs of the results of a method."""
        method = self._method(method_name)
        types = method.program.output_types
        return method.specs([f"output_{i}" for i in range(len(types))], types)

    def visualize(self, path, *inputs):
        """Draw the program; with inputs it runs on them twice and shows times and bytes of the second run.

        Args:
            path: File to write: `.svg`, or `.html` with regions that fold.
            inputs: Tensors.
        """
        program = self._method("forward").program
        times = None
        if inputs:
            program.run(list(inputs))
            times = _core.pir.Times()
            with times:
                program.run(list(inputs))
        program.visualize(os.fspath(path), times)

    def program(self, method_name="forward"):
        """The program of a method, to be read."""
        from .captured_program import LoadedProgram

        return LoadedProgram(self._method(method_name).as_saved())
