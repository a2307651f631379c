# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`raise` in branches and loops on tensors: the running program raises."""

from .. import tree
from .values import active, is_symbolic, note_left


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


def _said_when_run(make, values):
    """(tensors, function of their values that raises)."""
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
        raise error

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
