# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Normalisation layers."""

import numbers

from ... import _core
from ...framework.call_forms import aliases
from ...framework.dtypes import convert
from .. import functional as F
from ..initializer import Constant, Normal
from ._repr import named
from .layers import Layer

__all__ = [
    "LayerNorm",
    "RMSNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "BatchNorm",
    "GroupNorm",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "SyncBatchNorm",
    "LocalResponseNorm",
    "SpectralNorm",
]


def _sizes(shape):
    return [int(shape)] if isinstance(shape, numbers.Integral) else list(shape)


class LayerNorm(Layer):
    """Normalises over the last axes.

    Args:
        normalized_shape: Sizes of these axes.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale; False for none.
        bias_attr: ParamAttr of the shift; False for none.
    """

    @aliases(eps="epsilon")
    def __init__(
        self,
        normalized_shape,
        epsilon=1e-05,
        *,
        elementwise_affine=True,
        bias=True,
        device=None,
        dtype=None,
        weight_attr=None,
        bias_attr=None,
        name=None,
    ):
        super().__init__()
        self._normalized_shape = _sizes(normalized_shape)
        self._epsilon = epsilon
        size = 1
        for n in self._normalized_shape:
            size *= n
        weight_attr = weight_attr if elementwise_affine else False
        bias_attr = bias_attr if elementwise_affine and bias else False
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter([size], weight_attr, dtype, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([size], bias_attr, dtype, is_bias=True)

    def forward(self, input):
        return F.layer_norm(input, self._normalized_shape, self.weight, self.bias, self._epsilon)

    def extra_repr(self):
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class RMSNorm(Layer):
    """Divides by the root of the mean square over the last axes (Zhang and Sennrich 2019).

    Args:
        normalized_shape: Extents of these axes; an int for one.
        epsilon: Added to the mean square; None: the least step of the dtype.
        elementwise_affine: Whether the result is scaled by a parameter of that shape.
        device: Device of the parameter.
        dtype: dtype of the parameter.
        weight_attr: ParamAttr of the parameter.
        name: Unused.

    Example:
        >>> y = paddle.nn.RMSNorm(2, epsilon=0.0)(paddle.to_tensor([[3.0, 3.0]]))
        >>> y.tolist()
        [[1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape,
        epsilon=None,
        *,
        elementwise_affine=True,
        device=None,
        dtype=None,
        weight_attr=None,
        name=None,
    ):
        super().__init__()
        self._normalized_shape = _sizes(normalized_shape)
        self._epsilon = epsilon
        self.weight = self.create_parameter(
            self._normalized_shape,
            weight_attr if elementwise_affine else False,
            dtype,
            default_initializer=Constant(1.0),
        )

    def forward(self, input):
        return F.rms_norm(input, self._normalized_shape, self.weight, self._epsilon)

    def extra_repr(self):
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


_LAYOUTS = {
    (2, 3): {"NC": "NCHW", "NCL": "NCHW", "NLC": "NHWC"},
    (5,): {"NCDHW": "NCHW", "NDHWC": "NHWC"},
}


class _BatchNormBase(Layer):
    _ranks = ()

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        use_global_stats=None,
        name=None,
    ):
        super().__init__()
        self._num_features, self._momentum, self._epsilon = num_features, momentum, epsilon
        self._data_format, self._use_global_stats = data_format, use_global_stats
        self._name = name
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)
        dtype = convert("float32" if self._dtype == "float16" else self._dtype)
        # As in PaddlePaddle the running statistics are parameters that do not train.
        for name, value in (("_mean", 0.0), ("_variance", 1.0)):
            # The attribute's initializer stands whatever set_global_initializer says.
            statistic = self.create_parameter([num_features], Constant(value), dtype)
            statistic.stop_gradient = True
            setattr(self, name, statistic)

    def _check_input_dim(self, input):
        """ValueError where the input has another rank than the layer takes; for subclasses too."""
        if self._ranks and input.ndim not in self._ranks:
            raise ValueError(
                f"{type(self).__name__}: input has {input.ndim} dimensions; it must have "
                f"{' or '.join(map(str, self._ranks))}."
            )

    def _check_data_format(self, input_format=None):
        """Take a layout that the layer knows, as NCHW or NHWC of any rank; for subclasses."""
        given = self._data_format if input_format is None else input_format
        names = {"NCHW": "NCHW", "NHWC": "NHWC"}
        for ranks, layouts in _LAYOUTS.items():
            names |= layouts if not self._ranks or ranks == self._ranks else {}
        if given not in names:
            raise ValueError(
                f"{type(self).__name__}: data_format has value {given!r}; it must be one of {sorted(names)}."
            )
        self._data_format = names[given]

    def forward(self, input):
        self._check_input_dim(input)
        return F.batch_norm(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self.training,
            self._momentum,
            self._epsilon,
            self._data_format,
            self._use_global_stats,
        )

    def extra_repr(self):
        extra = "" if self._data_format == "NCHW" else f", data_format={self._data_format}"
        if self._name is not None:
            extra += f", name={self._name}"
        return f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}{extra}"


class BatchNorm1D(_BatchNormBase):
    """Batch normalisation of vectors [N, C] or sequences [N, C, L] (Ioffe and Szegedy 2015).

    Args:
        num_features: Number of channels C.
        momentum: Weight of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale [C]; False for none.
        bias_attr: ParamAttr of the shift [C]; False for none.
        data_format: "NCL", "NLC" or "NC".
        use_global_stats: Use the running statistics while training too.
        name: Unused.

    Example:
        >>> y = paddle.nn.BatchNorm1D(1)(paddle.to_tensor([[1.0], [3.0]]))
        >>> [round(v, 3) for v in y.flatten().tolist()]
        [-1.0, 1.0]
    """

    _ranks = (2, 3)

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NCL",
        use_global_stats=None,
        name=None,
    ):
        super().__init__(
            num_features,
            momentum,
            epsilon,
            weight_attr,
            bias_attr,
            data_format,
            use_global_stats,
            name,
        )


class BatchNorm2D(_BatchNormBase):
    """Batch normalisation of images.

    Args:
        num_features: Number of channels.
        momentum: Weight of the old running statistics.
        epsilon: Added to the variance.
        use_global_stats: Use the running statistics while training too.
    """

    _ranks = (4,)


class BatchNorm3D(_BatchNormBase):
    """Batch normalisation of volumes [N, C, D, H, W] (Ioffe and Szegedy 2015).

    Args:
        num_features: Number of channels C.
        momentum: Weight of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale [C]; False for none.
        bias_attr: ParamAttr of the shift [C]; False for none.
        data_format: "NCDHW" or "NDHWC".
        use_global_stats: Use the running statistics while training too.
        name: Unused.

    Example:
        >>> paddle.nn.BatchNorm3D(2)(paddle.ones([1, 2, 3, 3, 3])).shape
        paddle.Size([1, 2, 3, 3, 3])
    """

    _ranks = (5,)

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NCDHW",
        use_global_stats=None,
        name=None,
    ):
        super().__init__(
            num_features,
            momentum,
            epsilon,
            weight_attr,
            bias_attr,
            data_format,
            use_global_stats,
            name,
        )


class BatchNorm(_BatchNormBase):
    """Batch normalisation of any rank with an activation behind it.

    Args:
        num_channels: Channels of the input.
        act: Name of the activation; None: none.
        is_test: Whether it starts in evaluation mode.
        momentum: Weight of the kept statistics in their update.
        epsilon: Added to the variance.
        param_attr: ParamAttr of the scale.
        bias_attr: ParamAttr of the shift.
        dtype: Unused: the parameters have the default dtype.
        data_layout: 'NCHW' or 'NHWC': where the channels stand.
        in_place: Unused.
        moving_mean_name: Name of the kept mean.
        moving_variance_name: Name of the kept variance.
        do_model_average_for_mean_and_var: Unused.
        use_global_stats: Whether the kept statistics are used in training too.
        trainable_statistics: Whether the statistics of the batch are used in evaluation too.

    Shape:
        [N, C, ...] to the same shape.
    """

    def __init__(
        self,
        num_channels,
        act=None,
        is_test=False,
        momentum=0.9,
        epsilon=1e-05,
        param_attr=None,
        bias_attr=None,
        dtype="float32",
        data_layout="NCHW",
        in_place=False,
        moving_mean_name=None,
        moving_variance_name=None,
        do_model_average_for_mean_and_var=True,
        use_global_stats=False,
        trainable_statistics=False,
    ):
        # None follows the mode of the layer; False takes the statistics of the batch in both modes
        statistics = True if use_global_stats else (False if trainable_statistics else None)
        super().__init__(num_channels, momentum, epsilon, param_attr, bias_attr, data_layout, statistics)
        self._act = act
        if moving_mean_name:
            self._mean.name = moving_mean_name
        if moving_variance_name:
            self._variance.name = moving_variance_name
        if is_test:
            self.eval()

    def forward(self, input):
        out = super().forward(input)
        return out if self._act is None else getattr(F, self._act)(out)

    def extra_repr(self):
        return ""


class SyncBatchNorm(_BatchNormBase):
    """Batch normalisation with the statistics of all processes; in one process as BatchNorm2D.

    Args:
        num_features: Number of channels.
        momentum: Weight of the old running statistics.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale; False for none.
        bias_attr: ParamAttr of the shift; False for none.
        data_format: "NCHW" or "NHWC", and their relatives of other ranks.
        name: Unused.

    Example:
        >>> paddle.nn.SyncBatchNorm(2)(paddle.ones([1, 2, 3, 3])).shape
        paddle.Size([1, 2, 3, 3])
    """

    def __init__(
        self,
        num_features,
        momentum=0.9,
        epsilon=1e-05,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        name=None,
    ):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name)

    def forward(self, x):
        return super().forward(x)

    @classmethod
    def convert_sync_batchnorm(cls, layer):
        """The layer, with its batch normalisations made into SyncBatchNorm."""
        for part in layer.sublayers(include_self=True):
            if isinstance(part, _BatchNormBase) and not isinstance(part, cls):
                part.__class__ = cls
        return layer


class GroupNorm(Layer):
    """Zero mean and unit variance of each group of channels of each sample, then scale and shift (Wu and He, 2018).

    Args:
        num_groups: Number of groups; it divides num_channels.
        num_channels: Number of channels.
        epsilon: Added to the variance.
        affine: Whether there are scale and shift.
        device: Device of the parameters.
        dtype: dtype of the parameters.
        weight_attr, bias_attr: ParamAttr of scale and shift; False for none.
        data_format: "NCHW", or "NHWC" and the like with channels last.
        name: Unused.

    Examples:
        >>> paddle.nn.GroupNorm(2, 4)(paddle.ones([1, 4, 3, 3])).shape
        paddle.Size([1, 4, 3, 3])
    """

    @aliases(eps="epsilon")
    def __init__(
        self,
        num_groups,
        num_channels,
        epsilon=1e-05,
        *,
        affine=True,
        device=None,
        dtype=None,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        name=None,
    ):
        super().__init__()
        self._num_groups, self._num_channels, self._epsilon = num_groups, num_channels, epsilon
        self._data_format = data_format
        self._weight_attr, self._bias_attr = (weight_attr, bias_attr) if affine else (False, False)
        self.weight = self.create_parameter([num_channels], self._weight_attr, dtype, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_channels], self._bias_attr, dtype, is_bias=True)

    def forward(self, input):
        return F.group_norm(input, self._num_groups, self._epsilon, self.weight, self.bias, self._data_format)

    def extra_repr(self):
        return f"num_groups={self._num_groups}, num_channels={self._num_channels}, epsilon={self._epsilon}"


class _InstanceNorm(Layer):
    """What the three instance norms share; `_ranks` are the ranks that they take."""

    def __init__(self, num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name):
        super().__init__()
        self._num_features, self._epsilon, self._data_format = num_features, epsilon, data_format
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.scale = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)

    def _check_input_dim(self, input):
        """ValueError where the input has another rank than the layer takes; for subclasses too."""
        if input.ndim not in self._ranks:
            allowed = " or ".join(str(rank) for rank in self._ranks)
            raise ValueError(f"{type(self).__name__}: input has {input.ndim} dimensions; it must have {allowed}.")

    def forward(self, input):
        self._check_input_dim(input)
        return F.instance_norm(
            input,
            weight=self.scale,
            bias=self.bias,
            eps=self._epsilon,
            data_format=self._data_format,
        )

    def extra_repr(self):
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm2D(_InstanceNorm):
    """Normalises every channel of every image [N, C, H, W] (Ulyanov et al. 2016).

    Args:
        num_features: Number of channels C.
        epsilon: Added to the variance.
        momentum: Without effect: there are no running statistics.
        weight_attr: ParamAttr of the scale [C]; False for none.
        bias_attr: ParamAttr of the shift [C]; False for none.
        data_format: "NCHW" or "NHWC".
        name: Unused.

    Example:
        >>> y = paddle.nn.InstanceNorm2D(1)(paddle.to_tensor([[[[1.0, 3.0]]]]))
        >>> [round(v, 3) for v in y.flatten().tolist()]
        [-1.0, 1.0]
    """

    _ranks = (4,)

    def __init__(
        self,
        num_features,
        epsilon=1e-05,
        momentum=0.9,
        weight_attr=None,
        bias_attr=None,
        data_format="NCHW",
        name=None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class InstanceNorm1D(_InstanceNorm):
    """Normalises every channel of every sequence [N, C, L], or every row of [N, C].

    Args:
        num_features: Number of channels C.
        epsilon: Added to the variance.
        momentum: Without effect: there are no running statistics.
        weight_attr: ParamAttr of the scale [C]; False for none.
        bias_attr: ParamAttr of the shift [C]; False for none.
        data_format: "NCL" or "NLC".
        name: Unused.

    Example:
        >>> y = paddle.nn.InstanceNorm1D(1)(paddle.to_tensor([[[1.0, 3.0]]]))
        >>> [round(v, 3) for v in y.flatten().tolist()]
        [-1.0, 1.0]
    """

    _ranks = (2, 3)

    def __init__(
        self,
        num_features,
        epsilon=1e-05,
        momentum=0.9,
        weight_attr=None,
        bias_attr=None,
        data_format="NCL",
        name=None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class InstanceNorm3D(_InstanceNorm):
    """Normalises every channel of every volume [N, C, D, H, W].

    Args:
        num_features: Number of channels C.
        epsilon: Added to the variance.
        momentum: Without effect: there are no running statistics.
        weight_attr: ParamAttr of the scale [C]; False for none.
        bias_attr: ParamAttr of the shift [C]; False for none.
        data_format: "NCDHW" or "NDHWC".
        name: Unused.

    Example:
        >>> y = paddle.nn.InstanceNorm3D(1)(paddle.to_tensor([1.0, 3.0]).reshape([1, 1, 1, 1, 2]))
        >>> [round(v, 3) for v in y.flatten().tolist()]
        [-1.0, 1.0]
    """

    _ranks = (5,)

    def __init__(
        self,
        num_features,
        epsilon=1e-05,
        momentum=0.9,
        weight_attr=None,
        bias_attr=None,
        data_format="NCDHW",
        name=None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class LocalResponseNorm(Layer):
    """x / (k + alpha * mean of the squares of `size` neighbouring channels)^beta (Krizhevsky et al. 2012).

    Args:
        size: Number of neighbouring channels.
        alpha: Factor of the mean square.
        beta: The power.
        k: What is added to it.
        data_format: "NCL", "NCHW", "NCDHW" or with the channels last.
        name: Unused.

    Example:
        >>> paddle.nn.LocalResponseNorm(1, alpha=1.0, beta=1.0)(paddle.ones([1, 1, 1, 1])).tolist()
        [[[[0.5]]]]
    """

    def __init__(self, size, alpha=0.0001, beta=0.75, k=1.0, data_format="NCHW", name=None):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k
        self.data_format, self.name = data_format, name

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k, self.data_format)

    def extra_repr(self):
        extra = f", data_format={self.data_format}" if self.data_format != "NCHW" else ""
        return named(f"size={self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}{extra}", self.name)


class SpectralNorm(Layer):
    """A weight divided by its largest singular value, by power iteration (Miyato et al. 2018).

    Args:
        weight_shape: Shape of the weight.
        dim: Axis of the outputs.
        power_iters: Steps of the iteration per call.
        eps: Smallest norm that the iteration divides by.
    """

    def __init__(self, weight_shape, dim=0, power_iters=1, eps=1e-12, dtype="float32"):
        super().__init__()
        shape = list(weight_shape)
        if not shape or any(n <= 0 for n in shape):
            raise ValueError(f"SpectralNorm: weight_shape is {shape}; it must have sizes greater than 0.")
        if not 0 <= dim < len(shape):
            raise ValueError(f"SpectralNorm: dim has value {dim}; weight_shape has {len(shape)} axes.")
        self._dim, self._power_iters, self._eps = dim, power_iters, eps
        rest = 1
        for i, n in enumerate(shape):
            rest *= 1 if i == dim else n
        for name, size in (("weight_u", shape[dim]), ("weight_v", rest)):
            parameter = self.create_parameter([size], dtype=dtype, default_initializer=Normal(0.0, 1.0))
            parameter.stop_gradient = True
            setattr(self, name, parameter)

    def forward(self, x):
        return divided_by_sigma(x, self.weight_u, self.weight_v, self._dim, self._power_iters, self._eps)


def divided_by_sigma(weight, u, v, dim, power_iters, eps):
    """The iteration starts from u and v on every call and leaves them as they are."""
    ops = _core.ops
    order = [dim, *(i for i in range(weight.ndim) if i != dim)]
    matrix = ops.reshape(ops.transpose(weight, order), [weight.shape[dim], -1])
    fixed = matrix.detach()
    for _ in range(power_iters):
        v = ops.matmul(fixed, u, True, False)
        v = v / (ops.sqrt(ops.sum(v * v)) + eps)
        u = ops.matmul(fixed, v)
        u = u / (ops.sqrt(ops.sum(u * u)) + eps)
    return weight / ops.sum(u * ops.matmul(matrix, v))
