# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers of saving and loading that programs import: kinds of variables, values in scopes, files and buffers."""

import contextlib
import io
import os

from ..static.io import is_parameter, is_persistable
from ..static.variable_members import get_value, set_value
from .io import _cut_big, _join_big

__all__ = ["get_value", "is_belong_to_optimizer", "is_parameter", "is_persistable", "is_pir_fetch_var", "set_value"]


def is_belong_to_optimizer(var):
    """Whether a variable is state that an optimizer keeps from step to step."""
    return is_persistable(var) and not is_parameter(var)


def is_pir_fetch_var(value):
    """False: what a run fetches is no variable of the program here."""
    return False


def _is_file_path(path):
    return isinstance(path, (str, os.PathLike))


def _is_memory_buffer(buffer):
    return isinstance(buffer, io.BytesIO)


def _open_file_buffer(path_or_buffer, mode):
    """Context manager of the file of a path, or of a buffer from where it stands, which stays open.

    Raises:
        ValueError: The mode has neither 'r' nor 'w'.
        TypeError: It is neither a path nor a buffer.
    """
    if "r" not in mode and "w" not in mode:
        raise ValueError(f"open: mode has value {mode!r}; it must have 'r' or 'w' in it.")
    if _is_file_path(path_or_buffer):
        return open(path_or_buffer, mode)
    if _is_memory_buffer(path_or_buffer):
        return contextlib.nullcontext(path_or_buffer)
    raise TypeError(f"open: path_or_buffer has type {type(path_or_buffer).__name__}; pass a path or a BytesIO.")


def _unpack_saved_dict(saved_obj, protocol):
    """A dict of arrays with those cut in pieces that are too big for pickle's protocols 2 and 3."""
    return _cut_big(dict(saved_obj)) if 1 < protocol < 4 else saved_obj


def _pack_loaded_dict(load_obj):
    """A dict of arrays with the pieces of `_unpack_saved_dict` joined."""
    joined = dict(load_obj)
    _join_big(joined)
    return joined
