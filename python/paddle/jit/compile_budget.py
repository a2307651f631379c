# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`compile_budget`: how long a program waits for a kernel."""

from .. import _core


class compile_budget:
    """Bounds how long a call waits for a kernel that is being compiled.

    Kernels are compiled beside the program. At a fixed call (FLAGS_cinn_swap_call) they take over; a
    call that finds its kernel not ready waits, so that every run of a program computes the same. With a
    bound it goes on uncompiled instead, and two runs may round differently where it is reached.

    It holds from the call on; as a context manager until its end.

    Args:
        ms: Milliseconds, an int >= 0; None: without a bound.

    Raises:
        ValueError: ms is negative.
        TypeError: ms is not an int.

    Example:
        >>> import paddle
        >>> with paddle.jit.compile_budget(20):
        ...     y = paddle.jit.to_static(paddle.exp, backend="CINN")(paddle.ones([2]))
    """

    def __init__(self, ms):
        if ms is not None and (isinstance(ms, bool) or not isinstance(ms, int)):
            raise TypeError(f"compile_budget: ms has type {type(ms).__name__}; it must be an int or None.")
        if ms is not None and ms < 0:
            raise ValueError(f"compile_budget: ms has value {ms}; it must be at least 0, or None.")
        self._before = _core.get_flags()["FLAGS_cinn_wait_ms"]
        _core.set_flags({"FLAGS_cinn_wait_ms": -1 if ms is None else ms})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _core.set_flags({"FLAGS_cinn_wait_ms": self._before})
