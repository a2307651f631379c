# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`raise`, `assert` and handlers in branches and loops on tensors: the running program raises."""

import sys

from ... import tree
from ..context import RUNTIME_FOLDER, active, is_symbolic, note_escaping_error
from ..values.conditions import scalar, where_reached
from ..values.logic import not_, truth
from ..values.undefined import unbound_local_error


class Unreachable(BaseException):
    """Ends the recording of a branch after its `raise`."""


class try_block:
    """Around the body of a `try` with handlers: Python handles what is raised inside, outside of regions that are
    opened inside."""

    def __enter__(self):
        capture = getattr(active, "capture", None)
        self._before = getattr(active, "try_depth", None)
        active.try_depth = None if capture is None else capture.open_scopes

    def __exit__(self, kind, error, trace):
        active.try_depth = self._before


def _is_recorded():
    """Whether a `raise` is recorded: it is in a region, with no handler around it."""
    capture = getattr(active, "capture", None)
    return capture is not None and capture.open_scopes > 0 and getattr(active, "try_depth", None) is None


def _raise_at_user_line():
    """A function that raises its argument from the line of the user's code that is being captured: so the traceback of
    what the running program raises ends at the line that Python would name."""
    frame = sys._getframe()
    while frame.f_code.co_filename.startswith(RUNTIME_FOLDER):
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    while frame.f_back is not None and (
        frame.f_code.co_name.startswith(("__jst_", "<")) or frame.f_code.co_filename.startswith(RUNTIME_FOLDER)
    ):  # the functions of its branches and rounds
        frame = frame.f_back
    function = frame.f_code.co_name if frame.f_code.co_name.isidentifier() else "throw"
    source = "\n" * (line - 1) + f"def {function}(error): raise error"
    scope = {}
    exec(compile(source, file, "exec"), scope)
    return scope[function]


def _deferred_raise(make, values):
    """(tensors, function of their values that raises the exception), for a call of the host.

    Args:
        make: Gives the exception.
        values: Its arguments, which may hold tensors of the capture.
    """
    throw = _raise_at_user_line()
    tensors = []
    structure = tree.flatten(values, is_symbolic, tensors)
    try:
        known_error = make(*values)
    except Exception:  # it needs the values of a run
        known_error = None

    def throw_made(*given):
        try:
            error = make(*tree.unflatten(structure, given))
        except Exception as failed:
            error = known_error or RuntimeError(
                f"to_static: an exception is raised whose message cannot be made: {failed}"
            )
        throw(error)

    return tensors, throw_made


def exception_or_unreachable(make, values):
    """What a `raise` raises: make(*values), or Unreachable, where the running program raises that."""
    if not _is_recorded():
        return make(*values)
    tensors, throw_made = _deferred_raise(make, values)
    active.capture.host_call(throw_made, tensors)
    return Unreachable()


def raise_if(test, make, values):
    """`if condition: raise make(*values)`."""
    test = truth(test)
    if not is_symbolic(test):
        if test:
            raise exception_or_unreachable(make, values)
        return
    if getattr(active, "try_depth", None) is not None:  # what follows the handler would be recorded for other runs, too
        active.escaped_error = "an exception"
        error = make(*values)
        note_escaping_error(error)
        raise error
    tensors, throw_made = _deferred_raise(make, values)

    def check(holds, *given):
        if holds:
            throw_made(*given)

    active.capture.host_call(check, [scalar(test), *tensors])


def check_bound(value, is_bound, name):
    """The value of a variable that may have none: runs in which it has none raise."""
    if not is_symbolic(is_bound):
        if not is_bound:
            raise exception_or_unreachable(unbound_local_error, (name,))
        return value

    tensors, throw_made = _deferred_raise(unbound_local_error, (name,))

    def check(is_missing):
        if is_missing:
            throw_made()

    active.capture.host_call(check, [where_reached(not_(is_bound))])
    return value


def assert_(test, message):
    """`assert test(), message()`."""
    value = truth(test())
    if is_symbolic(value):
        return _assert_when_run(value, message)
    if not value:
        if message is None:
            raise AssertionError
        raise AssertionError(message())


def _assert_when_run(value, message):
    text = None if message is None else message()

    def check(holds, *parts):
        if not holds.all():
            raise AssertionError(*(parts or (() if text is None else (text,))))

    active.capture.host_call(check, [value, *([text] if is_symbolic(text) else [])])
