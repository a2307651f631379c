# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables of a function that handles an exception out of one of its branches or loops: these are functions, and what
they had assigned by then is in their frames."""

from ...ast.syntax import RETURN_VALUE
from ..context import RUNTIME_FOLDER
from ..values.mismatch import raise_mismatch
from ..values.undefined import Undefined


def variables_at_exception(error, functions, values, names):
    """The values of variables where an exception left a branch or a loop.

    Args:
        error: The exception, caught in the function that has the variables.
        functions: What the branches, or the rounds, became.
        values: The variables as they were before.
        names: Their names.
    """
    codes = {f.__code__ for f in functions}
    at = error.__traceback__.tb_next
    while at is not None:
        frame = at.tb_frame
        if frame.f_code in codes:
            found = frame.f_locals
            return tuple(found.get(n, v) for n, v in zip(names, values, strict=True))
        if not frame.f_code.co_filename.startswith(RUNTIME_FOLDER):
            break
        if frame.f_code.co_name in ("for_", "while_"):  # between two rounds
            values = frame.f_locals["values"][-len(names) :] if names else ()
        at = at.tb_next
    return tuple(values)


def user_locals(names):
    """What `locals()` gives in converted code, without what the conversion added: its own names all begin with
    `__jst`."""
    return {k: v for k, v in names.items() if not k.startswith("__jst") and not isinstance(v, Undefined)}


def return_value(value):
    """What a function returns that came to its end."""
    if isinstance(value, Undefined) and value.why:
        raise_mismatch("a loop", RETURN_VALUE)
    return None if isinstance(value, Undefined) else value
