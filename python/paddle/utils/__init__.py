# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers for programs: unique names, optional imports, nested structures."""

import importlib

from . import unique_name
from .misc import deprecated, flatten, map_structure, pack_sequence_as, run_check, try_import

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


def require_version(min_version, max_version=None):
    """Raise when the API level is outside [min_version, max_version]."""
    from ..version import full_version

    def parts(text):
        if not isinstance(text, str):
            raise TypeError(f"require_version: {text!r} is no version string such as '3.0.0'.")
        pieces = text.split(".")
        if not all(p.isdigit() for p in pieces):
            raise ValueError(f"require_version: {text!r} is no version such as '3.0.0'.")
        return tuple(int(p) for p in pieces) + (0,) * (4 - len(pieces))

    have = parts(full_version)
    if have < parts(min_version) or (max_version is not None and have > parts(max_version)):
        bound = "" if max_version is None else f" and at most {max_version}"
        raise Exception(
            f"require_version: the API level is {full_version}; at least {min_version}{bound} is asked for."
        )


def strtobool(val):
    """True for y, yes, t, true, on, 1 and False for n, no, f, false, off, 0, in any case."""
    text = str(val).lower()
    if text in ("y", "yes", "t", "true", "on", "1"):
        return True
    if text in ("n", "no", "f", "false", "off", "0"):
        return False
    raise ValueError(f"strtobool: val has value {val!r}, which is neither true nor false.")


def is_sequence(seq):
    """Whether a value is a list, tuple or dict."""
    return isinstance(seq, (list, tuple, dict))


def to_sequence(nest):
    """`nest` when it is a list, tuple or dict, else a list that holds it."""
    return nest if is_sequence(nest) else [nest]


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


def assert_same_structure(nest1, nest2, check_types=True, skip_if=None):
    """Raise unless two nested structures have the same form.

    Args:
        nest1, nest2: The structures.
        check_types: Compare the types of the containers too.
        skip_if: Function of a value; parts for which it is true are not compared.
    """
    if skip_if is not None and (skip_if(nest1) or skip_if(nest2)):
        return
    if is_sequence(nest1) != is_sequence(nest2):
        raise ValueError(f"assert_same_structure: {nest1!r} and {nest2!r} have different structures.")
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(
            f"assert_same_structure: one structure is a {type(nest1).__name__}, the other a {type(nest2).__name__}."
        )
    if len(nest1) != len(nest2) or (isinstance(nest1, dict) and set(nest1) != set(nest2)):
        raise ValueError(f"assert_same_structure: {nest1!r} and {nest2!r} have different structures.")
    keys = nest1 if isinstance(nest1, dict) else range(len(nest1))
    for key in keys:
        assert_same_structure(nest1[key], nest2[key], check_types, skip_if)


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
_MODULES = ("cpp_extension", "dlpack", "download", "environments", "layers_utils")


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _STRUCTURES:
        return getattr(importlib.import_module(f"{__name__}.structures"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
