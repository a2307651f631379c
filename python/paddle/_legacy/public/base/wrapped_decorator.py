# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Decorators that keep the name and signature of what they decorate."""

import contextlib
import functools

signature_safe_contextmanager = contextlib.contextmanager


def wrap_decorator(decorator_func):
    """A decorator whose results have the name, docstring and signature of the function that it is given."""

    @functools.wraps(decorator_func)
    def decorate(func):
        return functools.wraps(func)(decorator_func(func))

    return decorate


__all__ = ["signature_safe_contextmanager", "wrap_decorator"]
