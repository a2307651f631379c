# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The generated .pyi stubs: complete, readable by Python's parser, true to the functions' signatures."""

import ast
import builtins
import importlib.util
import inspect
from pathlib import Path

import paddle
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def stubs(tmp_path_factory):
    """Module name -> syntax tree of its stub."""
    spec = importlib.util.spec_from_file_location("generate_stubs", ROOT / "python" / "stubs" / "generate.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    output = tmp_path_factory.mktemp("stubs")
    written = generator.write(output)
    assert output / "paddle" / "py.typed" in written
    trees = {}
    for path in written:
        if path.suffix == ".pyi":
            name = ".".join(path.relative_to(output).with_suffix("").parts).removesuffix(".__init__")
            trees[name] = ast.parse(path.read_text(), str(path))
    return trees


def definitions(tree):
    """Name -> node of what a module or class defines or imports."""
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.ImportFrom):
            found.update({alias.asname or alias.name: node for alias in node.names})
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, ast.Assign):
            found[node.targets[0].id] = node
    return found


def test_every_spelling_of_the_records_is_declared(stubs):
    missing = []
    for path, *_ in paddle._core.spellings():
        module, _, name = path.rpartition(".")
        if module in ("Tensor", "paddle.Tensor"):
            if name not in definitions(definitions(stubs["paddle._core"])["Tensor"]):
                missing.append(path)
        elif name not in definitions(stubs[module]):
            missing.append(path)
    assert not missing


def test_every_raw_operator_is_declared(stubs):
    operators = {n for n in dir(paddle._core.ops) if not n.startswith("_")}
    assert operators <= set(definitions(stubs["paddle._C_ops"]))


def test_parameters_are_those_of_the_functions(stubs):
    declared = definitions(stubs["paddle"])
    for path, *_ in paddle._core.spellings():
        module, _, name = path.rpartition(".")
        node = declared.get(name)
        if module != "paddle" or not isinstance(node, ast.FunctionDef):
            continue
        parameters = [a.arg for a in node.args.args + node.args.kwonlyargs]
        assert parameters == list(inspect.signature(getattr(paddle, name)).parameters), path


def test_annotations_use_names_that_the_stub_has(stubs):
    for module, tree in stubs.items():
        known = set(definitions(tree)) | set(dir(builtins))
        for node in ast.walk(tree):
            for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
                if annotation is not None:
                    used = {n.id for n in ast.walk(annotation) if isinstance(n, ast.Name)}
                    assert used <= known, f"{module}: {used - known}"


def test_public_names_of_the_package_are_declared(stubs):
    declared = set(definitions(stubs["paddle"]))
    public = {n for n in dir(paddle) if not n.startswith("_") and hasattr(paddle, n)} - {"paddle"}  # itself
    assert public <= declared
