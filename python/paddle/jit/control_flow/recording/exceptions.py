# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`raise` in branches and loops on tensors: the running program raises."""

import sys

from ... import tree
from ..context import RUNTIME_FOLDER, active, is_symbolic, note_escaping_error
from ..values.conditions import scalar, where_reached
from ..values.logic import not_, truth
from ..values.undefined import unbound_local_error


class Unreachable(BaseException):
    """Ends the recording of a branch behind its `raise`."""


class try_block:
    """Around the body of a `try` with handlers: what is raised inside, and not in a branch on a tensor inside, Python
    handles."""

    def __enter__(self):
        capture = getattr(active, "capture", None)
        self._before = getattr(active, "try_depth", None)
        active.try_depth = None if capture is None else capture.open_scopes

    def __exit__(self, kind, error, trace):
        active.try_depth = self._before


def _is_recorded():
    """Whether a `raise` belongs into the program: in a branch or loop on a tensor, with no handler around it."""
    capture = getattr(active, "capture", None)
    return capture is not None and capture.open_scopes > 0 and getattr(active, "try_depth", None) is None


def _raise_at_user_line():
    """A function that raises its argument from where the user's code is now: the traceback of what the running program
    raises ends at the line that Python would name."""
    frame = sys._getframe()
    while frame.f_code.co_filename.startswith(RUNTIME_FOLDER):
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    while frame.f_back is not None and (
        frame.f_code.co_name.startswith(("__jst_", "<")) or frame.f_code.co_filename.startswith(RUNTIME_FOLDER)
    ):  # what the branches and rounds of the function became
        frame = frame.f_back
    function = frame.f_code.co_name if frame.f_code.co_name.isidentifier() else "throw"
    source = "\n" * (line - 1) + f"def {function}(error): raise error"
    scope = {}
    exec(compile(source, file, "exec"), scope)
    return scope[function]


def _deferred_raise(make, values):
    """(tensors, function of their values that raises)."""
    throw = _raise_at_user_line()
    tensors = []
    structure = tree.flatten(values, is_symbolic, tensors)
    try:
        known = make(*values)
    except Exception:  # it needs the values
        known = None

    def say(*given):
        try:
            error = make(*tree.unflatten(structure, given))
        except Exception as failed:
            error = known or RuntimeError(f"to_static: an exception is raised whose message cannot be made: {failed}")
        throw(error)

    return tensors, say


def exception_or_unreachable(make, values):
    """What a `raise` raises: make(*values), or, where the program raises that when it runs, Unreachable."""
    if not _is_recorded():
        return make(*values)
    tensors, say = _deferred_raise(make, values)
    active.capture.host_call(say, tensors)
    return Unreachable()


def raise_if(test, make, values):
    """`if test: raise make(*values)`, out of a branch that does nothing else."""
    test = truth(test)
    if not is_symbolic(test):
        if test:
            raise exception_or_unreachable(make, values)
        return
    if getattr(active, "try_depth", None) is not None:  # what follows would be recorded for other runs, too
        active.escaped_error = "an exception"
        error = make(*values)
        note_escaping_error(error)
        raise error
    tensors, say = _deferred_raise(make, values)

    def check(holds, *given):
        if holds:
            say(*given)

    active.capture.host_call(check, [scalar(test), *tensors])


def check_bound(value, is_bound, name):
    """The value of a variable that may have none: what a read in a run in which it has none raises."""
    if not is_symbolic(is_bound):
        if not is_bound:
            raise exception_or_unreachable(unbound_local_error, (name,))
        return value

    tensors, say = _deferred_raise(unbound_local_error, (name,))

    def check(is_missing):
        if is_missing:
            say()

    active.capture.host_call(check, [where_reached(not_(is_bound))])
    return value


def assert_(test, message):
    value = truth(test())
    if is_symbolic(value):
        return _assert_when_run(value, message)
    if not value:
        if message is None:
            raise AssertionError
        raise AssertionError(message())


def _assert_when_run(value, message):
    said = None if message is None else message()

    def check(holds, *parts):
        if not holds.all():
            raise AssertionError(*(parts or (() if said is None else (said,))))

    active.capture.host_call(check, [value, *([said] if is_symbolic(said) else [])])
