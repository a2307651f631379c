# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The past lies behind one door: modules keep their public paths, and the public layers do not lean on them."""

import ast
import importlib
import pathlib

import pytest
from paddle import _door

PACKAGE = pathlib.Path(_door.__file__).parent
PAST = PACKAGE / "past"

DOWNLOADS = "where datasets are downloaded to is what programs set in paddle.dataset.common"

# Modules outside of the past that import from it, each with its reason. Nothing is added.
READERS = {
    "_C_ops.py": "operators that PaddlePaddle's raw interface has beside the records",
    "amp/__init__.py": "the names of dtypes in PaddlePaddle 2's lists of operators",
    "amp/debugging.py": "the names of dtypes in PaddlePaddle 2's statistics",
    "audio/datasets/dataset.py": DOWNLOADS,
    "decomposition/decomp.py": "the module is a part of that function's interface",
    "distributed/auto_parallel/dist_attr.py": "attributes are serialized in PaddlePaddle's messages",
    "framework/__init__.py": "the tracer that programs ask PaddlePaddle 2 for",
    "framework/layer_helper.py": "append_op takes the operators of PaddlePaddle 2",
    "inference/__init__.py": "names of operators in saved models of PaddlePaddle 2; options of hardware that is absent",
    "inference/other_engines.py": "options of hardware that is absent",
    "nn/functional/_by_name.py": "activations by PaddlePaddle 2's names",
    "pir/core.py": "dtypes may be given as PaddlePaddle 2's numbers",
    "static/block.py": "Block.ops of programs that are read as PaddlePaddle 2's",
    "static/operators.py": "a feed may name its place by the old class",
    "static/variable_members.py": "Variable.desc is PaddlePaddle's message",
    "tensor/constructor.py": "dtypes may be given as PaddlePaddle 2's numbers",
    "text/corpora.py": DOWNLOADS,
    "text/datasets.py": DOWNLOADS,
    "text/translations.py": DOWNLOADS,
    "vision/datasets/cifar.py": DOWNLOADS,
    "vision/datasets/flowers.py": DOWNLOADS,
    "vision/datasets/mnist.py": DOWNLOADS,
    "vision/datasets/voc2012.py": DOWNLOADS,
}


def modules():
    """Public names of the modules that lie in the past, and their files."""
    for package, folder in _door._FOLDERS.items():
        others = {f for f in _door._FOLDERS.values() if f and not folder}
        for path in sorted((PAST / folder).rglob("*.py")):
            parts = path.relative_to(PAST / folder).with_suffix("").parts
            if parts[0] in others:
                continue
            yield ".".join([package, *parts]).removesuffix(".__init__"), path


NAMES = dict(modules())


@pytest.mark.parametrize("name", [n for n in NAMES if n.count(".") == 1 or n.split(".")[1] in _door._FOLDERS.values()])
def test_a_module_of_the_past_has_its_public_path(name):
    module = importlib.import_module(name)
    assert module.__name__ == name
    assert pathlib.Path(module.__file__) == NAMES[name]


def test_no_module_lies_on_both_sides():
    for name, path in NAMES.items():
        beside = PACKAGE.joinpath(*name.split(".")[1:])
        assert not beside.with_suffix(".py").exists(), f"{name} lies in {path} and in {beside}.py"
        assert not (beside / "__init__.py").exists(), f"{name} lies in {path} and in {beside}"


def imported(path):
    """Absolute names of the modules that a file imports, anywhere in it."""
    package = ["paddle", *path.relative_to(PACKAGE).with_suffix("").parts]
    if package[-1] == "__init__":
        package[-1] = ""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level] if node.level else []
            stem = ".".join([*base, *([node.module] if node.module else [])])
            yield stem
            yield from (f"{stem}.{alias.name}" for alias in node.names)


def test_the_public_layers_do_not_import_the_past():
    readers = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if PAST in path.parents:
            continue
        found = {n for n in imported(path) if n in NAMES}
        if found:
            readers[path.relative_to(PACKAGE).as_posix()] = sorted(found)
    assert {k: v for k, v in readers.items() if k not in READERS} == {}
    assert sorted(READERS) == sorted(k for k in READERS if k in readers), "a reader that imports nothing of it"
