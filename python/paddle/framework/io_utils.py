# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers of saving and loading that programs import: kinds of variables, values in scopes, files and buffers."""

import contextlib
import io
import os

from ..static.io import is_parameter, is_persistable
from ..static.variable_members import get_value, set_value
from .io import _cut_big, _join_big

__all__ = ["get_value", "is_belong_to_optimizer", "is_parameter", "is_persistable", "set_value"]


def is_belong_to_optimizer(var):
    """Whether a variable is state that an optimizer keeps from step to step."""
    return is_persistable(var) and not is_parameter(var)


def _is_file_path(path):
    return isinstance(path, (str, os.PathLike))


def _is_memory_buffer(buffer):
    return isinstance(buffer, io.BytesIO)


@contextlib.contextmanager
def _open_file_buffer(path_or_buffer, mode):
    """A file of a path, or a buffer from where it stands.

    Raises:
        TypeError: It is neither.
    """
    if _is_file_path(path_or_buffer):
        with open(path_or_buffer, mode) as file:
            yield file
    elif _is_memory_buffer(path_or_buffer):
        yield path_or_buffer
    else:
        raise TypeError(f"path_or_buffer has type {type(path_or_buffer).__name__}; pass a path or a BytesIO.")


def _unpack_saved_dict(saved_obj, protocol):
    """A dict of arrays with those cut in parts that are too big for pickle's protocols 2 and 3."""
    return _cut_big(dict(saved_obj)) if 1 < protocol < 4 else saved_obj


def _pack_loaded_dict(load_obj):
    """A dict of arrays with the parts of `_unpack_saved_dict` joined."""
    joined = dict(load_obj)
    _join_big(joined)
    return joined
