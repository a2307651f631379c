# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of single elements."""

from ... import _core
from ...nn.functional._by_name import activated
from ..operators import result

ops = _core.ops

# Functions whose operator has the same name today.
_SAME = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh erf exp floor log log1p logsigmoid reciprocal relu relu6 round rsqrt "
    "sigmoid sign sin sinh softsign sqrt square tan tanh"
).split()


def _function(name):
    operator = getattr(ops, name)

    def function(x, name=None):
        return operator(x)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}` of every element; `name` is not read.  Shape and dtype are those of x."
    return function


globals().update({_name: _function(_name) for _name in _SAME})


def _with_settings(name, settings, doc, type=None):
    """A function (x, settings..., name=None) of an operator of PaddlePaddle 2."""
    names = list(settings)

    def function(x, *args, name=None, **kwargs):
        values = {**settings, **dict(zip(names, args, strict=False)), **kwargs}
        unknown = set(values) - set(names)
        if unknown or len(args) > len(names) + 1:
            raise TypeError(f"{function.__name__}: it takes x, {', '.join(names)} and name, not {sorted(unknown)}.")
        return result(type or function.__name__, {"X": x}, values)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


brelu = _with_settings("brelu", {"t_min": 0.0, "t_max": 24.0}, "max(min(x, t_max), t_min).")
elu = _with_settings("elu", {"alpha": 1.0}, "x where it is positive, else alpha * (exp(x) - 1).")
hard_shrink = _with_settings("hard_shrink", {"threshold": 0.5}, "x where |x| > threshold, else 0.")
hard_sigmoid = _with_settings("hard_sigmoid", {"slope": 0.2, "offset": 0.5}, "slope * x + offset, cut off at 0 and 1.")
hard_swish = _with_settings(
    "hard_swish",
    {"threshold": 6.0, "scale": 6.0, "offset": 3.0},
    "x * min(max(0, x + offset), threshold) / scale.",
)
leaky_relu = _with_settings("leaky_relu", {"alpha": 0.02}, "x where it is positive, else alpha * x.")
mish = _with_settings("mish", {"threshold": 20.0}, "x * tanh(log(1 + exp(x))).")
soft_relu = _with_settings(
    "soft_relu", {"threshold": 40.0}, "log(1 + exp(x)), of x cut off at -threshold and threshold."
)
softshrink = _with_settings("softshrink", {"lambda": 0.5}, "x moved by lambda towards 0.")
softplus = _with_settings("softplus", {"beta": 1.0, "threshold": 20.0}, "log(1 + exp(beta * x)) / beta.")
stanh = _with_settings("stanh", {"scale_a": 0.67, "scale_b": 1.7159}, "scale_b * tanh(scale_a * x).")
tanh_shrink = _with_settings("tanh_shrink", {}, "x - tanh(x).")
thresholded_relu = _with_settings("thresholded_relu", {"threshold": 1.0}, "x where x > threshold, else 0.")
cumsum = _with_settings(
    "cumsum",
    {"axis": -1, "flatten": False, "exclusive": False, "reverse": False},
    "Sums of the elements up to each one.",
)


def gelu(x, approximate=False):
    """x times the normal distribution function of x; with `approximate` its form with tanh."""
    return ops.gelu(x, approximate)


def selu(x, scale=None, alpha=None, name=None):
    """scale * x where x is positive, else scale * alpha * (exp(x) - 1)."""
    return result("selu", {"X": x}, {"scale": scale, "alpha": alpha})


def swish(x, beta=1.0, name=None):
    """x * sigmoid(beta * x)."""
    return x * ops.sigmoid(x if beta == 1.0 else x * beta)


def pow(x, factor=1.0, name=None):
    """x to a power.

    Args:
        x: A tensor.
        factor: A number, or a tensor of one element.
        name: Not read.
    """
    return x**factor


def _elementwise(name, operator, doc):
    def function(x, y, axis=-1, act=None, name=None):
        x, y = _aligned(x, y, axis)
        return activated(operator(x, y), act)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{doc}

    Args:
        x: A tensor.
        y: A tensor whose axes stand below those of x from `axis` on.
        axis: Where they begin; -1: they end together.
        act: Name of an activation behind it; None: none.
        name: Not read.
    """
    return function


def _aligned(x, y, axis):
    """Both with as many axes, the ones that the shorter has not behind it being 1."""
    short, long = (y, x) if y.ndim <= x.ndim else (x, y)
    missing = long.ndim - (axis if axis >= 0 else long.ndim - short.ndim) - short.ndim
    if missing > 0:
        short = short.unsqueeze([short.ndim + i for i in range(missing)])
        return (x, short) if y.ndim <= x.ndim else (short, y)
    return x, y


def _divided(x, y):
    whole = not (x.is_floating_point() or y.is_floating_point() or x.is_complex() or y.is_complex())
    return result("elementwise_div", {"X": x, "Y": y}, {"axis": -1}) if whole else ops.divide(x, y)


def _floor_divided(x, y):
    return result("elementwise_floordiv", {"X": x, "Y": y}, {"axis": -1})


elementwise_add = _elementwise("elementwise_add", ops.add, "x + y.")
elementwise_div = _elementwise("elementwise_div", _divided, "x / y.")
elementwise_floordiv = _elementwise("elementwise_floordiv", _floor_divided, "The whole part of x / y.")
elementwise_max = _elementwise("elementwise_max", ops.maximum, "The larger one of x and y.")
elementwise_min = _elementwise("elementwise_min", ops.minimum, "The smaller one of x and y.")
elementwise_mod = _elementwise("elementwise_mod", ops.remainder, "What x / y leaves, with the sign of y.")
elementwise_mul = _elementwise("elementwise_mul", ops.multiply, "x * y.")
elementwise_pow = _elementwise("elementwise_pow", ops.elementwise_pow, "x to the power y.")
elementwise_sub = _elementwise("elementwise_sub", ops.subtract, "x - y.")


def scale(x, scale=1.0, bias=0.0, bias_after_scale=True, act=None, name=None):
    """scale * x + bias; without `bias_after_scale` scale * (x + bias).

    Args:
        x: A tensor.
        scale: A number, or a tensor of one element.
        bias: A number.
        bias_after_scale: Which comes first.
        act: Name of an activation behind it; None: none.
        name: Not read.
    """
    return activated(x * scale + bias if bias_after_scale else (x + bias) * scale, act)


def clip(x, min, max, name=None):
    """The elements, those below `min` and above `max` cut off."""
    return ops.clip(x, float(min), float(max))


def clip_by_norm(x, max_norm, name=None):
    """x, made shorter where its length (the root of the sum of squares) is above `max_norm`."""
    return result("clip_by_norm", {"X": x}, {"max_norm": float(max_norm)})


__all__ = sorted(
    [
        *_SAME,
        *(
            "brelu clip clip_by_norm cumsum elementwise_add elementwise_div elementwise_floordiv elementwise_max "
            "elementwise_min elementwise_mod elementwise_mul elementwise_pow elementwise_sub elu gelu hard_shrink "
            "hard_sigmoid hard_swish leaky_relu mish pow scale selu soft_relu softplus softshrink stanh swish tanh_shrink "
            "thresholded_relu"
        ).split(),
    ]
)
