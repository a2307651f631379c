# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Assignments inside of expressions (`:=`) as statements of their own.

The rewritten code evaluates operands of `and`, `or`, chained comparisons and conditional expressions in
functions of their own, where an assignment would not reach the variable."""

import ast

from .syntax import SCOPES, assign, blocks, name

_LATE = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def can_be_moved(function):
    """Whether every `:=` of a function is evaluated whenever its statement is."""
    return _block_can(function.body)


def _block_can(body):
    return all(map(_statement_can, body))


def _statement_can(statement):
    if isinstance(statement, ast.FunctionDef):
        around = [*statement.decorator_list, *statement.args.defaults, *filter(None, statement.args.kw_defaults)]
        return not any(map(_inside, around)) and _block_can(statement.body)
    if isinstance(statement, SCOPES):
        return not _inside(statement)
    if isinstance(statement, ast.While) and statement.orelse and _inside(statement.test):
        return False
    is_test = isinstance(statement, (ast.If, ast.While))
    if is_test and not _test_can(statement.test):
        return False
    for field, value in ast.iter_fields(statement):
        if field in _BLOCKS or (is_test and field == "test"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not _expression_can(node):
                return False
    return all(_block_can(getattr(holder, field)) for holder, field in blocks(statement))


def _inside(node):
    return any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))


def _expression_can(node):
    """Not behind something that may be skipped or that runs more than once."""
    if isinstance(node, _LATE):
        return not _inside(node)
    if isinstance(node, ast.BoolOp) and any(map(_inside, node.values[1:])):
        return False
    if isinstance(node, ast.IfExp) and (_inside(node.body) or _inside(node.orelse)):
        return False
    if isinstance(node, ast.Compare) and any(map(_inside, node.comparators[1:])):
        return False
    return all(map(_expression_can, ast.iter_child_nodes(node)))


def _test_can(test):
    """The same of a test, whose terms become statements that are skipped as they are."""
    if isinstance(test, ast.BoolOp):
        return all(map(_test_can, test.values))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _test_can(test.operand)
    return _expression_can(test)


def _negated(test):
    return ast.copy_location(ast.UnaryOp(op=ast.Not(), operand=test), test)


def _test(test, depth=0):
    """(statements, test) of a test with `:=` inside: statements that come before it, and what is left of it."""
    if not _inside(test):
        return [], test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        before, rest = _test(test.operand, depth)
        return before, _negated(rest)
    if not isinstance(test, ast.BoolOp):
        taken = _Taken()
        rest = taken.visit(test)
        return taken.before, rest
    variable = f"__jst_flag_{depth}"
    out = []
    for value in reversed(test.values):  # the last term stands innermost
        before, rest = _test(value, depth + 1)
        truth = ast.copy_location(assign(variable, _negated(_negated(rest))), value)
        if out:
            holds = ast.copy_location(name(variable), value)
            holds = holds if isinstance(test.op, ast.And) else _negated(holds)
            out = [ast.copy_location(ast.If(test=holds, body=out, orelse=[]), value)]
        out = [*before, truth, *out]
    return out, ast.copy_location(name(variable), test)


class _Taken(ast.NodeTransformer):
    """Replaces each `:=` by its variable and keeps the assignments in order."""

    def __init__(self):
        self.before = []

    def visit_NamedExpr(self, node):
        value = self.visit(node.value)
        self.before.append(ast.copy_location(assign(node.target.id, value), node))
        return ast.copy_location(name(node.target.id), node)


def move(body):
    """The block with every `:=` as a statement before the one that it stands in."""
    out = []
    for statement in body:
        if isinstance(statement, SCOPES):
            if isinstance(statement, ast.FunctionDef):
                statement.body = move(statement.body)
            out.append(statement)
            continue
        for holder, field in blocks(statement):
            setattr(holder, field, move(getattr(holder, field)))
        if isinstance(statement, ast.While) and _inside(statement.test):
            stop = ast.If(test=ast.UnaryOp(op=ast.Not(), operand=statement.test), body=[ast.Break()], orelse=[])
            ast.copy_location(stop, statement)
            ast.copy_location(stop.body[0], statement)
            statement.test = ast.copy_location(ast.Constant(value=True), statement)
            statement.body = [*move([stop]), *statement.body]
            out.append(statement)
            continue
        taken = _Taken()
        if isinstance(statement, ast.If):
            taken.before, statement.test = _test(statement.test)
        for field, value in ast.iter_fields(statement):
            if field in _BLOCKS:
                continue
            if isinstance(value, list):
                setattr(statement, field, [taken.visit(v) if isinstance(v, ast.AST) else v for v in value])
            elif isinstance(value, ast.AST):
                setattr(statement, field, taken.visit(value))
        out.extend([*taken.before, statement])
    return out
