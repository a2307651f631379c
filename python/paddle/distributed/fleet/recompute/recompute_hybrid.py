# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recomputation in a hybrid-parallel job."""

from ...communication.group import group_of_one
from .recompute import recompute


def recompute_hybrid(ctx, function, *args, **kwargs):
    """`recompute` whose kept inputs may be split over the model-parallel group.

    Args:
        ctx: A dictionary: `mp_group` (a Group), `offload` and `partition` (both False here).
        function: A Layer or a callable.
    """
    group = ctx.get("mp_group")
    if group is None:
        raise ValueError("recompute_hybrid: ctx has no 'mp_group'; pass the model-parallel Group.")
    group_of_one("recompute_hybrid", group)
    if ctx.get("offload", False):
        raise NotImplementedError(
            "recompute_hybrid: offload is True, which needs a device with memory of its own; pass False."
        )
    return recompute(function, *args, preserve_rng_state=ctx.get("preserve_rng_state", True), **kwargs)
