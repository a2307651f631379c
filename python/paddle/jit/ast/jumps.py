# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Jump elimination: `return` in branches and loops, `break`, `continue` and `del` become assignments of flags and
branches on these, so that every block runs to its end."""

import ast

from .syntax import RETURN_FLAG, RETURN_VALUE, SCOPES, assign, blocks, call, constant, contains, name, thunk


def falls_through(body):
    """Whether control falls through to what follows a block."""
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return False
    if isinstance(last, ast.If):
        return not last.orelse or falls_through(last.body) or falls_through(last.orelse)
    if isinstance(last, ast.While):
        is_endless = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return not is_endless or contains(last.body, (ast.Break,), loops=False)
    if isinstance(last, ast.With):
        return falls_through(last.body)
    if isinstance(last, ast.Try):
        if last.finalbody and not falls_through(last.finalbody):
            return False
        return falls_through(last.orelse or last.body) or any(falls_through(h.body) for h in last.handlers)
    if isinstance(last, ast.Match):
        has_default = any(isinstance(c.pattern, ast.MatchAs) and c.pattern.pattern is None for c in last.cases)
        return not has_default or any(falls_through(c.body) for c in last.cases)
    return True


def _clear_return_value():
    """Clears the return value where no run comes that has returned: so no tensor from here on is one that a run
    returned before."""
    return assign(RETURN_VALUE, call("Undefined", constant("return value")))


class JumpElimination:
    """Replaces `return`, `break` and `continue` by flags and branches."""

    def __init__(self):
        self.loop_count = self.finally_count = 0
        self.is_nested = False  # whether the block is one of a statement of the function

    def function(self, body):
        if not contains(body, (ast.Return, ast.Break, ast.Continue)):
            return body
        if not self._returns_inside(body):
            return self._block(body, None)
        if falls_through(body):
            body = [*body, ast.copy_location(ast.Return(value=constant(None)), body[-1])]
        body = self._block(body, None)
        return [
            assign(RETURN_FLAG, constant(False)),
            _clear_return_value(),
            *body,
            ast.Return(value=call("return_value", name(RETURN_VALUE))),
        ]

    @staticmethod
    def _returns_inside(body):
        return any(contains([s], (ast.Return,)) for s in body if not isinstance(s, ast.Return))

    def _block(self, body, loop):
        """A block with its jumps replaced; `loop` holds the flags of `break` and `continue` of the innermost loop."""
        is_guarded = loop is not None or self._returns_inside(body) or self.is_nested
        out = []
        for i, statement in enumerate(body):
            if isinstance(statement, ast.Return):
                if not is_guarded:
                    return [*out, statement]
                value = statement.value or constant(None)
                return [  # the value first: an exception while it is computed is no return
                    *out,
                    ast.copy_location(assign(RETURN_VALUE, value), statement),
                    ast.copy_location(assign(RETURN_FLAG, constant(True)), statement),
                ]
            if isinstance(statement, (ast.Break, ast.Continue)):
                flag = loop[0] if isinstance(statement, ast.Break) else loop[1]
                return [*out, ast.copy_location(assign(flag, constant(True)), statement)]
            jumps = self._jumps_of(statement, loop)
            is_one_sided = self._is_one_sided(statement)
            out.extend(self._eliminate_in(statement, loop))
            rest = body[i + 1 :]
            if not jumps or not rest:
                continue
            was_nested, self.is_nested = self.is_nested, True
            guarded = self._block(rest, loop)
            self.is_nested = was_nested
            if is_one_sided:
                statement.orelse = [*statement.orelse, *guarded]
            elif guarded:
                test = call("none_of", *[name(f) for f in jumps])
                if RETURN_FLAG in jumps:
                    guarded = [ast.copy_location(_clear_return_value(), rest[0]), *guarded]
                out.append(ast.copy_location(ast.If(test=test, body=guarded, orelse=[]), rest[0]))
            return out
        return out

    def _is_one_sided(self, statement):
        """Whether a statement is like `if a: return x`: what follows belongs into the other branch."""
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

    def _eliminate_in(self, statement, loop):
        if isinstance(statement, (ast.For, ast.While)):
            return self._loop(statement, loop)
        if isinstance(statement, ast.Try):
            if self._jumps_of(ast.Module(statement.finalbody, []), loop):
                return self._jump_in_finally(statement, loop)
            jumps = self._jumps_of(ast.Module(statement.body, []), loop)
            for handler in statement.handlers:  # an exception of a finally ends jumps
                clear = [ast.copy_location(assign(f, constant(False)), handler) for f in jumps]
                handler.body = [*clear, *handler.body]
            if jumps and statement.orelse:
                test = call("none_of", *[name(f) for f in jumps])
                statement.orelse = [ast.copy_location(ast.If(test, statement.orelse, []), statement.orelse[0])]
        if not isinstance(statement, SCOPES):
            was_nested, self.is_nested = self.is_nested, True
            for holder, field in blocks(statement):
                setattr(holder, field, self._block(getattr(holder, field), loop))
            self.is_nested = was_nested
        return [statement]

    def _jump_in_finally(self, statement, loop):
        """A `try` whose `finally` jumps, which ends exceptions and other jumps: these are kept pending, and continue
        after a `finally` that did not jump."""
        self.finally_count += 1
        caught, pending = f"__jst_caught_{self.finally_count}", f"__jst_pending_{self.finally_count}"
        last, statement.finalbody = statement.finalbody, []
        jumps = self._jumps_of(ast.Module(last, []), loop)
        before = {f: f"{pending}_{f}" for f in self._jumps_of(statement, loop)}
        body = [statement] if statement.handlers else [*statement.body, *statement.orelse]
        handler_of_all = ast.ExceptHandler(type=name("Exception"), name=caught, body=[assign(pending, name(caught))])
        test = ast.Compare(left=name(pending), ops=[ast.IsNot()], comparators=[constant(None)])
        again = ast.If(test=test, body=[ast.Raise(exc=name(pending))], orelse=[])
        clear = [assign(f, constant(False)) for f in before]
        if RETURN_FLAG in before:
            before[RETURN_VALUE] = f"{pending}_{RETURN_VALUE}"
        restore = [assign(f, name(k)) for f, k in before.items()]
        was_nested, self.is_nested = self.is_nested, True
        made = [
            assign(pending, constant(None)),
            *self._eliminate_in(ast.Try(body=body, handlers=[handler_of_all], orelse=[], finalbody=[]), loop),
            *[assign(k, name(f)) for f, k in before.items()],
            *clear,
            *self._block(last, loop),
            ast.If(test=call("none_of", *[name(f) for f in jumps]), body=[*restore, again], orelse=[]),
        ]
        self.is_nested = was_nested
        for part in made:
            ast.copy_location(part, statement)
        return made

    def _loop(self, loop, outer):
        self.loop_count += 1
        stop, skip = f"__jst_break_{self.loop_count}", f"__jst_continue_{self.loop_count}"
        has_break = contains(loop.body, (ast.Break,), loops=False)
        has_continue = contains(loop.body, (ast.Continue,), loops=False)
        has_return = contains(loop.body, (ast.Return,))
        was_nested, self.is_nested = self.is_nested, True
        body = self._block(loop.body, (stop, skip))
        self.is_nested = was_nested
        flags = [f for f, used in ((stop, has_break), (RETURN_FLAG, has_return)) if used]
        if has_continue:
            body = [assign(skip, constant(False)), *body]
        if has_break:  # no round begins after a break
            body = [assign(stop, constant(False)), *body]
        if has_return:
            body = [_clear_return_value(), *body]
        before = [assign(stop, constant(False))] if has_break else []
        if flags and isinstance(loop, ast.While):
            loop.test = call("and_", call("none_of", *[name(f) for f in flags]), thunk(loop.test))
            loop.test.args[0] = thunk(loop.test.args[0])
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


def as_statements(statements):
    """What a transformer gives for a statement, as a list."""
    return statements if isinstance(statements, list) else [statements]


class Deletions(ast.NodeTransformer):
    """`del x` as an assignment of a variable without a value: a branch or a round gives back all the variables that it
    assigns."""

    def __init__(self, shared):
        self.shared = shared  # names of other scopes

    def visit(self, node):
        """Visits the statements of this function only."""
        return node if isinstance(node, SCOPES) else super().visit(node)

    def visit_Delete(self, node):
        """Assignments for the names, and the rest of the statement."""
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
