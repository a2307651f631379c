# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`return` inside of branches and loops, `break`, `continue` and `del` as assignments and branches, so that every
block runs to its end."""

import ast

from .syntax import RETURN_FLAG, RETURN_VALUE, SCOPES, assign, blocks, call, constant, contains, lazy, name


def comes_to_end(body):
    """Whether control may go on behind the block."""
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return False
    if isinstance(last, ast.If):
        return not last.orelse or comes_to_end(last.body) or comes_to_end(last.orelse)
    if isinstance(last, ast.While):
        is_endless = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return not is_endless or contains(last.body, (ast.Break,), loops=False)
    if isinstance(last, ast.With):
        return comes_to_end(last.body)
    if isinstance(last, ast.Try):
        if last.finalbody and not comes_to_end(last.finalbody):
            return False
        return comes_to_end(last.orelse or last.body) or any(comes_to_end(h.body) for h in last.handlers)
    if isinstance(last, ast.Match):
        has_default = any(isinstance(c.pattern, ast.MatchAs) and c.pattern.pattern is None for c in last.cases)
        return not has_default or any(comes_to_end(c.body) for c in last.cases)
    return True


def _nothing_returned():
    """Where no run comes that has returned: no tensor here is one that a run returned before."""
    return assign(RETURN_VALUE, call("Undefined", constant("return value")))


class Jumps:
    """Replaces return, break and continue by flags and branches."""

    def __init__(self):
        self.loops = self.finals = 0

    def function(self, body):
        if not contains(body, (ast.Return, ast.Break, ast.Continue)):
            return body
        if not self._returns_inside(body):
            return self._block(body, None)
        if comes_to_end(body):
            body = [*body, ast.copy_location(ast.Return(value=constant(None)), body[-1])]
        body = self._block(body, None)
        return [
            assign(RETURN_FLAG, constant(False)),
            _nothing_returned(),
            *body,
            ast.Return(value=call("return_value", name(RETURN_VALUE))),
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
                return [  # the value first: an exception on the way to it is no return
                    *out,
                    ast.copy_location(assign(RETURN_VALUE, value), statement),
                    ast.copy_location(assign(RETURN_FLAG, constant(True)), statement),
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
                if RETURN_FLAG in jumps:
                    guarded = [ast.copy_location(_nothing_returned(), rest[0]), *guarded]
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
        if loop is not None:
            if contains([statement], (ast.Break,), loops=False):
                flags.append(loop[0])
            if contains([statement], (ast.Continue,), loops=False):
                flags.append(loop[1])
        return flags

    def _statement(self, statement, loop):
        if isinstance(statement, (ast.For, ast.While)):
            return self._loop(statement, loop)
        if isinstance(statement, ast.Try):
            if self._jumps_of(ast.Module(statement.finalbody, []), loop):
                return self._jump_at_last(statement, loop)
            jumps = self._jumps_of(ast.Module(statement.body, []), loop)
            for handler in statement.handlers:  # an exception of a finally ends jumps
                down = [ast.copy_location(assign(f, constant(False)), handler) for f in jumps]
                handler.body = [*down, *handler.body]
            if jumps and statement.orelse:
                test = call("none_of", *[name(f) for f in jumps])
                statement.orelse = [ast.copy_location(ast.If(test, statement.orelse, []), statement.orelse[0])]
        if not isinstance(statement, SCOPES):
            was, self.inside = getattr(self, "inside", False), True
            for holder, field in blocks(statement):
                setattr(holder, field, self._block(getattr(holder, field), loop))
            self.inside = was
        return [statement]

    def _jump_at_last(self, statement, loop):
        """A try whose finally jumps, which ends exceptions and other jumps: these are kept, and go on behind a finally
        that did not."""
        self.finals += 1
        caught, kept = f"__jst_caught_{self.finals}", f"__jst_kept_{self.finals}"
        last, statement.finalbody = statement.finalbody, []
        jumps = self._jumps_of(ast.Module(last, []), loop)
        before = {f: f"{kept}_{f}" for f in self._jumps_of(statement, loop)}
        body = [statement] if statement.handlers else [*statement.body, *statement.orelse]
        keep = ast.ExceptHandler(type=name("Exception"), name=caught, body=[assign(kept, name(caught))])
        test = ast.Compare(left=name(kept), ops=[ast.IsNot()], comparators=[constant(None)])
        again = ast.If(test=test, body=[ast.Raise(exc=name(kept))], orelse=[])
        down = [assign(f, constant(False)) for f in before]
        if RETURN_FLAG in before:
            before[RETURN_VALUE] = f"{kept}_{RETURN_VALUE}"
        back = [assign(f, name(k)) for f, k in before.items()]
        was, self.inside = getattr(self, "inside", False), True
        made = [
            assign(kept, constant(None)),
            *self._statement(ast.Try(body=body, handlers=[keep], orelse=[], finalbody=[]), loop),
            *[assign(k, name(f)) for f, k in before.items()],
            *down,
            *self._block(last, loop),
            ast.If(test=call("none_of", *[name(f) for f in jumps]), body=[*back, again], orelse=[]),
        ]
        self.inside = was
        for part in made:
            ast.copy_location(part, statement)
        return made

    def _loop(self, loop, outer):
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
        if has_break:  # no round begins behind a break
            body = [assign(stop, constant(False)), *body]
        if has_return:
            body = [_nothing_returned(), *body]
        before = [assign(stop, constant(False))] if has_break else []
        if flags and isinstance(loop, ast.While):
            loop.test = call("and_", call("none_of", *[name(f) for f in flags]), lazy(loop.test))
            loop.test.args[0] = lazy(loop.test.args[0])
        loop.body = body
        loop.jst_flags = flags
        orelse, loop.orelse = loop.orelse, []
        after = []
        if orelse:
            orelse = self._block(orelse, outer)
            after = (
                [ast.If(test=call("none_of", *[name(f) for f in flags]), body=orelse, orelse=[])] if flags else orelse
            )
        for s in (*before, *after):
            ast.copy_location(s, loop)
        return [*before, loop, *after]


def listed(statements):
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
