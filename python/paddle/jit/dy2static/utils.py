# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Source of functions, and settings of capture, under their PaddlePaddle path."""

import ast
import functools
import inspect
import textwrap

from ...utils.environments import BooleanEnvironmentVariable
from ..api import ENV_ENABLE_SOT
from ..backend import Backend, CUDAGraphState, backend_guard
from ..control_flow.values.mismatch import Dygraph2StaticException
from ..control_flow.values.undefined import Undefined as UndefinedVar

ENV_ENABLE_CINN_IN_DY2ST = BooleanEnvironmentVariable("ENABLE_CINN_IN_DY2ST", True)


def func_to_source_code(function, dedent=True):
    """The source of a function, without lines that are comments only.

    Args:
        function: The function, also a functools.partial of one.
        dedent: Whether common leading blanks are taken off.

    Raises:
        TypeError: It is no function.
    """
    if isinstance(function, functools.partial):
        function = function.func
    if not inspect.isfunction(function) and not inspect.ismethod(function):
        raise TypeError(f"func_to_source_code: function has type {type(function).__name__}; it must be a function.")
    lines = inspect.getsourcelines(inspect.unwrap(function))[0]
    source = "".join(line for line in lines if not line.lstrip().startswith("#"))
    return textwrap.dedent(source) if dedent else source


def ast_to_source_code(ast_node):
    """Python source of a syntax tree."""
    return ast.unparse(ast_node) + "\n"


def parse_arg_and_kwargs(function):
    """The parameters of a function by position: their names as a list, and the defaults of those that have one.

    Args:
        function: A function; `*args` and what follows it are left out.
    """
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    found = [p for p in inspect.signature(function).parameters.values() if p.kind in kinds]
    return [p.name for p in found], {p.name: p.default for p in found if p.default is not p.empty}


def parse_varargs_name(function):
    """The name of `*args` of a function; None when it takes none."""
    found = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.VAR_POSITIONAL]
    return found[0] if found else None


def is_paddle_func(func, ignore_white_list=True):
    """Whether a function, method or class is this package's own, so that capture leaves it alone.

    Args:
        func: The function, also a functools.partial of one.
        ignore_white_list: Whether the forward of `Sequential` counts as the user's, whose layers it calls.
    """
    while isinstance(func, functools.partial):
        func = func.func
    if inspect.ismodule(func):
        return False
    if ignore_white_list and getattr(func, "__qualname__", "") == "Sequential.forward":
        return False
    return (getattr(func, "__module__", None) or "").partition(".")[0] == "paddle"


__all__ = [
    "ENV_ENABLE_CINN_IN_DY2ST",
    "ENV_ENABLE_SOT",
    "Backend",
    "CUDAGraphState",
    "Dygraph2StaticException",
    "UndefinedVar",
    "ast_to_source_code",
    "backend_guard",
    "func_to_source_code",
    "is_paddle_func",
    "parse_arg_and_kwargs",
    "parse_varargs_name",
]
