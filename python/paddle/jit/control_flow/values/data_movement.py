# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Data movement: operators that stand for what Python does with tensors without computing, such as putting them into
lists, taking them out, or choosing one of two. The tensors keep their gradients under no_grad(), too."""

import functools

from .... import _core


def data_movement(function):
    """The function, whose operators have gradients in every mode."""

    @functools.wraps(function)
    def with_gradients(*args, **kwargs):
        before = _core.set_grad_enabled(True)
        try:
            return function(*args, **kwargs)
        finally:
            _core.set_grad_enabled(before)

    return with_gradients


def data_movement_methods(*methods):
    """A decorator of a class: these methods of it are data movement."""

    def changed(cls):
        for name in methods:
            setattr(cls, name, data_movement(getattr(cls, name)))
        return cls

    return changed
