# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Nodes of Python's syntax tree: how to make them, and what blocks of them bind, mutate and contain."""

import ast
import copy

JST = "__jst"
RETURN_FLAG, RETURN_VALUE = "__jst_returned", "__jst_value"
SETTER_ARGUMENT = "__jst_new_value"  # the argument of functions that set a variable
ITEM = "__jst_item"  # the argument of functions of an item of a loop
LOCAL = (
    "__jst_local_"  # begins the names of generated variables that branches and rounds carry as they carry the user's
)


def name(identifier, ctx=None):
    return ast.Name(id=identifier, ctx=ctx or ast.Load())


def constant(value):
    return ast.Constant(value=value)


def assign(identifier, value):
    return ast.Assign(targets=[name(identifier, ast.Store())], value=value)


def call(function, *args):
    return ast.Call(func=ast.Attribute(value=name(JST), attr=function, ctx=ast.Load()), args=list(args), keywords=[])


def as_load(node):
    """A copy of a dotted expression, in which it is read."""
    made = copy.deepcopy(node)
    for n in ast.walk(made):
        if hasattr(n, "ctx"):
            n.ctx = ast.Load()
    return made


def one_argument(identifier):
    return ast.arguments(posonlyargs=[], args=[ast.arg(arg=identifier)], kwonlyargs=[], kw_defaults=[], defaults=[])


def thunk(expression):
    """An expression as a function without parameters, which the runtime calls when it needs the value."""
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    made = ast.Lambda(args=empty, body=expression)
    made.jst_is_called = True  # here, and nowhere else: it captures nothing for later
    return made


def names_tuple(names, ctx):
    return ast.Tuple(elts=[name(n, ctx()) for n in names], ctx=ctx())


def blocks(statement):
    """(node, field) of each block inside of a statement."""
    for field in ("body", "orelse", "finalbody"):
        if getattr(statement, field, None):
            yield statement, field
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part, "body"


SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def walk(nodes):
    """All nodes of a block without those of nested functions and classes."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, SCOPES):
            stack.extend(ast.iter_child_nodes(node))


def contains(nodes, kinds, loops=True):
    """Whether a block has a statement of one of the kinds; `loops=False`: outside of loops."""
    for node in nodes:
        if isinstance(node, kinds):
            return True
        if isinstance(node, SCOPES) or (not loops and isinstance(node, (ast.For, ast.While))):
            if not loops and not isinstance(node, SCOPES) and contains(node.orelse, kinds, False):
                return True
            continue
        if contains(ast.iter_child_nodes(node), kinds, loops):
            return True
    return False


def assigned(nodes):
    """Names that a block binds, sorted."""
    found = set()
    comprehension = set()
    for node in walk(nodes):
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            for generator in node.generators:
                comprehension.update(id(n) for n in ast.walk(generator.target))
    for node in walk(nodes):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in comprehension:
            found.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found.update((a.asname or a.name).split(".")[0] for a in node.names)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            found.add(node.rest)
    return sorted(n for n in found if not n.startswith(("__jst_true", "__jst_false")))


def dotted(node):
    """`a.b.c` as text; None for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return base and f"{base}.{node.attr}"
    return None


# Methods that mutate a list, dict or set.
MUTATING_METHODS = frozenset(
    "append extend insert pop remove clear reverse sort update setdefault popitem add discard appendleft popleft".split()
)


def mutated_expressions(nodes):
    """Text -> expression of what a block mutates without assigning a name: `a` of a[i] = ... and a.append(...), `a.b`
    of a.b = ... and a.b[i] = ..."""
    found = {}

    def note(node):
        while isinstance(node, ast.Subscript):
            node = node.value
        text = dotted(node)
        if text:
            found[text] = node

    for node in walk(nodes):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            note(node.value)
        elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            note(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATING_METHODS:
            note(node.func.value)
        elif isinstance(node, ast.Call) and (dotted(node.func) or "").split(".")[-1] == "array_write":
            for passed in [*node.args[2:3], *(k.value for k in node.keywords if k.arg == "array")]:
                note(passed)
    return found


def _operands(node):
    """The operands of a node whose values it may change, or give another name, without naming them: Python calls
    methods of operands without a call in the code."""
    if isinstance(node, ast.With):
        return [item.context_expr for item in node.items]
    if isinstance(node, ast.For):
        return [node.iter]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.AugAssign):
        return [node.target, node.value]
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.Subscript)):
        return [node.value]
    if isinstance(node, ast.Call) and not (dotted(node.func) or "").startswith(f"{JST}."):
        return [*node.args, *(k.value for k in node.keywords)]
    return []


def _possible_referents(node):
    """The variables and attributes that the value of an expression may be or hold."""
    todo = [node]
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield node
        elif isinstance(node, ast.IfExp):
            todo += [node.body, node.orelse]
        elif isinstance(node, (ast.BoolOp, ast.Dict)):
            todo += node.values
        elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            todo += node.elts
        elif isinstance(node, (ast.Starred, ast.NamedExpr, ast.Subscript)):
            todo.append(node.value)


def _names_read_by(function):
    """The variables that a nested function reads."""
    return [n for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]


def passed_expressions(nodes):
    """Text -> expression of what a block calls, operates on, passes to functions or gives another name, so that what is
    reached from there may change: `f` of f(), `a.b` of a.b.method(), `x` of f(x), of `with x` and of `y = x`."""
    found = {}

    def note(node):
        text = dotted(node)
        if text and not text.startswith(JST):
            found[text] = node

    for node in walk(nodes):
        for operand in _operands(node):
            for passed in _possible_referents(operand):
                note(passed)
        if isinstance(node, ast.Call):
            note(node.func)
        elif isinstance(node, SCOPES):
            for passed in _names_read_by(node):
                note(passed)
    return found
