# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names and calling forms of PaddlePaddle 1 and 2 lie behind one door: their modules keep their public paths, and the
rest of the package reaches them through the table in `paddle/_legacy/__init__.py` alone."""

import ast
import importlib
import pathlib

import pytest
from paddle import _legacy

FOLDER = pathlib.Path(_legacy.__file__).parent
PACKAGE = FOLDER.parent
PUBLIC = sorted(
    p.stem for p in pathlib.Path(_legacy.PUBLIC).iterdir() if p.suffix in ("", ".py") and p.stem != "__pycache__"
)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_module_behind_the_door_has_its_public_path(name):
    module = importlib.import_module(f"paddle.{name}")
    assert module.__name__ == f"paddle.{name}"
    assert pathlib.Path(module.__file__).is_relative_to(_legacy.PUBLIC)
    assert not (PACKAGE / name).exists() and not (PACKAGE / f"{name}.py").exists()


@pytest.mark.parametrize("name", sorted(_legacy._FROM))
def test_the_door_opens(name):
    assert getattr(_legacy, name) is not None


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


def is_behind(name):
    parts = name.split(".")
    if parts[:2] == ["paddle", "_legacy"]:
        return len(parts) > 2 and parts[2] not in _legacy._FROM and parts[2] != "PUBLIC"
    return len(parts) > 1 and parts[0] == "paddle" and parts[1] in PUBLIC


def test_the_rest_of_the_package_goes_through_the_door():
    readers = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        if not path.is_relative_to(FOLDER):
            found = sorted({n for n in imported(path) if is_behind(n)})
            if found:
                readers[path.relative_to(PACKAGE).as_posix()] = found
    assert readers == {}
