# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions and transposed convolutions."""

from ... import _core
from ...framework.symint import comes_late
from ...tensor._args import aliases, check_tensor
from ._windows import channels_last, flat_padding, flat_size, paddings, per_axis, rank_error

ops = _core.ops

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv1d_transpose",
    "conv2d_transpose",
    "conv3d_transpose",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
]


def _check(op, x, weight, axes, groups, last):
    check_tensor(op, x=x, weight=weight)
    if x.ndim != axes + 2:
        raise ValueError(rank_error(op, x, axes + 2))
    if weight.ndim != axes + 2:
        raise ValueError(f"{op}: weight has shape {list(weight.shape)}; it must have {axes + 2} dimensions.")
    if groups <= 0:
        raise ValueError(f"{op}: groups has value {groups}; it must be at least 1.")
    channels = x.shape[-1 if last else 1]
    if isinstance(channels, int) and channels % groups:
        raise ValueError(
            f"{op}: x has shape {list(x.shape)} and groups is {groups}; its {channels} channels must be divisible by groups."
        )
    return channels


def _add_bias(op, out, bias, last):
    if bias is None:
        return out
    try:
        return out + (bias if last else ops.reshape(bias, [1, -1] + [1] * (out.ndim - 2)))
    except ValueError:
        filters = out.shape[-1 if last else 1]
        raise ValueError(
            f"{op}: bias has shape {list(bias.shape)}; it must be [{filters}], one for each filter."
        ) from None


def _conv(op, x, weight, bias, stride, padding, dilation, groups, data_format, axes):
    last = channels_last(data_format, axes, op)
    channels = _check(op, x, weight, axes, groups, last)
    filters = weight.shape[0]
    if isinstance(filters, int) and filters % groups:
        raise ValueError(
            f"{op}: weight has shape {list(weight.shape)} and groups is {groups}; its {filters} filters must be divisible "
            f"by groups."
        )
    pads, algorithm = paddings(padding, axes, last, op)
    stride, dilation = per_axis(stride, axes, f"{op}: stride"), per_axis(dilation, axes, f"{op}: dilation")
    if bias is not None:
        check_tensor(op, bias=bias)
    if bias is not None and bias.ndim == 1 and bias.shape[0] == filters and bias.dtype == weight.dtype:
        if axes == 3:
            return ops.conv3d_bias(x, weight, bias, stride, pads, algorithm, groups, dilation, data_format)
        return ops.conv2d_bias(x, weight, bias, stride, pads, algorithm, dilation, groups, data_format)
    if axes == 3:
        out = ops.conv3d(x, weight, stride, pads, algorithm, groups, dilation, data_format)
    elif groups == channels and groups != 1 and isinstance(filters, int) and filters % channels == 0:
        out = ops.depthwise_conv2d(x, weight, stride, pads, algorithm, groups, dilation, data_format)
    else:
        out = ops.conv2d(x, weight, stride, pads, algorithm, dilation, groups, data_format)
    return _add_bias(op, out, bias, last)


def _conv_nd(
    x,
    weight,
    bias=None,
    stride=1,
    padding=0,
    padding_algorithm=None,
    dilation=1,
    groups=1,
    data_format="NCHW",
    channel_dim=1,
    op_type="conv2d",
    use_cudnn=True,
    name=None,
):
    """The convolution that recorded layers of PaddlePaddle call: of the operator named by `op_type`, its padding and
    padding algorithm apart."""
    axes = {"conv2d": 2, "depthwise_conv2d": 2, "conv3d": 3}.get(op_type)
    if axes is None:
        raise ValueError(f"conv: op_type has value {op_type!r}; it must be 'conv2d', 'depthwise_conv2d' or 'conv3d'.")
    padding = padding if padding_algorithm in (None, "EXPLICIT") else padding_algorithm
    return _conv(op_type, x, weight, bias, stride, padding, dilation, groups, data_format, axes)


@aliases(input="x")
def conv1d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NCL", name=None):
    """Convolution along one axis.

    Args:
        x: [N, C, L], or [N, L, C] with data_format 'NLC'.
        weight: [out_channels, C / groups, kernel].
        bias: [out_channels] or None.
        padding: An integer, a pair, 'SAME' or 'VALID'.

    Returns:
        [N, out_channels, windows] in the same data_format.

    Raises:
        ValueError: Shapes, groups and padding do not fit each other.

    Example:
        >>> import paddle
        >>> paddle.nn.functional.conv1d(paddle.ones([1, 2, 5]), paddle.ones([3, 2, 3])).shape
        paddle.Size([1, 3, 3])
    """
    last = channels_last(data_format, 1, "conv1d")
    _check("conv1d", x, weight, 1, groups, last)
    axis = 1 if last else 2
    out = _conv(
        "conv1d",
        ops.unsqueeze(x, [axis]),
        ops.unsqueeze(weight, [2]),
        bias,
        flat_size("conv1d", stride, "stride"),
        flat_padding("conv1d", padding, last),
        flat_size("conv1d", dilation, "dilation"),
        groups,
        "NHWC" if last else "NCHW",
        2,
    )
    return ops.squeeze(out, [axis])


@aliases(input="x")
def conv2d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NCHW", name=None):
    """Convolution of images (cross-correlation: the kernel is not flipped).

    Args:
        x: [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        weight: [out_channels, C / groups, kernel_h, kernel_w].
        bias: [out_channels] or None.
        stride: Step of the windows, one integer or one per axis.
        padding: An integer, one per axis, [top, bottom, left, right], a pair for each of the four dimensions, 'SAME'
            or 'VALID'.
        dilation: Distance of the kernel's elements.
        groups: Groups of channels that are convolved on their own.

    Returns:
        [N, out_channels, windows_h, windows_w] in the same data_format.

    Raises:
        ValueError: Shapes, groups and padding do not fit each other.

    Example:
        >>> import paddle
        >>> paddle.nn.functional.conv2d(paddle.ones([1, 2, 5, 5]), paddle.ones([3, 2, 3, 3]), padding=1).shape
        paddle.Size([1, 3, 5, 5])
    """
    return _conv("conv2d", x, weight, bias, stride, padding, dilation, groups, data_format, 2)


@aliases(input="x")
def conv3d(x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1, data_format="NCDHW", name=None):
    """Convolution of volumes; arguments as `conv2d` with one axis more.

    Args:
        x: [N, C, D, H, W], or [N, D, H, W, C] with data_format 'NDHWC'.
        weight: [out_channels, C / groups, kernel_d, kernel_h, kernel_w].
    """
    return _conv("conv3d", x, weight, bias, stride, padding, dilation, groups, data_format, 3)


def _output_size(output_size, output_padding, axes, op):
    if output_size is None:
        return [], output_padding
    if any(comes_late(n) or n for n in per_axis(output_padding, axes, f"{op}: output_padding")):
        raise ValueError(f"{op}: output_padding and output_size are both given; they exclude each other.")
    if isinstance(output_size, _core.Tensor):
        return output_size, 0
    return per_axis(output_size, axes, f"{op}: output_size"), 0


def _conv_transpose(
    op, x, weight, bias, stride, padding, output_padding, dilation, groups, output_size, data_format, axes
):
    last = channels_last(data_format, axes, op)
    channels = _check(op, x, weight, axes, groups, last)
    pads, algorithm = paddings(padding, axes, last, op)
    stride, dilation = per_axis(stride, axes, f"{op}: stride"), per_axis(dilation, axes, f"{op}: dilation")
    sizes, output_padding = _output_size(output_size, output_padding, axes, op)
    more = per_axis(output_padding, axes, f"{op}: output_padding")
    more = more if any(comes_late(n) or n for n in more) else []
    if axes == 3:
        transpose = ops.conv3d_transpose
    elif groups == channels and groups != 1 and weight.shape[1] == 1:
        transpose = ops.depthwise_conv2d_transpose
    else:
        transpose = ops.conv2d_transpose
    out = transpose(x, weight, stride, pads, more, sizes, algorithm, groups, dilation, data_format)
    return _add_bias(op, out, bias, last)


@aliases(input="x")
def conv1d_transpose(
    x,
    weight,
    bias=None,
    stride=1,
    padding=0,
    output_padding=0,
    groups=1,
    dilation=1,
    output_size=None,
    data_format="NCL",
    name=None,
):
    """Transposed convolution along one axis; arguments as `conv2d_transpose`.

    Args:
        x: [N, C, L], or [N, L, C] with data_format 'NLC'.
        weight: [C, out_channels / groups, kernel].
    """
    op = "conv1d_transpose"
    last = channels_last(data_format, 1, op)
    _check(op, x, weight, 1, groups, last)
    axis = 1 if last else 2
    sizes, output_padding = _output_size(output_size, output_padding, 1, op)
    out = _conv_transpose(
        op,
        ops.unsqueeze(x, [axis]),
        ops.unsqueeze(weight, [2]),
        bias,
        flat_size(op, stride, "stride"),
        flat_padding(op, padding, last),
        [0] + per_axis(output_padding, 1, f"{op}: output_padding"),
        flat_size(op, dilation, "dilation"),
        groups,
        [1, *per_axis(sizes, 1, f"{op}: output_size")] if len(sizes) else None,
        "NHWC" if last else "NCHW",
        2,
    )
    return ops.squeeze(out, [axis])


@aliases(input="x")
def conv2d_transpose(
    x,
    weight,
    bias=None,
    stride=1,
    padding=0,
    output_padding=0,
    dilation=1,
    groups=1,
    output_size=None,
    data_format="NCHW",
    name=None,
):
    """Transposed convolution of images: the gradient of `conv2d` by its input, as a layer of its own.

    Args:
        x: [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        weight: [C, out_channels / groups, kernel_h, kernel_w].
        output_padding: Rows and columns added at the end of the output, below stride.
        output_size: Spatial size of the output instead, within the range that stride leaves open.

    Returns:
        [N, out_channels, H_out, W_out]; without more, H_out = (H - 1) * stride - 2 * padding + kernel_h.

    Raises:
        ValueError: Shapes, groups and sizes do not fit each other.

    Example:
        >>> import paddle
        >>> paddle.nn.functional.conv2d_transpose(paddle.ones([1, 2, 4, 4]), paddle.ones([2, 3, 2, 2]), stride=2).shape
        paddle.Size([1, 3, 8, 8])
    """
    return _conv_transpose(
        "conv2d_transpose",
        x,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        output_size,
        data_format,
        2,
    )


@aliases(input="x")
def conv3d_transpose(
    x,
    weight,
    bias=None,
    stride=1,
    padding=0,
    output_padding=0,
    groups=1,
    dilation=1,
    output_size=None,
    data_format="NCDHW",
    name=None,
):
    """Transposed convolution of volumes; arguments as `conv2d_transpose` with one axis more.

    Args:
        x: [N, C, D, H, W], or [N, D, H, W, C] with data_format 'NDHWC'.
        weight: [C, out_channels / groups, kernel_d, kernel_h, kernel_w].
    """
    return _conv_transpose(
        "conv3d_transpose",
        x,
        weight,
        bias,
        stride,
        padding,
        output_padding,
        dilation,
        groups,
        output_size,
        data_format,
        3,
    )


conv_transpose1d, conv_transpose2d, conv_transpose3d = conv1d_transpose, conv2d_transpose, conv3d_transpose
