# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How many threads the kernels of the processor use."""

import operator

from .. import _core


def set_num_threads(n):
    """Let kernels on the processor use at most `n` threads; it is the same as the flag `FLAGS_paddle_num_threads`.

    Without it they use as many as the process may run on (affinity, cgroup quota), or `OMP_NUM_THREADS`.

    Args:
        n: An int of at least 1.

    Raises:
        TypeError: n is no int.
        ValueError: n is less than 1.

    Example:
        >>> paddle.set_num_threads(1)
        >>> paddle.get_num_threads()
        1
    """
    if isinstance(n, bool):
        raise TypeError("set_num_threads: argument n has type bool; it must be an int.")
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"set_num_threads: argument n has type {type(n).__name__}; it must be an int.") from None
    _core.set_num_threads(n)


def get_num_threads():
    """How many threads kernels on the processor use at most, an int."""
    return _core.get_num_threads()
