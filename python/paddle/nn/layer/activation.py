# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Activation layers, each over the function of the same meaning."""

from ... import _paths
from ...framework.call_forms import aliases
from .. import functional as F
from ..initializer import Constant
from ._repr import named
from .computed import computed
from .layers import Layer

__all__ = [
    "ReLU",
    "ReLU6",
    "Sigmoid",
    "Tanh",
    "LogSigmoid",
    "Hardswish",
    "Hardsigmoid",
    "Mish",
    "Swish",
    "Softsign",
    "Tanhshrink",
    "LeakyReLU",
    "ELU",
    "CELU",
    "GLU",
    "SELU",
    "Softplus",
    "Hardtanh",
    "Hardshrink",
    "Softshrink",
    "ThresholdedReLU",
    "PReLU",
    "Softmax",
    "LogSoftmax",
    "GELU",
    "Silu",
    "SiLU",
]


class _Activation(Layer):
    """Calls the function `_function` with arguments that are attributes of the layer, named as they are behind `_`."""

    _function = None

    def __init__(self, name=None, **arguments):
        super().__init__()
        self._names, self.name = tuple(arguments), name
        for key, value in arguments.items():
            setattr(self, "_" + key, value)

    def _arguments(self):
        return {key: getattr(self, "_" + key) for key in self._names}

    def forward(self, x):
        return getattr(F, self._function)(x, **self._arguments())

    def extra_repr(self):
        return named(", ".join(f"{k}={v}" for k, v in self._arguments().items()), self.name)


class ReLU(_Activation):
    """max(x, 0), elementwise.

    Example:
        >>> paddle.nn.ReLU()(paddle.to_tensor([-1.0, 2.0])).tolist()
        [0.0, 2.0]
    """

    _function = "relu"

    def __init__(self, name=None):
        super().__init__(name)


class ReLU6(_Activation):
    """min(max(x, 0), 6), elementwise.

    Example:
        >>> paddle.nn.ReLU6()(paddle.to_tensor([-1.0, 7.0])).tolist()
        [0.0, 6.0]
    """

    _function = "relu6"

    def __init__(self, name=None):
        super().__init__(name)


class Sigmoid(_Activation):
    """1 / (1 + exp(-x)), elementwise.

    Example:
        >>> paddle.nn.Sigmoid()(paddle.to_tensor([0.0])).tolist()
        [0.5]
    """

    _function = "sigmoid"

    def __init__(self, name=None):
        super().__init__(name)


class Tanh(_Activation):
    """The hyperbolic tangent, elementwise.

    Example:
        >>> paddle.nn.Tanh()(paddle.to_tensor([0.0])).tolist()
        [0.0]
    """

    _function = "tanh"

    def __init__(self, name=None):
        super().__init__(name)


class LogSigmoid(_Activation):
    """The logarithm of sigmoid(x)."""

    _function = "log_sigmoid"

    def __init__(self, name=None):
        super().__init__(name)


class Hardswish(_Activation):
    """x times hardsigmoid(x): x * min(max(x + 3, 0), 6) / 6 (Howard et al. 2019).

    Example:
        >>> paddle.nn.Hardswish()(paddle.to_tensor([-1.5, 0.0, 3.0])).tolist()
        [-0.375, 0.0, 3.0]
    """

    _function = "hardswish"

    def __init__(self, name=None):
        super().__init__(name)


class Hardsigmoid(_Activation):
    """x / 6 + 1 / 2, cut off at 0 and 1."""

    _function = "hardsigmoid"

    def __init__(self, name=None):
        super().__init__(name)


class Mish(_Activation):
    """x * tanh(softplus(x))."""

    _function = "mish"

    def __init__(self, name=None):
        super().__init__(name)


class Swish(_Activation):
    """x * sigmoid(x), elementwise (Ramachandran et al. 2017).

    Example:
        >>> paddle.nn.Swish()(paddle.to_tensor([0.0])).tolist()
        [0.0]
    """

    _function = "swish"

    def __init__(self, name=None):
        super().__init__(name)


class Softsign(_Activation):
    """x / (1 + |x|)."""

    _function = "softsign"

    def __init__(self, name=None):
        super().__init__(name)


class Tanhshrink(_Activation):
    """x - tanh(x)."""

    _function = "tanhshrink"

    def __init__(self, name=None):
        super().__init__(name)


class LeakyReLU(_Activation):
    """x where positive, else negative_slope * x.

    Args:
        negative_slope: Slope below 0.
        name: Unused.

    Example:
        >>> paddle.nn.LeakyReLU(0.5)(paddle.to_tensor([-2.0, 3.0])).tolist()
        [-1.0, 3.0]
    """

    _function = "leaky_relu"

    def __init__(self, negative_slope=0.01, name=None):
        super().__init__(name, negative_slope=negative_slope)


class ELU(_Activation):
    """x where positive, else alpha * (exp(x) - 1) (Clevert et al. 2016).

    Args:
        alpha: Minus the limit below 0.
        name: Unused.

    Example:
        >>> [round(v, 4) for v in paddle.nn.ELU()(paddle.to_tensor([-1.0, 2.0])).tolist()]
        [-0.6321, 2.0]
    """

    _function = "elu"

    def __init__(self, alpha=1.0, name=None):
        super().__init__(name, alpha=alpha)


class CELU(_Activation):
    """x where positive, else alpha * (exp(x / alpha) - 1)."""

    _function = "celu"

    def __init__(self, alpha=1.0, name=None):
        super().__init__(name, alpha=alpha)


class GLU(_Activation):
    """One half along an axis times the sigmoid of the other."""

    _function = "glu"

    @aliases(dim="axis")
    def __init__(self, axis=-1, name=None):
        super().__init__(name, axis=axis)

    dim = computed(lambda self: self._axis, doc="The axis.")

    @aliases(input="x")
    def forward(self, x):
        return super().forward(x)


class SELU(_Activation):
    """scale * x where positive, else scale * alpha * (exp(x) - 1) (Klambauer et al. 2017).

    Args:
        scale: Factor above 1.
        alpha: Minus the limit of the unscaled function below 0.
        name: Unused.

    Example:
        >>> round(float(paddle.nn.SELU()(paddle.to_tensor(1.0))), 4)
        1.0507
    """

    _function = "selu"

    def __init__(self, scale=1.0507009873554805, alpha=1.6732632423543772, name=None):
        super().__init__(name, scale=scale, alpha=alpha)


class Softplus(_Activation):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x exceeds `threshold`.

    Args:
        beta: Sharpness.
        threshold: Where the function is taken as linear.
        name: Unused.

    Example:
        >>> [round(v, 4) for v in paddle.nn.Softplus()(paddle.to_tensor([0.0, 30.0])).tolist()]
        [0.6931, 30.0]
    """

    _function = "softplus"

    def __init__(self, beta=1, threshold=20, name=None):
        super().__init__(name, beta=beta, threshold=threshold)


class Hardtanh(_Activation):
    """x cut off at `min` and `max`, elementwise.

    Args:
        min: The least value.
        max: The greatest value.
        name: Unused.

    Example:
        >>> paddle.nn.Hardtanh()(paddle.to_tensor([-3.0, 0.5, 2.0])).tolist()
        [-1.0, 0.5, 1.0]
    """

    _function = "hardtanh"

    @aliases(min_val="min", max_val="max")
    def __init__(self, min=-1.0, max=1.0, name=None):
        super().__init__(name, min=min, max=max)


class Hardshrink(_Activation):
    """x where |x| exceeds `threshold`, else 0, elementwise.

    Args:
        threshold: Not negative.
        name: Unused.

    Example:
        >>> paddle.nn.Hardshrink()(paddle.to_tensor([-3.0, 0.25, 2.0])).tolist()
        [-3.0, 0.0, 2.0]
    """

    _function = "hardshrink"

    @aliases(lambd="threshold")
    def __init__(self, threshold=0.5, name=None):
        super().__init__(name, threshold=threshold)

    lambd = computed(lambda self: self._threshold, doc="The threshold.")

    @aliases(input="x")
    def forward(self, x):
        return super().forward(x)


class Softshrink(_Activation):
    """x moved towards 0 by `threshold`."""

    _function = "softshrink"

    @aliases(lambd="threshold")
    def __init__(self, threshold=0.5, name=None):
        super().__init__(name, threshold=threshold)

    lambd = computed(lambda self: self._threshold, doc="The threshold.")

    @aliases(input="x")
    def forward(self, x):
        return super().forward(x)


class ThresholdedReLU(_Activation):
    """x where it exceeds `threshold`, else `value`.

    Args:
        threshold: The limit.
        value: What stands below it.
        name: Unused.

    Example:
        >>> paddle.nn.ThresholdedReLU()(paddle.to_tensor([0.5, 2.0])).tolist()
        [0.0, 2.0]
    """

    _function = "thresholded_relu"

    def __init__(self, threshold=1.0, value=0.0, name=None):
        super().__init__(name, threshold=threshold, value=value)


class GELU(Layer):
    """x * Phi(x), Phi the normal distribution (Hendrycks and Gimpel 2016).

    Args:
        approximate: Whether Phi is approximated by tanh.
        name: Unused.

    Example:
        >>> [round(v, 4) for v in paddle.nn.GELU()(paddle.to_tensor([-1.0, 1.0])).tolist()]
        [-0.1587, 0.8413]
    """

    def __init__(self, approximate=False, name=None):
        super().__init__()
        self._approximate, self._name = approximate, name

    def forward(self, x):
        return F.gelu(x, self._approximate)

    def extra_repr(self):
        return named(f"approximate={self._approximate}", self._name)


class Silu(Layer):
    """x * sigmoid(x).

    Args:
        inplace: Whether the result is written into x.
        name: Unused.

    Example:
        >>> paddle.nn.Silu()(paddle.to_tensor([0.0, 100.0])).tolist()
        [0.0, 100.0]
    """

    def __init__(self, inplace=False, name=None):
        super().__init__()
        self._inplace, self._name = inplace, name

    def forward(self, x):
        return F.silu(x, self._inplace)

    def extra_repr(self):
        return named(f"inplace={self._inplace}", self._name)


SiLU = Silu


class Softmax(Layer):
    """exp(x) over its sum along an axis.

    Args:
        axis: The axis.
        name: Unused.

    Example:
        >>> paddle.nn.Softmax()(paddle.zeros([1, 4])).tolist()
        [[0.25, 0.25, 0.25, 0.25]]
    """

    @aliases(dim="axis")
    def __init__(self, axis=-1, name=None):
        super().__init__()
        self._axis, self._dtype_out, self._name = axis, None, name

    def forward(self, x):
        return F.softmax(x, self._axis)

    def extra_repr(self):
        return named(f"axis={self._axis}", self._name)


class LogSoftmax(Layer):
    """The logarithm of softmax along an axis.

    Args:
        axis: The axis.
        name: Unused.

    Example:
        >>> paddle.nn.LogSoftmax()(paddle.zeros([1, 1])).tolist()
        [[0.0]]
    """

    @aliases(dim="axis")
    def __init__(self, axis=-1, name=None):
        super().__init__()
        self._axis, self._name = axis, name

    def forward(self, x):
        return F.log_softmax(x, self._axis)

    def extra_repr(self):
        return named(f"axis={self._axis}", self._name)


class PReLU(Layer):
    """x where positive, else x times a learnt slope (He et al. 2015).

    Args:
        num_parameters: 1, or one slope per channel.
        init: First value of the slopes.
        weight_attr: ParamAttr of the slopes.
        data_format: Where the channels stand, as in 'NCHW'.

    Example:
        >>> paddle.nn.PReLU()(paddle.to_tensor([-4.0, 2.0])).tolist()
        [-1.0, 2.0]
    """

    def __init__(self, num_parameters=1, init=0.25, weight_attr=None, data_format="NCHW", name=None):
        super().__init__()
        self._num_parameters, self._data_format = num_parameters, data_format
        self._init, self._name = init, name
        self._weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))

    def forward(self, x):
        return F.prelu(x, self._weight, self._data_format)

    def extra_repr(self):
        text = f"num_parameters={self._num_parameters}, data_format={self._data_format}, init={self._init}"
        return named(f"{text}, dtype={self._dtype}", self._name)


__getattr__ = _paths.names_of("paddle.nn")
