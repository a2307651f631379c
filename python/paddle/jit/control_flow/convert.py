# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions from rewritten syntax trees.

A converted function has the file, lines, globals, defaults and closure cells of the original one, so
errors point to the user's own line.  Code of this package, of the standard library and of NumPy is
left alone, and so are coroutines, generators (until a capture lists them, see generators.py) and functions with a
`:=` that may be skipped.
"""

import ast
import contextlib
import functools
import inspect
import math
import os
import sysconfig
import textwrap
import types

from ... import _core
from ...framework.symint import SymInt, is_known, is_open, larger, number, smaller
from .. import verbosity
from ..ast import generators
from ..ast.definitions import class_name, definition
from ..ast.rewrite import rewrite
from ..ast.syntax import JST
from . import grown, presence, state
from .iteration import opened
from .moved import moves
from .one_of import OneOf, applied
from .selections import all_, any_, filter_, map_, reduce_, sorted_
from .values import active, is_true

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_LIBRARY = sysconfig.get_paths()["stdlib"]
_KEPT_MODULES = ("numpy", "scipy", "torch", "typing", "functools", "itertools")
TYPED = ("<ipython-input", "<python-input", "<doctest")  # source that was typed, which Python keeps
_codes = {}  # code object -> rewritten code object, or None when there is nothing to rewrite
_ignored_modules = set()
_GENERATORS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def ignore_modules(modules):
    """Modules whose functions are left alone."""
    _ignored_modules.update(getattr(m, "__name__", str(m)) for m in modules)


def _is_left_alone(function):
    code = function.__code__
    file = code.co_filename
    if file.startswith("<") and not file.startswith(TYPED):
        return True
    if getattr(function, "_paddle_converted", False):
        return False
    if file.startswith(_PACKAGE) or (file.startswith(_LIBRARY) and "site-packages" not in file):
        return True
    if (code.co_flags & _GENERATORS and not generators.is_listed(code)) or JST in code.co_freevars:
        return True
    module = getattr(function, "__module__", None) or ""
    if module.split(".")[0] in _KEPT_MODULES or module in _ignored_modules:
        return True
    return getattr(function, "_paddle_not_to_static", False)


def converted_source(function):
    """The source of the function as it is captured; its own when nothing is rewritten."""
    plain = inspect.unwrap(getattr(function, "__func__", function))
    node = definition(plain) if isinstance(plain, types.FunctionType) and not _is_left_alone(plain) else None
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


def _around_converted(function):
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
    if _is_left_alone(function):
        return _around_converted(function)
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
    """The function with control flow that also works on tensors; itself when it is left alone."""
    if isinstance(function, types.MethodType):
        plain = function.__func__
        made = _convert_function(plain) if isinstance(plain, types.FunctionType) else plain
        return function if made is plain else types.MethodType(made, function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(convert(function.func), *function.args, **function.keywords)
    return _convert_function(function) if isinstance(function, types.FunctionType) else function


def _cast(dtype):
    def cast(value):
        return (number(value) if isinstance(value, SymInt) else value.detach()).astype(dtype)

    return cast


def _truth(value):
    return is_true(number(value) if isinstance(value, SymInt) else value.detach())


_BUILTINS = {int: _cast("int64"), float: _cast("float32"), bool: _truth}


def _values_of(tensor):
    """A tensor of the capture in the place of its array."""
    values = tensor.detach()
    return lambda: values


def _item_of(tensor):
    tensor = tensor.detach()

    def item(*index):
        if not index:
            return tensor.reshape([])
        return tensor.flatten()[index[0]] if len(index) == 1 else tensor[index]

    return item


def _list_of(tensor):
    def nested(t):
        return [nested(row) for row in t.unbind(0)] if t.ndim else t

    return lambda: nested(tensor.detach())


# Methods that ask for the values of a tensor, and what they give while a program is captured.
_VALUE_METHODS = {"numpy": _values_of, "item": _item_of, "tolist": _list_of}


def _real(value):
    value = number(value) if isinstance(value, SymInt) else value.detach()
    return value if "float" in value.dtype.name else value.astype("float32")


_ROUNDINGS = {math.ceil: _core.ops.ceil, math.floor: _core.ops.floor, math.trunc: _core.ops.trunc}
_REALS = {
    getattr(math, name): getattr(_core.ops, name) for name in ("sqrt", "exp", "log", "log2", "sin", "cos", "tanh")
}


def _of_numbers(callee):
    """A function of the math module, also of extents and tensors that are known when the program runs."""

    def function(*args):
        if len(args) != 1 or not (is_open(args[0]) or (_is_later(args[0]) and not isinstance(args[0], SymInt))):
            return callee(*args)
        if callee in _ROUNDINGS:
            return _ROUNDINGS[callee](_real(args[0])).astype("int64")
        return _REALS[callee](_real(args[0]))

    return function


_MATH = {callee: _of_numbers(callee) for callee in (*_ROUNDINGS, *_REALS)}


def _round(value, ndigits=None):
    """round() of a number, also of one that is known when the program runs: halves go to the even neighbour."""
    if not _is_later(value) or (isinstance(value, SymInt) and is_known(value)):
        return round(value) if ndigits is None else round(value, ndigits)
    value = number(value) if isinstance(value, SymInt) else value.detach()
    if "float" not in value.dtype.name and (ndigits is None or ndigits >= 0):
        return value.astype("int64")
    # The product of a float32 number and a power of ten below 1e12 is exact in float64.
    places = ndigits or 0
    factor = 10.0 ** abs(places)
    exact = value.astype("float64")
    scaled = exact * factor if places >= 0 else exact / factor
    below = _core.ops.floor(scaled)
    odd = _core.ops.remainder(below, _core.ops.full_like(below, 2.0))
    up = _core.ops.where(scaled - below == 0.5, odd, _core.ops.cast(scaled - below > 0.5, below.dtype))
    whole = below + up
    if ndigits is None:
        return whole.astype("int64")
    return (whole / factor if places >= 0 else whole * factor).astype(value.dtype)


def _is_later(value):
    return isinstance(value, SymInt) or (isinstance(value, _core.Tensor) and _core.pir.is_symbolic(value))


def _length(value):
    return value.shape[0] if _is_later(value) and value.ndim else len(value)


def _extreme_of(callee, pick):
    """max() or min() of extents and of tensors that hold one number."""

    def extreme(*args, **kwargs):
        values = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
        if kwargs or len(values) < 2 or not any(map(_is_later, values)):
            return callee(*args, **kwargs)
        return moves(functools.reduce)(pick, values)

    return extreme


_OF_SIZES = {len: _length, max: _extreme_of(max, larger), min: _extreme_of(min, smaller)}


_OF_TRUTHS = {any: any_, all: all_, filter: filter_, sorted: sorted_, map: map_, functools.reduce: reduce_}


def _on_lists(callee):
    """The function on lists that grow in loops, when it is called with one."""
    function = grown.function_on_lists(callee)
    if function is None:
        return None
    plain = _OF_SIZES.get(callee, callee)

    def on_lists(*args, **kwargs):
        first = opened(args[0]) if args else kwargs.get("x")
        if not isinstance(first, grown.GrownList):
            return plain(*args, **kwargs)
        return function(*((first, *args[1:]) if args else ()), **kwargs)

    return on_lists


def convert_callee(callee):
    """What is called in the place of `callee` inside of a converted function."""
    if callee is isinstance:
        return _is_instance
    if isinstance(callee, OneOf):
        return callee
    made = presence.checked(callee, _convert_callee(callee))
    is_users = isinstance(callee, (types.FunctionType, types.MethodType, functools.partial)) and made is not callee
    if is_users or not getattr(active, "alternatives", None):
        return made
    return lambda *args, **kwargs: applied(made, args, kwargs)


def _is_instance(value, kind):
    return applied(isinstance, (value, kind), drop_none=False)


def _convert_callee(callee):
    owner = getattr(callee, "__self__", None)
    if isinstance(owner, _core.Tensor) and callee.__name__ in _VALUE_METHODS:
        owner = state.latest(owner)
        if _core.pir.is_symbolic(owner):
            return _VALUE_METHODS[callee.__name__](owner)
    made = presence.method_of(owner, callee.__name__) if type(owner) is dict else presence.function_on(callee)
    if made is not None:
        return made
    if callee is print:
        from .runtime import print_

        return print_
    if callee is round:
        return _round
    if isinstance(callee, types.BuiltinFunctionType) and callee in _MATH:
        return _MATH[callee]
    if callee in (filter, map) or (isinstance(callee, types.BuiltinFunctionType) and callee in _OF_TRUTHS):
        return _OF_TRUTHS[callee]
    on_lists = _on_lists(callee)
    if on_lists is not None:
        return on_lists
    if isinstance(callee, type) and callee in _BUILTINS:

        def cast(*args, **kwargs):
            args = [state.latest(a) for a in args]
            if kwargs or len(args) != 1 or not _is_later(args[0]):
                return callee(*args, **kwargs)
            if isinstance(args[0], SymInt) and (callee is int or is_known(args[0])):
                return callee(args[0]) if is_known(args[0]) else args[0]
            return _BUILTINS[callee](args[0])

        return cast
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
