# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradient scaling where gradients are split over a group."""

from ..... import _core
from ....communication import ReduceOp, all_reduce


def skip_together(scaler, group=None):
    """Let a GradScaler skip a step where any member of a group found a gradient that is not finite.

    Args:
        scaler: The GradScaler.
        group: A Group; None: the default group.

    Returns:
        The scaler.
    """

    def any_of(found):
        flag = _core.ops.full([1], float(found), "float32")
        all_reduce(flag, ReduceOp.MAX, group)
        return bool(flag.item())

    scaler._agreed = any_of
    return scaler


def GroupShardedScaler(scaler):
    """The scaler, which from now on skips a step where any process of the job found a gradient that is not finite."""
    return skip_together(scaler)
