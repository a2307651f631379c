# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Elementwise composites: special functions, parts of numbers, classes of numbers."""

import math

from .. import _core
from ..framework.dtypes import finfo
from ._args import Tensor, aliases, as_tensor, check_tensor, convert, is_floating, ops, program_operands, writes_out

__all__ = [
    "logit",
    "sinc",
    "signbit",
    "isneginf",
    "isposinf",
    "isreal",
    "nan_to_num",
    "frexp",
    "ldexp",
    "positive",
    "multigammaln",
    "gammainc",
    "vander",
]


def _is_complex(x):
    return x.dtype.name.startswith("complex")


def _floating(x):
    """Integers in the default floating dtype."""
    return x if is_floating(x.dtype) or _is_complex(x) else ops.cast(x, convert(None))


@aliases(input="x")
@writes_out
def logit(x, eps=None, name=None):
    """The inverse of the sigmoid, `log(x / (1 - x))`.

    Args:
        x: A tensor of any shape.
        eps: Limits x to [eps, 1 - eps] first; without it, values outside [0, 1] give NaN.

    Returns:
        A tensor of the shape of x.
    """
    return ops.logit(x, 0.0 if eps is None else eps)


@aliases(input="x")
@writes_out
def sinc(x, name=None):
    """sin(pi x) / (pi x), and 1 at 0.

    Args:
        x: A Tensor; integers give the default dtype.
        name: Unused.

    Example:
        >>> paddle.sinc(paddle.to_tensor([0.0, 0.5])).numpy().round(4).tolist()
        [1.0, 0.6366000175476074]
    """
    check_tensor("sinc", x=x)
    x = _floating(x)
    zero = ops.equal(x, as_tensor(0, x))
    angle = ops.where(zero, ops.full_like(x, 1), x) * math.pi
    # 1 - (pi x)^2 / 6 is sinc up to the third derivative where x is 0.
    near = 1 - x * x * (math.pi**2 / 6)
    return ops.where(zero, near, ops.sin(angle) / angle)


@aliases(input="x")
@writes_out
def signbit(x, name=None):
    """Where the sign bit is set, -0.0 included, as bool.

    Args:
        x: A Tensor of real numbers.
        name: Unused.

    Example:
        >>> paddle.signbit(paddle.to_tensor([-1.0, -0.0, 0.0])).tolist()
        [True, True, False]
    """
    check_tensor("signbit", x=x)
    program_operands("signbit", "no bool", x=x)
    if not is_floating(x.dtype):
        return ops.less_than(x, as_tensor(0, x))
    one = ops.full_like(x, 1)
    return ops.less_than(ops.copysign(one, x), as_tensor(0, x))


def _infinite(op, x, sign):
    check_tensor(op, x=x)
    program_operands(op, "no bool", x=x)
    if _is_complex(x):
        raise TypeError(f"{op}: x has dtype {x.dtype.name}; complex numbers have no sign; use real() or imag().")
    if not is_floating(x.dtype):
        return ops.full_like(x, False, _core.bool)
    return ops.equal(x, as_tensor(sign * float("inf"), x))


@aliases(input="x")
@writes_out
def isneginf(x, name=None):
    """Where x is minus infinity, as bool.

    Args:
        x: A Tensor of real numbers.
        name: Unused.

    Raises:
        TypeError: x is complex.

    Example:
        >>> paddle.isneginf(paddle.to_tensor([float("-inf"), 0.0])).tolist()
        [True, False]
    """
    return _infinite("isneginf", x, -1)


@aliases(input="x")
@writes_out
def isposinf(x, name=None):
    """Where x is plus infinity, as bool.

    Args:
        x: A Tensor of real numbers.
        name: Unused.

    Raises:
        TypeError: x is complex.

    Example:
        >>> paddle.isposinf(paddle.to_tensor([float("inf"), 0.0])).tolist()
        [True, False]
    """
    return _infinite("isposinf", x, 1)


@aliases(input="x")
def isreal(x, name=None):
    """Where x has no imaginary part, as bool.

    Args:
        x: A Tensor of numbers.
        name: Unused.

    Example:
        >>> paddle.isreal(paddle.to_tensor([1 + 0j, 1j])).tolist()
        [True, False]
    """
    check_tensor("isreal", x=x)
    if _is_complex(x):
        part = ops.imag(x)
        return ops.equal(part, as_tensor(0, part))
    return ops.full_like(x, True, _core.bool)


@aliases(input="x")
@writes_out
def nan_to_num(x, nan=0.0, posinf=None, neginf=None, name=None):
    """NaN and infinities replaced by numbers.

    Args:
        x: A floating tensor.
        nan: What replaces NaN.
        posinf: What replaces infinity; the largest finite number by default.
        neginf: What replaces minus infinity; the least finite number by default.

    Returns:
        A tensor of the shape and dtype of x.
    """
    check_tensor("nan_to_num", x=x)
    if not is_floating(x.dtype):
        return ops.assign(x)
    limits = finfo(x.dtype)
    high = limits.max if posinf is None else posinf
    low = limits.min if neginf is None else neginf
    return ops.nan_to_num(x, float(nan), float(high), float(low))


@aliases(input="x")
@writes_out
def frexp(x, name=None):
    """Mantissas in [0.5, 1) (with the sign of x) and exponents: `x = mantissa * 2**exponent`.

    Args:
        x: A float32 or float64 tensor.

    Returns:
        (mantissa, exponent), both of the dtype of x.
    """
    check_tensor("frexp", x=x)
    if x.dtype.name not in ("float32", "float64"):
        raise TypeError(f"frexp: x has dtype {x.dtype.name}; it must be float32 or float64. Cast x first.")
    size = ops.abs(x)
    regular = ops.logical_and(ops.isfinite(x), ops.greater_than(size, as_tensor(0, x)))
    safe = ops.where(regular, size, ops.full_like(x, 1)).detach()
    exponent = ops.floor(ops.log2(safe)) + 1
    # log2 may be off by one next to powers of two.
    mantissa = _scaled(safe, exponent)
    exponent = exponent + ops.cast(mantissa >= 1, x.dtype) - ops.cast(mantissa < 0.5, x.dtype)
    exponent = ops.where(regular, exponent, ops.full_like(x, 0)).detach()
    return _scaled(x, exponent), exponent


def _scaled(x, exponent):
    """`x / 2**exponent`, exactly: both factors are powers of two that do not overflow."""
    half = ops.floor(exponent / 2)
    return x * 2.0 ** (-half) * 2.0 ** (half - exponent)


@aliases(input="x", other="y")
@writes_out
def ldexp(x, y, name=None):
    """x * 2^y, in float64 when one of them is, else in float32.

    Args:
        x: A Tensor of real numbers.
        y: A Tensor or number; they broadcast.
        name: Unused.

    Example:
        >>> paddle.ldexp(paddle.to_tensor([1.0, 3.0]), paddle.to_tensor([2, -1])).tolist()
        [4.0, 1.5]
    """
    check_tensor("ldexp", x=x)
    y = y if isinstance(y, Tensor) else as_tensor(y, x)
    wide = _core.float64 if "float64" in (x.dtype.name, y.dtype.name) else _core.float32
    x, y = (v if v.dtype == wide else ops.cast(v, wide) for v in (x, y))
    return x * ops.elementwise_pow(ops.full_like(y, 2), y)


@aliases(input="x")
@writes_out
def positive(x, name=None):
    """x itself; the unary plus of numbers.

    Args:
        x: A Tensor of numbers.
        name: Unused.

    Raises:
        TypeError: x is bool, which has no sign.

    Example:
        >>> paddle.positive(paddle.to_tensor([-1.0])).tolist()
        [-1.0]
    """
    check_tensor("positive", x=x)
    if x.dtype.name == "bool":
        raise TypeError("positive: x has dtype bool, which has no sign; cast it to a number first.")
    return x


def multigammaln(x, p, name=None):
    """The logarithm of the multivariate gamma function of dimension p:
    p (p - 1) / 4 log(pi) + the sum of lgamma(x - k / 2) over k = 0, ..., p - 1.

    Args:
        x: A Tensor of numbers above (p - 1) / 2; integers give the default dtype.
        p: The dimension, at least 1.
        name: Unused.

    Raises:
        ValueError: p is below 1.

    Example:
        >>> float(paddle.multigammaln(paddle.to_tensor(3.0), 1)) == float(paddle.lgamma(paddle.to_tensor(3.0)))
        True
    """
    check_tensor("multigammaln", x=x)
    if p < 1:
        raise ValueError(f"multigammaln: p has value {p}; the dimension must be at least 1.")
    x = _floating(x)
    steps = ops.arange(0, p, 1, _core.int64)
    steps = ops.cast(steps, x.dtype) * 0.5
    total = ops.sum(ops.gammaln(ops.unsqueeze(x, [-1]) - steps), [-1])
    return total + p * (p - 1) / 4.0 * math.log(math.pi)


def gammainc(x, y, name=None):
    """The regularised lower incomplete gamma function P(x, y) = 1 - gammaincc(x, y).

    Args:
        x: A floating Tensor of orders, not negative.
        y: A floating Tensor of arguments, not negative; they broadcast. Derivatives are taken by y only.
        name: Unused.

    Example:
        >>> float(paddle.gammainc(paddle.to_tensor(1.0), paddle.to_tensor(0.0)))
        0.0
    """
    return 1 - ops.gammaincc(x, y)


@aliases(N="n")
def vander(x, n=None, increasing=False, name=None):
    """The matrix whose columns are powers of x, from high to low or rising.

    Args:
        x: A vector.
        n: How many columns; the length of x by default.
        increasing: Whether the powers rise from 0.

    Returns:
        A matrix of shape [len(x), n].
    """
    check_tensor("vander", x=x)
    if x.ndim != 1:
        raise ValueError(f"vander: x has {x.ndim} dimensions; it must be a vector.")
    n = x.shape[0] if n is None else n
    if n < 0:
        raise ValueError(f"vander: n has value {n}; it must be at least 0.")
    powers = ops.arange(0, n, 1, _core.int64) if increasing else ops.arange(n - 1, -1, -1, _core.int64)
    # Products, not powers: exact for integers and differentiable at 0.
    columns = ops.expand(ops.unsqueeze(x, [1]), [x.shape[0], n])
    if n == 0:
        return ops.assign(columns)
    rising = ops.cumprod(ops.concat([ops.full_like(columns[:, :1], 1), columns[:, 1:]], 1), 1)
    return ops.gather(rising, powers, 1)
