# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reads of variables that are not definitely assigned.

A branch or a loop on a tensor gives its variables a value in every run, also in one that takes the other branch or no
round. So a variable with such a read gets a bool, its set flag, that tells whether Python would have given it a value;
the flag is merged and carried as other variables are, and the read checks it.

The reads are found by a textbook forward analysis of definite assignment (Gosling et al., The Java Language
Specification, chapter 16). It runs on the code with its jumps."""

import ast

from .syntax import LOCAL, SCOPES, assign, assigned, call, constant, name, walk

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def set_flag_of(variable):
    """The name of the set flag of a variable."""
    return f"{LOCAL}is_set_{variable}"


def _bound(nodes):
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _deleted(nodes):
    return {n.id for n in walk(nodes) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)}


def _reads(node, is_later=False):
    """(name node, whether it is read only sometimes, or more than once) of an expression, in the order of
    evaluation."""
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load):
            yield node, is_later
    elif isinstance(node, _COMPREHENSIONS):
        own = _bound(g.target for g in node.generators)
        yield from _reads(node.generators[0].iter, is_later)
        first = node.generators[0].iter
        for part in ast.iter_child_nodes(node):
            parts = ast.iter_child_nodes(part) if isinstance(part, ast.comprehension) else [part]
            for inner in parts:
                if inner is not first:
                    yield from ((n, True) for n, _ in _reads(inner) if n.id not in own)
    elif isinstance(node, (ast.BoolOp, ast.IfExp, ast.Compare)):
        at_once = {ast.BoolOp: 1, ast.IfExp: 1, ast.Compare: 2}[type(node)]
        terms = {
            ast.BoolOp: lambda: node.values,
            ast.IfExp: lambda: [node.test, node.body, node.orelse],
            ast.Compare: lambda: [node.left, *node.comparators],
        }[type(node)]()
        for k, term in enumerate(terms):
            yield from _reads(term, is_later or k >= at_once)
    elif not isinstance(node, SCOPES):
        for inner in ast.iter_child_nodes(node):
            yield from _reads(inner, is_later)


def _meet(*states):
    """The variables that have a value after all of these paths; None, for code that is not reached, counts for no
    path."""
    reached = [s for s in states if s is not None]
    return frozenset.intersection(*reached) if reached else None


class _Analysis:
    """Marks reads that run only sometimes, as `jst_may_be_unset` of their node; the other ones are listed by their
    statement, as its `jst_may_be_unset`, and come before it does anything. The state is the set of variables that are
    definitely assigned, or None where no run comes.

    Args:
        own: The variables to look at.
    """

    def __init__(self, own):
        self._own, self._breaks = own, []
        self.found = set()

    def block(self, body, state):
        """The state after a block."""
        for statement in body:
            if state is None:
                return None
            of_kind = getattr(self, f"_{type(statement).__name__.lower()}", self._simple)
            state = of_kind(statement, state)
        return state

    def _read(self, statement, expressions, state, is_later=False):
        for expression in expressions:
            if expression is None:
                continue
            for node in walk([expression]):
                if isinstance(node, ast.Lambda):
                    self._inside(node, state)
            for node, later in _reads(expression, is_later):
                if node.id not in self._own or node.id in state:
                    continue
                self.found.add(node.id)
                if later:
                    node.jst_may_be_unset = True
                else:
                    statement.jst_may_be_unset = [*getattr(statement, "jst_may_be_unset", ()), node]
                    state = state | {node.id}
        return state

    def _simple(self, node, state):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            state = self._read(node, [ast.copy_location(name(node.target.id), node)], state)
        state = self._read(node, ast.iter_child_nodes(node), state)
        if isinstance(node, ast.AnnAssign) and node.value is None:
            return state
        return (state | set(assigned([node]))) - _deleted([node])

    def _functiondef(self, node, state):
        defaults = [d for d in node.args.kw_defaults if d is not None]
        state = self._read(node, [*node.decorator_list, *node.args.defaults, *defaults], state) | {node.name}
        self._inside(node, state)
        return state

    def _inside(self, function, state):
        """Marks the reads of a function made here, which may be called wherever it is seen."""
        own = set()
        for n in ast.walk(function):
            if isinstance(n, SCOPES[:3]) and n is not function:
                own.add(n.name)
            elif isinstance(n, ast.arg):
                own.add(n.arg)
            elif isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
                own.add(n.id)
        for n in ast.walk(function):
            is_read = isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)
            if is_read and n.id in self._own and n.id not in state and n.id not in own:
                self.found.add(n.id)
                n.jst_may_be_unset = True

    _asyncfunctiondef = _functiondef

    def _classdef(self, node, state):
        return self._read(node, [*node.decorator_list, *node.bases], state) | {node.name}

    def _return(self, node, state):
        self._read(node, [node.value], state)

    def _raise(self, node, state):
        self._read(node, [node.exc, node.cause], state, True)

    def _break(self, node, state):
        self._breaks[-1].append(state)

    def _continue(self, node, state):
        return None

    def _if(self, node, state):
        state = self._read(node, [node.test], state)
        return _meet(self.block(node.body, state), self.block(node.orelse, state))

    def _rounds(self, node, head, inside, is_endless):
        self._breaks.append([])
        self.block(node.body, inside)
        return _meet(None if is_endless else self.block(node.orelse, head), *self._breaks.pop())

    def _while(self, node, state):
        head = state - _deleted(node.body)
        self._read(node, [node.test], head, True)
        is_endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        return self._rounds(node, head, head, is_endless)

    def _for(self, node, state):
        head = self._read(node, [node.iter], state) - _deleted(node.body)
        return self._rounds(node, head, head | _bound([node.target]), False)

    def _with(self, node, state):
        state = self._read(node, [i.context_expr for i in node.items], state)
        return self.block(node.body, state | _bound(i.optional_vars for i in node.items if i.optional_vars))

    def _try(self, node, state):
        caught = state - _deleted(node.body)
        ends = [self.block(node.body, state)]
        ends[0] = None if ends[0] is None else self.block(node.orelse, ends[0])
        for handler in node.handlers:
            ends.append(self.block(handler.body, caught | {handler.name}))
        end = _meet(*ends)
        last = self.block(node.finalbody, caught - _deleted(n for h in node.handlers for n in h.body))
        return None if end is None or last is None else (end - _deleted(node.finalbody)) | last

    _trystar = _try

    def _match(self, node, state):
        state = self._read(node, [node.subject], state)
        ends = []
        for case in node.cases:
            inside = state | set(assigned([case.pattern]))
            self._read(case, [case.guard], inside, True)
            ends.append(self.block(case.body, inside))
        last = node.cases[-1]
        is_irrefutable = isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None
        return _meet(*ends, None if is_irrefutable else state)


class _SetFlags(ast.NodeTransformer):
    """Sets the set flags where variables get or lose a value, and checks them at the marked reads."""

    def __init__(self, variables):
        self._variables = variables
        self._inner = 0  # functions around, whose statements set variables of their own

    def visit(self, node):
        """The node, or the statements in its place."""
        if isinstance(node, ast.Name):
            return self._checked(node) if hasattr(node, "jst_may_be_unset") else node
        is_scope = isinstance(node, SCOPES)
        self._inner += is_scope
        self.generic_visit(node)
        self._inner -= is_scope
        return self._statement(node) if isinstance(node, ast.stmt) and not self._inner else node

    @staticmethod
    def _checked(node):
        made = call("check_bound", name(node.id), name(set_flag_of(node.id)), constant(node.id))
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def _set(self, names, value, at):
        return [
            ast.copy_location(assign(set_flag_of(n), constant(value)), at)
            for n in sorted(names)
            if n in self._variables
        ]

    def _statement(self, node):
        checks = [ast.copy_location(ast.Expr(self._checked(n)), n) for n in getattr(node, "jst_may_be_unset", ())]
        gained = set()
        if isinstance(node, ast.For):
            node.body = [*self._set(_bound([node.target]), True, node), *node.body]
        elif isinstance(node, ast.With):
            node.body = [*self._set(_bound([v for i in node.items if (v := i.optional_vars)]), True, node), *node.body]
        elif isinstance(node, ast.Match):
            for case in node.cases:
                case.body = [*self._set(assigned([case.pattern]), True, case.body[0]), *case.body]
        elif not isinstance(node, (ast.If, ast.While, ast.Try, ast.TryStar)):
            is_set = not isinstance(node, ast.AnnAssign) or node.value is not None
            gained = set(assigned([node])) if is_set else gained
        return [*checks, node, *self._set(gained, True, node), *self._set(self._unset_by(node), False, node)]

    @staticmethod
    def _unset_by(node):
        return _deleted([node]) if isinstance(node, ast.Delete) else ()


def _assigned_elsewhere(body):
    """Names that functions inside of a block, handlers or expressions assign."""
    names = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                names.update(node.names)
            elif isinstance(node, ast.ExceptHandler):
                names.add(node.name)
            elif isinstance(node, ast.NamedExpr):
                names.add(node.target.id)
    return names


def check_reads(body, parameters):
    """A function's body whose reads of variables that may have no value check their set flags; and the statements that
    initialize these."""
    own = set(assigned(body)) - _assigned_elsewhere(body)
    analysis = _Analysis(own)
    analysis.block(body, frozenset(parameters))
    if not analysis.found:
        return body, []
    flags = _SetFlags(analysis.found)
    first = [assign(set_flag_of(n), constant(n in parameters)) for n in sorted(analysis.found)]
    return [part for statement in body for part in flags.visit(statement)], first
