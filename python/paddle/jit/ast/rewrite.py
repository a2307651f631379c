# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The change of the syntax tree.

A statement with branches becomes nested functions that take and return the variables it assigns:

    if test:            def __true_1(y): y = f(x); return (y,)
        y = f(x)        def __false_1(y): y = g(x); return (y,)
    else:         =>    (y,) = __jst.if_(test, __true_1, __false_1, (y,), ("y",))
        y = g(x)

First, `return` inside of branches and loops, `break` and `continue` become flags and branches, so
that every block runs to its end.
"""

import ast
import copy

JST = "__jst"
RETURN_FLAG, RETURN_VALUE = "__jst_returned", "__jst_value"
GIVEN = "__jst_given"  # the argument of functions that set a variable
ITEM = "__jst_item"  # of functions of an item of a loop

# Indices that are no tensors by themselves, or that tensors take and lists do not.
_PLAIN_INDICES = (ast.Slice, ast.Tuple, ast.Constant, ast.UnaryOp, ast.List)
_IN_PLACE = {
    ast.Add: "iadd",
    ast.Sub: "isub",
    ast.Mult: "imul",
    ast.Div: "itruediv",
    ast.FloorDiv: "ifloordiv",
    ast.Mod: "imod",
    ast.Pow: "ipow",
}


def name(identifier, ctx=None):
    return ast.Name(id=identifier, ctx=ctx or ast.Load())


def constant(value):
    return ast.Constant(value=value)


def assign(identifier, value):
    return ast.Assign(targets=[name(identifier, ast.Store())], value=value)


def call(function, *args):
    return ast.Call(func=ast.Attribute(value=name(JST), attr=function, ctx=ast.Load()), args=list(args), keywords=[])


def _loaded(node):
    """A copy of a dotted expression that is read."""
    made = copy.deepcopy(node)
    for n in ast.walk(made):
        if hasattr(n, "ctx"):
            n.ctx = ast.Load()
    return made


def _one_argument(identifier):
    return ast.arguments(posonlyargs=[], args=[ast.arg(arg=identifier)], kwonlyargs=[], kw_defaults=[], defaults=[])


def lazy(expression):
    empty = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(args=empty, body=expression)


def names_tuple(names, ctx):
    return ast.Tuple(elts=[name(n, ctx()) for n in names], ctx=ctx())


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
    """Whether a statement of one of the kinds is in the block; `loops=False`: not inside a loop."""
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
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return sorted(n for n in found if not (n.startswith("__jst_true") or n.startswith("__jst_false")))


def dotted(node):
    """`a.b.c` as text; None for other expressions."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return base and f"{base}.{node.attr}"
    return None


# Methods that change a list, dict or set.
CHANGING = frozenset(
    "append extend insert pop remove clear reverse sort update setdefault popitem add discard appendleft popleft".split()
)


def changed_places(nodes):
    """Text -> expression of what a block changes without assigning a name: `a` of a[i] = ... and a.append(...),
    `a.b` of a.b = ... and a.b[i] = ..."""
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
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            note(node.func.value)
        elif isinstance(node, ast.Call) and (dotted(node.func) or "").split(".")[-1] == "array_write":
            for given in [*node.args[2:3], *(k.value for k in node.keywords if k.arg == "array")]:
                note(given)
    return found


def given_places(nodes):
    """Name -> expression of the variables that a block passes to functions, which may change lists and dicts."""
    found = {}
    for node in walk(nodes):
        if isinstance(node, ast.Call):
            for given in [*node.args, *(k.value for k in node.keywords)]:
                while isinstance(given, (ast.Subscript, ast.Starred)):
                    given = given.value
                if isinstance(given, ast.Name):
                    found[given.id] = given
    return found


class Jumps:
    """Replaces return, break and continue by flags and branches."""

    def __init__(self):
        self.loops = 0

    def function(self, body):
        if not contains(body, (ast.Return,)):
            return body
        if not self._returns_inside(body):
            return self._block(body, None)
        body = self._block(body, None)
        return [
            assign(RETURN_FLAG, constant(False)),
            assign(RETURN_VALUE, call("Undefined", constant("return value"))),
            *body,
            ast.Return(value=call("result", name(RETURN_VALUE))),
        ]

    @staticmethod
    def _returns_inside(body):
        return any(contains([s], (ast.Return,)) for s in body if not isinstance(s, ast.Return))

    def _block(self, body, loop):
        """The block with jumps replaced; `loop` holds the flags of the innermost loop."""
        flagged = loop is not None or self._returns_inside(body) or getattr(self, "inside", False)
        out = []
        for i, statement in enumerate(body):
            if isinstance(statement, ast.Return):
                if not flagged:
                    return [*out, statement]
                value = statement.value or constant(None)
                return [
                    *out,
                    ast.copy_location(assign(RETURN_FLAG, constant(True)), statement),
                    ast.copy_location(assign(RETURN_VALUE, value), statement),
                ]
            if isinstance(statement, (ast.Break, ast.Continue)):
                flag = loop[0] if isinstance(statement, ast.Break) else loop[1]
                return [*out, ast.copy_location(assign(flag, constant(True)), statement)]
            jumps = self._jumps_of(statement, loop)
            one_sided = self._is_one_sided(statement)
            out.extend(self._statement(statement, loop))
            rest = body[i + 1 :]
            if not jumps or not rest:
                continue
            was, self.inside = getattr(self, "inside", False), True
            guarded = self._block(rest, loop)
            self.inside = was
            if one_sided:
                statement.orelse = [*statement.orelse, *guarded]
            elif guarded:
                test = call("none_of", *[name(f) for f in jumps])
                out.append(ast.copy_location(ast.If(test=test, body=guarded, orelse=[]), rest[0]))
            return out
        return out

    def _is_one_sided(self, statement):
        """`if a: return x`: what follows belongs into the other branch."""
        jumps = (ast.Return, ast.Break, ast.Continue)
        return (
            isinstance(statement, ast.If)
            and self._always_jumps(statement.body)
            and not contains(statement.orelse, jumps)
        )

    @staticmethod
    def _always_jumps(body):
        return bool(body) and isinstance(body[-1], (ast.Return, ast.Break, ast.Continue))

    def _jumps_of(self, statement, loop):
        flags = []
        if isinstance(statement, SCOPES):
            return flags
        if contains([statement], (ast.Return,)):
            flags.append(RETURN_FLAG)
        if loop is not None and not isinstance(statement, (ast.For, ast.While)):
            if contains([statement], (ast.Break,), loops=False):
                flags.append(loop[0])
            if contains([statement], (ast.Continue,), loops=False):
                flags.append(loop[1])
        return flags

    def _statement(self, statement, loop):
        if isinstance(statement, (ast.For, ast.While)):
            return self._loop(statement)
        if isinstance(statement, (ast.If, ast.With, ast.Try)):
            was, self.inside = getattr(self, "inside", False), True
            for field in ("body", "orelse", "finalbody"):
                if getattr(statement, field, None):
                    setattr(statement, field, self._block(getattr(statement, field), loop))
            for handler in getattr(statement, "handlers", []):
                handler.body = self._block(handler.body, loop)
            self.inside = was
        return [statement]

    def _loop(self, loop):
        self.loops += 1
        stop, skip = f"__jst_break_{self.loops}", f"__jst_continue_{self.loops}"
        has_break = contains(loop.body, (ast.Break,), loops=False)
        has_continue = contains(loop.body, (ast.Continue,), loops=False)
        has_return = contains(loop.body, (ast.Return,))
        was, self.inside = getattr(self, "inside", False), True
        body = self._block(loop.body, (stop, skip))
        self.inside = was
        flags = [f for f, used in ((stop, has_break), (RETURN_FLAG, has_return)) if used]
        if has_continue:
            body = [assign(skip, constant(False)), *body]
        before = [assign(stop, constant(False))] if has_break else []
        if flags and isinstance(loop, ast.While):
            loop.test = call("and_", call("none_of", *[name(f) for f in flags]), lazy(loop.test))
            loop.test.args[0] = lazy(loop.test.args[0])
        loop.body = body
        loop.jst_flags = flags
        orelse, loop.orelse = loop.orelse, []
        after = []
        if orelse:
            orelse = self._block(orelse, None)
            after = (
                [ast.If(test=call("none_of", *[name(f) for f in flags]), body=orelse, orelse=[])] if flags else orelse
            )
        for s in (*before, *after):
            ast.copy_location(s, loop)
        return [*before, loop, *after]


class Rewriter(ast.NodeTransformer):
    """Branches and loops as calls of the runtime; runs after Jumps."""

    def __init__(self, mangle=None, first_argument=None, bound=()):
        self.count = 0
        self.bound = set(bound)  # names that a nested function can set
        self.mangle = mangle
        self.first = first_argument
        self.outer = []  # global and nonlocal statements of the function

    def block(self, statements):
        out = []
        for s in statements:
            result = self.visit(s)
            out.extend(result if isinstance(result, list) else [result])
        return out

    def bind(self, body, parameters):
        """Notes which names of the function can be set by functions inside of it."""
        own = parameters.union(assigned(body))
        for node in walk(body):
            if isinstance(node, ast.Global):
                own.difference_update(node.names)
                self.bound.difference_update(node.names)
        self.bound |= own

    # -- scopes that keep their own meaning -------------------------------------------------------
    def visit_FunctionDef(self, node):
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(node.body)):  # generators are left alone
            return node
        inner = Rewriter(self.mangle, self.first, self.bound)
        inner.count = self.count + 1000
        node.body = finish(inner, node.body, node.args)
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        return node

    def visit_AsyncFunctionDef(self, node):
        return node

    def visit_ClassDef(self, node):
        return node

    def visit_Global(self, node):
        self.outer.append(node)
        return node

    visit_Nonlocal = visit_Global

    # -- names --------------------------------------------------------------------------------
    def visit_Attribute(self, node):
        self.generic_visit(node)
        if self.mangle and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{self.mangle}{node.attr}"
        return node

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and self.first:
            node.args = [name("__class__"), name(self.first)]
            return node
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == JST:
            return node
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", "globals", "isinstance", "type"):
            return node
        node.func = ast.copy_location(call("call", node.func), node.func)
        return node

    # -- expressions ----------------------------------------------------------------------------
    def visit_IfExp(self, node):
        self.generic_visit(node)
        return ast.copy_location(call("choose", node.test, lazy(node.body), lazy(node.orelse)), node)

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        function = "and_" if isinstance(node.op, ast.And) else "or_"
        return ast.copy_location(call(function, *[lazy(v) for v in node.values]), node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return ast.copy_location(call("not_", node.operand), node)

    def visit_Compare(self, node):
        self.generic_visit(node)
        plain = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
        if not all(isinstance(o, plain) for o in node.ops):
            return node
        symbols = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
        signs = ast.Tuple(elts=[constant(symbols[type(o)]) for o in node.ops], ctx=ast.Load())
        operands = [lazy(o) for o in (node.left, *node.comparators)]
        return ast.copy_location(call("compare", signs, *operands), node)

    def visit_Assert(self, node):
        self.generic_visit(node)
        message = lazy(node.msg) if node.msg else constant(None)
        return ast.copy_location(ast.Expr(value=call("assert_", lazy(node.test), message)), node)

    def visit_ListComp(self, node):
        if len(node.generators) != 1 or node.generators[0].is_async:
            return self.generic_visit(node)
        loop = node.generators[0]

        def of_item(expression):
            rows = ast.List(elts=[name(ITEM)], ctx=ast.Load())
            one = ast.comprehension(target=copy.deepcopy(loop.target), iter=rows, ifs=[], is_async=0)
            made = ast.ListComp(elt=self.visit(expression), generators=[one])
            return ast.Lambda(args=_one_argument(ITEM), body=ast.Subscript(made, constant(0), ast.Load()))

        parts = [self._iterated(loop.iter), of_item(node.elt)]
        if loop.ifs:
            parts.append(of_item(loop.ifs[0] if len(loop.ifs) == 1 else ast.BoolOp(ast.And(), loop.ifs)))
        return ast.copy_location(call("comprehension", *parts), node)

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and not isinstance(node.slice, _PLAIN_INDICES):
            return ast.copy_location(call("get_item", node.value, node.slice), node)
        return node

    # -- statements -----------------------------------------------------------------------------
    def visit_Assign(self, node):
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Subscript) or isinstance(target.slice, _PLAIN_INDICES):
            return node
        return ast.copy_location(ast.Expr(call("set_item", node.value, target.value, target.slice)), node)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        target, operator = node.target, _IN_PLACE.get(type(node.op))
        if not isinstance(target, ast.Subscript) or isinstance(target.slice, _PLAIN_INDICES) or operator is None:
            return node
        value = call("update_item", constant(operator), target.value, target.slice, node.value)
        return ast.copy_location(ast.Expr(value), node)

    def _iterated(self, node):
        """What a loop iterates over, rewritten, with the runtime's range, enumerate and zip."""
        known = (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("range", "enumerate", "zip")
            and all(k.arg in ("strict", "start") for k in node.keywords)
            and not any(isinstance(a, ast.Starred) for a in node.args)
        )
        if not known:
            return self.visit(node)
        made = call(f"{node.func.id}_", *map(self._iterated, node.args))
        made.keywords = [self.visit(k) for k in node.keywords]
        return made

    def _function(self, prefix, arguments, body, results, at):
        self.count += 1
        identifier = f"__jst_{prefix}_{self.count}"
        parameters = [ast.arg(arg=a) for a in arguments]
        args = ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[])
        scoped = {n for s in self.outer for n in s.names} & set(assigned(body))
        declared = [type(s)(names=[n for n in s.names if n in scoped]) for s in self.outer if scoped & set(s.names)]
        returned = ast.Return(value=names_tuple(results, ast.Load))
        made = ast.FunctionDef(name=identifier, args=args, body=[*declared, *body, returned], decorator_list=[])
        return ast.copy_location(made, at), identifier

    def _variables(self, *blocks):
        scoped = {n for s in self.outer for n in s.names}
        found = set()
        for b in blocks:
            found.update(n for n in assigned(b) if n not in scoped)
        return sorted(
            n
            for n in found
            if not n.startswith("__jst_")
            or n in (RETURN_FLAG, RETURN_VALUE)
            or n.startswith(("__jst_break", "__jst_continue", "__jst_flag"))
        )

    def _slots(self, blocks, names, at):
        """What the blocks change besides the names: functions that set variables, and a tuple for the runtime."""
        places = changed_places([n for b in blocks for n in b])
        declared = {n: type(s) for s in self.outer for n in s.names}
        for block in blocks:
            places.update((n, name(n)) for n in assigned(block) if n in declared)
        given = given_places([n for b in blocks for n in b])
        setters, slots = [], []
        for text, node in sorted({**given, **places}.items()):
            if text in names or text.split(".")[0].startswith(JST):
                continue
            read = self.visit(_loaded(node))
            write = constant(None)
            if isinstance(node, ast.Attribute):
                owner = self.visit(_loaded(node.value))
                argument = _one_argument(GIVEN)
                write = ast.Lambda(args=argument, body=call("set_attribute", owner, constant(read.attr), name(GIVEN)))
            elif node.id in self.bound or node.id in declared:
                self.count += 1
                setter = f"__jst_put_{self.count}"
                argument = _one_argument(GIVEN)
                outer = declared.get(node.id, ast.Nonlocal)(names=[node.id])
                body = [outer, assign(node.id, name(GIVEN))]
                made = ast.FunctionDef(name=setter, args=argument, body=body, decorator_list=[])
                setters.append(ast.copy_location(made, at))
                write = name(setter)
            is_given = constant(text not in places)
            slots.append(ast.Tuple(elts=[constant(text), lazy(read), write, is_given], ctx=ast.Load()))
        return setters, ast.Tuple(elts=slots, ctx=ast.Load())

    def _strings(self, names):
        return ast.Tuple(elts=[constant(n) for n in names], ctx=ast.Load())

    def _store(self, names, value, at):
        if not names:
            return ast.copy_location(ast.Expr(value=value), at)
        return ast.copy_location(ast.Assign(targets=[names_tuple(names, ast.Store)], value=value), at)

    def visit_If(self, node):
        names = self._variables(node.body, node.orelse)
        setters, slots = self._slots([node.body, node.orelse], names, node)
        test = self.visit(node.test)
        yes, yes_name = self._function("true", names, self.block(node.body), names, node)
        no, no_name = self._function("false", names, self.block(node.orelse), names, node)
        value = call("if_", test, name(yes_name), name(no_name), names_tuple(names, ast.Load), self._strings(names))
        value.args.append(slots)
        return [*setters, yes, no, self._store(names, value, node)]

    def visit_While(self, node):
        names = self._variables(node.body)
        setters, slots = self._slots([node.body], names, node)
        test, test_name = self._function("test", names, [], names, node)
        test.body = [ast.Return(value=self.visit(node.test))]
        body, body_name = self._function("body", names, self.block(node.body), names, node)
        value = call("while_", name(test_name), name(body_name), names_tuple(names, ast.Load), self._strings(names))
        value.args.append(slots)
        return [*setters, test, body, self._store(names, value, node)]

    def visit_For(self, node):
        names = self._variables(node.body, [ast.Assign(targets=[node.target], value=constant(None))])
        flags = getattr(node, "jst_flags", [])
        setters, slots = self._slots([node.body], names, node)
        take = ast.copy_location(ast.Assign(targets=[node.target], value=name(ITEM)), node)
        body, body_name = self._function("body", [ITEM, *names], [take, *self.block(node.body)], names, node)
        iterated = self._iterated(node.iter)
        value = call(
            "for_", iterated, name(body_name), names_tuple(names, ast.Load), self._strings(names), self._strings(flags)
        )
        targets = assigned([ast.Assign(targets=[node.target], value=constant(None))])
        value.args.extend([slots, self._strings(targets)])
        return [*setters, body, self._store(names, value, node)]


def _listed(statements):
    return statements if isinstance(statements, list) else [statements]


class Deletions(ast.NodeTransformer):
    """`del x` as a variable without a value: a branch or a round gives back all the variables that it changes."""

    def __init__(self, shared):
        self.shared = shared  # names of other scopes

    def visit(self, node):
        """Statements of this function only."""
        return node if isinstance(node, SCOPES) else super().visit(node)

    def visit_Delete(self, node):
        """Assignments for the names, and what is left."""
        made, others = [], []
        for target in node.targets:
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            for part in parts:
                if isinstance(part, ast.Name) and part.id not in self.shared:
                    made.append(ast.copy_location(assign(part.id, call("Undefined", constant(part.id))), node))
                else:
                    others.append(part)
        rest = [ast.copy_location(ast.Delete(targets=others), node)] if others else []
        return [*rest, *made]


def finish(rewriter, body, arguments):
    """The body of one function, rewritten, with the variables of its branches defined."""
    shared = {n for s in walk(body) if isinstance(s, (ast.Global, ast.Nonlocal)) for n in s.names}
    body = [part for s in body for part in _listed(Deletions(shared).visit(s))]
    body = Jumps().function(body)
    parameters = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    parameters.update(a.arg for a in (arguments.vararg, arguments.kwarg) if a)
    rewriter.bind(body, parameters)
    compound = [s for s in body if not isinstance(s, SCOPES)]
    inside = set()
    for node in walk(compound):
        if isinstance(node, (ast.If, ast.While, ast.For)):
            inside.update(assigned([node]))
    new = rewriter.block(body)
    scoped = {n for s in rewriter.outer for n in s.names}
    missing = sorted(n for n in inside - parameters - scoped if n not in (RETURN_FLAG, RETURN_VALUE))
    head = [assign(n, call("Undefined", constant(n))) for n in missing]
    docstring = new[:1] if new and isinstance(new[0], ast.Expr) and isinstance(new[0].value, ast.Constant) else []
    declared = [s for s in new if isinstance(s, (ast.Global, ast.Nonlocal))]
    rest = [s for s in new[len(docstring) :] if s not in declared]
    return [*docstring, *declared, *head, *rest] or [ast.Pass()]


def rewrite(function, mangle, free=()):
    """A FunctionDef rewritten in place; `free` are its variables of enclosing functions."""
    positional = [*function.args.posonlyargs, *function.args.args]
    rewriter = Rewriter(mangle, positional[0].arg if positional else None, free)
    function.body = finish(rewriter, function.body, function.args)
    function.decorator_list = []
    return function
