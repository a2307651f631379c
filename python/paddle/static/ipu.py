# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of IPUs: paddle has no such device, and says so as PaddlePaddle's CPU build does."""

import contextlib
import functools

from .. import _legacy

_absent = _legacy.absent_names("paddle.static", __name__)
IpuStrategy, IpuCompiledProgram, xpu_places = (_absent[n] for n in ("IpuStrategy", "IpuCompiledProgram", "xpu_places"))


@contextlib.contextmanager
def ipu_shard_guard(index=-1, stage=-1):
    """Operators inside run on one IPU.

    Args:
        index: Number of the IPU.
        stage: Number of the stage of a pipeline.

    Raises:
        ValueError: On entry: paddle has no IPU.
    """
    raise _legacy.absent_error("paddle.static", "ipu_shard_guard")
    yield


def set_ipu_shard(call_func, index=-1, stage=-1):
    """A function or Layer whose operators run on one IPU.

    Args:
        call_func: The function or Layer.
        index: Number of the IPU.
        stage: Number of the stage of a pipeline.

    Returns:
        One that raises ValueError when it is called: paddle has no IPU.

    Raises:
        TypeError: `call_func` is neither.
    """
    from ..nn import Layer

    def wrap(function):
        @functools.wraps(function)
        def call(*arguments, **keywords):
            with ipu_shard_guard(index, stage):
                return function(*arguments, **keywords)

        return call

    if isinstance(call_func, Layer):
        call_func.forward = wrap(call_func.forward)
        return call_func
    if not callable(call_func):
        raise TypeError(f"set_ipu_shard: call_func has type {type(call_func).__name__}; pass a Layer or a function.")
    return wrap(call_func)
