# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Dropout of elements, channels and features."""

import numbers

from ... import _core
from ...tensor._args import aliases, check_tensor, program_operands

ops = _core.ops

__all__ = [
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "alpha_dropout",
    "feature_alpha_dropout",
]


@aliases(input="x")
def dropout(x, p=0.5, axis=None, training=True, inplace=False, mode="upscale_in_train", name=None):
    """Zeros at random, and the other elements divided by 1 - p (Srivastava et al. 2014).

    Args:
        x: Floating Tensor.
        p: Probability of a zero, in [0, 1].
        axis: Axes along which the decision is made; None for every element.
        training: False returns the expected value.
        inplace: Without effect.
        mode: 'upscale_in_train'; 'downscale_in_infer' multiplies by 1 - p outside training instead.
        name: Unused.

    Returns:
        A Tensor of the shape and dtype of x.

    Raises:
        TypeError: p is no number.
        ValueError: p, axis or mode is out of range.

    Example:
        >>> y = paddle.nn.functional.dropout(paddle.ones([1000]), p=0.5)
        >>> sorted(set(y.tolist()))
        [0.0, 2.0]
    """
    if not isinstance(p, _core.Tensor):
        if not isinstance(p, numbers.Real):
            raise TypeError(f"dropout: p has value {p!r}; it must be a number or a Tensor of one.")
        if not 0 <= p <= 1:
            raise ValueError(f"dropout: p has value {p}; it must be in [0, 1].")
    elif p.ndim and p.size > 1:
        raise _core.ArgumentValueError(f"dropout: p is a Tensor of shape {list(p.shape)}; it must have one element.")
    if mode not in ("upscale_in_train", "downscale_in_infer"):
        raise ValueError(f"dropout: mode has value {mode!r}; it must be 'upscale_in_train' or 'downscale_in_infer'.")
    upscale = mode == "upscale_in_train"
    unknown = isinstance(p, _core.Tensor) and not p._is_initialized()
    if axis is None and unknown and training:
        axis = list(range(x.ndim))
    if axis is None:
        if upscale and not unknown and p == 0:
            return x
        if upscale and not training:
            return ops.assign(x)
        if unknown:
            return x * ops.cast(1.0 - p, x.dtype)
        native = mode if upscale else "downgrade_in_infer"
        return ops.dropout(x, None, p, not training, native, 0, False)[0]
    if not training:
        return ops.assign(x) if upscale else x * (1.0 - p)
    axes = [axis] if isinstance(axis, int) else list(axis)
    if len(axes) > x.ndim or any(not 0 <= a < x.ndim for a in axes):
        raise ValueError(f"dropout: axis has value {axis}; it must be axes from 0 to {x.ndim - 1}, each once.")
    shape = [n if i in axes else 1 for i, n in enumerate(x.shape)]
    noise = ops.uniform(shape, _core.float32, 0.0, 1.0, 0)
    mask = ops.cast(noise >= p, x.dtype)
    if not upscale:
        return x * mask
    if unknown:
        kept = 1.0 - p
        return x * mask * ops.cast(ops.where(kept > 0, 1.0 / kept, ops.full_like(kept, 1)), x.dtype)
    return x * mask / (1.0 - p) if p < 1 else x * mask


def _check_channels(op, x, rank, data_format, formats):
    if x.ndim != rank:
        raise ValueError(f"{op}: x has {x.ndim} dimensions; it must have {rank}.")
    if data_format not in formats:
        raise ValueError(f"{op}: data_format has value {data_format!r}; it must be one of {', '.join(formats)}.")


@aliases(input="x")
def dropout2d(x, p=0.5, training=True, data_format="NCHW", name=None):
    """Zeros whole channels of images at random while training, and divides the others by 1 - p (Tompson et al. 2015).

    Args:
        x: Floating Tensor [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        p: Probability of a zero.
        training: False returns x.
        data_format: 'NCHW' or 'NHWC'.
        name: Unused.

    Returns:
        A Tensor of the shape of x.

    Raises:
        ValueError: x has not four axes, or p lies outside of [0, 1].

    Example:
        >>> y = paddle.nn.functional.dropout2d(paddle.ones([1, 100, 2, 2]), p=0.5)
        >>> sorted(set(y.sum([2, 3]).flatten().tolist()))  # a channel is kept as a whole
        [0.0, 8.0]
    """
    check_tensor("dropout2d", x=x)
    program_operands("dropout2d", "floating", x=x)
    _check_channels("dropout2d", x, 4, data_format, ("NCHW", "NHWC"))
    axis = [0, 3] if data_format == "NHWC" else [0, 1]
    return dropout(x, p, axis, training)


@aliases(input="x")
def dropout3d(x, p=0.5, training=True, data_format="NCDHW", name=None):
    """Zeros whole channels of volumes at random."""
    check_tensor("dropout3d", x=x)
    program_operands("dropout3d", "floating", x=x)
    _check_channels("dropout3d", x, 5, data_format, ("NCDHW", "NDHWC"))
    axis = [0, 4] if data_format == "NDHWC" else [0, 1]
    return dropout(x, p, axis, training)


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Zeros whole channels of [N, C, L] or [C, L] at random."""
    check_tensor("dropout1d", input=input)
    if input.ndim not in (2, 3):
        raise ValueError(f"dropout1d: input has {input.ndim} dimensions; it must be [N, C, L] or [C, L].")
    out = dropout(input, p, [0, 1] if input.ndim == 3 else [0], training)
    if not inplace:
        return out
    return _core.assign_inplace(input, out, "dropout1d")


def _selu_noise(x, p, shape, training, op):
    """Dropout that keeps mean and variance behind SELU, with one decision per entry of `shape`."""
    if not isinstance(p, (int, float)):
        raise TypeError(f"{op}: p has type {type(p).__name__}; it must be a number.")
    if not 0 <= p <= 1:
        raise ValueError(f"{op}: p has value {p}; it must be in [0, 1].")
    if not training or p == 0:
        return x
    if p == 1:
        return x * 0.0
    low = -1.0507009873554805 * 1.6732632423543772
    a = ((1 - p) * (1 + p * low**2)) ** -0.5
    mask = ops.cast(ops.uniform(shape, _core.float32, 0.0, 1.0, 0) >= p, x.dtype)
    return (x * mask + (1.0 - mask) * low) * a - a * low * p


@aliases(input="x")
def alpha_dropout(x, p=0.5, training=True, name=None):
    """Dropout that keeps mean and variance behind SELU (Klambauer et al. 2017)."""
    check_tensor("alpha_dropout", x=x)
    program_operands("alpha_dropout", "floating", x=x)
    return _selu_noise(x, p, x.shape, training, "alpha_dropout")


@aliases(input="x")
def feature_alpha_dropout(x, p=0.5, training=True, name=None):
    """alpha_dropout of whole channels."""
    check_tensor("feature_alpha_dropout", x=x)
    if x.ndim < 2:
        raise ValueError(f"feature_alpha_dropout: x has {x.ndim} dimensions; it must have at least 2.")
    return _selu_noise(x, p, x.shape[:2] + [1] * (x.ndim - 2), training, "feature_alpha_dropout")
