# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Convolutions of sparse tensors as layers."""

import math

from ....nn import Layer
from ....nn.initializer import Normal
from .. import functional as F


class _Conv(Layer):
    """What the convolutions share: `_axes` spatial axes, `_function` of `sparse.nn.functional`."""

    _axes = 3
    _function = None

    def _set_up(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        groups,
        padding_mode,
        attrs,
        data_format,
        key=None,
        backend=None,
    ):
        name = type(self).__name__
        if backend not in (None, "igemm"):
            raise AssertionError(f"sparse.nn.{name}: backend has value {backend!r}; it must be None or 'igemm'.")
        layout = "NHWC" if self._axes == 2 else "NDHWC"
        if data_format != layout:
            raise ValueError(f"sparse.nn.{name}: data_format has value {data_format!r}; it must be {layout!r}.")
        if groups != 1:
            raise AssertionError(f"sparse.nn.{name}: groups is {groups}; only 1 is available.")
        if padding_mode != "zeros":
            raise AssertionError(f"sparse.nn.{name}: padding_mode is {padding_mode!r}; only 'zeros' is available.")
        many = isinstance(kernel_size, (list, tuple))
        self._kernel_size = list(kernel_size) if many else [kernel_size] * self._axes
        self._in_channels, self._out_channels, self._data_format = in_channels, out_channels, data_format
        self._stride, self._padding, self._dilation, self._groups = stride, padding, dilation, groups
        self._key = key
        spread = Normal(0.0, math.sqrt(2.0 / (in_channels * math.prod(self._kernel_size))))
        shape = [*self._kernel_size, in_channels, out_channels]
        self.weight = self.create_parameter(shape, attrs[0], default_initializer=spread)
        self.bias = self.create_parameter([out_channels], attrs[1], is_bias=True)

    def forward(self, x):
        """The sparse result; its last axis has out_channels entries."""
        sizes = (self._stride, self._padding, self._dilation, self._groups)
        return self._function(x, self.weight, self.bias, *sizes, self._data_format)

    def extra_repr(self):
        """What repr shows behind the name of the class."""
        text = f"{self._in_channels}, {self._out_channels}, kernel_size={self._kernel_size}"
        for name, value, usual in (
            ("stride", self._stride, 1),
            ("padding", self._padding, 0),
            ("dilation", self._dilation, 1),
        ):
            if value not in (usual, [usual] * self._axes):
                text += f", {name}={value}"
        return f"{text}, data_format={self._data_format}"


class Conv2D(_Conv):
    """`paddle.sparse.nn.functional.conv2d` of [N, H, W, C] as a layer, with weight and bias.

    Args:
        in_channels, out_channels: Channels of input and result.
        kernel_size: An int, or one for each spatial axis.
        stride, padding, dilation: As the function takes them.
        groups: Always 1.
        padding_mode: Always "zeros".
        weight_attr, bias_attr: ParamAttr of weight and bias; bias_attr False for no bias.
        data_format: Always "NHWC".
    """

    _axes = 2
    _function = staticmethod(F.conv2d)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        padding_mode="zeros",
        weight_attr=None,
        bias_attr=None,
        data_format="NHWC",
    ):
        super().__init__()
        sizes = (in_channels, out_channels, kernel_size, stride, padding, dilation, groups)
        attrs = (weight_attr, bias_attr)
        self._set_up(*sizes, padding_mode, attrs, data_format)


class SubmConv2D(_Conv):
    """`paddle.sparse.nn.functional.subm_conv2d` of [N, H, W, C] as a layer, with weight and bias.

    Args:
        in_channels, out_channels: Channels of input and result.
        kernel_size: An int, or one for each spatial axis.
        stride, padding, dilation: As the function takes them.
        groups: Always 1.
        padding_mode: Always "zeros".
        key: Name of a pattern to be kept; without effect on the result.
        weight_attr, bias_attr: ParamAttr of weight and bias; bias_attr False for no bias.
        data_format: Always "NHWC".
        backend: None or "igemm"; without effect on the result.
    """

    _axes = 2
    _function = staticmethod(F.subm_conv2d)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        padding_mode="zeros",
        key=None,
        weight_attr=None,
        bias_attr=None,
        data_format="NHWC",
        backend=None,
    ):
        super().__init__()
        sizes = (in_channels, out_channels, kernel_size, stride, padding, dilation, groups)
        attrs = (weight_attr, bias_attr)
        self._set_up(*sizes, padding_mode, attrs, data_format, key, backend)


class Conv3D(_Conv):
    """`paddle.sparse.nn.functional.conv3d` of [N, D, H, W, C] as a layer, with weight and bias.

    Args:
        in_channels, out_channels: Channels of input and result.
        kernel_size: An int, or one for each spatial axis.
        stride, padding, dilation: As the function takes them.
        groups: Always 1.
        padding_mode: Always "zeros".
        weight_attr, bias_attr: ParamAttr of weight and bias; bias_attr False for no bias.
        data_format: Always "NDHWC".
    """

    _axes = 3
    _function = staticmethod(F.conv3d)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        padding_mode="zeros",
        weight_attr=None,
        bias_attr=None,
        data_format="NDHWC",
    ):
        super().__init__()
        sizes = (in_channels, out_channels, kernel_size, stride, padding, dilation, groups)
        attrs = (weight_attr, bias_attr)
        self._set_up(*sizes, padding_mode, attrs, data_format)


class SubmConv3D(_Conv):
    """`paddle.sparse.nn.functional.subm_conv3d` of [N, D, H, W, C] as a layer, with weight and bias.

    Args:
        in_channels, out_channels: Channels of input and result.
        kernel_size: An int, or one for each spatial axis.
        stride, padding, dilation: As the function takes them.
        groups: Always 1.
        padding_mode: Always "zeros".
        key: Name of a pattern to be kept; without effect on the result.
        weight_attr, bias_attr: ParamAttr of weight and bias; bias_attr False for no bias.
        data_format: Always "NDHWC".
        backend: None or "igemm"; without effect on the result.
    """

    _axes = 3
    _function = staticmethod(F.subm_conv3d)

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        padding_mode="zeros",
        key=None,
        weight_attr=None,
        bias_attr=None,
        data_format="NDHWC",
        backend=None,
    ):
        super().__init__()
        sizes = (in_channels, out_channels, kernel_size, stride, padding, dilation, groups)
        attrs = (weight_attr, bias_attr)
        self._set_up(*sizes, padding_mode, attrs, data_format, key, backend)
