# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The rewriting of the syntax tree: blocks are outlined.

A statement with branches becomes nested functions of the live variables that it assigns (closure conversion), and a
call of the runtime:

    if test:            def __jst_true_1(y): y = f(x); return (y,)
        y = f(x)        def __jst_false_1(y): y = g(x); return (y,)
    else:         =>    (y,) = __jst.if_(test, __jst_true_1, __jst_false_1, (y,), ("y",))
        y = g(x)

Jumps are eliminated by then (jumps.py), so that every block runs to its end.
"""

import ast
import builtins
import contextlib

from . import generators
from .definite_assignment import check_reads
from .displays import Displays, unpack_assignment
from .jumps import Deletions, JumpElimination, as_statements
from .liveness import Liveness
from .syntax import (
    ITEM,
    JST,
    LOCAL,
    RETURN_FLAG,
    RETURN_VALUE,
    SCOPES,
    SETTER_ARGUMENT,
    as_load,
    assign,
    assigned,
    call,
    constant,
    dotted,
    mutated_expressions,
    name,
    names_tuple,
    one_argument,
    passed_expressions,
    thunk,
    walk,
)

# Indices that are no tensors by themselves, or that tensors take and lists do not, and no keys.
_PLAIN_INDICES = (ast.Slice, ast.UnaryOp, ast.List)
_IN_PLACE = {
    ast.Add: "iadd",
    ast.Sub: "isub",
    ast.Mult: "imul",
    ast.Div: "itruediv",
    ast.FloorDiv: "ifloordiv",
    ast.Mod: "imod",
    ast.Pow: "ipow",
}


def _is_plain_index(index):
    """Whether an index is one that only tensors have, or a constant place of a list."""
    if isinstance(index, ast.Tuple):
        return any(isinstance(n, (ast.Slice, ast.Starred)) for n in index.elts)
    whole = isinstance(index, ast.Constant) and index.value in (None, ...)
    return whole or isinstance(index, _PLAIN_INDICES)


def _is_variable(identifier):
    """Whether a name is one of the user's, or a generated variable that branches and rounds carry like these."""
    if identifier.startswith(("__jst_break", "__jst_continue", LOCAL)):
        return True
    return identifier in (RETURN_FLAG, RETURN_VALUE) or not identifier.startswith("__jst_")


def _is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def _raises(body):
    """Whether a block is nothing but a `raise` of an exception of its own."""
    return len(body) == 1 and isinstance(body[0], ast.Raise) and body[0].exc is not None and body[0].cause is None


def _attribute_path(node):
    """`a.b.c` as the expression a and the texts b and c."""
    if not isinstance(node, ast.Attribute):
        return [node]
    return [*_attribute_path(node.value), constant(node.attr)]


def _flag_of_jump(node):
    """The flag of a jump that an `if` sets while it does nothing else; None for other statements."""
    if node.orelse or len(node.body) != 1 or not isinstance(node.body[0], ast.Assign):
        return None
    target = node.body[0].targets[0]
    is_flag = isinstance(target, ast.Name) and target.id.startswith(("__jst_break", "__jst_continue"))
    return target.id if is_flag else None


def _set_undefined(names):
    """Statements by which variables have no value yet."""
    return [assign(n, call("Undefined", constant(n))) for n in names]


def _target_assignment(loop):
    """What a `for` assigns, as an assignment."""
    return ast.Assign(targets=[loop.target], value=constant(None))


class Rewriter(Displays):
    """Branches and loops as calls of the runtime; it runs after JumpElimination."""

    def __init__(self, mangle=None, first_argument=None, bound=()):
        self.count = 0
        self.bound = set(bound)  # names that a nested function can assign
        self.mangle = mangle
        self.first_argument = first_argument
        self.reads_plain_attributes = False  # attributes are read without calls of the runtime
        self.declarations = []  # the global and nonlocal statements of the function
        self.closures = []  # functions inside of it, as (node, names that they capture)
        self.try_depth = 0  # number of blocks around the statement whose exceptions are handled

    def block(self, statements):
        out = []
        for s in statements:
            result = self.visit(s)
            out.extend(result if isinstance(result, list) else [result])
        return out

    def note_bound(self, body, parameters):
        """Notes which names of the function can be assigned by functions inside of it."""
        own = parameters.union(assigned(body))
        for node in walk(body):
            if isinstance(node, ast.Global):
                own.difference_update(node.names)
                self.bound.difference_update(node.names)
        self.bound |= own

    # -- scopes that keep their own meaning -------------------------------------------------------
    def visit_FunctionDef(self, node):
        if any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk(node.body)):  # generators are not rewritten
            return node
        inner = Rewriter(self.mangle, self.first_argument, self.bound)
        inner.count = self.count + 1000
        node.body = rewrite_body(inner, node.body, node.args)
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        return node

    def visit_AsyncFunctionDef(self, node):
        return node

    def visit_ClassDef(self, node):
        return node

    def visit_Global(self, node):
        self.declarations.append(node)
        return node

    visit_Nonlocal = visit_Global

    # -- names --------------------------------------------------------------------------------
    def visit_Attribute(self, node):
        self.generic_visit(node)
        if self.mangle and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{self.mangle}{node.attr}"
        is_runtime = isinstance(node.value, ast.Name) and node.value.id == JST
        if (
            self.reads_plain_attributes
            or is_runtime
            or hasattr(node, "jst_is_called")
            or not isinstance(node.ctx, ast.Load)
        ):
            return node
        return ast.copy_location(call("read_attribute", node.value, constant(node.attr)), node)

    def visit_keyword(self, node):
        self.generic_visit(node)
        node.value = node.value if node.arg else ast.copy_location(call("keyword_arguments", node.value), node.value)
        return node

    def visit_Call(self, node):
        is_super = isinstance(node.func, ast.Name) and node.func.id == "super" and "super" not in self.bound
        if is_super and not node.args and self.first_argument:
            node.args = [name("__class__"), name(self.first_argument)]
            return node
        if isinstance(node.func, ast.Attribute):
            node.func.jst_is_called = True
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) and node.func.value.id == JST:
            return node
        if isinstance(node.func, ast.Name) and node.func.id == "locals" and not node.args:
            return ast.copy_location(call("user_locals", node), node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "globals", "type"):
            return node
        node.func = ast.copy_location(call("call", node.func), node.func)
        return node

    # -- expressions ----------------------------------------------------------------------------
    def visit_IfExp(self, node):
        self.generic_visit(node)
        return ast.copy_location(call("choose", node.test, thunk(node.body), thunk(node.orelse)), node)

    def visit_BoolOp(self, node):
        self.generic_visit(node)
        function = "and_" if isinstance(node.op, ast.And) else "or_"
        return ast.copy_location(call(function, *[thunk(v) for v in node.values]), node)

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return ast.copy_location(call("not_", node.operand), node)

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Is, ast.IsNot)) and _is_none(node.comparators[0]):
            found = ast.copy_location(call("is_none", node.left), node)
            return found if isinstance(node.ops[0], ast.Is) else ast.copy_location(call("not_", found), node)
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            found = ast.copy_location(call("contains", node.left, node.comparators[0]), node)
            return found if isinstance(node.ops[0], ast.In) else ast.copy_location(call("not_", found), node)
        plain = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
        if not all(isinstance(o, plain) for o in node.ops):
            return node
        symbols = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
        signs = ast.Tuple(elts=[constant(symbols[type(o)]) for o in node.ops], ctx=ast.Load())
        operands = [thunk(o) for o in (node.left, *node.comparators)]
        return ast.copy_location(call("compare", signs, *operands), node)

    def visit_Assert(self, node):
        self.generic_visit(node)
        message = thunk(node.msg) if node.msg else constant(None)
        return ast.copy_location(ast.Expr(value=call("assert_", thunk(node.test), message)), node)

    def _exception(self, node):
        """What a `raise` raises, as a function of variables, and these."""
        used = {n.id for n in ast.walk(node.exc) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        bound = {n.id for n in ast.walk(node.exc) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        bound |= {n.arg for n in ast.walk(node.exc) if isinstance(n, ast.arg)}
        names = sorted((used & self.bound) - bound)
        arguments = one_argument(SETTER_ARGUMENT)
        arguments.args = [ast.arg(arg=n) for n in names]
        return ast.Lambda(args=arguments, body=self.visit(node.exc)), names_tuple(names, ast.Load)

    def visit_Raise(self, node):
        if node.exc is None or any(isinstance(n, (ast.NamedExpr, ast.Await)) for n in ast.walk(node)):
            return self.generic_visit(node)
        node.exc = ast.copy_location(call("exception_or_unreachable", *self._exception(node)), node)
        return node

    def visit_With(self, node):
        node.items = [self.visit(item) for item in node.items]
        node.body = self._try_body(node.body)
        return node

    def _try_body(self, body):
        self.try_depth += 1
        body = self.block(body)
        self.try_depth -= 1
        return body

    def visit_Try(self, node):
        last = self.block(node.finalbody)
        around = self._try_body if last else self.block
        node.body = self._try_body(node.body)
        node.orelse = around(node.orelse)
        for handler in node.handlers:
            handler.type = handler.type and self.visit(handler.type)
            handler.body = around(handler.body)
            if (
                handler.name
            ):  # its variable ends with the handler: after it, the variable of a branch or round has no value
                self.count += 1
                kept, handler.name = handler.name, f"__jst_caught_as_{self.count}"
                note_bound = assign(kept, name(handler.name)), assign(kept, call("Undefined", constant(kept)))
                handler.body = [note_bound[0], *handler.body, note_bound[1]]
        node.finalbody = last
        if node.handlers:
            tried = ast.With(items=[ast.withitem(context_expr=call("try_block"))], body=node.body)
            node.body = [ast.copy_location(tried, node)]
        return node

    def visit_Subscript(self, node):
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and not _is_plain_index(node.slice):
            return ast.copy_location(call("get_item", node.value, node.slice), node)
        return node

    # -- statements -----------------------------------------------------------------------------
    def visit_Assign(self, node):
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, (ast.Tuple, ast.List)):
            return unpack_assignment(node, target)
        if len(node.targets) > 1 or not isinstance(target, ast.Subscript) or _is_plain_index(target.slice):
            return node
        return ast.copy_location(ast.Expr(call("set_item", node.value, target.value, target.slice)), node)

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        target, operator = node.target, _IN_PLACE.get(type(node.op))
        if isinstance(target, ast.Attribute) and dotted(target.value):
            read = ast.Expr(call("read_attribute", as_load(target.value), constant(target.attr)))
            return [ast.copy_location(read, node), node]
        if not isinstance(target, ast.Subscript) or _is_plain_index(target.slice) or operator is None:
            return node
        value = call("update_item", constant(operator), target.value, target.slice, thunk(node.value))
        return ast.copy_location(ast.Expr(value), node)

    def visit_Delete(self, node):
        self.generic_visit(node)
        made = []
        for target in node.targets:
            if isinstance(target, ast.Subscript) and not _is_plain_index(target.slice):
                made.append(ast.Expr(call("delete_item", target.value, target.slice)))
                continue
            if isinstance(target, ast.Attribute) and dotted(target.value):
                made.append(ast.Expr(call("read_attribute", as_load(target.value), constant(target.attr))))
            made.append(ast.Delete(targets=[target]))
        return [ast.copy_location(m, node) for m in made]

    def visit_match_case(self, node):
        previous, self.reads_plain_attributes = self.reads_plain_attributes, True
        node.pattern = self.visit(node.pattern)
        self.reads_plain_attributes = previous
        node.guard = node.guard and self.visit(node.guard)
        node.body = self.block(node.body)
        return node

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

    def _outline(self, prefix, arguments, body, results, at, local=()):
        """Outlines a block: a statement that defines it as a function, and the name of that.

        Args:
            prefix: Begins the name.
            arguments: The names of its parameters.
            body: The block.
            results: The names of the variables that it returns.
            at: The statement whose line it has.
            local: Variables that nobody needs outside of it.
        """
        self.count += 1
        identifier = f"__jst_{prefix}_{self.count}"
        parameters = [ast.arg(arg=a) for a in arguments]
        args = ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[])
        scoped = {n for s in self.declarations for n in s.names} & set(assigned(body))
        declared = [
            type(s)(names=[n for n in s.names if n in scoped]) for s in self.declarations if scoped & set(s.names)
        ]
        returned = ast.Return(value=names_tuple(results, ast.Load))
        head = _set_undefined(sorted(set(local) - set(arguments)))
        made = ast.FunctionDef(name=identifier, args=args, body=[*declared, *head, *body, returned], decorator_list=[])
        return ast.copy_location(made, at), identifier

    def _live_variables(self, statement, *blocks):
        """The live variables that a statement with these blocks assigns: those that are read again."""
        found = self._assigned_in(*blocks)
        return sorted(found & getattr(statement, "jst_live", found))

    def _assigned_in(self, *blocks):
        """The variables of the function that blocks assign."""
        scoped = {n for s in self.declarations for n in s.names}
        return {n for b in blocks for n in assigned(b) if n not in scoped and _is_variable(n)}

    def _effects(self, blocks, names, at, bound=frozenset()):
        """What the blocks may change without assigning a variable of the function: definitions of functions that set
        variables, and a tuple of descriptions for the runtime, see MutableLocations."""
        previous, self.reads_plain_attributes = self.reads_plain_attributes, True
        made = self._effect_descriptions(blocks, set(names), self._assigned_in(*blocks) | bound, at)
        self.reads_plain_attributes = previous
        return made

    def _effect_descriptions(self, blocks, names, own, at):
        mutated = mutated_expressions([n for b in blocks for n in b])
        declared = {n: type(s) for s in self.declarations for n in s.names}
        for block in blocks:
            mutated.update((n, name(n)) for n in assigned(block) if n in declared)
        passed = passed_expressions([n for b in blocks for n in b])
        setters, effects = [], []
        for text, node in sorted({**passed, **mutated}.items()):
            root = text.split(".")[0]
            is_object = text in own and text not in mutated and text in names  # blocks get copies of containers
            if (
                (text in own and not is_object)
                or root in own - names
                or (root.startswith(JST) and not _is_variable(root))
                or (text not in mutated and self._is_pure_callee(root))
            ):
                continue
            read, owner = self.visit(as_load(node)), constant(None)
            write = constant(None)
            if is_object:
                read = call("non_container", read)
            elif isinstance(node, ast.Attribute) and text not in mutated:
                read = call("stored_attribute", *_attribute_path(read))
            elif isinstance(node, ast.Attribute):
                parts = self.visit(as_load(node.value)), constant(read.attr)
                write = ast.Lambda(
                    args=one_argument(SETTER_ARGUMENT), body=call("set_attribute", *parts, name(SETTER_ARGUMENT))
                )
                owner = thunk(ast.Tuple(elts=[self.visit(as_load(node.value)), constant(read.attr)], ctx=ast.Load()))
            elif not is_object and (node.id in self.bound or node.id in declared):
                self.count += 1
                setter = f"__jst_set_{self.count}"
                argument = one_argument(SETTER_ARGUMENT)
                outer = declared.get(node.id, ast.Nonlocal)(names=[node.id])
                body = [outer, assign(node.id, name(SETTER_ARGUMENT))]
                made = ast.FunctionDef(name=setter, args=argument, body=body, decorator_list=[])
                setters.append(ast.copy_location(made, at))
                write = name(setter)
            is_passed = constant(text not in mutated)
            effects.append(ast.Tuple(elts=[constant(text), thunk(read), write, is_passed, owner], ctx=ast.Load()))
        return setters, ast.Tuple(elts=effects, ctx=ast.Load())

    def _is_pure_callee(self, root):
        """Whether functions of that name, or of the module of that name, change nothing that is seen here."""
        return root not in self.bound and (root == "paddle" or hasattr(builtins, root))

    @contextlib.contextmanager
    def _without_captured(self, node, names):
        """Within it, variables that closures captured before the statement (or, of a `for`, in its rounds) stay those
        of the function itself, and are no parameters of the functions of branches and rounds. Gives the other names."""
        inside = set() if isinstance(node, ast.For) else {id(n) for n in ast.walk(node)}
        last = node.end_lineno if isinstance(node, ast.For) else node.lineno
        read = [names for s, names in self.closures if id(s) not in inside and s.lineno <= last]
        declared = {n for s in self.declarations for n in s.names}
        seen = {n for n in names if any(n in r for r in read)} - declared
        if seen:
            self.declarations.append(ast.Nonlocal(names=sorted(seen)))
        yield [n for n in names if n not in seen]
        if seen:
            self.declarations.pop()

    def _names_constant(self, names):
        return ast.Tuple(elts=[constant(n) for n in names], ctx=ast.Load())

    def _assign_results(self, names, functions, value, at):
        """The assignment of the results of branches or of a loop; where an exception may be handled, of what they had
        assigned by then, too."""
        if not names:
            return ast.copy_location(ast.Expr(value=value), at)
        store = ast.copy_location(ast.Assign(targets=[names_tuple(names, ast.Store)], value=value), at)
        if not self.try_depth:
            return store
        self.count += 1
        error = f"__jst_error_{self.count}"
        made = ast.Tuple(elts=[name(f) for f in functions], ctx=ast.Load())
        values = call(
            "variables_at_exception", name(error), made, names_tuple(names, ast.Load), self._names_constant(names)
        )
        keep = ast.Assign(targets=[names_tuple(names, ast.Store)], value=values)
        handler = ast.ExceptHandler(type=name("BaseException"), name=error, body=[keep, ast.Raise()])
        return ast.copy_location(ast.Try(body=[store], handlers=[handler], orelse=[], finalbody=[]), at)

    def visit_If(self, node):
        flag = _flag_of_jump(node)
        if flag is not None:
            return ast.copy_location(assign(flag, call("jump_flag", name(flag), self.visit(node.test))), node)
        if _raises(node.body) or _raises(node.orelse):
            test = self.visit(node.test)
            raising, rest = (node.body, node.orelse) if _raises(node.body) else (node.orelse, node.body)
            test = test if raising is node.body else ast.copy_location(call("not_", test), node)
            check = ast.Expr(value=call("raise_if", test, *self._exception(raising[0])))
            return [ast.copy_location(check, raising[0]), *self.block(rest)]
        with self._without_captured(node, self._live_variables(node, node.body, node.orelse)) as names:
            return self._if(node, names)

    def _if(self, node, names):
        setters, effects = self._effects([node.body, node.orelse], names, node)
        test = self.visit(node.test)
        own = [self._assigned_in(b) for b in (node.body, node.orelse)]
        then_function, then_name = self._outline("true", names, self.block(node.body), names, node, own[0])
        else_function, else_name = self._outline("false", names, self.block(node.orelse), names, node, own[1])
        value = call(
            "if_", test, name(then_name), name(else_name), names_tuple(names, ast.Load), self._names_constant(names)
        )
        value.args.append(effects)
        return [
            *setters,
            then_function,
            else_function,
            self._assign_results(names, (then_name, else_name), value, node),
        ]

    def visit_While(self, node):
        with self._without_captured(node, self._live_variables(node, node.body)) as names:
            return self._while(node, names)

    def _while(self, node, names):
        setters, effects = self._effects([node.body], names, node)
        test, test_name = self._outline("test", names, [], names, node)
        test.body = [ast.Return(value=self.visit(node.test))]
        own = self._assigned_in(node.body)
        body, body_name = self._outline("body", names, self.block(node.body), names, node, own)
        value = call(
            "while_", name(test_name), name(body_name), names_tuple(names, ast.Load), self._names_constant(names)
        )
        value.args.append(effects)
        return [*setters, test, body, self._assign_results(names, (body_name,), value, node)]

    def visit_For(self, node):
        with self._without_captured(node, self._live_variables(node, node.body, [_target_assignment(node)])) as names:
            return self._for(node, names)

    def _for(self, node, names):
        flags = getattr(node, "jst_flags", [])
        setters, effects = self._effects([node.body], names, node, self._assigned_in([_target_assignment(node)]))
        take = ast.copy_location(ast.Assign(targets=[node.target], value=name(ITEM)), node)
        own = self._assigned_in(node.body)
        body, body_name = self._outline("body", [ITEM, *names], [take, *self.block(node.body)], names, node, own)
        iterated = self._iterated(node.iter)
        value = call(
            "for_",
            iterated,
            name(body_name),
            names_tuple(names, ast.Load),
            self._names_constant(names),
            self._names_constant(flags),
        )
        value.args.append(effects)
        return [*setters, body, self._assign_results(names, (body_name,), value, node)]


def rewrite_body(rewriter, body, arguments):
    """The body of one function, rewritten, with the variables of its branches defined."""
    parameters = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    parameters.update(a.arg for a in (arguments.vararg, arguments.kwarg) if a)
    body, flags = check_reads(body, parameters)
    shared = {n for s in walk(body) if isinstance(s, (ast.Global, ast.Nonlocal)) for n in s.names}
    body = [part for s in body for part in as_statements(Deletions(shared).visit(s))]
    body = JumpElimination().function(body)
    Liveness(body)
    rewriter.note_bound(body, parameters)
    rewriter.closures = [
        (s, {n.id for n in ast.walk(s) if isinstance(n, ast.Name)})
        for s in walk(body)
        if isinstance(s, (ast.FunctionDef, ast.Lambda)) and hasattr(s, "lineno")  # of the user's
    ]
    compound = [s for s in body if not isinstance(s, SCOPES)]
    inside = set()
    for node in walk(compound):
        if isinstance(node, (ast.If, ast.While, ast.For)):
            inside.update(assigned([node]))
    new = rewriter.block(body)
    scoped = {n for s in rewriter.declarations for n in s.names}
    begun = {RETURN_FLAG, RETURN_VALUE, *(t.id for s in flags for t in s.targets)}
    missing = sorted(inside - parameters - scoped - begun)
    head = _set_undefined(missing)
    docstring = new[:1] if new and isinstance(new[0], ast.Expr) and isinstance(new[0].value, ast.Constant) else []
    declared = [s for s in new if isinstance(s, (ast.Global, ast.Nonlocal))]
    rest = [s for s in new[len(docstring) :] if s not in declared]
    return [*docstring, *declared, *head, *flags, *rest] or [ast.Pass()]


def rewrite(function, mangle, free=()):
    """Rewrites a FunctionDef in place; `free` are its variables of enclosing functions."""
    positional = [*function.args.posonlyargs, *function.args.args]
    rewriter = Rewriter(mangle, positional[0].arg if positional else None, free)
    function.body = rewrite_body(rewriter, function.body, function.args)
    if hasattr(function, "jst_makes_list"):
        function.body = generators.return_list(function.body)
    function.decorator_list = []
    return function
