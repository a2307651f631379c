# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers among arguments: what is none is refused in a sentence that names function and argument."""

from .. import _core


def shown(value):
    """The middle of a sentence about an argument: "has value 'a'", "has type list", "is a Tensor of shape [2]"."""
    if isinstance(value, _core.Tensor):
        return f"is a Tensor of shape {list(value.shape)}"
    if type(value).__module__ == "numpy" and hasattr(value, "shape"):
        return f"is an array of shape {list(value.shape)}"
    if value is None or isinstance(value, (str, int, float, complex)):
        return f"has value {value!r}"
    return f"has type {type(value).__name__}"


def whole(owner, name, value):
    """An argument as int; one that `int` takes, such as 3.0, an array of one number or '3', is rounded towards 0.

    Args:
        owner: The function, for the error.
        name: The argument, for the error.
        value: The argument as it was given.

    Raises:
        ArgumentTypeError: It is no number (a TypeError and a ValueError).
    """
    try:
        return int(value)
    except (TypeError, ValueError):
        raise _core.ArgumentTypeError(f"{owner}: {name} {shown(value)}; it must be an int.") from None


def real(owner, name, value):
    """An argument as float; arguments and errors as `whole`."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise _core.ArgumentTypeError(f"{owner}: {name} {shown(value)}; it must be a number.") from None


def check_whole(owner, **values):
    """Raises ArgumentTypeError unless each is an integer, or one element that stands for one."""
    for name, value in values.items():
        if not hasattr(value, "__index__") or getattr(value, "size", 1) != 1:
            raise _core.ArgumentTypeError(f"{owner}: {name} {shown(value)}; it must be an int.")


def check_real(owner, **values):
    """Raises ArgumentTypeError unless each can be compared with numbers."""
    for name, value in values.items():
        if not hasattr(value, "__float__") or getattr(value, "size", 1) != 1:
            raise _core.ArgumentTypeError(f"{owner}: {name} {shown(value)}; it must be a number.")
