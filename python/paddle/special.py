# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Special functions."""

from . import _core, _lazy
from .framework.dtypes import convert
from .tensor import expm1, logsumexp

__all__ = ["expm1", "logsumexp", "softmax"]
__dir__ = _lazy.listing(__name__)


def softmax(input, dim=None, dtype=None, *, out=None):
    """exp(input) over its sum along an axis.

    Args:
        dim: The axis; for None 0 when input has 0, 1 or 3 axes, else 1.
        dtype: dtype to compute in and of the result.
        out: A tensor that takes the result.
    """
    if dim is None:
        dim = 0 if input.ndim in (0, 1, 3) else 1
    x = input if dtype is None else _core.ops.cast(input, convert(dtype))
    result = _core.ops.softmax(x, dim)
    return result if out is None else _core.write_out(out, result, "softmax")
