# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Normalisations."""

import numbers

from ... import _core
from ...framework.call_forms import ordered_as_in_pytorch
from ...tensor._args import aliases, check_tensor, program_operands
from ._reduction import fit

ops = _core.ops

__all__ = ["layer_norm", "rms_norm", "batch_norm", "group_norm", "instance_norm", "local_response_norm"]


def _extents(normalized_shape, op):
    """The extents of the normalised axes as a list."""
    if isinstance(normalized_shape, numbers.Integral):
        return [normalized_shape]
    if not isinstance(normalized_shape, (list, tuple)):
        kind = type(normalized_shape).__name__
        raise ValueError(f"{op}: normalized_shape has type {kind}; it must be an int, or a list or tuple of ints.")
    return list(normalized_shape)


@aliases(input="x", eps="epsilon")
def layer_norm(x, normalized_shape, weight=None, bias=None, epsilon=1e-05, name=None):
    """Zero mean and unit variance over the last axes, then scale and shift (Ba et al., 2016).

    Args:
        x: Floating Tensor of shape [..., *normalized_shape].
        normalized_shape: Extents of the normalised axes; an int for one.
        weight: Scale of shape normalized_shape; None for none.
        bias: Shift of shape normalized_shape; None for none.
        epsilon: Added to the variance.
        name: Unused.

    Example:
        >>> y = paddle.nn.functional.layer_norm(paddle.to_tensor([[1.0, 3.0]]), 2)
        >>> [round(v, 4) for v in y[0].tolist()]
        [-1.0, 1.0]
    """
    check_tensor("layer_norm", x=x)
    shape = _extents(normalized_shape, "layer_norm")
    begin = x.ndim - len(shape)
    if begin < 0 or not fit(x.shape[begin:], shape):
        raise ValueError(
            f"layer_norm: x has shape {list(x.shape)} and normalized_shape is {shape}; x must end with these sizes."
        )
    out = ops.layer_norm(x, weight, bias, epsilon, begin)
    return out[0] if isinstance(out, (tuple, list)) else out


def rms_norm(input, normalized_shape, weight=None, eps=1e-05, name=None):
    """input over the root of its mean square over the last axes, then scale (Zhang and Sennrich 2019).

    Args:
        input: Floating Tensor [..., *normalized_shape].
        normalized_shape: Extents of the normalised axes; an int for one.
        weight: Scale of shape normalized_shape; None for none.
        eps: Added to the mean square.
        name: Unused.

    Returns:
        A Tensor of the shape and dtype of input.

    Example:
        >>> y = paddle.nn.functional.rms_norm(paddle.to_tensor([[3.0, 4.0]]), 2)
        >>> [round(v, 3) for v in y[0].tolist()]
        [0.849, 1.131]
    """
    shape = _extents(normalized_shape, "rms_norm")
    out = ops.rms_norm(input, weight, shape, eps)
    return out[0] if isinstance(out, (tuple, list)) else out


_CHANNEL_FORMATS = ("NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC")


@aliases(input="x", eps="epsilon")
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
    """Zero mean and unit variance per channel, then scale and shift (Ioffe and Szegedy 2015).

    Args:
        x: Floating Tensor [N, C, ...], or [N, ..., C] with a data_format that ends in C.
        running_mean: Mean per channel [C]; updated in place while training.
        running_var: Variance per channel [C]; updated in place while training.
        weight: Scale per channel [C]; None for none.
        bias: Shift per channel [C]; None for none.
        training: Use the statistics of the batch, and update the running ones.
        momentum: Weight of the old running statistics.
        epsilon: Added to the variance.
        data_format: "NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC" or "NDHWC".
        use_global_stats: None means `not training`.
        name: Unused.

    Returns:
        A Tensor of the shape and dtype of x.

    Raises:
        ValueError: data_format is another text, or a statistic has another shape.

    Example:
        >>> x = paddle.to_tensor([[1.0], [3.0]])
        >>> y = paddle.nn.functional.batch_norm(x, paddle.zeros([1]), paddle.ones([1]), training=True)
        >>> [round(v, 3) for v in y.flatten().tolist()]
        [-1.0, 1.0]
    """
    if data_format not in _CHANNEL_FORMATS:
        raise ValueError(
            f"batch_norm: data_format has value {data_format!r}; it must be one of {', '.join(_CHANNEL_FORMATS)}."
        )
    check_tensor("batch_norm", x=x, running_mean=running_mean, running_var=running_var)
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


@aliases(input="x", eps="epsilon")
@ordered_as_in_pytorch(
    lambda args: len(args) > 2 and (args[2] is None or isinstance(args[2], _core.Tensor)),
    *("x", "num_groups", "weight", "bias", "epsilon", "data_format", "name"),
)
def group_norm(x, num_groups, epsilon=1e-05, weight=None, bias=None, data_format="NCHW", name=None):
    """Zero mean and unit variance over groups of channels, then scale and shift.

    Args:
        x: [N, C, ...], or [N, ..., C] with a data_format that ends in C.
        num_groups: Divides the channels.
        weight: Scale per channel, [C].
        bias: Shift per channel, [C].

    PyTorch's order of positional arguments, `(x, num_groups, weight, bias, epsilon)`, is taken where the third one is
    a Tensor or None.

    Returns:
        A Tensor of the shape of x.

    Raises:
        ValueError: num_groups does not divide the channels, or data_format is unknown.

    Example:
        >>> y = paddle.nn.functional.group_norm(paddle.to_tensor([[1.0, 3.0, 10.0, 30.0]]), 2, data_format="NC")
        >>> [round(v, 2) for v in y[0].tolist()]
        [-1.0, 1.0, -1.0, 1.0]
    """
    if data_format not in ("NCL", "NC", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC"):
        raise ValueError(
            f"group_norm: data_format has value {data_format!r}; it must be 'NC', 'NCL', 'NCHW', 'NCDHW', 'NLC', "
            f"'NHWC' or 'NDHWC'."
        )
    layout = "NHWC" if data_format.endswith("C") and len(data_format) > 2 else "NCHW"
    return ops.group_norm(x, weight, bias, float(epsilon), num_groups, layout)[0]


@aliases(input="x")
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
    """Zero mean and unit variance of each channel of each sample, then scale and shift (Ulyanov et al. 2016).

    Args:
        x: Floating Tensor [N, C, ...], or [N, ..., C] with a data_format that ends in C.
        running_mean: Unused: statistics are those of x.
        running_var: Unused.
        weight: Scale per channel, [C].
        bias: Shift per channel, [C].
        use_input_stats: Unused.
        momentum: Unused.
        eps: Added to the variance.
        data_format: Where the channels lie.
        name: Unused.

    Returns:
        A Tensor of the shape of x.

    Example:
        >>> y = paddle.nn.functional.instance_norm(paddle.to_tensor([[[1.0, 3.0], [10.0, 30.0]]]))
        >>> [[round(v, 2) for v in channel] for channel in y[0].tolist()]
        [[-1.0, 1.0], [-1.0, 1.0]]
    """
    if data_format.endswith("C") and len(data_format) > 2:
        return ops.group_norm(x, weight, bias, float(eps), x.shape[-1], "NHWC")[0]
    return ops.instance_norm(x, weight, bias, float(eps))[0]


@aliases(input="x")
def local_response_norm(x, size, alpha=0.0001, beta=0.75, k=1.0, data_format="NCHW", name=None):
    """x / (k + alpha * mean of the squares of `size` neighbouring channels) ** beta (Krizhevsky et al. 2012).

    Args:
        x: [N, C, ...], or [N, ..., C] with a data_format that ends in C.
        size: Number of neighbouring channels.
    """
    check_tensor("local_response_norm", x=x)
    program_operands("local_response_norm", "floating", x=x)
    if data_format not in ("NCL", "NLC", "NCHW", "NHWC", "NCDHW", "NDHWC"):
        raise ValueError(
            f"local_response_norm: data_format has value {data_format!r}; it must be 'NCL', 'NLC', 'NCHW', 'NHWC', "
            f"'NCDHW' or 'NDHWC'."
        )
    if x.ndim < 3:
        raise ValueError(f"local_response_norm: x has {x.ndim} dimensions; it must have at least 3.")
    if any(n == 0 for n in x.shape[1:]):
        raise ValueError(
            f"local_response_norm: x has shape {list(x.shape)}; axes other than the batch may not be empty."
        )
    axis = x.ndim - 1 if data_format.endswith("C") else 1
    padding = [0] * (2 * x.ndim)
    padding[2 * axis], padding[2 * axis + 1] = size // 2, (size - 1) // 2
    squares = ops.pad(x * x, padding, 0.0)
    count = x.shape[axis]
    total = ops.slice(squares, [axis], [0], [count])
    for i in range(1, size):
        total = total + ops.slice(squares, [axis], [i], [i + count])
    return x / (total * (alpha / size) + k) ** beta
