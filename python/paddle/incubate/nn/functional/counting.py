# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Counting of integers."""

from .... import _core
from ....framework.dtypes import convert

ops = _core.ops

__all__ = ["int_bincount"]


def int_bincount(x, low, high, dtype=None, name=None):
    """How often each integer of [low, high) occurs; other values are not counted.

    Args:
        x: An integer tensor.
        dtype: dtype of the counts, that of x by default.
    """
    if high <= low:
        raise ValueError(f"int_bincount: low has value {low} and high {high}; high must be greater.")
    flat = ops.reshape(ops.cast(x, _core.int64), [-1])
    inside = ops.logical_and(flat >= low, flat < high)
    place = ops.where(inside, flat - low, ops.full_like(flat, 0))
    ones = ops.cast(inside, _core.int64)
    counts = ops.put_along_axis(ops.full([high - low], 0, _core.int64), place, ones, 0, "add", True)
    return ops.cast(counts, x.dtype if dtype is None else convert(dtype))
