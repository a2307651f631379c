# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers with the arguments of PaddlePaddle 1: numbers of channels, `param_attr`, an activation `act` behind."""

from ... import nn as _nn
from ...nn.functional._by_name import activated
from ...static.layers import _parameters_of
from .. import layers as _functions
from ..layers.pooling import _DROPOUT
from ..operators import results

BatchNorm = _nn.BatchNorm


def _dtype_of(dtype):
    from ...framework.dtypes import convert

    return _parameters_of(convert(dtype))


class Linear(_nn.Linear):
    """act(x W + b) of the last axis.

    Args:
        input_dim: Extent of the last axis.
        output_dim: Number of outputs.
        param_attr: ParamAttr of the weights, of shape [input_dim, output_dim].
        bias_attr: ParamAttr of the bias; False: none.
        act: Name of an activation behind it.
        dtype: Dtype of the parameters.

    Example:
        >>> import paddle
        >>> from paddle import fluid
        >>> fluid.dygraph.Linear(3, 2, act="relu")(paddle.ones([4, 3])).shape
        paddle.Size([4, 2])
    """

    def __init__(self, input_dim, output_dim, param_attr=None, bias_attr=None, act=None, dtype="float32"):
        with _dtype_of(dtype):
            super().__init__(input_dim, output_dim, param_attr, bias_attr)
        self._act = act

    def forward(self, input):
        return activated(super().forward(input), self._act)


class FC(_nn.Layer):
    """act(x W + b) of the axes from `num_flatten_dims` on as one; the weights are made at the first call.

    Args:
        size: Number of outputs.
        num_flatten_dims: Number of leading axes that are kept.
        param_attr: ParamAttr of the weights.
        bias_attr: ParamAttr of the bias; False: none.
        act: Name of an activation behind it.
        is_test: Not read.
        dtype: Dtype of the parameters.
    """

    def __init__(
        self, size, num_flatten_dims=1, param_attr=None, bias_attr=None, act=None, is_test=False, dtype="float32"
    ):
        super().__init__(dtype=dtype)
        self._size, self._axes, self._attrs, self._act = size, num_flatten_dims, (param_attr, bias_attr), act
        self.weight = self.bias = None

    def forward(self, input):
        flat = input.flatten(self._axes) if input.ndim > self._axes + 1 else input
        if self.weight is None:
            self.weight = self.create_parameter([int(flat.shape[-1]), self._size], self._attrs[0])
            self.bias = self.create_parameter([self._size], self._attrs[1], is_bias=True)
        return activated(_nn.functional.linear(flat, self.weight, self.bias), self._act)


class Conv2D(_nn.Conv2D):
    """A convolution of images.

    Args:
        num_channels: Channels of the input.
        num_filters: Channels of the result.
        filter_size: Extents of the filters.
        stride: Step of the filters.
        padding: Places around the image.
        dilation: Distance of the elements of a filter.
        groups: Groups of channels that do not see each other; None: 1.
        param_attr: ParamAttr of the filters.
        bias_attr: ParamAttr of the bias; False: none.
        use_cudnn: Not read.
        act: Name of an activation behind it.
        dtype: Dtype of the parameters.
        data_format: Where the channels stand.
    """

    def __init__(
        self,
        num_channels,
        num_filters,
        filter_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=None,
        param_attr=None,
        bias_attr=None,
        use_cudnn=True,
        act=None,
        dtype="float32",
        data_format="NCHW",
    ):
        sizes = (num_channels, num_filters, filter_size, stride, padding, dilation, groups or 1)
        with _dtype_of(dtype):
            super().__init__(*sizes, weight_attr=param_attr, bias_attr=bias_attr, data_format=data_format)
        self._act = act

    def forward(self, input):
        return activated(super().forward(input), self._act)


class Conv3D(_nn.Conv3D):
    """A convolution of shape [N, C, D, H, W]; see `Conv2D`."""

    def __init__(
        self,
        num_channels,
        num_filters,
        filter_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=None,
        param_attr=None,
        bias_attr=None,
        use_cudnn=True,
        act=None,
        dtype="float32",
    ):
        sizes = (num_channels, num_filters, filter_size, stride, padding, dilation, groups or 1)
        with _dtype_of(dtype):
            super().__init__(*sizes, weight_attr=param_attr, bias_attr=bias_attr)
        self._act = act

    def forward(self, input):
        return activated(super().forward(input), self._act)


class _Transposed:
    """What transposed convolutions share."""

    def __init__(
        self,
        num_channels,
        num_filters,
        filter_size,
        output_size=None,
        padding=0,
        stride=1,
        dilation=1,
        groups=None,
        param_attr=None,
        bias_attr=None,
        use_cudnn=True,
        act=None,
        dtype="float32",
    ):
        with _dtype_of(dtype):
            super().__init__(
                num_channels,
                num_filters,
                filter_size,
                stride,
                padding,
                dilation=dilation,
                groups=groups or 1,
                weight_attr=param_attr,
                bias_attr=bias_attr,
            )
        self._act, self._wanted = act, output_size

    def forward(self, input):
        return activated(super().forward(input, self._wanted), self._act)


class Conv2DTranspose(_Transposed, _nn.Conv2DTranspose):
    """A transposed convolution of images: num_channels, num_filters, filter_size, output_size, padding, stride, ..."""


class Conv3DTranspose(_Transposed, _nn.Conv3DTranspose):
    """A transposed convolution of shape [N, C, D, H, W]; see `Conv2DTranspose`."""


class Pool2D(_nn.Layer):
    """The largest element or the mean of each window; see `paddle.fluid.layers.pool2d`."""

    def __init__(
        self,
        pool_size=-1,
        pool_type="max",
        pool_stride=1,
        pool_padding=0,
        global_pooling=False,
        use_cudnn=True,
        ceil_mode=False,
        exclusive=True,
        data_format="NCHW",
    ):
        super().__init__()
        if pool_type not in ("max", "avg"):
            raise ValueError(f"Pool2D: pool_type has value {pool_type!r}; it must be 'max' or 'avg'.")
        if not global_pooling and pool_size == -1:
            raise ValueError("Pool2D: pool_size is -1; pass it, or global_pooling=True.")
        self._settings = (pool_size, pool_type, pool_stride, pool_padding, global_pooling, use_cudnn, ceil_mode)
        self._more = {"exclusive": exclusive, "data_format": data_format}

    def forward(self, input):
        return _functions.pool2d(input, *self._settings, **self._more)


class Embedding(_nn.Embedding):
    """Rows of a table of shape `size`; the rows are a new last axis.

    Args:
        size: [rows, columns].
        is_sparse: Only rows that are looked up are stepped by optimizers with `lazy_mode`.
        is_distributed: Kept.
        padding_idx: Row that is zero and gets no gradient.
        param_attr: ParamAttr of the table.
        dtype: Dtype of the table.
    """

    def __init__(self, size, is_sparse=False, is_distributed=False, padding_idx=None, param_attr=None, dtype="float32"):
        from ...framework.param_attr import ParamAttr

        attr = ParamAttr._to_attr(param_attr)
        if attr.initializer is None:
            attr.initializer = _nn.initializer.XavierUniform()
        with _dtype_of(dtype):
            super().__init__(size[0], size[1], padding_idx, sparse=is_sparse, weight_attr=attr)


class Dropout(_nn.Layer):
    """Elements set to 0 at random; see `paddle.fluid.layers.dropout`."""

    def __init__(self, p=0.5, seed=None, dropout_implementation="downgrade_in_infer", is_test=False):
        super().__init__()
        self._p, self._kind, self._is_test = p, dropout_implementation, is_test

    def forward(self, input):
        train = self.training and not self._is_test
        return _nn.functional.dropout(input, self._p, training=train, mode=_DROPOUT[self._kind])


class LayerNorm(_nn.Layer):
    """Normalisation over the last axes.

    Args:
        normalized_shape: Their extents.
        scale: Whether there are factors.
        shift: Whether there are shifts.
        epsilon: Added to the variance.
        param_attr: ParamAttr of the factors.
        bias_attr: ParamAttr of the shifts.
        act: Name of an activation behind it.
        dtype: Dtype of the parameters.
    """

    def __init__(
        self,
        normalized_shape,
        scale=True,
        shift=True,
        epsilon=1e-05,
        param_attr=None,
        bias_attr=None,
        act=None,
        dtype="float32",
    ):
        super().__init__(dtype=dtype)
        shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self._normalized_shape, self._epsilon, self._act = shape, epsilon, act
        size = 1
        for extent in shape:
            size *= extent
        ones = _nn.initializer.Constant(1.0)
        self.weight = self.create_parameter([size], param_attr, default_initializer=ones) if scale else None
        self.bias = self.create_parameter([size], bias_attr, is_bias=True) if shift else None

    def forward(self, input):
        shape = self._normalized_shape
        weight, bias = (None if p is None else p.reshape(shape) for p in (self.weight, self.bias))
        return activated(_nn.functional.layer_norm(input, shape, weight, bias, self._epsilon), self._act)


class GroupNorm(_nn.GroupNorm):
    """Normalisation over groups of channels, with an activation `act` behind."""

    def __init__(
        self,
        channels,
        groups,
        epsilon=1e-05,
        param_attr=None,
        bias_attr=None,
        act=None,
        data_layout="NCHW",
        dtype="float32",
    ):
        super().__init__(groups, channels, epsilon, param_attr, bias_attr, data_layout)
        self._act = act

    def forward(self, input):
        return activated(super().forward(input), self._act)


class InstanceNorm(_nn.InstanceNorm2D):
    """Normalisation of each channel of each sample."""

    def __init__(self, num_channels, epsilon=1e-5, param_attr=None, bias_attr=None, dtype="float32"):
        super().__init__(num_channels, epsilon, weight_attr=param_attr, bias_attr=bias_attr)


class SpectralNorm(_nn.SpectralNorm):
    """A weight divided by its largest singular value."""

    def __init__(self, weight_shape, dim=0, power_iters=1, eps=1e-12, dtype="float32"):
        super().__init__(weight_shape, dim, power_iters, eps)


class BilinearTensorProduct(_nn.Layer):
    """act(x W_i y + b_i) for each of `output_dim` outputs."""

    def __init__(
        self,
        input1_dim,
        input2_dim,
        output_dim,
        name=None,
        act=None,
        param_attr=None,
        bias_attr=None,
        dtype="float32",
    ):
        super().__init__(dtype=dtype)
        self.weight = self.create_parameter([output_dim, input1_dim, input2_dim], param_attr)
        self.bias = self.create_parameter([1, output_dim], bias_attr, is_bias=True)
        self._act = act

    def forward(self, x, y):
        return activated(_nn.functional.bilinear(x, y, self.weight, self.bias), self._act)


class PRelu(_nn.Layer):
    """Leaky rectifier with learned slopes; modes 'all', 'channel' (with `channel`) and 'element' (with `input_shape`)."""

    def __init__(self, mode, channel=None, input_shape=None, param_attr=None, dtype="float32"):
        super().__init__(dtype=dtype)
        if mode not in ("all", "channel", "element"):
            raise ValueError(f"PRelu: mode has value {mode!r}; it must be 'all', 'channel' or 'element'.")
        shape = [1] if mode == "all" else [1, channel, 1, 1] if mode == "channel" else [1, *list(input_shape)[1:]]
        first = _nn.initializer.Constant(1.0)
        self.weight = self.create_parameter(shape, param_attr, default_initializer=first)

    def forward(self, input):
        slopes = (
            self.weight if input.ndim == self.weight.ndim else self.weight.reshape([1, -1, *[1] * (input.ndim - 2)])
        )
        return _nn.functional.relu(input) - slopes * _nn.functional.relu(-input)


class GRUUnit(_nn.Layer):
    """One step of a gated recurrent unit, the product with the input being done; see `fluid.layers.gru_unit`.

    Args:
        size: 3 times the number of outputs.
        param_attr: ParamAttr of the weights, of shape [size / 3, size].
        bias_attr: ParamAttr of the bias, of shape [1, size].
        activation: Name of the function of candidates.
        gate_activation: Name of the function of gates.
        origin_mode: Whether the update gate weights the old output.
        dtype: Dtype of the parameters.
    """

    def __init__(
        self,
        size,
        param_attr=None,
        bias_attr=None,
        activation="tanh",
        gate_activation="sigmoid",
        origin_mode=False,
        dtype="float32",
    ):
        super().__init__(dtype=dtype)
        kinds = {"identity": 0, "sigmoid": 1, "tanh": 2, "relu": 3}
        self._settings = {
            "activation": kinds[activation],
            "gate_activation": kinds[gate_activation],
            "origin_mode": origin_mode,
        }
        self.weight = self.create_parameter([size // 3, size], param_attr)
        self.bias = self.create_parameter([1, size], bias_attr, is_bias=True)

    def forward(self, input, hidden):
        inputs = {"Input": input, "HiddenPrev": hidden, "Weight": self.weight, "Bias": self.bias}
        return tuple(results("gru_unit", inputs, ["Hidden", "ResetHiddenPrev", "Gate"], self._settings))


class Flatten(_nn.Flatten):
    """Axes from start_axis to stop_axis as one."""


__all__ = (
    "BatchNorm BilinearTensorProduct Conv2D Conv2DTranspose Conv3D Conv3DTranspose Dropout Embedding FC Flatten GRUUnit "
    "GroupNorm InstanceNorm LayerNorm Linear PRelu Pool2D SpectralNorm"
).split()
