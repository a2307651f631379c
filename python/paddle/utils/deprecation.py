# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`deprecated`: functions that say what to use instead."""

import functools
import warnings


def deprecated(update_to="", since="", reason="", level=0):
    """Decorator that warns at each call of a deprecated function.

    Args:
        update_to: What to use instead.
        since: The first version that warns.
        reason: Why.
        level: 0 nothing, 1 warn, 2 raise RuntimeError.

    Returns:
        A decorator; what it returns says so at the head of its docstring too.

    Raises:
        AssertionError: level is another number.
    """
    if level not in (0, 1, 2):
        raise AssertionError(f"deprecated: level has value {level!r}; it must be 0, 1 or 2.")

    def wrap(func):
        text = f"{func.__module__}.{func.__name__} is deprecated"
        text += f" since {since}" if since else ""
        text += f"; use {update_to} instead" if update_to else ""
        text += f"; {reason}" if reason else ""

        @functools.wraps(func)
        def call(*args, **kwargs):
            if level == 2:
                raise RuntimeError(text)
            if level == 1:
                warnings.warn(text, DeprecationWarning, stacklevel=2)
            return func(*args, **kwargs)

        call.__doc__ = f"Warning:\n    {text}.\n\n{func.__doc__ or ''}"
        return call

    return wrap
