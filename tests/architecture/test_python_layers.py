# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The imports of the package go downwards, as `python_layers.toml` says, and no modules need each other to load."""

import ast
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parents[1] / "python" / "paddle"
TABLE = tomllib.loads((HERE / "python_layers.toml").read_text())
# Files of this folder are modules of `paddle` itself; see `paddle/_legacy/__init__.py`.
BEHIND_THE_DOOR = "paddle._legacy.public."
COMPILED = {"paddle._core"}


class Import(NamedTuple):
    """One import: who, whom, in which line, and whether it runs only when a function is called."""

    source: str
    target: str
    line: int
    in_function: bool


class Modules:
    """The modules of a package and what they import.

    Args:
        texts: Name -> source text; a package has the name of its folder.
        packages: The names that are packages.
        aliases: Public name -> name in `texts`, of modules whose file lies elsewhere.
    """

    def __init__(self, texts, packages, aliases=None):
        self.packages, self.aliases = packages, aliases or {}
        self.names = {*texts, *self.aliases, *COMPILED}
        self.imports = [found for name, text in texts.items() for found in self._imports(name, text)]

    def _resolve(self, stem, name=None):
        """The module that `from stem import name` or `import stem` loads; None for one of another package."""
        if stem.partition(".")[0] != "paddle":
            return None
        found = f"{stem}.{name}" if name and f"{stem}.{name}" in self.names else stem
        while found not in self.names:
            found = found.rpartition(".")[0]
        return self.aliases.get(found, found)

    def _named(self, node):
        """(module, name) of each import that a statement or a call holds."""
        if isinstance(node, ast.Import):
            return [(alias.name, None) for alias in node.names]
        # importlib.import_module("paddle.x"), sys.modules.get("paddle.x"), sys.modules["paddle.x"]
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("import_module", "get") and node.args:
            where, asked = ast.unparse(node.func), node.args[0]
            if where in ("importlib.import_module", "sys.modules.get") and isinstance(asked, ast.Constant):
                return [(str(asked.value), None)]
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "sys.modules":
            if isinstance(node.slice, ast.Constant):
                return [(str(node.slice.value), None)]
        return []

    def _imports(self, source, text):
        package = source.split(".") if source in self.packages else source.split(".")[:-1]

        def walk(node, in_function):
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.ImportFrom):
                    base = package[: len(package) - child.level + 1] if child.level else []
                    stem = ".".join([*base, *([child.module] if child.module else [])])
                    named = [(stem, alias.name) for alias in child.names]
                else:
                    named = self._named(child)
                for stem, name in named:
                    target = self._resolve(stem, name)
                    if target not in (None, source):
                        yield Import(source, target, child.lineno, in_function)
                is_function = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
                yield from walk(child, in_function or is_function)

        yield from walk(ast.parse(text), False)

    def needed_to_load(self):
        """Module -> the modules that run before it can: what it imports at its head, and the packages around that."""
        needs = {}
        for found in self.imports:
            if not found.in_function:
                parts = found.target.split(".")
                around = {".".join(parts[:depth]) for depth in range(1, len(parts) + 1)} & self.names
                own = {name for name in around if f"{found.source}.".startswith(f"{name}.") and name != found.target}
                needs.setdefault(found.source, set()).update(around - own - {found.source})
        return needs


def cycle(needs):
    """A list of modules of which each needs the next, and the last the first; empty when there is none."""
    state, path = {}, []

    def visit(name):
        state[name] = "open"
        path.append(name)
        for other in sorted(needs.get(name, ())):
            if state.get(other) == "open":
                return path[path.index(other) :]
            if other not in state and (found := visit(other)):
                return found
        state[name] = "done"
        path.pop()
        return []

    for name in sorted(needs):
        if name not in state and (found := visit(name)):
            return found
    return []


def lies_in(module, unit):
    """Whether a module is a unit of the table, or in its folder."""
    if unit == ".":
        return module == "paddle"
    return module == f"paddle.{unit.rstrip('/')}" or (unit[-1] != "/" and module.startswith(f"paddle.{unit}."))


class Layers:
    """The table: which layer a module is in, and which of them may import which.

    Args:
        order: Entries, lowest first.
        upward: The exceptions for imports inside of functions.
    """

    def __init__(self, order, upward=()):
        self.rank = {unit: index for index, entry in enumerate(order) for unit in entry.split()}
        self.upward = [(source, entry["to"]) for entry in upward for source in entry["from"]]
        self.used = set()

    def unit(self, module, packages=()):
        """The unit of the table that a module belongs to; None when it has no place."""
        if module == "paddle":
            return "."
        name = module.removeprefix("paddle.")
        if module in packages and f"{name}/" in self.rank:
            return f"{name}/"
        while name and name not in self.rank:
            name = name.rpartition(".")[0]
        return name or None

    def _is_excepted(self, found):
        for source, target in self.upward:
            if found.in_function and lies_in(found.source, source) and lies_in(found.target, target):
                self.used.add((source, target))
                return True
        return False

    def wrong(self, modules):
        """Sentences about the imports that go up or sideways."""
        sentences = []
        for found in modules.imports:
            source, target = (self.unit(name, modules.packages) for name in (found.source, found.target))
            downward = source and target and (source == target or self.rank[target] < self.rank[source])
            if not downward and not self._is_excepted(found):
                how = "in a function" if found.in_function else "at its head"
                sentences.append(f"{found.source}, line {found.line}, imports {found.target} {how}")
        return sentences


@cache
def package():
    texts, packages, aliases = {}, set(), {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ["paddle", *path.relative_to(PACKAGE).with_suffix("").parts]
        if parts[-1] == "__init__":
            parts.pop()
            packages.add(".".join(parts))
        name = ".".join(parts)
        texts[name] = path.read_text()
        if name.startswith(BEHIND_THE_DOOR):
            aliases["paddle." + name.removeprefix(BEHIND_THE_DOOR)] = name
    return Modules(texts, packages, aliases)


@cache
def checked():
    layers = Layers(TABLE["order"], TABLE["upward"])
    return layers, layers.wrong(package())


def test_every_module_has_a_place():
    layers = Layers(TABLE["order"])
    assert [
        name for name in sorted(package().names) if layers.unit(name) is None and name not in package().aliases
    ] == []


def test_every_entry_of_the_table_is_a_module():
    units = {unit.rstrip("/") for unit in Layers(TABLE["order"]).rank} - {"."}
    assert {unit for unit in units if f"paddle.{unit}" not in package().names} == set()


def test_imports_go_downwards():
    assert checked()[1] == []


def test_every_exception_is_needed():
    layers, _ = checked()
    assert set(layers.upward) - layers.used == set()
    assert all(entry["reason"].endswith(".") for entry in TABLE["upward"])


def test_no_modules_need_each_other_to_load():
    assert cycle(package().needed_to_load()) == []


MADE_UP = {
    "paddle": "from . import low, high",
    "paddle.low": "",
    "paddle.low.a": "x = 1",
    "paddle.high": "from .b import y",
    "paddle.high.b": "from ..low.a import x\nfrom ..low import a as y",
}


def made_up(**changes):
    texts = MADE_UP | {f"paddle.{name.replace('__', '.')}": text for name, text in changes.items()}
    return Modules(texts, {"paddle", "paddle.low", "paddle.high"})


def faults(modules, upward=()):
    layers = Layers(["low", "high", "."], upward)
    return layers.wrong(modules)


def test_the_check_passes_what_goes_down():
    assert faults(made_up()) == [] and cycle(made_up().needed_to_load()) == []


@pytest.mark.parametrize(
    "text, target",
    [
        ("from ..high import b", "paddle.high.b"),
        ("from ..high.b import y", "paddle.high.b"),
        ("import paddle.high.b", "paddle.high.b"),
        ("import paddle", "paddle"),
        ("from .. import Tensor", "paddle"),
        ("if True:\n    from paddle import high", "paddle.high"),
        ("class A:\n    from paddle import high", "paddle.high"),
        ("import importlib\nimportlib.import_module('paddle.high')", "paddle.high"),
        ("import sys\nsys.modules['paddle.high'].b", "paddle.high"),
    ],
)
def test_the_check_finds_what_goes_up(text, target):
    (sentence,) = faults(made_up(low__a=text))
    assert sentence.startswith("paddle.low.a, line ") and sentence.endswith(f"imports {target} at its head")


def test_an_exception_holds_inside_of_functions_only():
    upward = [{"from": ["low.a"], "to": "high", "reason": "."}]
    inside = made_up(low__a="def f():\n    from ..high import b")
    assert len(faults(inside)) == 1
    assert faults(inside, upward) == []
    assert len(faults(made_up(low__a="from ..high import b"), upward)) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"low__a": "from . import c", "low__c": "from .a import x"},
        {"low": "from .a import x", "low__a": "from . import missing"},
        {"low__a": "from ..high import b"},
        {"low__a": "from .. import high\nx = 1"},
    ],
)
def test_the_check_finds_modules_that_need_each_other(changes):
    assert len(cycle(made_up(**changes).needed_to_load())) > 1
