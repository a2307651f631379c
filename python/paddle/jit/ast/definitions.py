# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The syntax trees of functions, from the files that define them."""

import ast
import copy
import functools
import inspect
import textwrap

from . import generators, walrus

_OF_A_LAMBDA = "__jst_lambda"  # the name of a lambda as a definition


def definition(function):
    """The syntax tree of a function as a definition, with the line numbers of its file; None when it has none or
    cannot be rewritten."""
    code = function.__code__
    try:
        node = _of_lambda(code) if code.co_name == "<lambda>" else _of_def(code)
    except (OSError, TypeError, SyntaxError):
        return None
    if node is not None and any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
        if not walrus.can_be_hoisted(node):
            return None
        node.body = walrus.hoist(node.body)
    if node is not None and code.co_flags & inspect.CO_GENERATOR:
        return generators.materialize(node) if generators.can_be_materialized(node) else None
    return node


def _of_def(code):
    # The lines of the code object: those of the function may be those of what a decorator wraps.
    lines, first = inspect.getsourcelines(code)
    node = ast.parse(textwrap.dedent("".join(lines))).body[0]
    if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
        return None
    indent = len(lines[0]) - len(lines[0].lstrip())
    for n in ast.walk(node):
        if hasattr(n, "lineno"):
            n.lineno += first - 1
            n.end_lineno = (n.end_lineno or n.lineno) + first - 1
            n.col_offset += indent
            n.end_col_offset = (n.end_col_offset or 0) + indent
    return node


@functools.lru_cache(maxsize=4)
def _lambdas(source):
    return [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Lambda)]


def _extent_of(node):
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _of_lambda(code):
    """The smallest lambda on its line whose body holds all positions that the code names."""
    positions = [p for p in code.co_positions() if None not in p]
    positions = [((line, column), (end, end_column)) for line, end, column, end_column in positions]
    positions = [(begin, end) for begin, end in positions if begin < end]
    on_line = [n for n in _lambdas("".join(inspect.findsource(code)[0])) if n.lineno == code.co_firstlineno]
    if not positions and len(on_line) > 1:  # Python runs without columns
        return None
    found = None
    for node in on_line:
        begin, end = _extent_of(node.body)
        if all(begin <= b and e <= end for b, e in positions):
            if found is None or (begin >= found[0] and end <= found[1]):
                found = begin, end, node
    if found is None:
        return None
    node = copy.deepcopy(found[2])
    returned = ast.copy_location(ast.Return(value=node.body), node.body)
    made = ast.FunctionDef(name=_OF_A_LAMBDA, args=node.args, body=[returned], decorator_list=[])
    return ast.copy_location(made, node)


def class_name(function):
    """The class that a function is written in, for names like __private; None outside of one."""
    parts = function.__qualname__.split(".")
    while len(parts) > 2 and parts[-2] == "<locals>":
        del parts[-2:]
    return parts[-2].lstrip("_") if len(parts) > 1 and parts[-2] != "<locals>" else None
