# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Displays, comprehensions and unpacking (`[*a, b]`, `{**a}`, `a, *b = c`) as calls of the runtime."""

import ast
import copy

from .syntax import ITEM, call, constant, name, one_argument


class Displays(ast.NodeTransformer):
    """Comprehensions and displays as calls of the runtime. A derived class gives `_iterated`: what a loop iterates
    over, rewritten."""

    def visit_List(self, node):
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or not any(isinstance(e, ast.Starred) for e in node.elts):
            return node
        parts = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                parts.append(element.value)
            elif parts and hasattr(parts[-1], "jst_is_run"):
                parts[-1].elts.append(element)
            else:
                parts.append(ast.List(elts=[element], ctx=ast.Load()))
                parts[-1].jst_is_run = True
        return ast.copy_location(call("list_display", *parts), node)

    def visit_Dict(self, node):
        self.generic_visit(node)
        if None not in node.keys:
            return node
        parts = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                parts.append(value)
            elif parts and isinstance(parts[-1], ast.Dict) and hasattr(parts[-1], "jst_is_run"):
                parts[-1].keys.append(key)
                parts[-1].values.append(value)
            else:
                parts.append(ast.Dict(keys=[key], values=[value]))
                parts[-1].jst_is_run = True
        return ast.copy_location(call("dict_display", *parts), node)

    def _as_call(self, function, node, element):
        """A comprehension as a call of the runtime; itself where that would not be the same."""
        if any(isinstance(n, ast.Lambda) for n in ast.walk(element)):  # it sees the last item, not its own
            return self.generic_visit(node)
        if len(node.generators) != 1 or node.generators[0].is_async:
            return self.generic_visit(node)
        loop = node.generators[0]

        def of_item(expression):
            rows = ast.List(elts=[name(ITEM)], ctx=ast.Load())
            one = ast.comprehension(target=copy.deepcopy(loop.target), iter=rows, ifs=[], is_async=0)
            made = ast.ListComp(elt=self.visit(expression), generators=[one])
            return ast.Lambda(args=one_argument(ITEM), body=ast.Subscript(made, constant(0), ast.Load()))

        parts = [self._iterated(loop.iter), of_item(element)]
        if loop.ifs:
            parts.append(of_item(loop.ifs[0] if len(loop.ifs) == 1 else ast.BoolOp(ast.And(), loop.ifs)))
        return ast.copy_location(call(function, *parts), node)

    def visit_ListComp(self, node):
        return self._as_call("comprehension", node, node.elt)

    def visit_GeneratorExp(self, node):
        return self._as_call("generator_expression", node, node.elt)

    def visit_DictComp(self, node):
        return self._as_call("dict_comprehension", node, ast.Tuple(elts=[node.key, node.value], ctx=ast.Load()))


def unpack_assignment(node, target):
    """An assignment to a tuple of targets, of values whose number only the running program may know."""
    starred = [k for k, e in enumerate(target.elts) if isinstance(e, ast.Starred)]
    count = len(target.elts)
    if starred:
        target.elts[starred[0]] = target.elts[starred[0]].value
        node.value = call("unpack_starred", node.value, constant(starred[0]), constant(count - starred[0] - 1))
    elif not isinstance(node.value, (ast.Tuple, ast.List)):
        node.value = call("unpack", node.value, constant(count))
    return node
