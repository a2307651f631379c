# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Which test checks which public name: read from the sources of the tests, written as a list.

A test counts for a name when it, or a function or fixture of its file that it uses, names it and the test
compares or expects something (assert, numpy.testing, pytest.raises). Names are resolved through the imports of the
file; a method counts by its name where the file names its class, its module or a base that all have. The rows of
the case table count for every spelling of their operator.

`python tests/api/tested.py [FILE]` writes `name, tests` (build/test_coverage.tsv by default) and prints the names of
tier 1 and 2 without a test; with `--update` it takes those that have one now out of `untested.txt` (it never adds
any)."""

import ast
import csv
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
UNTESTED = HERE / "untested.txt"
# Bases whose methods tests call on objects that no import names.
BASES = ("paddle.Tensor", "paddle.nn.Layer", "paddle.optimizer.Optimizer", "paddle.optimizer.lr.LRScheduler")
TABLE = "tests/test_op_cases.py"
# Nodes of the grammar that call a special method; with a number on the left, the reflected one.
OPERATORS = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
    ast.MatMult: "matmul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "lshift",
    ast.RShift: "rshift",
}
COMPARISONS = {ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}
CONVERSIONS = ("float", "int", "len", "str")


def table(name):
    with open(HERE / name, newline="", encoding="utf8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def wanted():
    """Names that need a test: tier 1 and 2, and internal ones that programs use often. Modules need none."""
    rows = [r for r in table("names.tsv") if r["tier"] in ("1", "2")] + table("internal_names.tsv")
    return {r["name"]: r["kind"] for r in rows if r["kind"] != "module"}


class Scope(ast.NodeVisitor):
    """What a function, or a file outside its functions, names and whether it checks anything."""

    def __init__(self, aliases, known):
        self.aliases, self.known = aliases, known
        self.names, self.attributes, self.strings, self.uses = set(), set(), set(), set()
        self.computed = set()  # modules whose members are taken by a computed name
        self.checks = False

    def dotted(self, node):
        """The full name of an attribute chain that begins with an import, or None."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.aliases:
            return None
        return ".".join([self.aliases[node.id], *reversed(parts)])

    def visit_Attribute(self, node):
        found = self.dotted(node)
        if found:
            while found:  # paddle.nn.Linear.forward names paddle.nn.Linear too
                self.names.add(found)
                found = found.rpartition(".")[0]
        self.attributes.add(node.attr)
        self.generic_visit(node)

    def visit_Name(self, node):
        self.uses.add(node.id)
        if node.id in self.aliases:
            self.names.add(self.aliases[node.id])

    def visit_arg(self, node):
        self.uses.add(node.arg)  # a fixture

    def visit_Constant(self, node):
        if isinstance(node.value, str):
            self.strings.add(node.value)

    def visit_BinOp(self, node):
        name = OPERATORS.get(type(node.op))
        reflected = "r" if isinstance(node.left, ast.Constant) else ""
        self.attributes.add(f"__{reflected}{name}__")
        self.generic_visit(node)

    def visit_Compare(self, node):
        self.attributes.update(f"__{COMPARISONS[type(op)]}__" for op in node.ops if type(op) in COMPARISONS)
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        self.attributes.add({ast.USub: "__neg__", ast.Invert: "__invert__"}.get(type(node.op), ""))
        self.generic_visit(node)

    def visit_Subscript(self, node):
        self.attributes.add("__setitem__" if isinstance(node.ctx, ast.Store) else "__getitem__")
        self.generic_visit(node)

    def visit_Assert(self, node):
        self.checks = True
        self.generic_visit(node)

    def visit_Call(self, node):
        function = node.func
        text = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if text in CONVERSIONS:
            self.attributes.add(f"__{text}__")
        self.checks |= text.startswith(("assert_", "raises", "warns"))
        if text == "getattr" and len(node.args) > 1 and not isinstance(node.args[1], ast.Constant):
            owner = self.dotted(node.args[0])
            if owner or (isinstance(node.args[0], ast.Name) and node.args[0].id in self.aliases):
                self.computed.add(owner or self.aliases[node.args[0].id])
            else:
                self.computed.add("")
        self.generic_visit(node)

    def visit_Import(self, node):
        for alias in node.names:
            if alias.name.split(".")[0] == "paddle":
                self.aliases[alias.asname or "paddle"] = alias.name if alias.asname else "paddle"

    def visit_ImportFrom(self, node):
        if (node.module or "").split(".")[0] == "paddle" and not node.level:
            for alias in node.names:
                self.aliases[alias.asname or alias.name] = f"{node.module}.{alias.name}"

    def merge(self, other):
        for field in ("names", "attributes", "strings", "uses", "computed"):
            getattr(self, field).update(getattr(other, field))
        self.checks |= other.checks


def scopes_of(path, known):
    """Scope of every test of a file: test name -> Scope with all that it reaches."""
    tree = ast.parse(path.read_text(), str(path))
    aliases = {}
    whole = Scope(aliases, known)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            whole.visit(node)
    own = {}
    for node in tree.body:
        names = [node.name] if hasattr(node, "name") else []
        if isinstance(node, ast.Assign):
            names = [t.id for t in node.targets if isinstance(t, ast.Name)]
        scope = Scope(aliases, known)
        scope.visit(node)
        for name in names:
            own[name] = scope
    reached = {}
    for name, scope in own.items():
        if not name.startswith(("test_", "Test")):
            continue
        total, seen, waiting = Scope(aliases, known), {name}, [scope]
        while waiting:
            part = waiting.pop()
            total.merge(part)
            for used in part.uses & own.keys() - seen:
                seen.add(used)
                waiting.append(own[used])
        reached[name] = total
    return reached


def canonical(names, spelled):
    """The names a test covers, `import paddle.nn.functional as F` being the same function as `paddle.abs`."""
    return names | {other for name in names for other in spelled.get(name, ())}


def tests_by_name():
    """name -> list of "file::test" that check it."""
    import paddle

    known = {r["name"] for r in table("names.tsv")} | {r["name"] for r in table("internal_names.tsv")}
    members = defaultdict(set)  # last part of a class member -> full names
    for name in known:
        members[name.rpartition(".")[2]].add(name)
    found = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        label = path.relative_to(ROOT).as_posix()
        for test, scope in scopes_of(path, known).items():
            if not scope.checks:
                continue
            covered = {n for n in scope.names if n in known}
            covered |= {f"{m}.{s}" for m in scope.computed for s in scope.strings if f"{m}.{s}" in known}
            taken = scope.strings if "" in scope.computed else set()
            for attribute in scope.attributes | taken:
                for name in members.get(attribute, ()):
                    owner = name.rpartition(".")[0]
                    if owner in BASES or owner in scope.names:
                        covered.add(name)
            for name in covered:
                found[name].append(f"{label}::{test}")
    with_row = case_operators()
    for path, _, op, _ in paddle._core.spellings():
        name = "paddle." + path if path.startswith("Tensor.") else path
        if op in with_row and name in known:
            found[name].append(f"{TABLE}::{op}")
    return share_between_spellings(found, known)


def case_operators():
    sys.path.insert(0, str(ROOT))
    try:
        from tests import op_cases

        return {case.op for case in op_cases.all_cases()}
    finally:
        sys.path.pop(0)


def share_between_spellings(found, known):
    """Names of one object (paddle.sin and paddle.tensor.sin) have one list."""
    import importlib.util

    spec = importlib.util.spec_from_file_location("api_signatures", HERE / "signatures.py")
    signatures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(signatures)
    objects = defaultdict(list)
    for name in known:
        try:
            thing, _ = signatures.resolve(name)
        except Exception:  # not covered at all; uncovered.txt says so
            continue
        if callable(thing):
            objects[id(thing)].append((name, thing))
    for names in objects.values():
        tests = sorted({t for name, _ in names for t in found.get(name, ())})
        for name, _ in names:
            found[name] = tests
    return found


def untested():
    return set(UNTESTED.read_text().split()) if UNTESTED.exists() else set()


def main(arguments):
    found = tests_by_name()
    missing = sorted(name for name in wanted() if not found.get(name))
    if "--update" in arguments:
        kept = [name for name in missing if name in untested()] if UNTESTED.exists() else missing
        UNTESTED.write_text("".join(name + "\n" for name in kept))
        arguments = [a for a in arguments if a != "--update"]
    target = Path(arguments[0]) if arguments else ROOT / "build" / "test_coverage.tsv"
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target, "w") as file:
        file.write("name\ttests\n")
        file.writelines(f"{name}\t{' '.join(found.get(name, ()))}\n" for name in sorted(wanted()))
    print(*missing, sep="\n")
    print(f"{len(wanted()) - len(missing)} of {len(wanted())} names are checked by a test; the list is {target}")


if __name__ == "__main__":
    main(sys.argv[1:])
