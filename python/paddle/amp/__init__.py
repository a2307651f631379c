# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: `auto_cast`, `decorate`, `GradScaler`."""

from .. import _core, _lazy, _legacy
from ..framework.random import check_device
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

__all__ = [
    "GradScaler",
    "auto_cast",
    "decorate",
    "get_autocast_cpu_dtype",
    "get_autocast_dtype",
    "get_autocast_gpu_dtype",
    "is_autocast_enabled",
    "is_bfloat16_supported",
    "is_float16_supported",
]


# Operators that get nothing from 16 bits: they stay in float32 at level O2 too.
_ALWAYS_FLOAT32 = {"linear", "nearest", "bilinear", "bicubic", "trilinear"}
_ALWAYS_FLOAT32 = {f"{kind}_interp" for kind in _ALWAYS_FLOAT32} | {"embedding", "scatter"}


def _with_older_names(names):
    """Names of operators, and those that programs of PaddlePaddle 2 give them."""
    older = {f"{name}_v2" for name in names if name.endswith("_interp")}
    older |= {old for name in names for old in _legacy.old_types(name)}
    return set(names) | older


def _operators(amp_class):
    names = [name for name in dir(_core.ops) if not name.startswith("_")]
    return _with_older_names({name for name in names if _core.describe_op(name)["amp"] == amp_class})


def _lists(levels):
    return {dtype: {level: set(names) for level, names in levels.items()} for dtype in ("float16", "bfloat16")}


def white_list():
    """Names of the operators that `auto_cast` runs in low precision, by dtype and level.

    Example:
        >>> import paddle
        >>> "matmul" in paddle.amp.white_list()["float16"]["O1"]
        True
    """
    low = _operators("low")
    return _lists({"OD": low, "O1": low, "O2": low})


def black_list():
    """Names of the operators that `auto_cast` runs in float32, by dtype and level.

    Example:
        >>> import paddle
        >>> "exp" in paddle.amp.black_list()["float16"]["O1"]
        True
    """
    return _lists({"OD": (), "O1": _operators("high"), "O2": _with_older_names(_ALWAYS_FLOAT32)})


def is_bfloat16_supported(device=None):
    """True: the CPU kernels take bfloat16.

    Raises:
        ValueError: There is no such device.
    """
    check_device("is_bfloat16_supported", device)
    return True


def is_float16_supported(device=None):
    """Whether the device computes in float16; the CPU does not.

    Raises:
        ValueError: There is no such device.
    """
    check_device("is_float16_supported", device)
    return False


__getattr__ = _lazy.attribute_hook(__name__, ("debugging",), {})
