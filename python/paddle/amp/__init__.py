# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: `auto_cast`, `decorate`, `GradScaler`."""

from .. import _core, _lazy
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
from .grad_scaler import AmpScaler, GradScaler, OptimizerState

__all__ = ["GradScaler", "auto_cast", "decorate", "is_bfloat16_supported", "is_float16_supported"]


def _operators(amp_class):
    names = [name for name in dir(_core.ops) if not name.startswith("_")]
    return {name for name in names if _core.describe_op(name)["amp"] == amp_class}


def _lists(levels):
    return {dtype: {level: set(names) for level, names in levels.items()} for dtype in ("float16", "bfloat16")}


def white_list():
    """Names of the operators that `auto_cast` runs in low precision, by dtype and level.

    Examples:
        >>> import paddle
        >>> "matmul" in paddle.amp.white_list()["float16"]["O1"]
        True
    """
    low = _operators("low")
    return _lists({"OD": low, "O1": low, "O2": low})


def black_list():
    """Names of the operators that `auto_cast` runs in float32, by dtype and level.

    Examples:
        >>> import paddle
        >>> "exp" in paddle.amp.black_list()["float16"]["O1"]
        True
    """
    return _lists({"OD": (), "O1": _operators("high"), "O2": ()})


def is_bfloat16_supported(device=None):
    """True: the CPU kernels take bfloat16."""
    return True


def is_float16_supported(device=None):
    """True when the device computes in float16; the CPU does not."""
    return not (device is None or str(device).startswith("cpu"))


__getattr__ = _lazy.attribute_hook(__name__, ("debugging",), {})
__dir__ = _lazy.dir_hook(__name__, ("debugging",))
