# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Fused softmax with masks, and the marker of a loss."""

from .. import _core

ops = _core.ops

__all__ = ["identity_loss", "softmax_mask_fuse", "softmax_mask_fuse_upper_triangle"]
__path__ = []  # holds modules of _paths.py


def softmax_mask_fuse(x, mask, name=None):
    """softmax(x + mask) along the last axis.

    Args:
        x: Scores, [batch, heads, rows, columns].
        mask: What is added, [batch, 1, rows, columns].
    """
    return ops.softmax(x + mask, -1)


def softmax_mask_fuse_upper_triangle(x):
    """softmax along the last axis, with entries above the diagonal left out.

    Args:
        x: Scores, [batch, heads, rows, columns].
    """
    return ops.softmax(ops.causal_fill(x, float("-inf")), -1)


def identity_loss(x, reduction="none"):
    """x as a loss, after its reduction.

    Args:
        reduction: 'sum' or 0, 'mean' or 1, 'none' or 2.
    """
    codes = {"sum": 0, "mean": 1, "none": 2}
    code = codes.get(reduction.lower(), reduction) if isinstance(reduction, str) else reduction
    if code not in (0, 1, 2):
        raise _core.ArgumentTypeError(
            f"identity_loss: reduction has value {reduction!r}; it must be 'sum', 'mean' or 'none', or 0, 1 or 2."
        )
    return ops.identity_loss(x, code)
