# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Choice of attention kernels."""

import contextlib
import enum

from .. import _lazy

__all__ = ["SDPBackend", "sdpa_kernel"]
__dir__ = _lazy.listing(__name__)


class SDPBackend(enum.IntEnum):
    """Kernels of scaled_dot_product_attention."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2


@contextlib.contextmanager
def sdpa_kernel(backends, set_priority=False):
    """Accepts the kernels that may be used; on CPUs there is one, which serves them all.

    Args:
        backends: An SDPBackend or a list of them.
        set_priority: Try them in this order.
    """
    given = [backends] if isinstance(backends, SDPBackend) else list(backends)
    if not given or not all(isinstance(b, SDPBackend) for b in given):
        raise ValueError(f"sdpa_kernel: backends has value {backends!r}; it must be SDPBackend values, at least one.")
    yield
