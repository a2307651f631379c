# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Replacement of lists by DynamicLists, with an undo log.

Where a list gets a run-time length, the DynamicList has to be wherever the list was, also in variables and containers
that the statement does not name: these are searched for in the frames of the functions that are running. What was
replaced in a region is rolled back where the region ends."""

import ctypes
import functools
import os
import sys

from ..context import RUNTIME_FOLDER, active
from ..values.dynamic_list import DynamicList
from .reachability import Reachability, VariableSetter

_CAPTURING = os.path.dirname(os.path.dirname(RUNTIME_FOLDER)) + os.sep  # paddle.jit


def _log():
    if getattr(active, "replacements", None) is None:
        active.replacements = []
    return active.replacements


def log_position():
    """The length of the log, for roll_back()."""
    return len(_log())


def roll_back(position):
    """Undoes the replacements since a position of the log, the latest first."""
    log = _log()
    while len(log) > position:
        log.pop()()


def _user_frames():
    """Frames of the functions that are captured, the innermost first."""
    frame = sys._getframe()
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(_CAPTURING) and not file.startswith(RUNTIME_FOLDER):
            if frame.f_code.co_name == "_run_converted":
                return
        elif not file.startswith(RUNTIME_FOLDER):
            yield frame
        frame = frame.f_back


def _set_variable(frame, name, value):
    frame.f_locals[name] = value
    # Before 3.13 f_locals is a copy, which this writes back.
    ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))


def _replace_in_frame(frame, old, new):
    held = [name for name, value in frame.f_locals.items() if value is old]
    for name in held:
        _set_variable(frame, name, new)
    if held:

        def undo():
            for name in held:
                if frame.f_locals.get(name) is new:
                    _set_variable(frame, name, old)

        _log().append(undo)


def _replace_element(container, old, new):
    """Puts `new` in the place of `old` in a list or dict; whether it was there."""
    if isinstance(container, list):
        at = [k for k, v in enumerate(container) if v is old]
        set_item = list.__setitem__
    elif isinstance(container, dict):
        at = [k for k, v in container.items() if v is old]
        set_item = dict.__setitem__
    else:
        return False
    for k in at:
        set_item(container, k, new)
    return bool(at)


def _replace_in_container(container, old, new):
    if _replace_element(container, old, new):
        _log().append(lambda: _replace_element(container, new, old))


def other_holder(container, names):
    """The name of another variable or container that holds a list or dict, of those that running functions reach; None:
    there is none.

    Args:
        container: The list or dict.
        names: Variables of the innermost function that are about to hold others.
    """
    reach, is_inner = Reachability(), True
    for frame in _user_frames():
        for other, value in frame.f_locals.items():
            if other.startswith("__jst"):
                continue
            if value is not container:
                reach.add(value, other)
            elif other not in names or not is_inner:
                return other
        is_inner = is_inner and frame.f_code.co_name.startswith("__jst")
    for other, held in reach.containers:
        values = held.values() if isinstance(held, dict) else held if isinstance(held, list) else ()
        if any(v is container for v in values):
            return other
    return None


def replace_everywhere(old, new):
    """Puts `new` wherever running functions, and what they reach, hold the list `old`, and logs how to undo it.

    Args:
        old: The list.
        new: A DynamicList.
    """
    if isinstance(old, DynamicList):
        return
    reach = Reachability()
    for frame in _user_frames():
        _replace_in_frame(frame, old, new)
        for name, value in frame.f_locals.items():
            if not name.startswith("__jst"):
                reach.add(value, name)
        for name in frame.f_code.co_names:
            if name in frame.f_globals:
                reach.add(frame.f_globals[name], name)
                reach.variables.append(
                    (name, functools.partial(frame.f_globals.get, name), VariableSetter(frame.f_globals, name))
                )
    for _, getter, setter in reach.variables:
        try:
            is_old = getter() is old
        except (NameError, ValueError, KeyError):
            continue
        if is_old:
            setter(new)
            _log().append(lambda setter=setter: setter(old))
    for _, container in reach.containers:
        _replace_in_container(container, old, new)
