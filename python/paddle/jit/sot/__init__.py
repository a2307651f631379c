# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that run on every call with their operators recorded and run together."""

from ..api import not_to_static as skip_function
from ..static_function import StaticFunction
from . import psdb


def symbolic_translate(fn, **kwargs):
    """`fn` with its operators run in segments, as `paddle.jit.to_static` with `full_graph=False` does.

    Args:
        fn: The function.
        kwargs: Settings of `to_static`; they change no value.

    Example:
        >>> import paddle
        >>> from paddle.jit.sot import symbolic_translate
        >>> double = symbolic_translate(lambda x: x + x)
        >>> float(double(paddle.to_tensor(2.0)))
        4.0
    """
    return fn if isinstance(fn, StaticFunction) else StaticFunction(fn, None, None, False)


__all__ = ["psdb", "skip_function", "symbolic_translate"]
