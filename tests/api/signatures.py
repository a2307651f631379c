# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Compares the public names of `paddle` with `names.tsv`: name, kind, signature, keyword aliases.

`python tests/api/signatures.py` prints what differs; with `--update` it takes names that are covered now out of
`uncovered.txt` (it never adds any)."""

import ast
import csv
import enum
import importlib
import inspect
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
UNCOVERED = HERE / "uncovered.txt"
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Opaque:
    """A default that the table names only by its type; any default will do."""

    def __eq__(self, other):
        return True

    __hash__ = None


def rows():
    with open(HERE / "names.tsv", newline="", encoding="utf8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def parse(text):
    """The inspect.Signature that a text such as "(x, axis=None, *, out=None)" means."""
    arguments = ast.parse(f"def f{re.sub('=<[^<>]*>', '=...', text)}: pass").body[0].args
    kinds = inspect.Parameter

    def value(node):
        try:
            found = ast.literal_eval(node)
        except ValueError:
            return Opaque()
        return Opaque() if found is ... else found

    made = []
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [inspect.Parameter.empty] * (len(positional) - len(arguments.defaults))
    defaults += [value(node) for node in arguments.defaults]
    for i, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
        kind = kinds.POSITIONAL_ONLY if i < len(arguments.posonlyargs) else kinds.POSITIONAL_OR_KEYWORD
        made.append(kinds(argument.arg, kind, default=default))
    if arguments.vararg:
        made.append(kinds(arguments.vararg.arg, kinds.VAR_POSITIONAL))
    for argument, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        default = inspect.Parameter.empty if node is None else value(node)
        made.append(kinds(argument.arg, kinds.KEYWORD_ONLY, default=default))
    if arguments.kwarg:
        made.append(kinds(arguments.kwarg.arg, kinds.VAR_KEYWORD))
    return made


def same_default(wanted, given):
    if wanted is inspect.Parameter.empty:
        return True  # more permissive
    if given is inspect.Parameter.empty:
        return False
    simple = (bool, int, float, str, tuple, list, dict, set, type(None))
    if not isinstance(given, simple):
        return isinstance(wanted, Opaque)
    return wanted == given


def difference(wanted, given):
    """Why a callable with the parameters `given` can't replace `wanted`; "" when it can."""
    if wanted and all(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in wanted):
        return ""
    named = {p.name: p for p in given if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}
    places = [p for p in given if p.kind in POSITIONAL]
    for i, p in enumerate(p for p in wanted if p.kind in POSITIONAL):
        if i >= len(places):
            return f"no positional parameter {p.name!r}"
        if places[i].name != p.name and p.kind is not p.POSITIONAL_ONLY:
            return f"parameter {i} is {places[i].name!r}; it should be {p.name!r}"
        if not same_default(p.default, places[i].default):
            return f"the default of {p.name!r} is {places[i].default!r}; it should be {p.default!r}"
    for p in wanted:
        if p.kind is p.KEYWORD_ONLY:
            if p.name not in named:
                return f"no keyword parameter {p.name!r}"
            if not same_default(p.default, named[p.name].default):
                return f"the default of {p.name!r} is {named[p.name].default!r}; it should be {p.default!r}"
        elif p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and all(g.kind is not p.kind for g in given):
            return "no *args" if p.kind is p.VAR_POSITIONAL else "no **kwargs"
    known = {p.name for p in wanted}
    count = sum(p.kind in POSITIONAL for p in wanted)
    extra = [p for p in (*places[count:], *named.values()) if p.kind is p.KEYWORD_ONLY or p in places[count:]]
    for p in extra:
        if p.default is p.empty and p.name not in known:
            return f"parameter {p.name!r} has no default"
    return ""


def resolve(name):
    """(object, owner) of a dotted name; AttributeError or ImportError when there is none."""
    parts = name.split(".")
    found, owner = importlib.import_module(parts[0]), None
    for i, part in enumerate(parts[1:], 2):
        owner = found
        try:
            found = getattr(owner, part)
        except AttributeError:
            if not inspect.ismodule(owner):
                raise
            found = importlib.import_module(".".join(parts[:i]))
    return found, owner


def takes_keyword(call, keyword):
    """Whether a callable knows a keyword: it must not be what the call fails at."""
    try:
        call(**{keyword: object()})
    except TypeError as error:
        return not re.search(rf"unexpected (keyword )?argument '?{keyword}\b", str(error))
    except Exception:
        return True
    return True


def problem(row, instances):
    """What is wrong with one row of the table; "" when nothing is."""
    name, kind, text = row["name"], row["kind"], row["signature"]
    last = name.rpartition(".")[2]
    if kind == "attr":
        try:
            if text not in instances:
                instances[text] = eval(text, {"paddle": importlib.import_module("paddle")})
            instance = instances[text]
            return "" if hasattr(instance, last) else "missing"
        except Exception as error:
            return f"missing: {text} fails with {type(error).__name__}"
    try:
        found, owner = resolve(name)
    except (AttributeError, ImportError):
        return "missing"
    inherited = inspect.isclass(owner) and last in vars(object)
    if inherited and inspect.getattr_static(owner, last, None) is vars(object)[last]:
        return "missing: only the one of object"
    if kind == "module":
        return "" if inspect.ismodule(found) else "no module"
    if kind in ("const", "property"):
        return ""
    if not (inspect.isclass(found) if kind == "class" else callable(found)):
        return f"no {kind}"
    # What calling an Enum class takes belongs to Python, and changes with its version.
    if not text or (inspect.isclass(found) and issubclass(found, enum.Enum)):
        return ""
    try:
        given = list(inspect.signature(found).parameters.values())
    except (TypeError, ValueError):
        return "" if text == "(*args, **kwargs)" else "no readable signature"
    if kind == "method" and not inspect.ismethod(found):
        static = inspect.getattr_static(owner, last, None)
        bound = isinstance(static, (staticmethod, classmethod))
        given = given if bound or not given or given[0].kind not in POSITIONAL else given[1:]
    why = difference(parse(text), given)
    if why:
        return why
    aliases = [pair.partition("|")[2] for word in row["notes"].split() if "|" in word for pair in word.split(",")]
    refused = [alias for alias in aliases if not takes_keyword(found, alias)]
    return f"keywords {', '.join(refused)} are not known" if refused else ""


def check(table=None):
    """Pairs (name, what is wrong) of all rows that are not covered."""
    instances = {}
    found = ((row["name"], problem(row, instances)) for row in (rows() if table is None else table))
    return [(name, why) for name, why in found if why]


def uncovered():
    """The names that are known to be not covered."""
    return {line.strip() for line in UNCOVERED.read_text().splitlines() if line.strip() and line[0] != "#"}


def main():
    wrong = dict(check())
    known = uncovered()
    for name, why in sorted(wrong.items()):
        print(f"{'known' if name in known else 'NEW':5} {name}: {why}")
    print(f"{len(rows()) - len(wrong)} of {len(rows())} names are covered")
    if "--update" in sys.argv:
        kept = sorted(known & wrong.keys()) if known else sorted(wrong)
        UNCOVERED.write_text(
            "# Names of names.tsv that are not covered yet; nothing is added to the list.\n" + "\n".join(kept) + "\n"
        )


if __name__ == "__main__":
    main()
