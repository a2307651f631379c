# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: `auto_cast`, `decorate`, `GradScaler`."""

from .. import _lazy
from .auto_cast import (
    amp_decorate,
    amp_guard,
    auto_cast,
    autocast,
    decorate,
    get_autocast_cpu_dtype,
    get_autocast_dtype,
    get_autocast_gpu_dtype,
    is_autocast_enabled,
)
from .grad_scaler import AmpScaler, GradScaler

__all__ = ["GradScaler", "auto_cast", "decorate", "is_bfloat16_supported", "is_float16_supported"]


def is_bfloat16_supported(device=None):
    """True: the CPU kernels take bfloat16."""
    return True


def is_float16_supported(device=None):
    """True when the device computes in float16; the CPU does not."""
    return not (device is None or str(device).startswith("cpu"))


__getattr__ = _lazy.attribute_hook(__name__, ("debugging",), {})
__dir__ = _lazy.dir_hook(__name__, ("debugging",))
