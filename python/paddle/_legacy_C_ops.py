# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators in the older calling form: inputs, then names and values of attributes in turn."""

from . import _core


def _function(name, operator):
    def call(*args):
        first = next((i for i, arg in enumerate(args) if isinstance(arg, str)), len(args))
        names, values = args[first::2], args[first + 1 :: 2]
        if len(names) != len(values) or not all(isinstance(key, str) for key in names):
            raise TypeError(f"{name}: attributes must be given as name, value, name, value ...; got {args[first:]!r}.")
        return operator(*args[:first], **dict(zip(names, values, strict=True)))

    call.__name__ = name
    return call


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    value = globals()[name] = _function(name, getattr(_core.ops, name))
    return value
