# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Normalisations."""

from ... import _core

ops = _core.ops

__all__ = ["layer_norm", "rms_norm", "batch_norm", "group_norm", "instance_norm"]


def layer_norm(x, normalized_shape, weight=None, bias=None, epsilon=1e-05, name=None):
    """Zero mean and unit variance over the last axes, then scale and shift."""
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    begin = x.ndim - len(shape)
    if begin < 0 or x.shape[begin:] != shape:
        raise ValueError(
            f"layer_norm: x has shape {x.shape} and normalized_shape is {shape}; x must end with these sizes."
        )
    out = ops.layer_norm(x, weight, bias, epsilon, begin)
    return out[0] if isinstance(out, (tuple, list)) else out


def rms_norm(input, normalized_shape, weight=None, eps=None, name=None):
    """input over the root of its mean square over the last axes, then scale."""
    shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    if eps is None:
        eps = 2.0**-52 if input.dtype.name == "float64" else 2.0**-23
    out = ops.rms_norm(input, weight, shape, eps)
    return out[0] if isinstance(out, (tuple, list)) else out


def batch_norm(
    x,
    running_mean,
    running_var,
    weight=None,
    bias=None,
    training=False,
    momentum=0.9,
    epsilon=1e-05,
    data_format="NCHW",
    use_global_stats=None,
    name=None,
):
    """Zero mean and unit variance per channel, then scale and shift.

    Args:
        training: Use the statistics of the batch, and update the running ones.
        use_global_stats: None means `not training`.
    """
    if use_global_stats is None:
        use_global_stats, trainable = not training, False
    else:
        trainable = not use_global_stats
    layout = "NHWC" if data_format.endswith("C") and len(data_format) > 2 else "NCHW"
    return ops.batch_norm_(
        x,
        running_mean,
        running_var,
        weight,
        bias,
        not training,
        momentum,
        epsilon,
        layout,
        use_global_stats,
        trainable,
    )[0]


def _standard(x, axes, eps):
    center = ops.mean(x, axes, True)
    gap = x - center
    return gap * ops.rsqrt(ops.mean(gap * gap, axes, True) + eps)


def _affine(x, weight, bias, channel):
    shape = [1] * x.ndim
    shape[channel] = x.shape[channel]
    x = x if weight is None else x * ops.reshape(weight, shape)
    return x if bias is None else x + ops.reshape(bias, shape)


def group_norm(x, num_groups, epsilon=1e-05, weight=None, bias=None, data_format="NCHW", name=None):
    """Zero mean and unit variance over groups of channels, then scale and shift."""
    channel = x.ndim - 1 if data_format.endswith("C") and len(data_format) > 2 else 1
    count = x.shape[channel]
    if count % num_groups:
        raise ValueError(
            f"group_norm: x has {count} channels and num_groups is {num_groups}; the channels must be a multiple."
        )
    shape = x.shape[:channel] + [num_groups, count // num_groups] + x.shape[channel + 1 :]
    axes = [a for a in range(1, len(shape)) if a != channel]
    out = ops.reshape(_standard(ops.reshape(x, shape), axes, epsilon), x.shape)
    return _affine(out, weight, bias, channel)


def instance_norm(
    x,
    running_mean=None,
    running_var=None,
    weight=None,
    bias=None,
    use_input_stats=True,
    momentum=0.9,
    eps=1e-05,
    data_format="NCHW",
    name=None,
):
    """Zero mean and unit variance per channel of every sample, then scale and shift."""
    channel = x.ndim - 1 if data_format.endswith("C") and len(data_format) > 2 else 1
    axes = [a for a in range(1, x.ndim) if a != channel]
    return _affine(_standard(x, axes, eps), weight, bias, channel)
