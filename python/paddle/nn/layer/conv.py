# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Convolution layers."""

import math

from ...framework.checked_numbers import check_whole
from ...tensor._args import aliases
from .. import functional as F
from ..functional._windows import FORMATS, paddings, per_axis
from ..initializer import Normal
from .layers import Layer

__all__ = [
    "Conv1D",
    "Conv2D",
    "Conv3D",
    "Conv1DTranspose",
    "Conv2DTranspose",
    "Conv3DTranspose",
    "Conv1d",
    "Conv2d",
    "Conv3d",
]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Layer):
    """What the six layers share: arguments, parameters and their printed form.

    Programs derive layers of their own from it, so its arguments have the known order.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: One integer or one for each axis; so are stride and dilation.
        transposed: Whether weight has the channels of the input first.
        dims: Spatial axes: 1, 2 or 3.
        stride: Distance of the windows.
        padding: As in the functions.
        padding_mode: 'zeros', 'reflect', 'replicate' or 'circular'.
        output_padding: Elements added at the end of the output of a transposed convolution.
        dilation: Distance of the elements that a filter reads.
        groups: Groups of channels that are convolved on their own.
        weight_attr: ParamAttr of the filters.
        bias_attr: ParamAttr of the bias; False for none.
        data_format: A layout with this many axes; None for channels first.
        device: Device of the parameters.
        dtype: dtype of the parameters.
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        transposed,
        dims,
        stride=1,
        padding=0,
        padding_mode="zeros",
        output_padding=0,
        dilation=1,
        groups=1,
        weight_attr=None,
        bias_attr=None,
        data_format=None,
        device=None,
        dtype=None,
    ):
        super().__init__()
        kind, axes = type(self).__name__, dims
        data_format = data_format or FORMATS[axes][0]
        check_whole(kind, in_channels=in_channels, out_channels=out_channels, groups=groups)
        if groups <= 0:
            raise ValueError(f"{kind}: groups has value {groups}; it must be at least 1.")
        if in_channels < 0 or out_channels < 0:
            raise ValueError(
                f"{kind}: in_channels has value {in_channels} and out_channels {out_channels}; neither may be negative."
            )
        if in_channels % groups:
            raise ValueError(
                f"{kind}: in_channels has value {in_channels} and groups {groups}; in_channels must be divisible by "
                f"groups."
            )
        if padding_mode not in _PADDING_MODES:
            raise ValueError(f"{kind}: padding_mode has value {padding_mode!r}; it must be one of {_PADDING_MODES}.")
        if data_format not in FORMATS[axes]:
            raise ValueError(f"{kind}: data_format has value {data_format!r}; it must be one of {FORMATS[axes]}.")
        if padding_mode != "zeros" and not hasattr(padding, "__index__"):
            raise TypeError(
                f"{kind}: padding has value {padding!r}; with padding_mode {padding_mode!r} it must be an int."
            )
        self._param_attr, self._bias_attr = weight_attr, bias_attr
        self._in_channels, self._out_channels, self._groups = in_channels, out_channels, groups
        self._data_format, self._padding_mode, self._padding = data_format, padding_mode, padding
        self._kernel_size = per_axis(kernel_size, axes, f"{type(self).__name__}: kernel_size")
        if min(self._kernel_size) < 0:
            raise ValueError(f"{kind}: kernel_size has value {kernel_size}; no extent may be negative.")
        self._stride = per_axis(stride, axes, f"{type(self).__name__}: stride")
        self._dilation = per_axis(dilation, axes, f"{type(self).__name__}: dilation")
        self._updated_padding, self._padding_algorithm = paddings(padding, axes, data_format == FORMATS[axes][1], kind)
        self.output_padding = output_padding
        if transposed:
            shape, initializer = [in_channels, out_channels // groups, *self._kernel_size], None
        else:
            shape = [out_channels, in_channels // groups, *self._kernel_size]
            fan = in_channels * math.prod(self._kernel_size)
            initializer = Normal(0.0, math.sqrt(2.0 / fan) if fan else 0.0)
        self.weight = self.create_parameter(shape, weight_attr, dtype, default_initializer=initializer, device=device)
        self.bias = self.create_parameter([out_channels], bias_attr, dtype, is_bias=True, device=device)

    def _padded(self, x):
        """(input, padding) of the convolution: modes other than zeros pad before it."""
        if self._padding_mode == "zeros":
            return x, self._padding
        border = [int(self._padding)] * (2 * len(self._kernel_size))
        return F.pad(x, border, mode=self._padding_mode, data_format=self._data_format), 0

    def extra_repr(self):
        ones = [1] * len(self._kernel_size)
        text = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        if self._stride != ones:
            text += f", stride={self._stride}"
        if self._padding != 0:
            text += f", padding={self._padding}"
        if self._padding_mode != "zeros":
            text += f", padding_mode={self._padding_mode}"
        if self.output_padding != 0:
            text += f", output_padding={self.output_padding}"
        if self._dilation != ones:
            text += f", dilation={self._dilation}"
        if self._groups != 1:
            text += f", groups={self._groups}"
        return text + f", data_format={self._data_format}"


class _Convolution(_ConvNd):
    """The forward pass of the three convolutions; `_convolve` is the function."""

    @aliases(input="x")
    def forward(self, x):
        x, padding = self._padded(x)
        return self._convolve(
            x, self.weight, self.bias, self._stride, padding, self._dilation, self._groups, self._data_format
        )


class _TransposedConvolution(_ConvNd):
    """The forward pass of the three transposed convolutions; `_convolve` is the function."""

    def forward(self, x, output_size=None):
        return self._convolve(
            x,
            self.weight,
            self.bias,
            stride=self._stride,
            padding=self._padding,
            output_padding=self.output_padding if output_size is None else 0,
            dilation=self._dilation,
            groups=self._groups,
            output_size=output_size,
            data_format=self._data_format,
        )


class Conv1D(_Convolution):
    """Convolution of sequences.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output, one filter each.
        kernel_size: Length of the filters.
        stride: Distance of the windows.
        padding: Elements added at the ends, "SAME" or "VALID"; an integer where padding_mode is not 'zeros'.
        dilation: Distance of the elements that a filter reads.
        groups: Groups of channels that are convolved on their own; divides both numbers of channels.
        bias: False for no bias.
        padding_mode: 'zeros', 'reflect', 'replicate' or 'circular'.
        device: Device of the parameters.
        dtype: dtype of the parameters.
        weight_attr: ParamAttr of the filters [out_channels, in_channels / groups, kernel_size].
        bias_attr: ParamAttr of the bias [out_channels]; False for none.
        data_format: "NCL" or "NLC".

    Example:
        >>> paddle.nn.Conv1D(3, 8, 3, padding=1)(paddle.ones([2, 3, 6])).shape
        paddle.Size([2, 8, 6])
    """

    _convolve = staticmethod(F.conv1d)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        *,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
        weight_attr=None,
        bias_attr=None,
        data_format="NCL",
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            False,
            1,
            stride,
            padding,
            padding_mode,
            0,
            dilation,
            groups,
            weight_attr,
            bias_attr if bias else False,
            data_format,
            device,
            dtype,
        )


class Conv2D(_Convolution):
    """Convolution of images.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output, one filter each.
        kernel_size: One integer or one for each of the two axes; so are stride and dilation.
        stride: Distance of the windows.
        padding: As in `paddle.nn.functional.conv2d`; an integer where padding_mode is not 'zeros'.
        dilation: Distance of the elements that a filter reads.
        groups: Groups of channels that are convolved on their own; divides both numbers of channels.
        bias: False for no bias.
        padding_mode: 'zeros', 'reflect', 'replicate' or 'circular'.
        device: Device of the parameters.
        dtype: dtype of the parameters.
        weight_attr: ParamAttr of the filters [out_channels, in_channels / groups, height, width].
        bias_attr: ParamAttr of the bias [out_channels]; False for none.
        data_format: "NCHW" or "NHWC".

    Raises:
        ValueError: groups does not divide in_channels, or an argument has no such value.

    Example:
        >>> import paddle
        >>> paddle.nn.Conv2D(3, 8, 3, padding=1)(paddle.ones([1, 3, 6, 6])).shape
        paddle.Size([1, 8, 6, 6])
    """

    _convolve = staticmethod(F.conv2d)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        *,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            False,
            2,
            stride,
            padding,
            padding_mode,
            0,
            dilation,
            groups,
            weight_attr,
            bias_attr if bias else False,
            data_format,
            device,
            dtype,
        )


class Conv3D(_Convolution):
    """Convolution of volumes.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output, one filter each.
        kernel_size: One integer or one for each of the three axes; so are stride and dilation.
        stride: Distance of the windows.
        padding: As in `paddle.nn.functional.conv3d`; an integer where padding_mode is not 'zeros'.
        dilation: Distance of the elements that a filter reads.
        groups: Groups of channels that are convolved on their own; divides both numbers of channels.
        bias: False for no bias.
        padding_mode: 'zeros', 'reflect', 'replicate' or 'circular'.
        device: Device of the parameters.
        dtype: dtype of the parameters.
        weight_attr: ParamAttr of the filters [out_channels, in_channels / groups, depth, height, width].
        bias_attr: ParamAttr of the bias [out_channels]; False for none.
        data_format: "NCDHW" or "NDHWC".

    Example:
        >>> paddle.nn.Conv3D(1, 2, 3)(paddle.ones([1, 1, 4, 4, 4])).shape
        paddle.Size([1, 2, 2, 2, 2])
    """

    _convolve = staticmethod(F.conv3d)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        *,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
        weight_attr=None,
        bias_attr=None,
        data_format="NCDHW",
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            False,
            3,
            stride,
            padding,
            padding_mode,
            0,
            dilation,
            groups,
            weight_attr,
            bias_attr if bias else False,
            data_format,
            device,
            dtype,
        )


class Conv1DTranspose(_TransposedConvolution):
    """Transposed convolution of sequences: the gradient of `Conv1D` by its input.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: Length of the filters.
        stride: Distance of the windows in the output.
        padding: Elements cut off at the ends, "SAME" or "VALID".
        output_padding: Elements added at the end of the output.
        groups: Groups of channels that are convolved on their own; divides both numbers of channels.
        dilation: Distance of the elements that a filter writes.
        weight_attr: ParamAttr of the filters [in_channels, out_channels / groups, kernel_size].
        bias_attr: ParamAttr of the bias [out_channels]; False for none.
        data_format: "NCL" or "NLC".
        bias: False for no bias.

    Example:
        >>> paddle.nn.Conv1DTranspose(3, 8, 2, stride=2)(paddle.ones([2, 3, 6])).shape
        paddle.Size([2, 8, 12])
    """

    _convolve = staticmethod(F.conv1d_transpose)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        dilation=1,
        weight_attr=None,
        bias_attr=None,
        data_format="NCL",
        *,
        bias=True,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            True,
            1,
            stride,
            padding,
            "zeros",
            output_padding,
            dilation,
            groups,
            weight_attr,
            bias_attr if bias else False,
            data_format,
        )


class Conv2DTranspose(_TransposedConvolution):
    """Transposed convolution of images: the gradient of `Conv2D` by its input.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: One integer or one for each of the two axes; so are stride and dilation.
        stride: Distance of the windows in the output.
        padding: Elements cut off at the ends, as in `paddle.nn.functional.conv2d_transpose`.
        output_padding: Rows and columns added at the end of the output, below stride.
        dilation: Distance of the elements that a filter writes.
        groups: Groups of channels that are convolved on their own; divides both numbers of channels.
        weight_attr: ParamAttr of the filters [in_channels, out_channels / groups, height, width].
        bias_attr: ParamAttr of the bias [out_channels]; False for none.
        data_format: "NCHW" or "NHWC".
        bias: False for no bias.

    Example:
        >>> import paddle
        >>> paddle.nn.Conv2DTranspose(3, 8, 2, stride=2)(paddle.ones([1, 3, 6, 6])).shape
        paddle.Size([1, 8, 12, 12])
    """

    _convolve = staticmethod(F.conv2d_transpose)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        dilation=1,
        groups=1,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        *,
        bias=True,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            True,
            2,
            stride,
            padding,
            "zeros",
            output_padding,
            dilation,
            groups,
            weight_attr,
            bias_attr if bias else False,
            data_format,
        )


class Conv3DTranspose(_TransposedConvolution):
    """Transposed convolution of volumes: the gradient of `Conv3D` by its input.

    Args:
        in_channels: Channels of the input.
        out_channels: Channels of the output.
        kernel_size: One integer or one for each of the three axes; so are stride and dilation.
        stride: Distance of the windows in the output.
        padding: Elements cut off at the ends, as in `paddle.nn.functional.conv3d_transpose`.
        output_padding: Elements added at the end of each axis of the output.
        dilation: Distance of the elements that a filter writes.
        groups: Groups of channels that are convolved on their own; divides both numbers of channels.
        weight_attr: ParamAttr of the filters [in_channels, out_channels / groups, depth, height, width].
        bias_attr: ParamAttr of the bias [out_channels]; False for none.
        data_format: "NCDHW" or "NDHWC".
        bias: False for no bias.

    Example:
        >>> paddle.nn.Conv3DTranspose(1, 2, 2, stride=2)(paddle.ones([1, 1, 2, 2, 2])).shape
        paddle.Size([1, 2, 4, 4, 4])
    """

    _convolve = staticmethod(F.conv3d_transpose)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        dilation=1,
        groups=1,
        weight_attr=None,
        bias_attr=None,
        data_format="NCDHW",
        *,
        bias=True,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            True,
            3,
            stride,
            padding,
            "zeros",
            output_padding,
            dilation,
            groups,
            weight_attr,
            bias_attr if bias else False,
            data_format,
        )


Conv1d, Conv2d, Conv3d = Conv1D, Conv2D, Conv3D
