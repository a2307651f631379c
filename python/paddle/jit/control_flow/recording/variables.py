# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables of converted functions, whose branches and rounds are functions: what they held where an exception left one
of these, what `locals()` shows, and the return value."""

from ...ast.syntax import RETURN_VALUE
from ..context import RUNTIME_FOLDER
from ..values.mismatch import raise_mismatch
from ..values.undefined import Undefined


def variables_at_exception(error, functions, values, names):
    """The values of variables where an exception left a branch or a loop: they are in the frame of its function.

    Args:
        error: The exception, caught in the function that has the variables.
        functions: The functions of the branches, or of the rounds.
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
    """What `locals()` gives in converted code: generated names begin with `__jst` and are left out."""
    return {k: v for k, v in names.items() if not k.startswith("__jst") and not isinstance(v, Undefined)}


def return_value(value):
    """The return value of a function that came to its end."""
    if isinstance(value, Undefined) and value.why:
        raise_mismatch("a loop", RETURN_VALUE)
    return None if isinstance(value, Undefined) else value
