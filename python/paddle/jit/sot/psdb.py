# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Marks in functions whose operators run in segments. Python itself runs on every call, so they change no value; in
a function that runs so, checks that do not hold raise InnerError."""

import builtins
import sys
import weakref

from ..segmented import SegmentedCalls
from .utils.exceptions import InnerError

_unbroken, _kept = weakref.WeakSet(), weakref.WeakSet()  # code of functions that check for what they do not have


def _frames_in_segments():
    """The frames of a function that runs in segments, the caller of the mark first; None for other functions."""
    frames, frame = [], sys._getframe(2)
    while frame is not None:
        if frame.f_code is SegmentedCalls.__call__.__code__:
            return frames
        frames.append(frame)
        frame = frame.f_back
    return None


def _cut(frames, forbidden, what):
    """A part of a function ends: an error where a function on the way says that it has no such place."""
    for frame in frames or ():
        if frame.f_code in forbidden:
            raise InnerError(f"psdb.{what}: {frame.f_code.co_qualname} is marked as free of it.")
    if frames and SegmentedCalls.watch is not None:
        SegmentedCalls.watch.notice_cut(frames[0])


def assert_true(input):
    """Raise when a value is false: InnerError in a function that runs in segments, else AssertionError."""
    if not input and _frames_in_segments() is not None:
        raise InnerError("psdb.assert_true: input is false.")
    assert input


def print(*args, **kwargs):
    """`print`, at once."""
    builtins.print(*args, **kwargs)


def breakpoint():
    """Enter the debugger."""
    import pdb

    pdb.set_trace()


def breakgraph():
    """A place between two parts of a function; InnerError below a function that `check_no_breakgraph` marks."""
    _cut(_frames_in_segments(), _unbroken, "breakgraph")


def fallback(recursive=False):
    """A place from which on a function is plain; InnerError below a function that `check_no_fallback` marks.

    Args:
        recursive: Whether the functions that it calls are plain, too.
    """
    frames = _frames_in_segments()
    counts = not recursive or any(frame.f_code in _kept for frame in frames or ())
    _cut(frames if counts else None, _kept, "fallback")


def in_sot():
    """False: no bytecode is interpreted, Python runs the function itself."""
    return False


def check_no_breakgraph(fn):
    """`fn`, in which `breakgraph()` raises while it runs in segments."""
    _unbroken.add(fn.__code__)
    return fn


def check_no_fallback(fn):
    """`fn`, in which `fallback()` raises while it runs in segments."""
    _kept.add(fn.__code__)
    return fn
