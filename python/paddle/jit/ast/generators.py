# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Generators that branch on tensors, as functions that make the list of what they yield.

They become such functions only after a capture found one that asks for the values of a tensor; others go on step by
step."""

import ast
import inspect
import threading

from .syntax import LOCAL, assign, call, name, walk

YIELDED = LOCAL + "yielded"
_ENDLESS = {"count", "cycle", "repeat"}
_state = threading.local()


def set_materialized(codes):
    """Generators with these code objects make lists in the following captures of this thread. Returns the code objects
    before."""
    previous = getattr(_state, "codes", frozenset())
    _state.codes = codes
    return previous


def is_materialized(code):
    """Whether the generator with a code object makes a list."""
    return code in getattr(_state, "codes", ())


def generators_in_traceback(error):
    """The code objects of generators that do not make lists yet and that an error came through."""
    codes, at = set(), error.__traceback__
    while at is not None:
        code = at.tb_frame.f_code
        if code.co_flags & inspect.CO_GENERATOR and code.co_name != "<genexpr>" and not is_materialized(code):
            codes.add(code)
        at = at.tb_next
    return codes


def _is_yield(node):
    return isinstance(node, (ast.Yield, ast.YieldFrom))


# Modes that also hold for the code that takes items from a generator, while the generator waits inside of one.
_SCOPED_MODES = {"no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "auto_cast", "amp_guard"}


def _called(node):
    """The last name of the function that an expression calls; empty for other expressions."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "id", getattr(function, "attr", ""))


def _is_endless(loop):
    jumps = (ast.Break, ast.Return)
    return isinstance(loop.test, ast.Constant) and not any(isinstance(n, jumps) for n in walk(loop.body))


def can_be_materialized(node):
    """Whether a generator ends, and what it yields does not depend on what it is sent."""
    stated = {id(s.value) for s in walk(node.body) if isinstance(s, ast.Expr)}
    for n in walk(node.body):
        if _is_yield(n) and id(n) not in stated:
            return False
        if (isinstance(n, ast.While) and _is_endless(n)) or _called(n) in _ENDLESS:
            return False
        if isinstance(n, ast.With) and any(_called(i.context_expr) in _SCOPED_MODES for i in n.items):
            if any(map(_is_yield, walk(n.body))):
                return False
    return True


class _YieldsToAppends(ast.NodeTransformer):
    def visit_FunctionDef(self, node):
        return node

    visit_Lambda = visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Expr(self, node):
        if not _is_yield(node.value):
            return node
        yielded = node.value.value or ast.Constant(value=None)
        if isinstance(node.value, ast.Yield):
            more = ast.List(elts=[yielded], ctx=ast.Load())
        else:
            more = call("yield_from", yielded)
        return ast.copy_location(assign(YIELDED, ast.BinOp(left=name(YIELDED), op=ast.Add(), right=more)), node)

    def visit_Return(self, node):
        node.value = None  # which Python gives to nobody
        return node


def materialize(node):
    """The generator, changed in place, as a function that makes the list of what it would yield; see return_list()."""
    first = ast.copy_location(assign(YIELDED, ast.List(elts=[], ctx=ast.Load())), node.body[0])
    node.body = [first, *map(_YieldsToAppends().visit, node.body)]
    node.jst_makes_list = True
    return node


def return_list(body):
    """The rewritten body of such a function, with the list as its result."""
    returns = [n for n in walk(body) if isinstance(n, ast.Return)]
    if not isinstance(body[-1], ast.Return):
        returns.append(ast.copy_location(ast.Return(), body[-1]))
        body = [*body, returns[-1]]
    for statement in returns:
        statement.value = call("generator_result", name(YIELDED))
    return body
