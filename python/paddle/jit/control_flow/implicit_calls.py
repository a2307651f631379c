# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Implicit calls: properties and operators of classes, which Python calls without a call in the code.

When such a function branches on a tensor, the capture is repeated while the class has the converted one; afterwards the
class is as it was."""

import contextlib
import types

from .convert import convert


def implicit_calls_in_traceback(error):
    """(class, name) of the functions of classes that an error came through and that no call in the code names."""
    found, at = set(), error.__traceback__
    while at is not None:
        code = at.tb_frame.f_code
        first = at.tb_frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
        for cls in type(first).__mro__ if first is not None else ():
            for name, held in vars(cls).items():
                function = held.fget if isinstance(held, property) else held
                is_implicit = isinstance(held, property) or (name.startswith("__") and name.endswith("__"))
                if is_implicit and isinstance(function, types.FunctionType) and function.__code__ is code:
                    found.add((cls, name))
        at = at.tb_next
    return found


@contextlib.contextmanager
def converted_implicit_calls(functions):
    """A context in which these (class, name) are converted functions."""
    before = [(cls, name, vars(cls)[name]) for cls, name in functions]
    try:
        for cls, name, held in before:
            if isinstance(held, property):
                setattr(cls, name, property(convert(held.fget), held.fset, held.fdel, held.__doc__))
            else:
                setattr(cls, name, convert(held))
        yield
    finally:
        for cls, name, held in before:
            setattr(cls, name, held)
