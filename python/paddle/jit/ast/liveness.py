# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Live variables: which variables are read again after a branch or loop, or in the next round. Only these are its
results.

A textbook backward analysis over blocks without jumps (Aho et al., Compilers, section 9.2.5): what a block reads before
it assigns it, and what is live after the block and not assigned by it, is live before it."""

import ast

from .generators import YIELDED
from .syntax import SCOPES, walk

_READ_ALL = {"locals", "vars", "eval", "exec", "dir"}
_CLOSURES = (*SCOPES, ast.GeneratorExp)


def _loaded(node):
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store)}


def _bound(target):
    return {n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _captured_names(body):
    """Names that functions and generators inside of a block capture, which may read them whenever they are called."""
    names = set()
    for node in walk(body):
        if isinstance(node, _CLOSURES) and not hasattr(node, "jst_is_called"):
            names |= _loaded(node)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            names.update(node.names)
    return names


class Liveness:
    """Notes at each `if`, `while` and `for` of a function, as `jst_live`, the variables that are live before or after
    what it does.

    Args:
        body: The statements of the function; `return` is at ends of it only.
    """

    def __init__(self, body):
        called = {n.func.id for n in walk(body) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        if called & _READ_ALL:
            return
        self._captured = frozenset({YIELDED, *_captured_names(body)})
        self._block(body, frozenset())

    def _block(self, body, live):
        """The variables that are live before a block after which `live` are."""
        for statement in reversed(body):
            live = self._statement(statement, live)
        return live

    def _statement(self, node, live):
        of_kind = getattr(self, f"_{type(node).__name__.lower()}", None)
        if of_kind is not None:
            return of_kind(node, live)
        if isinstance(node, SCOPES):
            return live | _loaded(node)
        if isinstance(node, ast.Assign) and not any(isinstance(n, ast.NamedExpr) for n in ast.walk(node)):
            live = live - {t.id for t in self._targets(node.targets)}
        return live | _loaded(node) | self._augmented(node)

    @staticmethod
    def _targets(targets):
        for target in targets:
            if isinstance(target, (ast.Tuple, ast.List)):
                yield from Liveness._targets(target.elts)
            elif isinstance(target, ast.Starred):
                yield from Liveness._targets([target.value])
            elif isinstance(target, ast.Name):
                yield target

    @staticmethod
    def _augmented(node):
        """The variable that `x += 1` reads."""
        return _bound(node.target) if isinstance(node, ast.AugAssign) else frozenset()

    def _return(self, node, live):
        return _loaded(node)

    def _if(self, node, live):
        inside = self._block(node.body, frozenset()) | self._block(node.orelse, frozenset())
        node.jst_live = live | inside | self._captured
        return self._block(node.body, live) | self._block(node.orelse, live) | _loaded(node.test)

    def _loop(self, node, live, before, bound):
        """`before`: what every round reads first; `bound`: what it assigns then."""
        live = self._block(node.orelse, live) | before | set(getattr(node, "jst_flags", ()))
        inside = self._block(node.body, frozenset()) - bound
        head = live
        while True:
            more = head | (self._block(node.body, head) - bound)
            if more == head:
                break
            head = more
        node.jst_live = head | inside | self._captured
        return head

    def _while(self, node, live):
        return self._loop(node, live, _loaded(node.test), set())

    def _for(self, node, live):
        own = {t.id for t in self._targets([node.target])}
        return self._loop(node, live, frozenset(), own) | _loaded(node.iter) | _loaded(node.target)

    def _with(self, node, live):  # which may end in the middle
        return live | self._block(node.body, live | self._all_reads([node])) | _loaded_of_items(node)

    def _try(self, node, live):
        live = live | self._all_reads([node])
        for block in (node.body, node.orelse, node.finalbody, *(h.body for h in node.handlers)):
            self._block(block, live)
        return live

    _trystar = _try

    def _match(self, node, live):
        inside = live | self._all_reads([node])
        for case in node.cases:
            self._block(case.body, live)
        return inside

    def _all_reads(self, nodes):
        """All names that statements read."""
        names = set()
        for node in walk(nodes):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
                names.add(node.id)
            elif isinstance(node, ast.AugAssign):
                names |= _bound(node.target)
            elif isinstance(node, (ast.For, ast.While)):
                names.update(getattr(node, "jst_flags", ()))
        return names


def _loaded_of_items(node):
    return {n for item in node.items for n in _loaded(item)}
