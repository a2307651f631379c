# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Closure conversion: functions from rewritten syntax trees.

A converted function has the file, lines, globals, defaults and closure cells of the original one, so that errors point
to the user's own line; the cell `__jst` holds the runtime, `calls.py`. Not converted are functions of this package, of
the standard library and of NumPy, coroutines, generators (until a capture needs them as functions that make lists, see
generators.py) and functions with a `:=` that may be skipped.
"""

import ast
import contextlib
import functools
import inspect
import os
import sysconfig
import textwrap
import types

from .. import verbosity
from ..ast import generators
from ..ast.definitions import class_name, definition
from ..ast.rewrite import rewrite
from ..ast.syntax import JST
from .context import active
from .recording.builtin_functions import builtin_function, is_instance, tensor_method
from .recording.dict_operations import attribute_function, dict_method, with_optional_keys
from .values.tagged_union import TaggedUnion, apply_to_alternatives

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_LIBRARY = sysconfig.get_paths()["stdlib"]
_UNCONVERTED_MODULES = ("numpy", "scipy", "torch", "typing", "functools", "itertools")
TYPED = ("<ipython-input", "<python-input", "<doctest")  # source that was typed, which Python keeps
_codes = {}  # code object -> rewritten code object, or None when there is nothing to rewrite
_ignored_modules = set()
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def ignore_modules(modules):
    """Modules whose functions are not converted."""
    _ignored_modules.update(getattr(m, "__name__", str(m)) for m in modules)


def _is_left_unconverted(function):
    code = function.__code__
    file = code.co_filename
    if file.startswith("<") and not file.startswith(TYPED):
        return True
    if getattr(function, "_paddle_converted", False):
        return False
    if file.startswith(_PACKAGE) or (file.startswith(_LIBRARY) and "site-packages" not in file):
        return True
    if (code.co_flags & _GENERATORS and not generators.is_materialized(code)) or JST in code.co_freevars:
        return True
    module = getattr(function, "__module__", None) or ""
    if module.split(".")[0] in _UNCONVERTED_MODULES or module in _ignored_modules:
        return True
    return getattr(function, "_paddle_not_to_static", False)


def converted_source(function):
    """The source of a function as it is captured; its own when nothing is rewritten."""
    plain = inspect.unwrap(getattr(function, "__func__", function))
    node = definition(plain) if isinstance(plain, types.FunctionType) and not _is_left_unconverted(plain) else None
    if node is None:
        return textwrap.dedent(inspect.getsource(plain))
    return ast.unparse(ast.fix_missing_locations(rewrite(node, class_name(plain), plain.__code__.co_freevars)))


def _rewritten_code(function):
    node = definition(function)
    if node is None:
        return None
    node = rewrite(node, class_name(function), function.__code__.co_freevars)
    verbosity.say_code(ast.unparse(ast.fix_missing_locations(node)) if verbosity.code_level() else "")
    free = [*function.__code__.co_freevars, JST]
    factory = ast.FunctionDef(
        name="__jst_factory",
        args=ast.arguments(
            posonlyargs=[], args=[ast.arg(arg=n) for n in free], kwonlyargs=[], kw_defaults=[], defaults=[]
        ),
        body=[node],
        decorator_list=[],
    )
    if node.name not in free:  # a function that calls itself means the global one
        factory.body.insert(0, ast.Global(names=[node.name]))
    node.args.defaults = [ast.Constant(value=None) for _ in node.args.defaults]
    node.args.kw_defaults = [d and ast.Constant(value=None) for d in node.args.kw_defaults]
    for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg):
        if a is not None:
            a.annotation = None
    node.returns = None
    ast.copy_location(factory, node)
    module = ast.fix_missing_locations(ast.Module(body=[factory], type_ignores=[]))
    outer = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    made = next(c for c in outer.co_consts if isinstance(c, types.CodeType))
    new = next(c for c in made.co_consts if isinstance(c, types.CodeType) and c.co_name == node.name)
    return new.replace(co_name=function.__code__.co_name)


def _converted_inside(function):
    """A function that a decorator of this package or of the standard library made, around the converted function."""
    inner = getattr(function, "__wrapped__", None)
    if inner is None or getattr(function, "_paddle_not_to_static", False):
        return function
    made = convert(inner)
    cells = [_content(cell) for cell in function.__closure__ or ()]
    if made is inner or not any(content is inner for content in cells):
        return function
    pairs = zip(function.__closure__, cells, strict=True)
    closure = tuple(types.CellType(made) if content is inner else cell for cell, content in pairs)
    return _with_code(function, function.__code__, closure)


def _content(cell):
    try:
        return cell.cell_contents
    except ValueError:  # not assigned yet
        return None


def _with_code(function, code, closure):
    made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__qualname__, made.__module__ = function.__qualname__, function.__module__
    return made


def _convert_function(function):
    if _is_left_unconverted(function):
        return _converted_inside(function)
    code = function.__code__
    if code not in _codes:
        _codes[code] = _rewritten_code(function)
    new = _codes[code]
    if new is None:
        return function

    from . import calls

    cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
    cells[JST] = types.CellType(calls)
    closure = tuple(cells.get(n) or types.CellType() for n in new.co_freevars)
    return _with_code(function, new, closure)


def convert(function):
    """The function with control flow that also works on tensors; itself when it is not converted."""
    if isinstance(function, types.MethodType):
        plain = function.__func__
        made = _convert_function(plain) if isinstance(plain, types.FunctionType) else plain
        return function if made is plain else types.MethodType(made, function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(convert(function.func), *function.args, **function.keywords)
    return _convert_function(function) if isinstance(function, types.FunctionType) else function


def convert_callee(callee):
    """What is called in the place of `callee` in a converted function."""
    if callee is isinstance:
        return is_instance
    if isinstance(callee, TaggedUnion):
        return callee
    made = with_optional_keys(callee, _convert_callee(callee))
    is_users = isinstance(callee, (types.FunctionType, types.MethodType, functools.partial)) and made is not callee
    if is_users or not getattr(active, "has_unions", None):
        return made
    return lambda *args, **kwargs: apply_to_alternatives(made, args, kwargs)


def _convert_callee(callee):
    made = tensor_method(callee)
    if made is not None:
        return made
    owner = getattr(callee, "__self__", None)
    made = dict_method(owner, callee.__name__) if type(owner) is dict else attribute_function(callee)
    if made is not None:
        return made
    made = builtin_function(callee)
    if made is not None:
        return made
    if isinstance(callee, (types.FunctionType, types.MethodType, functools.partial)):
        return convert(callee)
    if hasattr(callee, "dygraph_function"):
        return convert(callee.dygraph_function)
    if hasattr(callee, "sublayers") and not isinstance(callee, type):

        def layer(*args, **kwargs):
            with converted_layers([callee]):
                return callee(*args, **kwargs)

        return layer
    method = inspect.getattr_static(type(callee), "__call__", None)
    if isinstance(method, types.FunctionType) and not isinstance(callee, type):
        return convert(types.MethodType(method, callee))
    return callee


@contextlib.contextmanager
def converted_layers(layers):
    """Within it, the forward of these layers and their sublayers is the converted one."""
    changed = []
    try:
        for root in layers:
            for layer in root.sublayers(include_self=True):
                own = vars(layer)
                forward = own.get("forward", type(layer).forward)
                plain = getattr(forward, "dygraph_function", forward)
                if not isinstance(plain, (types.FunctionType, types.MethodType)):
                    continue
                bound = plain if isinstance(plain, types.MethodType) or "forward" in own else plain.__get__(layer)
                made = convert(bound)
                if made is bound or own.get("forward") is made:
                    continue
                changed.append((own, own.get("forward", changed)))
                own["forward"] = made
        yield
    finally:
        for own, before in reversed(changed):
            if before is changed:
                own.pop("forward", None)
            else:
                own["forward"] = before
