# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Points-to analysis of live values: what code may change that gets some values.

A value reaches lists, dicts, sets, attributes of objects, and the variables of enclosing functions and of modules that
the functions and methods among these see."""

import builtins
import dis
import functools
import inspect
import types

from .... import _core
from ....nn.layer.layers import Layer
from ...ast.syntax import JST
from ..values.containers import is_container
from ..values.dynamic_list import DynamicList
from ..values.object_values import is_library_module
from ..values.undefined import Undefined

_LAYER_ATTRIBUTES = frozenset(vars(Layer()))
_DATA_LENGTH = 10_000  # larger containers are data, whose elements are not looked at
_stored_names_of = {}  # code object -> what _stored_names() gives


def _stored_names(code):
    """Names of the free variables and of the globals that a code object sets, also in functions inside of it."""
    if code not in _stored_names_of:
        free, module_globals = set(), set()
        for instruction in dis.get_instructions(code):
            if instruction.opname in ("STORE_DEREF", "DELETE_DEREF"):
                free.add(instruction.argval)
            elif instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
                module_globals.add(instruction.argval)
        for inner in code.co_consts:
            if isinstance(inner, types.CodeType):
                inner_free, inner_globals = _stored_names(inner)
                free |= inner_free
                module_globals |= inner_globals
        _stored_names_of[code] = free, module_globals
    return _stored_names_of[code]


def stored_attribute(root, *attributes):
    """`root.a.b` without running code of the user's; None where an attribute is computed or missing."""
    for attribute in attributes:
        found = inspect.getattr_static(type(root), attribute, None)
        if hasattr(type(found), "__set__") or isinstance(found, functools.cached_property):
            return None
        try:
            root = getattr(root, attribute)
        except Exception:
            return None
    return root


def non_container(variable):
    """What a variable holds; None for a container, which branches get copies of."""
    return None if is_container(variable) else variable


def is_computed_attribute(owner, attribute):
    """Whether an attribute is computed: a property or another descriptor of the class."""
    found = inspect.getattr_static(type(owner), attribute, None)
    return hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType)


class Reachability:
    """The variables, containers and objects that some values reach.

    Attributes:
        variables: (name, getter, setter) of variables that functions rebind.
        containers: (name, container).
        objects: Objects whose `vars()` are among the containers.
    """

    def __init__(self):
        self.variables, self.containers, self.objects = [], [], []
        self._seen = {}

    def add(self, value, name):
        """Adds what a value reaches; `name` is its name in messages."""
        todo = [(value, name)]
        while todo:
            value, name = todo.pop()
            if (
                isinstance(value, (_core.Tensor, Undefined, type, types.ModuleType))
                or self._seen.get(id(value)) is value
            ):
                continue
            inner = self._references(value, name)
            if inner is not None:
                self._seen[id(value)] = value
                todo.extend(reversed(inner))

    def _references(self, value, name):
        """(value, name) of what a value refers to; None when it refers to nothing that can change."""
        if is_container(value):
            return self._of_container(value, name)
        if isinstance(value, types.FunctionType):
            return None if is_library_module(value.__module__) else self._of_function(value)
        if isinstance(value, types.MethodType):
            return [(value.__func__, name), (value.__self__, name)]
        if isinstance(value, functools.partial):
            return [(v, name) for v in (value.func, *value.args, *value.keywords.values())]
        if hasattr(value, "dygraph_function"):
            return [(value.dygraph_function, name)]
        if isinstance(value, Layer):
            return self._of_layer(value, name)
        if is_library_module(type(value).__module__) or not hasattr(value, "__dict__"):
            return None
        self.objects.append(value)
        method = inspect.getattr_static(type(value), "__call__", None)
        called = [(method, name)] if isinstance(method, types.FunctionType) else []
        return [(vars(value), name), *called]

    def _of_container(self, value, name):
        if isinstance(value, DynamicList):
            self.containers.append((name, value))
            return []
        if len(value) > _DATA_LENGTH:
            return None
        self.containers.append((name, value))
        return [(v, name) for v in (value.values() if isinstance(value, dict) else value)]

    def _of_function(self, function):
        code, module_globals = function.__code__, function.__globals__
        rebound, rebound_globals = _stored_names(code)
        inner = []
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            if name == JST:
                continue
            try:
                held = cell.cell_contents
            except ValueError:  # empty
                held = None
            inner.append((held, name))
            if name in rebound or is_container(held):  # a list may become another one
                self.variables.append((name, lambda cell=cell: cell.cell_contents, VariableSetter(cell, name)))
        for name in sorted({*code.co_names, *rebound_globals}):
            held = None if hasattr(builtins, name) else module_globals.get(name)
            inner.append((held, name))
            if name in rebound_globals or is_container(held):
                self.variables.append(
                    (name, lambda name=name: module_globals[name], VariableSetter(module_globals, name))
                )
        return inner

    def _of_layer(self, layer, name):
        own = vars(layer)
        self.objects.append(layer)
        inner = [(sublayer, name) for sublayer in own["_sub_layers"].values()]
        if own["_buffers"]:
            self.containers.append((name, own["_buffers"]))
        if not is_library_module(type(layer).__module__):
            self.containers.append((name, own))
            inner += [(v, k) for k, v in own.items() if k not in _LAYER_ATTRIBUTES]
            forward = inspect.getattr_static(type(layer), "forward", None)
            inner += [(forward, name)] if isinstance(forward, types.FunctionType) else []
        return inner


class VariableSetter:
    """Sets a variable of an enclosing function or of a module; equal for the same variable.

    Args:
        scope: The cell of the variable, or the dict of the module's variables.
        name: Its name there.
    """

    def __init__(self, scope, name):
        self._scope, self._name = scope, name

    def __call__(self, value):
        if isinstance(self._scope, dict):
            self._scope[self._name] = value
        else:
            self._scope.cell_contents = value

    def __eq__(self, other):
        return isinstance(other, VariableSetter) and self._scope is other._scope and self._name == other._name

    def __hash__(self):
        return hash((id(self._scope), self._name))
