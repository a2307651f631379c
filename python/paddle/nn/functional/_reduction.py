# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The reduction argument of losses."""

from ... import _core

ops = _core.ops


def constant(label):
    """Probabilities that a loss compares with: as in PaddlePaddle no gradient flows to them."""
    return label if label.stop_gradient else label.detach()


def checked(reduction, op):
    """The reduction; ValueError when it is none of 'mean', 'sum' and 'none'."""
    if reduction not in ("mean", "sum", "none"):
        raise _core.ArgumentValueError(f"{op}: reduction has value {reduction!r}; it must be 'mean', 'sum' or 'none'.")
    return reduction


def fit(shape, other):
    """Whether shapes are equal, as far as their extents are known before a program runs."""
    return len(shape) == len(other) and all(
        type(a) is not int or type(b) is not int or a == b for a, b in zip(shape, other, strict=True)
    )


def difference(op, input, label):
    """input - label, with the error of a loss where their shapes do not broadcast."""
    try:
        return input - label
    except ValueError as refused:
        if "broadcast" not in str(refused) and "extents" not in str(refused):
            raise
        raise ValueError(
            f"{op}: input has shape {list(input.shape)} and label {list(label.shape)}; label must have the shape of "
            f"input; reshape one of them."
        ) from None


def reduced(loss, reduction, op):
    """A loss after its reduction."""
    checked(reduction, op)
    if reduction == "mean":
        return ops.mean(loss)
    return ops.sum(loss) if reduction == "sum" else loss
