# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers for programs: unique names, optional imports, nested structures."""

import importlib

from .. import _paths
from . import unique_name
from .deprecation import deprecated
from .installation import require_version, run_check, try_import
from .nesting import assert_same_structure, flatten, is_sequence, map_structure, pack_sequence_as, to_sequence

__all__ = [
    "deprecated",
    "flatten",
    "map_structure",
    "pack_sequence_as",
    "require_version",
    "run_check",
    "try_import",
    "unique_name",
]


def strtobool(val):
    """True for y, yes, t, true, on, 1 and False for n, no, f, false, off, 0, in any case."""
    text = str(val).lower()
    if text in ("y", "yes", "t", "true", "on", "1"):
        return True
    if text in ("n", "no", "f", "false", "off", "0"):
        return False
    raise ValueError(f"strtobool: val has value {val!r}, which is neither true nor false.")


def convert_to_list(value, n, name, dtype=int):
    """A list of n numbers from one number or from n of them.

    Raises:
        ValueError: There are not n, or one has another type.
    """
    if isinstance(value, dtype):
        return [value] * n
    try:
        values = list(value)
    except TypeError:
        raise ValueError(f"{name} has value {value!r}; it must be a {dtype.__name__} or {n} of them.") from None
    if len(values) != n or not all(isinstance(v, dtype) for v in values):
        raise ValueError(f"{name} has value {value!r}; it must be a {dtype.__name__} or {n} of them.")
    return values


def is_same_shape(shape1, shape2):
    """Whether two shapes agree; -1 agrees with any extent."""
    shape1, shape2 = list(shape1), list(shape2)
    return len(shape1) == len(shape2) and all(a == b or -1 in (a, b) for a, b in zip(shape1, shape2, strict=True))


_STRUCTURES = (
    "check_shape",
    "convert_shape_to_list",
    "copy_mutable_vars",
    "get_inputs_outputs_in_block",
    "get_int_tensor_list",
    "get_shape_tensor_inputs",
    "hold_mutable_vars",
    "padding_to_same_structure",
    "try_get_constant_shape_from_tensor",
)
_MODULES = ("cpp_extension", "dlpack", "download", "environments", "flops", "layers_utils")


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if _paths.is_path(f"{__name__}.{name}"):
        return importlib.import_module(f"{__name__}.{name}")
    if name in _STRUCTURES:
        return getattr(importlib.import_module(f"{__name__}.structures"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
