# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Hoisting of assignment expressions (`:=`) into statements of their own.

The rewritten code evaluates operands of `and`, `or`, chained comparisons and conditional expressions in functions of
their own, where an assignment would not reach the variable."""

import ast

from .syntax import LOCAL, SCOPES, assign, blocks, name

_DEFERRED = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def can_be_hoisted(function):
    """Whether every `:=` of a function is evaluated whenever its statement is, so that it can be a statement before
    that one."""
    return _is_hoistable_block(function.body)


def _is_hoistable_block(body):
    return all(map(_is_hoistable_statement, body))


def _is_hoistable_statement(statement):
    if isinstance(statement, ast.FunctionDef):
        around = [*statement.decorator_list, *statement.args.defaults, *filter(None, statement.args.kw_defaults)]
        return not any(map(_has_walrus, around)) and _is_hoistable_block(statement.body)
    if isinstance(statement, SCOPES):
        return not _has_walrus(statement)
    if isinstance(statement, ast.While) and statement.orelse and _has_walrus(statement.test):
        return False
    is_test = isinstance(statement, (ast.If, ast.While))
    if is_test and not _is_hoistable_test(statement.test):
        return False
    for field, value in ast.iter_fields(statement):
        if field in _BLOCKS or (is_test and field == "test"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not _is_hoistable_expression(node):
                return False
    return all(_is_hoistable_block(getattr(holder, field)) for holder, field in blocks(statement))


def _has_walrus(node):
    return any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))


def _is_hoistable_expression(node):
    """Whether no `:=` is in an operand that may be skipped or that is evaluated more than once."""
    if isinstance(node, _DEFERRED):
        return not _has_walrus(node)
    if isinstance(node, ast.BoolOp) and any(map(_has_walrus, node.values[1:])):
        return False
    if isinstance(node, ast.IfExp) and (_has_walrus(node.body) or _has_walrus(node.orelse)):
        return False
    if isinstance(node, ast.Compare) and any(map(_has_walrus, node.comparators[1:])):
        return False
    return all(map(_is_hoistable_expression, ast.iter_child_nodes(node)))


def _is_hoistable_test(test):
    """Whether the `:=` of a test can be hoisted: its operands become statements that are skipped as they are."""
    if isinstance(test, ast.BoolOp):
        return all(map(_is_hoistable_test, test.values))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_hoistable_test(test.operand)
    return _is_hoistable_expression(test)


def _negated(test):
    return ast.copy_location(ast.UnaryOp(op=ast.Not(), operand=test), test)


def _test(test, depth=0):
    """(statements, test) of a test with `:=`: the statements that come before it, and the test that is left."""
    if not _has_walrus(test):
        return [], test
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        before, rest = _test(test.operand, depth)
        return before, _negated(rest)
    if not isinstance(test, ast.BoolOp):
        hoisting = _Hoisting()
        rest = hoisting.visit(test)
        return hoisting.before, rest
    variable = f"{LOCAL}test_{depth}"
    out = []
    for value in reversed(test.values):  # the last operand is the innermost
        before, rest = _test(value, depth + 1)
        truth = ast.copy_location(assign(variable, _negated(_negated(rest))), value)
        if out:
            holds = ast.copy_location(name(variable), value)
            holds = holds if isinstance(test.op, ast.And) else _negated(holds)
            out = [ast.copy_location(ast.If(test=holds, body=out, orelse=[]), value)]
        out = [*before, truth, *out]
    return out, ast.copy_location(name(variable), test)


class _Hoisting(ast.NodeTransformer):
    """Replaces each `:=` by its variable, and keeps the assignments in order."""

    def __init__(self):
        self.before = []

    def visit_NamedExpr(self, node):
        value = self.visit(node.value)
        self.before.append(ast.copy_location(assign(node.target.id, value), node))
        return ast.copy_location(name(node.target.id), node)


def hoist(body):
    """A block with every `:=` as a statement before its own."""
    out = []
    for statement in body:
        if isinstance(statement, SCOPES):
            if isinstance(statement, ast.FunctionDef):
                statement.body = hoist(statement.body)
            out.append(statement)
            continue
        for holder, field in blocks(statement):
            setattr(holder, field, hoist(getattr(holder, field)))
        if isinstance(statement, ast.While) and _has_walrus(statement.test):
            stop = ast.If(test=ast.UnaryOp(op=ast.Not(), operand=statement.test), body=[ast.Break()], orelse=[])
            ast.copy_location(stop, statement)
            ast.copy_location(stop.body[0], statement)
            statement.test = ast.copy_location(ast.Constant(value=True), statement)
            statement.body = [*hoist([stop]), *statement.body]
            out.append(statement)
            continue
        hoisting = _Hoisting()
        if isinstance(statement, ast.If):
            hoisting.before, statement.test = _test(statement.test)
        for field, value in ast.iter_fields(statement):
            if field in _BLOCKS:
                continue
            if isinstance(value, list):
                setattr(statement, field, [hoisting.visit(v) if isinstance(v, ast.AST) else v for v in value])
            elif isinstance(value, ast.AST):
                setattr(statement, field, hoisting.visit(value))
        out.extend([*hoisting.before, statement])
    return out
