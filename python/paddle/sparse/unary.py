# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of the stored values that leave the pattern as it is (they map 0 to 0)."""

from .. import tensor
from .tensor import is_sparse


def on_values(name, x, function):
    """The sparse tensor whose values are function(values)."""
    if not is_sparse(x):
        raise TypeError(f"sparse.{name}: x is not a sparse tensor; use paddle.{name} for dense ones.")
    return x._with_values(function(x._values))


def sin(x, name=None):
    """Sine of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("sin", x, tensor.sin)


def tan(x, name=None):
    """Tangent of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("tan", x, tensor.tan)


def asin(x, name=None):
    """Inverse sine of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("asin", x, tensor.asin)


def atan(x, name=None):
    """Inverse tangent of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("atan", x, tensor.atan)


def sinh(x, name=None):
    """Hyperbolic sine of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("sinh", x, tensor.sinh)


def tanh(x, name=None):
    """Hyperbolic tangent of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("tanh", x, tensor.tanh)


def asinh(x, name=None):
    """Inverse hyperbolic sine of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("asinh", x, tensor.asinh)


def atanh(x, name=None):
    """Inverse hyperbolic tangent of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("atanh", x, tensor.atanh)


def sqrt(x, name=None):
    """Square root of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("sqrt", x, tensor.sqrt)


def square(x, name=None):
    """Square of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("square", x, tensor.square)


def log1p(x, name=None):
    """log(1 + value) of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("log1p", x, tensor.log1p)


def abs(x, name=None):
    """Absolute value of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("abs", x, tensor.abs)


def expm1(x, name=None):
    """exp(value) - 1 of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("expm1", x, tensor.expm1)


def deg2rad(x, name=None):
    """Radians of each stored value, taken as degrees.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("deg2rad", x, tensor.deg2rad)


def rad2deg(x, name=None):
    """Degrees of each stored value, taken as radians.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("rad2deg", x, tensor.rad2deg)


def neg(x, name=None):
    """Negative of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("neg", x, tensor.neg)


def isnan(x, name=None):
    """Whether it is NaN, bool, of each stored value.

    Args:
        x: A sparse Tensor.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("isnan", x, tensor.isnan)


def pow(x, factor, name=None):
    """Each stored value to a power.

    Args:
        x: A sparse Tensor.
        factor: The exponent, a number.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    return on_values("pow", x, lambda values: tensor.pow(values, factor))


def cast(x, index_dtype=None, value_dtype=None, name=None):
    """Other element types.

    Args:
        x: A sparse Tensor.
        index_dtype: Type of the indices, int32 or int64; as it is if None.
        value_dtype: Type of the values; as it is if None.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of x.
    """
    made = on_values("cast", x, lambda values: values if value_dtype is None else values.astype(value_dtype))
    if index_dtype is not None:
        made._index = tuple(one.astype(index_dtype) for one in made._index)
    return made
