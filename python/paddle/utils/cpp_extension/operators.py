# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators of loaded extensions: what was declared, how they are called, and their Python functions as source."""

import keyword
import os

from ... import _core

_SEPARATOR = "\x1f"  # ends each text of a std::vector<std::string>
_declarations = {}

# Declared type of an attribute -> annotation.
_ANNOTATIONS = {
    "bool": "bool",
    "int": "int",
    "int64_t": "int",
    "float": "float",
    "double": "float",
    "std::string": "str",
    "std::vector<int>": "list[int]",
    "std::vector<int64_t>": "list[int]",
    "std::vector<float>": "list[float]",
    "std::vector<std::string>": "list[str]",
}


def register(library):
    """Load a library and register its operators.

    Args:
        library: Path of the shared library.

    Returns:
        Names of its operators, gradients left out.

    Raises:
        OSError: The file cannot be loaded, or is no library of operators.
        ValueError: A declaration does not hold together.
        RuntimeError: An operator of that name exists already.
    """
    rows = _core.load_extension(str(library))
    _declarations.update((row["name"], row) for row in rows)
    return [row["name"] for row in rows]


def declaration(name):
    """What was declared of the operator: a dict with inputs, outputs, attributes, ...  ValueError when unknown."""
    if name not in _declarations:
        raise ValueError(
            f"{name}: no loaded extension declares an operator of that name; load the extension first, with "
            f"paddle.utils.cpp_extension.load() or by importing its module."
        )
    return _declarations[name]


def call(name, *args):
    """Call an operator with its inputs and attributes: its output, or the list of them."""
    row = declaration(name)
    outputs = _grouped(row, args, run(name, *args))
    return outputs[0] if len(outputs) == 1 else outputs


def run(name, *args):
    """Call an operator: all resulting tensors, as a flat list."""
    row = declaration(name)
    args = _encoded(row, args)
    results = getattr(_core.ops, name)(*args)
    results = [results] if results is None or isinstance(results, _core.Tensor) else list(results)
    if any(i >= 0 for i in row["inplace_input"]):
        _write_back(row, args, results)
    return results


def _encoded(row, args):
    inputs, types = row["inputs"], row["attribute_types"]
    wanted = len(inputs) + len(types)
    if len(args) != wanted:
        raise TypeError(
            f"{row['name']}: takes {wanted} arguments, {', '.join(_parameters(row))}, but {len(args)} were given."
        )
    tensors = [_tensors(x) if "@VECTOR" in port else x for x, port in zip(args, inputs, strict=False)]
    attributes = [
        "".join(text + _SEPARATOR for text in value) if kind == "std::vector<std::string>" else value
        for value, kind in zip(args[len(inputs) :], types, strict=True)
    ]
    return tensors + attributes


def _tensors(x):
    return [] if x is None else list(x)


def _lengths(row, args, count):
    """Number of tensors of each output."""
    lengths = []
    for port, source in zip(row["outputs"], row["inplace_input"], strict=True):
        is_list = "@VECTOR" in port
        lengths.append(len(_tensors(args[source])) if is_list and source >= 0 else None if is_list else 1)
    rest = count - sum(n for n in lengths if n is not None)
    return [rest if n is None else n for n in lengths]


def _grouped(row, args, results):
    outputs, at = [], 0
    for port, length in zip(row["outputs"], _lengths(row, args, len(results)), strict=True):
        outputs.append(results[at : at + length] if "@VECTOR" in port else results[at])
        at += length
    return outputs


def _write_back(row, args, results):
    """Make the inputs that the kernel changed hold their new values; they are the results then."""
    at = 0
    for source, length in zip(row["inplace_input"], _lengths(row, args, len(results)), strict=True):
        if source >= 0:
            targets = args[source] if isinstance(args[source], list) else [args[source]]
            for k, target in enumerate(targets[:length]):
                if target is not None:
                    results[at + k] = _core.assign_inplace(target, results[at + k], row["name"])
        at += length


def python_members(name, library):
    """What a library declares for Python with PYBIND11_MODULE(`name`, ...); an empty dict when it declares nothing."""
    import importlib.machinery
    import importlib.util

    with open(library, "rb") as file:
        if f"PyInit_{name}\0".encode() not in file.read():
            return {}
    loader = importlib.machinery.ExtensionFileLoader(name, os.path.abspath(library))
    spec = importlib.util.spec_from_file_location(name, library, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return {key: value for key, value in vars(module).items() if not key.startswith("__")}


# -- Python source ----------------------------------------------------------------------------------


def _identifier(text):
    name = text.split("@")[0].lower()
    return name + "_" if keyword.iskeyword(name) else name


def _parameters(row):
    return [_identifier(p) for p in row["inputs"] + row["attributes"]]


def _tensor_annotation(port):
    text = "list[Tensor]" if "@VECTOR" in port else "Tensor"
    return text + " | None" if "@OPTIONAL" in port else text


def module_source(name, library, rows):
    """The text of a module that loads `library` (a file beside it) and has a function for each operator."""
    lines = [
        f'"""Operators of the extension {name}; written by paddle.utils.cpp_extension."""',
        "",
        "from __future__ import annotations",
        "",
        "import os",
        "",
        "from paddle import Tensor",
        "from paddle.utils.cpp_extension import operators as _operators",
        "",
        f"_library = os.path.join(os.path.dirname(os.path.abspath(__file__)), {library!r})",
        f"globals().update(_operators.python_members({name!r}, _library))",
        "_operators.register(_library)",
    ]
    for row in rows:
        lines += ["", "", *_function_source(row)]
    return "\n".join(lines) + "\n"


def _function_source(row):
    kinds = [_tensor_annotation(p) for p in row["inputs"]] + [_ANNOTATIONS[t] for t in row["attribute_types"]]
    names = _parameters(row)
    annotated = ", ".join(f"{n}: {k}" for n, k in zip(names, kinds, strict=True))
    outputs = [_tensor_annotation(p) for p in row["outputs"]]
    result = outputs[0] if len(outputs) == 1 else f"list[{' | '.join(dict.fromkeys(outputs))}]"
    returns = ", ".join(p.split("@")[0] for p in row["outputs"])
    return [
        f"def {row['name']}({annotated}) -> {result}:",
        f'    """{row["name"]}({", ".join(names)}) -> {returns}"""',
        f"    return _operators.call({', '.join([repr(row['name']), *names])})",
    ]
