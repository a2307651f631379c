# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`raise` in branches and loops on tensors: the running program raises."""

import os
import sys

from .. import tree
from .undefined import unbound
from .values import active, is_symbolic, note_left

_RUNTIME = os.path.dirname(os.path.abspath(__file__)) + os.sep


class Unreachable(BaseException):
    """Ends the recording of a branch behind its `raise`."""


class trying:
    """Around the body of a `try` with handlers: what is raised inside, and not in a branch on a tensor inside, Python
    handles."""

    def __enter__(self):
        capture = getattr(active, "capture", None)
        self._before = getattr(active, "tried", None)
        active.tried = None if capture is None else capture.open_scopes

    def __exit__(self, kind, error, trace):
        active.tried = self._before


def _is_recorded():
    """Whether a `raise` belongs into the program: in a branch or loop on a tensor, with no handler around it."""
    capture = getattr(active, "capture", None)
    return capture is not None and capture.open_scopes > 0 and getattr(active, "tried", None) is None


def _thrower():
    """A function that raises its argument from where the user's code is now: the traceback of what the running program
    raises ends at the line that Python would name."""
    frame = sys._getframe()
    while frame.f_code.co_filename.startswith(_RUNTIME):
        frame = frame.f_back
    file, line = frame.f_code.co_filename, frame.f_lineno
    while frame.f_back is not None and (
        frame.f_code.co_name.startswith(("__jst_", "<")) or frame.f_code.co_filename.startswith(_RUNTIME)
    ):  # what the branches and rounds of the function became
        frame = frame.f_back
    function = frame.f_code.co_name if frame.f_code.co_name.isidentifier() else "throw"
    source = "\n" * (line - 1) + f"def {function}(error): raise error"
    scope = {}
    exec(compile(source, file, "exec"), scope)
    return scope[function]


def _said_when_run(make, values):
    """(tensors, function of their values that raises)."""
    throw = _thrower()
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


def raised(make, values):
    """What a `raise` raises: make(*values), or, where the program raises that when it runs, Unreachable."""
    if not _is_recorded():
        return make(*values)
    tensors, say = _said_when_run(make, values)
    active.capture.host_call(say, tensors)
    return Unreachable()


def raise_if(test, make, values):
    """`if test: raise make(*values)`, out of a branch that does nothing else."""
    from .runtime import scalar, truth

    test = truth(test)
    if not is_symbolic(test):
        if test:
            raise raised(make, values)
        return
    if getattr(active, "tried", None) is not None:  # what follows would be recorded for other runs, too
        active.left = "an exception"
        error = make(*values)
        note_left(error)
        raise error
    tensors, say = _said_when_run(make, values)

    def check(holds, *given):
        if holds:
            say(*given)

    active.capture.host_call(check, [scalar(test), *tensors])


def bound(value, is_bound, name):
    """The value of a variable that may have none: what a read in a run in which it has none raises."""
    if not is_symbolic(is_bound):
        if not is_bound:
            raise raised(unbound, (name,))
        return value
    from .truth import not_, where_reached

    tensors, say = _said_when_run(unbound, (name,))

    def check(is_missing):
        if is_missing:
            say()

    active.capture.host_call(check, [where_reached(not_(is_bound))])
    return value
