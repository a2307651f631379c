# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`jit.save` and `jit.load`: programs in PaddlePaddle's file format."""

import os

from .. import _core
from .api import StaticFunction, to_static


def _names_of(layer, tensors):
    """A unique variable name for each captured tensor."""
    names, used = [], set()
    for i, t in enumerate(tensors):
        name = t.name if t is not None and t.name else f"constant_{i}"
        while name in used:
            name = f"{name}_{i}"
        used.add(name)
        names.append(name)
    return names


def _export(static, layer, path, input_spec):
    modes = []
    if layer is not None:
        modes = [(sub, sub.training) for sub in layer.sublayers(include_self=True)]
        layer.eval()
    previous = _core.set_grad_enabled(False)
    try:
        entry = static.capture_for_export(input_spec)
    finally:
        _core.set_grad_enabled(previous)
        for sub, training in modes:
            sub.training = training
    executable = entry.executable
    executable.save(path, _names_of(layer, executable.captured))


def save(layer, path, input_spec=None, **configs):
    """Writes `path.json` and `path.pdiparams`.

    Args:
        layer: Layer or to_static function.
        path: Prefix of the files; directories are made.
        input_spec: InputSpec or example tensor per input.
    """
    known = {
        "output_spec",
        "with_hook",
        "combine_params",
        "clip_extra",
        "skip_forward",
        "input_names_after_prune",
        "skip_prune_program",
    }
    unknown = set(configs) - known
    if unknown:
        raise ValueError(f"jit.save: unknown option {sorted(unknown)[0]!r}; remove it.")
    if not os.path.basename(path):
        raise ValueError(f"jit.save: path has value {path!r}; it must have the form dirname/file_prefix.")
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    if isinstance(layer, StaticFunction):
        _export(layer, None, path, input_spec)
        return
    if not hasattr(layer, "sublayers"):
        _export(StaticFunction(layer), None, path, input_spec)
        return
    forward = layer.forward
    if not isinstance(forward, StaticFunction):
        own = vars(layer).get("forward")  # a function that replaces the class's for this layer
        forward = (
            to_static(own, full_graph=True) if own is not None else StaticFunction(type(layer).forward, None, layer)
        )
    _export(forward, layer, path, input_spec)
    for name, member in vars(type(layer)).items():
        if isinstance(member, StaticFunction) and name != "forward":
            _export(getattr(layer, name), layer, f"{path}.{name}", None)


def _make_translated_layer():
    from ..nn import Layer

    class TranslatedLayer(Layer):
        """A loaded program as a layer; made by `paddle.jit.load`."""

        def __init__(self, programs, persistable_vars=None):
            super().__init__()
            program = self._program = programs
            tensors = dict(zip(program.parameter_names, program.parameters, strict=False))
            for i, name in enumerate(sorted(tensors)):
                self.register_buffer(f"param_{i}", tensors[name])
            self.eval()

        def forward(self, *inputs):
            tensors = [x if isinstance(x, _core.Tensor) else _core.to_tensor(x) for x in inputs]
            results = self._program.run(tensors)
            return results[0] if len(results) == 1 else results

        def visualize(self, path, *inputs):
            """Draw the program; with inputs it runs on them twice and shows times and bytes of the second run.

            Args:
                path: File to write: `.svg`, or `.html` with regions that fold.
                inputs: Tensors.
            """
            times = None
            if inputs:
                self._program.run(list(inputs))
                times = _core.pir.Times()
                with times:
                    self._program.run(list(inputs))
            self._program.visualize(os.fspath(path), times)

        def program(self, method_name="forward"):
            """The program's text."""
            return str(self._program)

    return TranslatedLayer


_translated = None


class _TranslatedMeta(type):
    def __instancecheck__(cls, instance):
        return _translated is not None and isinstance(instance, _translated)


class TranslatedLayer(metaclass=_TranslatedMeta):
    """Type of what `paddle.jit.load` returns, for isinstance()."""

    def __new__(cls, programs, persistable_vars=None):
        global _translated
        if _translated is None:
            _translated = _make_translated_layer()
        return _translated(programs, persistable_vars)


def load(path, **configs):
    """Reads `path.json` (or `path.pdmodel`) and `path.pdiparams` as a layer in eval mode."""
    program = path + ".json"
    if not os.path.isfile(program) and os.path.isfile(path + ".pdmodel"):
        program = path + ".pdmodel"
    params = path + ".pdiparams"
    if configs.get("model_filename"):
        program = os.path.join(os.path.dirname(path), configs["model_filename"])
    if configs.get("params_filename"):
        params = os.path.join(os.path.dirname(path), configs["params_filename"])
    if not os.path.isfile(program):
        raise ValueError(
            f"jit.load: path has value {path!r}; {program} does not exist; pass the prefix that was given to jit.save."
        )
    if not os.path.isfile(params):
        params = ""
    return TranslatedLayer(_core.pir.SavedProgram.load(program, params))
