# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""PaddlePaddle's names of what runs captured programs."""

import contextlib
import enum

from .. import _core


class Backend(enum.Enum):
    """What `to_static(backend=...)` takes: CINN compiles programs, the others interpret them."""

    CINN = 1
    PHI = 2
    PCC = 3


class CUDAGraphState(enum.IntEnum):
    """Stages of a program that a GPU records and repeats; on CPU there is no such recording."""

    DISABLE = 0
    WARMUP = 1
    CAPTURE = 2
    REPLAY = 3


@contextlib.contextmanager
def backend_guard(backend):
    """Inside, functions that do not name a backend are captured for this one.

    Args:
        backend: A Backend.

    Raises:
        TypeError: It is none.
    """
    if not isinstance(backend, Backend):
        raise TypeError(f"backend_guard: backend has type {type(backend).__name__}; it must be a Backend.")
    with _core.pir.CompilerScope(backend is Backend.CINN):
        yield


__all__ = ["Backend", "CUDAGraphState", "backend_guard"]
