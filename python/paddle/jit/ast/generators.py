# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Generators that branch on tensors, as functions that make the list of what they yield.

They are that only after a capture found one that asks for the values of a tensor: others go on step by step."""

import ast
import inspect
import threading

from .syntax import assign, call, name, walk

MADE = "__jst_flag_made"
_ENDLESS = {"count", "cycle", "repeat"}
_listed = threading.local()


def are_listed(codes):
    """Within captures of this thread that follow, generators with these code objects make lists. Returns the codes
    before."""
    before = getattr(_listed, "codes", frozenset())
    _listed.codes = codes
    return before


def is_listed(code):
    """Whether the generator with that code object makes a list."""
    return code in getattr(_listed, "codes", ())


def blamed(error):
    """The code objects of generators that are not listed yet and that an error came through."""
    codes, at = set(), error.__traceback__
    while at is not None:
        code = at.tb_frame.f_code
        if code.co_flags & inspect.CO_GENERATOR and code.co_name != "<genexpr>" and not is_listed(code):
            codes.add(code)
        at = at.tb_next
    return codes


def _is_yield(node):
    return isinstance(node, (ast.Yield, ast.YieldFrom))


# What code that takes items from a generator would be inside of, too, while the generator waits.
_HELD = {"no_grad", "enable_grad", "set_grad_enabled", "inference_mode", "auto_cast", "amp_guard"}


def _called(node):
    """The last name of what an expression calls; empty for others."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "id", getattr(function, "attr", ""))


def _is_endless(loop):
    jumps = (ast.Break, ast.Return)
    return isinstance(loop.test, ast.Constant) and not any(isinstance(n, jumps) for n in walk(loop.body))


def can_be_listed(node):
    """Whether a generator comes to its end, and what it yields does not depend on what it is sent."""
    stated = {id(s.value) for s in walk(node.body) if isinstance(s, ast.Expr)}
    for n in walk(node.body):
        if _is_yield(n) and id(n) not in stated:
            return False
        if (isinstance(n, ast.While) and _is_endless(n)) or _called(n) in _ENDLESS:
            return False
        if isinstance(n, ast.With) and any(_called(i.context_expr) in _HELD for i in n.items):
            if any(map(_is_yield, walk(n.body))):
                return False
    return True


class _Listing(ast.NodeTransformer):
    def visit_FunctionDef(self, node):
        return node

    visit_Lambda = visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_Expr(self, node):
        if not _is_yield(node.value):
            return node
        given = node.value.value or ast.Constant(value=None)
        if isinstance(node.value, ast.Yield):
            more = ast.List(elts=[given], ctx=ast.Load())
        else:
            more = call("yield_from", given)
        return ast.copy_location(assign(MADE, ast.BinOp(left=name(MADE), op=ast.Add(), right=more)), node)

    def visit_Return(self, node):
        node.value = None  # which nobody is given
        return node


def as_list(node):
    """The generator, changed in place, as a function that makes what it would yield; see end()."""
    first = ast.copy_location(assign(MADE, ast.List(elts=[], ctx=ast.Load())), node.body[0])
    node.body = [first, *map(_Listing().visit, node.body)]
    node.jst_makes_list = True
    return node


def end(body):
    """The rewritten body of such a function with what it returns."""
    returns = [n for n in walk(body) if isinstance(n, ast.Return)]
    if not isinstance(body[-1], ast.Return):
        returns.append(ast.copy_location(ast.Return(), body[-1]))
        body = [*body, returns[-1]]
    for statement in returns:
        statement.value = call("generator_result", name(MADE))
    return body
