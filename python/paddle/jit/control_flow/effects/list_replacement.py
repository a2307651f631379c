# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A list that grows in a branch or loop on a tensor becomes a GrownList: that has to stand wherever the list stood,
also in variables and containers that the statement does not name. The functions that are running are searched for
them."""

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
    """What undo() is given later to undo what is replaced from now on."""
    return len(_log())


def roll_back(since):
    """Puts back the lists that were replaced since then: a branch or round is left."""
    log = _log()
    while len(log) > since:
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

        def back():
            for name in held:
                if frame.f_locals.get(name) is new:
                    _set_variable(frame, name, old)

        _log().append(back)


def _exchange(container, old, new):
    """Puts `new` in the place of `old` in a list or dict; whether it was there."""
    if isinstance(container, list):
        at = [k for k, v in enumerate(container) if v is old]
        put = list.__setitem__
    elif isinstance(container, dict):
        at = [k for k, v in container.items() if v is old]
        put = dict.__setitem__
    else:
        return False
    for k in at:
        put(container, k, new)
    return bool(at)


def _replace_in_container(container, old, new):
    if _exchange(container, old, new):
        _log().append(lambda: _exchange(container, new, old))


def other_holder(container, names):
    """The name of another variable or container that holds a list or dict, of those that running functions see; None:
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
    """Puts `new`, a GrownList, wherever running functions and what they can see hold the list `old`.

    Args:
        old: The list.
        new: What takes its place.
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
    for _, get, put in reach.variables:
        try:
            is_old = get() is old
        except (NameError, ValueError, KeyError):
            continue
        if is_old:
            put(new)
            _log().append(lambda put=put: put(old))
    for _, container in reach.containers:
        _replace_in_container(container, old, new)
