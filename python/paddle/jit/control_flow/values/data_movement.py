# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What Python does with tensors without computing: putting them into lists, taking them out, giving one of two. It is no
computation under no_grad() either, so the tensors keep their gradients where operators stand for it."""

import functools

from .... import _core


def data_movement(function):
    """The function, whose operators have gradients whatever the mode is."""

    @functools.wraps(function)
    def with_gradients(*args, **kwargs):
        before = _core.set_grad_enabled(True)
        try:
            return function(*args, **kwargs)
        finally:
            _core.set_grad_enabled(before)

    return with_gradients


def data_movement_methods(*methods):
    """A decorator of a class of which these methods move tensors."""

    def changed(cls):
        for name in methods:
            setattr(cls, name, data_movement(getattr(cls, name)))
        return cls

    return changed
