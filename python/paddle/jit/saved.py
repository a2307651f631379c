# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`jit.save` and `jit.load`: programs in PaddlePaddle's file format."""

import os
import warnings

from .. import _core
from . import tree
from .api import to_static
from .concrete import OutputSpec
from .static_function import StaticFunction


def _names_of(tensors):
    """A unique variable name for each captured tensor."""
    names, used = [], set()
    for i, t in enumerate(tensors):
        name = t.name if t is not None and t.name else f"constant_{i}"
        while name in used:
            name = f"{name}_{i}"
        used.add(name)
        names.append(name)
    return names


class _EvalMode:
    """Within it a layer is in inference mode."""

    def __init__(self, layer):
        self._layer = layer
        self._modes = []

    def __enter__(self):
        if self._layer is not None:
            self._modes = [(sub, sub.training) for sub in self._layer.sublayers(include_self=True)]
            self._layer.eval()

    def __exit__(self, *error):
        for sub, training in self._modes:
            sub.training = training


def _place_of(spec, types):
    """The position of an output that is given by its OutputSpec, or as a tensor that alone has its dtype and extents."""
    if isinstance(spec, OutputSpec):
        return spec.index
    if not isinstance(spec, _core.Tensor):
        return spec
    extents = list(spec.shape)
    alike = [
        i for i, (shape, dtype) in enumerate(types)
        if dtype == spec.dtype and len(shape) == len(extents)
        and all(a in (-1, b) for a, b in zip(shape, extents, strict=True))
    ]  # fmt: skip
    return alike[0] if len(alike) == 1 else spec


def _kept_outputs(types, output_spec):
    """Positions of the outputs that are saved; None: all, with every input."""
    if output_spec is None:
        return None
    count = len(types)
    places = [_place_of(s, types) for s in output_spec]
    if all(type(place) is int for place in places):
        for place in places:
            if not -count <= place < count:
                raise ValueError(f"jit.save: output_spec holds {place}; the function has {count} outputs.")
        return [place % count for place in places]
    if len(output_spec) != count:
        raise ValueError(
            f"jit.save: output_spec names {len(output_spec)} outputs that are none of the function's {count} "
            "or may be several; take them from layer.forward.outputs, or give their positions."
        )
    warnings.warn("jit.save: output_spec holds values that are no outputs of the function; all outputs are saved.")
    return None


def _warn_of_dicts(structure):
    if isinstance(structure, (dict, tree.Object)):
        warnings.warn(
            "Found 'dict' in given outputs, the values will be returned in a sequence sorted in lexicographical "
            "order by their keys."
        )
    elif isinstance(structure, (list, tuple)):
        for inner in structure:
            _warn_of_dicts(inner)


def _saved_order(structure):
    """Positions of the outputs as they are saved: those in a dict by its sorted keys. Some may come twice."""
    if isinstance(structure, tree.Leaf):
        yield structure.index
    elif isinstance(structure, tree.Made):
        yield from _saved_order(structure.structure)
    elif isinstance(structure, tree.Object):
        yield from _saved_order(structure.items or structure.fields)
    elif isinstance(structure, dict):
        for key in sorted(structure, key=str):
            yield from _saved_order(structure[key])
    elif isinstance(structure, (list, tuple)):
        for inner in structure:
            yield from _saved_order(inner)


def _export(static, layer, path, input_spec, output_spec=None, hooks=False):
    with _EvalMode(layer):
        entry, specs = static.capture_for_export(input_spec, hooks)
    executable = entry.executable
    _warn_of_dicts(entry.structure)
    outputs = _kept_outputs(executable.output_types, output_spec)
    leaves = []
    tree.flatten(list(input_spec or specs), lambda v: hasattr(v, "shape"), leaves)
    order = list(dict.fromkeys(_saved_order(entry.structure)))
    if outputs is None and (len(leaves) < len(specs) or order != sorted(order)):
        outputs = order
    executable.save(path, _names_of(executable.captured), outputs)


def _static_methods(layer):
    """(name, StaticFunction) of what to_static made of methods other than forward."""
    names = {n for c in type(layer).__mro__ for n, m in vars(c).items() if isinstance(m, StaticFunction)}
    names.update(n for n, m in vars(layer).items() if isinstance(m, StaticFunction))
    for name in sorted(names - {"forward"}):
        method = getattr(layer, name)
        if not method.is_property:
            yield name, method


def _forward_of(layer):
    forward = layer.forward
    if isinstance(forward, StaticFunction):
        return forward
    own = vars(layer).get("forward")  # a function that replaces the class's for this layer
    return to_static(own, full_graph=True) if own is not None else StaticFunction(type(layer).forward, None, layer)


def save(layer, path, input_spec=None, **configs):
    """Writes `path.json` and `path.pdiparams`, and `path.NAME.json` of other methods that to_static was given.

    Args:
        layer: Layer or to_static function.
        path: Prefix of the files; directories are made.
        input_spec: InputSpec or example tensor per input; None: those of to_static, or of an earlier call. With
            fewer than to_static was given, inputs that the outputs do not need are left out.
        configs: `output_spec`: the outputs that are saved: of `layer.forward.outputs`, by position, or as tensors that
            a call gave, where their dtype and shape tell which is meant. `skip_forward`: only other methods are
            saved. `separate_parameters`: the folder gets `__model__.json` and one file per parameter.
            Further options of PaddlePaddle change nothing.

    Raises:
        TypeError: `layer` is neither a Layer nor a function.
        ValueError: The path has no file name, an option is unknown, or the specifications do not fit.

    Example:
        >>> model = paddle.nn.Linear(4, 2)
        >>> paddle.jit.save(model, "linear", [paddle.static.InputSpec([None, 4])])
        >>> paddle.jit.load("linear")(paddle.ones([3, 4])).shape
        paddle.Size([3, 2])
    """
    known = {
        "output_spec",
        "with_hook",
        "combine_params",
        "clip_extra",
        "skip_forward",
        "input_names_after_prune",
        "skip_prune_program",
        "separate_parameters",
    }
    unknown = set(configs) - known
    if unknown:
        raise ValueError(f"jit.save: unknown option {min(unknown)!r}; remove it.")
    if not os.path.basename(path):
        raise ValueError(f"jit.save: path has value {path!r}; it must have the form dirname/file_prefix.")
    if input_spec is not None and not isinstance(input_spec, (list, tuple)):
        raise TypeError(f"jit.save: input_spec has type {type(input_spec).__name__}; it must be a list or tuple.")
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    output_spec = configs.get("output_spec")
    if isinstance(layer, TranslatedLayer):
        layer._save(path)
        return
    if not callable(layer):
        raise TypeError(f"jit.save: layer has type {type(layer).__name__}; pass a Layer or a function.")
    if isinstance(layer, StaticFunction) or not hasattr(layer, "sublayers"):
        static = layer if isinstance(layer, StaticFunction) else StaticFunction(layer)
        _export(
            static, static.class_instance if _is_layer(static.class_instance) else None, path, input_spec, output_spec
        )
        return
    layer = getattr(layer, "_layers", layer) if type(layer).__name__ == "DataParallel" else layer
    methods = list(_static_methods(layer))
    if input_spec and methods and any(not m.knows_its_inputs() for _, m in methods):
        raise ValueError(
            f"jit.save: input_spec is of forward, but {methods[0][0]} is saved too; give to_static the input_spec of "
            "each method and leave it out here."
        )
    if not configs.get("skip_forward"):
        _export(_forward_of(layer), layer, path, input_spec, output_spec, True)
    if configs.get("separate_parameters") and not configs.get("skip_forward"):
        _separate(path)
    for name, method in methods:
        _export(method, layer, f"{path}.{name}", None)


def _separate(path):
    """Gives the parameters of a saved program files of their own, named as they are, beside `__model__.json`."""
    folder, params = os.path.dirname(path), path + ".pdiparams"
    has_parameters = os.path.isfile(params)
    saved = _core.pir.SavedProgram.load(path + ".json", params if has_parameters else "", optimize=False)
    for name, value in zip(saved.parameter_names, saved.parameters, strict=True):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(_core.pir.tensors_to_records([value]))
    os.replace(path + ".json", os.path.join(folder, "__model__.json"))
    if has_parameters:
        os.remove(params)


def _is_layer(value):
    return hasattr(value, "sublayers")


_translated = None


def _translated_layer():
    global _translated
    if _translated is None:
        from .loaded_layer import TranslatedLayer as Loaded  # a Layer: nn is imported when it is needed

        _translated = Loaded
    return _translated


class _TranslatedMeta(type):
    def __instancecheck__(cls, instance):
        return _translated is not None and isinstance(instance, _translated)

    def __getattr__(cls, name):
        return getattr(_translated_layer(), name)


class TranslatedLayer(metaclass=_TranslatedMeta):
    """Type of what `paddle.jit.load` returns, for isinstance()."""

    def __new__(cls, programs, persistable_vars=None):
        return _translated_layer()(programs, persistable_vars)


def _files_of(path, configs):
    program = path + ".json"
    if not os.path.isfile(program) and os.path.isfile(path + ".pdmodel"):
        program = path + ".pdmodel"
    params = path + ".pdiparams"
    if configs.get("model_filename"):
        program = os.path.join(os.path.dirname(path), configs["model_filename"])
    if configs.get("params_filename"):
        params = os.path.join(os.path.dirname(path), configs["params_filename"])
    return program, params if os.path.isfile(params) else ""


def _further_methods(path):
    """Names of the methods that were saved beside forward."""
    folder, prefix = os.path.dirname(path) or ".", os.path.basename(path) + "."
    for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        name, extension = os.path.splitext(file)
        name = name[len(prefix) :] if name.startswith(prefix) else ""
        if extension in (".json", ".pdmodel") and name.isidentifier() and name != "forward":
            yield name


def load(path, **configs):
    """Reads `path.json` (or `path.pdmodel`) and `path.pdiparams` as a layer in eval mode.

    Args:
        path: Prefix of the files.
        configs: `model_filename`, `params_filename`: other names of the files, in the same folder.

    Returns:
        A TranslatedLayer; other methods that were saved are its methods.

    Raises:
        ValueError: There is no such file, or an option is unknown.

    Example:
        >>> import os, tempfile
        >>> layer = paddle.nn.Linear(3, 2)
        >>> layer.eval()
        Linear(in_features=3, out_features=2, dtype=float32)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "linear")
        ...     paddle.jit.save(layer, path, input_spec=[paddle.static.InputSpec([None, 3])])
        ...     loaded = paddle.jit.load(path)
        >>> x = paddle.ones([4, 3])
        >>> bool(paddle.allclose(loaded(x), layer(x)))
        True
    """
    unknown = set(configs) - {"model_filename", "params_filename"}
    if unknown:
        raise ValueError(f"jit.load: unknown option {min(unknown)!r}; remove it.")
    for option, value in configs.items():
        if not value:
            raise ValueError(f"jit.load: {option} has value {value!r}; it must be the name of a file.")
    program, params = _files_of(path, configs)
    found = {"forward": (program, params)} if os.path.isfile(program) else {}
    if not configs:
        found.update((name, _files_of(f"{path}.{name}", {})) for name in _further_methods(path))
    if not found:
        raise ValueError(
            f"jit.load: path has value {path!r}; {program} does not exist; pass the prefix that was given to jit.save."
        )
    return TranslatedLayer({name: (_core.pir.SavedProgram.load(*files), files) for name, files in found.items()})
