# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Normalisation layers."""

import numbers

from ... import _core
from ...framework.call_forms import aliases
from ...framework.checked_numbers import shown
from .. import functional as F
from ..initializer import Constant, Normal
from ._repr import named
from .batch_norm import (  # noqa: F401
    BatchNorm,
    BatchNorm1D,
    BatchNorm2D,
    BatchNorm3D,
    SyncBatchNorm,
    _BatchNormBase,
)
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


def _sizes(shape, owner):
    if isinstance(shape, numbers.Integral):
        return [int(shape)]
    if not isinstance(shape, (list, tuple)) or not all(hasattr(n, "__index__") for n in shape):
        raise _core.ArgumentTypeError(f"{owner}: normalized_shape {shown(shape)}; it must be an int or a list of ints.")
    return list(shape)


class LayerNorm(Layer):
    """Normalises over the last axes (Ba et al. 2016): (x - mean) / sqrt(variance + epsilon), scaled and shifted.

    Args:
        normalized_shape: Sizes of these axes, an int or a list.
        epsilon: Added to the variance.
        weight_attr: ParamAttr of the scale of shape normalized_shape; False for none.
        bias_attr: ParamAttr of the shift of the same shape; False for none.

    Shape:
        [..., *normalized_shape] to the same shape.

    Example:
        >>> norm = paddle.nn.LayerNorm(2, epsilon=0.0)
        >>> norm(paddle.to_tensor([[1.0, 3.0], [5.0, 5.5]])).tolist()
        [[-1.0, 1.0], [-1.0, 1.0]]
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
        self._normalized_shape = _sizes(normalized_shape, type(self).__name__)
        self._epsilon = epsilon
        size = 1
        for n in self._normalized_shape:
            size *= n
        weight_attr = weight_attr if elementwise_affine else False
        bias_attr = bias_attr if elementwise_affine and bias else False
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        ones = Constant(1.0)
        self.weight = self.create_parameter([size], weight_attr, dtype, default_initializer=ones, device=device)
        self.bias = self.create_parameter([size], bias_attr, dtype, is_bias=True, device=device)

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
        self._normalized_shape = _sizes(normalized_shape, type(self).__name__)
        self._epsilon = epsilon
        self.weight = self.create_parameter(
            self._normalized_shape,
            weight_attr if elementwise_affine else False,
            dtype,
            default_initializer=Constant(1.0),
            device=device,
        )

    def forward(self, input):
        return F.rms_norm(input, self._normalized_shape, self.weight, self._epsilon)

    def extra_repr(self):
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


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

    Example:
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
        ones, shape = Constant(1.0), [num_channels]
        self.weight = self.create_parameter(shape, self._weight_attr, dtype, default_initializer=ones, device=device)
        self.bias = self.create_parameter(shape, self._bias_attr, dtype, is_bias=True, device=device)

    def forward(self, input):
        return F.group_norm(input, self._num_groups, self._epsilon, self.weight, self.bias, self._data_format)

    def extra_repr(self):
        return f"num_groups={self._num_groups}, num_channels={self._num_channels}, epsilon={self._epsilon}"


class _InstanceNormBase(Layer):
    """What the three instance norms share; `_ranks` are the ranks that they take."""

    def __init__(self, num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name):
        super().__init__()
        self._num_features, self._epsilon, self._data_format = num_features, epsilon, data_format
        self._momentum, self._weight_attr, self._bias_attr = momentum, weight_attr, bias_attr
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


class InstanceNorm2D(_InstanceNormBase):
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


class InstanceNorm1D(_InstanceNormBase):
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


class InstanceNorm3D(_InstanceNormBase):
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
            raise ValueError(f"SpectralNorm: weight_shape has value {shape}; it must have sizes greater than 0.")
        if not 0 <= dim < len(shape):
            raise ValueError(f"SpectralNorm: dim has value {dim}; weight_shape has {len(shape)} axes.")
        self._weight_shape, self._dim, self._power_iters, self._eps = list(weight_shape), dim, power_iters, eps
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
