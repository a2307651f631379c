# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixed precision in static programs."""

from .program import name_scope


def fp16_guard():
    """Context manager: marks calls that may run in float16 when `use_fp16_guard` is on.

    Examples:
        >>> import paddle
        >>> with paddle.static.amp.fp16_guard():
        ...     y = paddle.ones([2]) * 2
    """
    return name_scope("__use_fp16__")
