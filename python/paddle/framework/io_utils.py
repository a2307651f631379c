# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers around saving: what kind of variable a program holds, its value in a scope, and files that may be buffers."""

import contextlib
import io

from .. import _core
from .parameter import EagerParamBase


def is_parameter(var):
    """Whether a variable is a parameter."""
    return isinstance(var, EagerParamBase)


def is_persistable(var):
    """Whether a variable keeps its value from run to run."""
    return is_parameter(var) or bool(getattr(var, "persistable", False))


def is_belong_to_optimizer(var):
    """Whether a variable is state of an optimizer: it keeps its value and is no parameter."""
    return is_persistable(var) and not is_parameter(var)


def is_pir_fetch_var(value):
    """False: what a run fetches is no variable of the program here."""
    return False


def _held(var, scope, caller):
    """The memory of a variable in a scope."""
    from ..static.scope import Scope, global_scope

    if scope is not None and not isinstance(scope, Scope):
        raise TypeError(f"{caller}: scope has type {type(scope).__name__}; it must be a Scope.")
    found = (scope or global_scope()).find_var(var.name)
    if found is None:
        raise ValueError(f"{caller}: the scope has no variable {var.name!r}; run the startup program first.")
    return found.get_tensor()


def get_value(var, scope=None):
    """The memory of a variable as a DenseTensor.

    Args:
        var: A variable of a program.
        scope: The Scope that holds its value; None: the current one.
    """
    return _held(var, scope, "get_value")


def set_value(var, value, scope=None):
    """Write the value of a variable.

    Args:
        var: A variable of a program.
        value: An array, a DenseTensor or a Tensor of the variable's shape.
        scope: The Scope that holds its value; None: the current one.
    """
    from ..static.scope import DenseTensor

    if not isinstance(value, (_core.Tensor, DenseTensor)) and not hasattr(value, "__array__"):
        raise TypeError(f"set_value: value has type {type(value).__name__}; it must be an array or a tensor.")
    held = _held(var, scope, "set_value")
    given = value._get() if isinstance(value, DenseTensor) else value
    if list(given.shape) != list(held.shape()):
        raise ValueError(f"set_value: value has shape {list(given.shape)}; {var.name} has shape {held.shape()}.")
    held.set(given)


def _is_file_path(path):
    return isinstance(path, str)


def _is_memory_buffer(buffer):
    return isinstance(buffer, io.BytesIO)


def _open_file_buffer(path_or_buffer, mode):
    """Context manager of the file of that name, opened and closed, or of the buffer itself, which stays open.

    Args:
        path_or_buffer: A name or a BytesIO.
        mode: As of `open`; 'r' or 'w' must be in it.
    """
    if "r" not in mode and "w" not in mode:
        raise ValueError(f"open: mode has value {mode!r}; it must have 'r' or 'w' in it.")
    if _is_file_path(path_or_buffer):
        return open(path_or_buffer, mode)
    if not _is_memory_buffer(path_or_buffer):
        raise TypeError(f"open: the file is a {type(path_or_buffer).__name__}; it must be a name or a BytesIO.")
    return contextlib.nullcontext(path_or_buffer)
