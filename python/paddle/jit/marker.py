# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Marks on functions that to_static reads."""

from .api import not_to_static

__all__ = ["not_to_static", "unified"]


def unified(fn=None, *, for_sot=True, for_ast=True):
    """Say that a function is the same in a captured program and outside: it is called as it is.

    Args:
        fn: The function; None makes a decorator.
        for_sot, for_ast: Of which form of capture it is said.
    """
    if fn is None:
        return lambda function: unified(function, for_sot=for_sot, for_ast=for_ast)
    return not_to_static(fn) if for_ast else fn
