# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Initializers: how the first values of parameters are drawn."""

import math

from ... import _core, _lazy, _paths
from ...framework.checked_numbers import check_real
from ...framework.memory import write
from ...framework.modes import recording_program

__all__ = [
    "Assign",
    "Bilinear",
    "Constant",
    "Dirac",
    "KaimingNormal",
    "KaimingUniform",
    "Normal",
    "Orthogonal",
    "TruncatedNormal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
    "calculate_gain",
    "set_global_initializer",
]
_FROM = {name: ("paddle.nn.initializer.filters", name) for name in ("Bilinear", "Dirac")}
__getattr__ = _lazy.attribute_hook(__name__, ("constant", "filters", "lazy_init"), _FROM)
__dir__ = _lazy.listing(__name__)


ops = _core.ops
_global_weight = None
_global_bias = None


class Initializer:
    """Base: a call writes the values into a parameter; with a block of a static program, its program does."""

    def __call__(self, param, block=None):
        return self.forward(param, block)

    def forward(self, var, block=None):
        return self._put(var, block)

    def _put(self, var, block):
        if block is None or recording_program() is None:
            return write(var, self._values(list(var.shape), var.dtype))
        from ...static.state import fill

        return fill(var, lambda: self._values(list(var.shape), var.dtype), block)

    def _check_block(self, block):
        """The block; the one of the main program for None."""
        if block is not None:
            return block
        from ...static.program import default_main_program

        return default_main_program().global_block()

    def _compute_fans(self, var):
        """Numbers of inputs and outputs of a weight."""
        return self._fans(list(var.shape))

    def _fans(self, shape):
        """Numbers of inputs and outputs of a weight."""
        if len(shape) < 2:
            size = 1 if not shape else shape[0]
            return size, size
        if len(shape) == 2:
            return shape[0], shape[1]
        field = math.prod(shape[2:])
        return shape[1] * field, shape[0] * field


class ParameterInitializer(Initializer):
    """Base of initializers whose arguments are called `var` in a call and `param` in `forward`."""

    def __call__(self, var, block=None):
        return self.forward(var, block)

    def forward(self, param, block=None):
        return self._put(param, block)


def _seed(own):
    """The seed of an operator that draws: the initializer's own, else that of the static program it is recorded in."""
    program = recording_program()
    return own or (0 if program is None else program.random_seed)


def _drawn(draw, dtype):
    """Values drawn in float32 where the dtype is narrower."""
    if dtype.name in ("float16", "bfloat16"):
        return ops.cast(draw(_core.float32), dtype)
    return draw(dtype)


class ConstantInitializer(Initializer):
    """One value."""

    def __init__(self, value=0.0, force_cpu=False):
        self._value = value

    def _values(self, shape, dtype):
        return ops.full(shape, self._value, dtype)


class Constant(ConstantInitializer):
    """One value for all elements.

    Args:
        value: The value.

    Example:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(2.0))
        >>> paddle.nn.Linear(1, 1, weight_attr=attr).weight.tolist()
        [[2.0]]
    """

    def __init__(self, value=0.0):
        super().__init__(value)


class NormalInitializer(Initializer):
    """The normal distribution, with a seed of its own (0: the generator's).

    Complex numbers have independent parts, each with half of the variance.
    """

    def __init__(self, loc=0.0, scale=1.0, seed=0):
        self._mean, self._std, self._seed = loc, scale, seed

    def _values(self, shape, dtype):
        if isinstance(self._mean, complex):
            real = _core.float64 if dtype == _core.complex128 else _core.float32
            deviation = self._std / math.sqrt(2.0)
            parts = (
                ops.gaussian(shape, m, deviation, _seed(self._seed), real) for m in (self._mean.real, self._mean.imag)
            )
            return ops.complex(*parts)
        return _drawn(lambda d: ops.gaussian(shape, self._mean, self._std, _seed(self._seed), d), dtype)


class Normal(NormalInitializer):
    """Numbers from a normal distribution.

    Args:
        mean: Its mean.
        std: Its standard deviation.
        name: Unused.

    Example:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.Normal(std=0.02))
        >>> paddle.nn.Linear(4, 4, weight_attr=attr).weight.shape
        paddle.Size([4, 4])
    """

    def __init__(self, mean=0.0, std=1.0, name=None):
        super().__init__(mean, std)


class TruncatedNormalInitializer(Initializer):
    """The normal distribution cut at `a` and `b`."""

    def __init__(self, loc=0.0, scale=1.0, seed=0, a=-2.0, b=2.0):
        self._mean, self._std, self._seed, self._a, self._b = loc, scale, seed, a, b

    def _values(self, shape, dtype):
        bounds = (self._mean, self._std, _seed(self._seed), self._a, self._b)
        return _drawn(lambda d: ops.truncated_gaussian_random(shape, *bounds, d), dtype)


class TruncatedNormal(TruncatedNormalInitializer):
    """Numbers from a normal distribution of which values beyond two ends are cut off.

    Args:
        mean: Mean before the cut.
        std: Standard deviation before the cut.
        a: The least value.
        b: The greatest value.
        name: Unused.

    Example:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.TruncatedNormal(std=0.1, a=-0.2, b=0.2))
        >>> bool((paddle.nn.Linear(4, 4, weight_attr=attr).weight.abs() <= 0.2).all())
        True
    """

    def __init__(self, mean=0.0, std=1.0, a=-2.0, b=2.0, name=None):
        super().__init__(mean, std, 0, a, b)


class UniformInitializer(Initializer):
    """The uniform distribution on [low, high), with a seed of its own (0: the generator's).

    diag_num, diag_step and diag_val are accepted and change nothing, as in PaddlePaddle 3.
    """

    def __init__(self, low=-1.0, high=1.0, seed=0, diag_num=0, diag_step=0, diag_val=1.0):
        check_real("Uniform", low=low, high=high)
        if low > high:
            raise _core.ArgumentValueError(f"Uniform: low has value {low} and high {high}; low must not exceed.")
        self._low, self._high, self._seed = float(low), float(high), seed

    def _values(self, shape, dtype):
        return _drawn(lambda d: ops.uniform(shape, d, self._low, self._high, _seed(self._seed)), dtype)


class Uniform(UniformInitializer):
    """Numbers from the uniform distribution on [low, high).

    Args:
        low: Lower end.
        high: Upper end.
        name: Unused.

    Example:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.Uniform(0.0, 1.0))
        >>> bool((paddle.nn.Linear(4, 4, weight_attr=attr).weight >= 0).all())
        True
    """

    def __init__(self, low=-1.0, high=1.0, name=None):
        super().__init__(low, high)


class _Scaled(Initializer):
    """Zero mean and a deviation that depends on the fans."""

    _uniform, _seed = True, 0

    def _deviation(self, shape):
        raise NotImplementedError

    def _values(self, shape, dtype):
        std = self._deviation(shape)
        if self._uniform:
            bound = math.sqrt(3.0) * std
            return _drawn(lambda d: ops.uniform(shape, d, -bound, bound, _seed(self._seed)), dtype)
        return _drawn(lambda d: ops.gaussian(shape, 0.0, std, _seed(self._seed), d), dtype)


def _inverse_root(fan, shape, what):
    """1 / sqrt(fan); of a weight without elements, whose fan may be 0, nothing is drawn."""
    if fan > 0:
        return 1 / math.sqrt(fan)
    if 0 in shape:
        return 0.0
    raise ValueError(f"initializer: {what} is {fan} for a weight of shape {list(shape)}; it must be positive.")


class XavierInitializer(_Scaled):
    """Glorot and Bengio 2010: deviation gain * sqrt(2 / (fan_in + fan_out))."""

    def __init__(self, uniform=True, fan_in=None, fan_out=None, seed=0, gain=1.0):
        self._uniform, self._seed = uniform, seed
        self._fan_in, self._fan_out, self._gain = fan_in, fan_out, gain

    def _deviation(self, shape):
        fan_in, fan_out = self._fans(shape)
        fan_in = fan_in if self._fan_in is None else self._fan_in
        fan_out = fan_out if self._fan_out is None else self._fan_out
        return self._gain * _inverse_root((fan_in + fan_out) / 2, shape, "the mean of fan_in and fan_out")


class XavierUniform(XavierInitializer):
    """Numbers from a uniform distribution of deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010).

    Args:
        fan_in, fan_out: Inputs and outputs of a unit; those that the shape tells when None.
        gain: A factor.
        name: Unused.

    Example:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.XavierUniform())
        >>> paddle.nn.Linear(4, 4, weight_attr=attr).weight.shape
        paddle.Size([4, 4])
    """

    def __init__(self, fan_in=None, fan_out=None, gain=1.0, name=None):
        super().__init__(True, fan_in, fan_out, 0, gain)


class XavierNormal(XavierInitializer):
    """Numbers from a normal distribution of deviation gain * sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010).

    Args:
        fan_in, fan_out: Inputs and outputs of a unit; those that the shape tells when None.
        gain: A factor.
        name: Unused.

    Example:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.XavierNormal())
        >>> paddle.nn.Linear(4, 4, weight_attr=attr).weight.shape
        paddle.Size([4, 4])
    """

    def __init__(self, fan_in=None, fan_out=None, gain=1.0, name=None):
        super().__init__(False, fan_in, fan_out, 0, gain)


class MSRAInitializer(_Scaled):
    """He et al. 2015: deviation gain / sqrt(fan)."""

    def __init__(self, uniform=True, fan_in=None, seed=0, negative_slope=0.0, nonlinearity="relu", mode="fan_in"):
        self._uniform, self._seed = uniform, seed
        self._fan_in, self._slope = fan_in, negative_slope
        self._nonlinearity, self._mode = nonlinearity, mode

    def _deviation(self, shape):
        fan_in, fan_out = self._fans(shape)
        fan = self._fan_in or (fan_in if self._mode == "fan_in" else fan_out)
        return calculate_gain(self._nonlinearity, self._slope) * _inverse_root(fan, shape, "the fan")


class KaimingUniform(MSRAInitializer):
    """Numbers from a uniform distribution of deviation gain / sqrt(fan) (He et al., 2015).

    Args:
        fan_in: Inputs of a unit; those that the shape tells when None.
        negative_slope: Slope of the leaky ReLU that follows.
        nonlinearity: What follows, as `calculate_gain` takes it.
        mode: "fan_in" or "fan_out": which of them the deviation is made of.

    Example:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.KaimingUniform())
        >>> paddle.nn.Linear(4, 4, weight_attr=attr).weight.shape
        paddle.Size([4, 4])
    """

    def __init__(self, fan_in=None, negative_slope=0.0, nonlinearity="relu", mode="fan_in"):
        super().__init__(True, fan_in, 0, negative_slope, nonlinearity, mode)


class KaimingNormal(MSRAInitializer):
    """Numbers from a normal distribution of deviation gain / sqrt(fan) (He et al., 2015).

    Args:
        fan_in: Inputs of a unit; those that the shape tells when None.
        negative_slope: Slope of the leaky ReLU that follows.
        nonlinearity: What follows, as `calculate_gain` takes it.
        mode: "fan_in" or "fan_out": which of them the deviation is made of.

    Example:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.KaimingNormal())
        >>> paddle.nn.Linear(4, 4, weight_attr=attr).weight.shape
        paddle.Size([4, 4])
    """

    def __init__(self, fan_in=None, negative_slope=0.0, nonlinearity="relu", mode="fan_in"):
        super().__init__(False, fan_in, 0, negative_slope, nonlinearity, mode)


class Assign(Initializer):
    """Given values.

    Args:
        value: A list, array or Tensor, whose shape becomes that of the parameter.
        name: Unused.

    Example:
        >>> attr = paddle.ParamAttr(initializer=paddle.nn.initializer.Assign([[1.0, 2.0]]))
        >>> paddle.nn.Linear(1, 2, weight_attr=attr).weight.tolist()
        [[1.0, 2.0]]
    """

    def __init__(self, value, name=None):
        self._value = value

    def forward(self, var, block=None):
        if block is not None and recording_program() is not None:
            return self._put(var, block)
        values = self._values(None, var.dtype)
        if list(values.shape) == list(var.shape):
            return write(var, values)
        var.data = values
        return var

    def _made_shape(self):
        """The shape of the parameter that it makes, whatever shape was asked for."""
        import numpy

        return list(self._value.shape if isinstance(self._value, _core.Tensor) else numpy.shape(self._value))

    def _values(self, shape, dtype):
        given = isinstance(self._value, _core.Tensor)
        value = self._value if given else _core.to_tensor(self._value)
        if value.dtype != dtype:
            return ops.cast(value, dtype)
        return ops.assign(value) if given else value


NumpyArrayInitializer = Assign


class Orthogonal(ParameterInitializer):
    """A (semi-)orthogonal matrix, from the QR factors of a normal one (Saxe et al. 2014).

    Args:
        gain: Factor of the matrix.
        name: Unused.

    Example:
        >>> weight = paddle.create_parameter([3, 2], "float32", default_initializer=paddle.nn.initializer.Orthogonal())
        >>> bool(paddle.allclose(weight.T @ weight, paddle.eye(2), atol=1e-5))
        True
    """

    def __init__(self, gain=1.0, name=None):
        self._gain = gain

    def _values(self, shape, dtype):
        if len(shape) < 2:
            raise AssertionError(f"Orthogonal: the parameter has shape {shape}; it needs 2 axes.")
        rows, columns = shape[0], math.prod(shape[1:])
        from ... import linalg

        wide = ops.gaussian([max(rows, columns), min(rows, columns)], 0.0, 1.0, _seed(0), _core.float64)
        q, r = linalg.qr(wide)
        q = q * ops.sign(ops.diagonal(r, 0, 0, 1))
        q = ops.transpose(q, [1, 0]) if rows < columns else q
        return ops.cast(ops.scale(ops.reshape(q, shape), self._gain), dtype)


def calculate_gain(nonlinearity, param=None):
    """The factor by which deviations of weights are widened before a nonlinearity."""
    gains = {
        "sigmoid": 1,
        "linear": 1,
        "conv1d": 1,
        "conv2d": 1,
        "conv3d": 1,
        "conv1d_transpose": 1,
        "conv2d_transpose": 1,
        "conv3d_transpose": 1,
        "conv_transpose1d": 1,
        "conv_transpose2d": 1,
        "conv_transpose3d": 1,
        "tanh": 5.0 / 3,
        "relu": math.sqrt(2.0),
        "selu": 3.0 / 4,
        "leaky_relu": math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2)),
    }
    if nonlinearity not in gains:
        raise ValueError(
            f"calculate_gain: nonlinearity has value {nonlinearity!r}; it must be one of {', '.join(gains)}."
        )
    return gains[nonlinearity]


def set_global_initializer(weight_init, bias_init=None):
    """Initializers for parameters without one of their own, in layers that are made from here on.

    Args:
        weight_init: An Initializer for weights; None for the layers' own.
        bias_init: An Initializer for biases; None for the layers' own.

    Example:
        >>> paddle.nn.initializer.set_global_initializer(paddle.nn.initializer.Constant(0.5))
        >>> paddle.nn.Linear(1, 2).weight.tolist()
        [[0.5, 0.5]]
        >>> paddle.nn.initializer.set_global_initializer(None)
    """
    global _global_weight, _global_bias
    for value in (weight_init, bias_init):
        if value is not None and not isinstance(value, Initializer):
            raise TypeError(
                "set_global_initializer: an argument is no initializer; pass instances of paddle.nn.initializer classes, or None."
            )
    _global_weight, _global_bias = weight_init, bias_init


def _global_weight_initializer():
    return _global_weight


def _global_bias_initializer():
    return _global_bias


def default_for(is_bias, given=None):
    """The initializer of a weight or bias: the global one, the layer's, or PaddlePaddle's default."""
    chosen = (_global_bias if is_bias else _global_weight) or given
    return chosen or (Constant(0.0) if is_bias else XavierUniform())


_paths.attach(__name__)
