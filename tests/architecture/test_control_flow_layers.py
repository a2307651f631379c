# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The folders of `paddle.jit.control_flow` import downwards, and no modules of it import each other in a circle."""

import ast
import graphlib
import pathlib

FOLDER = pathlib.Path(__file__).parents[2] / "python/paddle/jit/control_flow"
# From the bottom; what is not named here is a file beside the folders.
LAYERS = ["context", "values", "effects", "recording", "convert", "implicit_calls", "calls"]


def imports_at_load(path):
    """The modules of the folder that a file imports when it is loaded, as paths from there without a suffix."""
    own = path.relative_to(FOLDER)
    for node in ast.parse(path.read_text()).body:
        if not isinstance(node, ast.ImportFrom) or not 0 < node.level <= len(own.parts):
            continue
        start = own.parents[node.level - 1]
        names = [node.module.replace(".", "/")] if node.module else [alias.name for alias in node.names]
        yield from (start / name for name in names if (FOLDER / start / name).with_suffix(".py").exists())


def graph():
    files = [p for p in FOLDER.rglob("*.py") if p.name != "__init__.py"]
    return {p.relative_to(FOLDER).with_suffix(""): set(imports_at_load(p)) for p in files}


def test_folders_import_downwards():
    found = graph()
    assert sum(map(len, found.values())) > 100
    upwards = [
        f"{module} imports {other}"
        for module, others in found.items()
        for other in others
        if LAYERS.index(other.parts[0]) > LAYERS.index(module.parts[0])
    ]
    assert not upwards


def test_no_circle_of_imports():
    graphlib.TopologicalSorter(graph()).prepare()
