# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic composites: sums of lists, products, differences, interpolation, increments."""

import math

from .. import _core
from ..framework.modes import no_grad
from ..framework.symint import larger
from ._args import (
    Tensor,
    aliases,
    as_tensor,
    axis_of,
    check_tensor,
    convert,
    finish,
    is_floating,
    ops,
    program_operands,
    tensors_of,
    writes_out,
)
from .with_axis import _add_with_axis, _divide_with_axis, _multiply_with_axis, _subtract_with_axis  # noqa: F401

_INFINITY = float("inf")
_WHOLE = (_core.uint8, _core.int8, _core.int16, _core.int32, _core.int64)

__all__ = [
    "add_n",
    "outer",
    "ger",
    "inner",
    "diff",
    "frac",
    "deg2rad",
    "rad2deg",
    "logaddexp",
    "count_nonzero",
    "mm",
    "clip",
    "clamp",
    "sgn",
    "increment",
    "hypot",
    "trapezoid",
    "cumulative_trapezoid",
    "addcmul",
    "addcdiv",
]


def add_n(inputs, name=None):
    """The sum of several tensors.

    Args:
        inputs: A Tensor, or a list of Tensors of one shape and dtype.
        name: Unused.

    Example:
        >>> paddle.add_n([paddle.ones([2]), paddle.ones([2]), paddle.ones([2])]).tolist()
        [3.0, 3.0]
    """
    return ops.add_n([inputs] if isinstance(inputs, Tensor) else tensors_of("add_n", "inputs", inputs))


@aliases(input="x", vec2="y")
def outer(x, y, name=None, *, out=None):
    """Products of all pairs of elements of two flattened tensors.

    Args:
        x: Tensor of n elements.
        y: Tensor of m elements.
        name: Unused.
        out: A Tensor that takes the result.

    Returns:
        A Tensor of shape [n, m].

    Example:
        >>> paddle.outer(paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])).tolist()
        [[3.0, 4.0], [6.0, 8.0]]
    """
    rows, columns = ops.reshape(x, [-1, 1]), ops.reshape(y, [1, -1])
    return finish(rows * columns, out)


ger = outer


@aliases(input="x", other="y")
def inner(x, y, name=None, *, out=None):
    """Sums of products over the last axes; with a 0-d tensor the product.

    Args:
        x: Tensor of shape [..., n].
        y: Tensor of shape [..., n].
        name: Unused.
        out: A Tensor that takes the result.

    Returns:
        A Tensor with the other axes of x, then those of y.

    Example:
        >>> paddle.inner(paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([1.0, 10.0])).tolist()
        [21.0, 43.0]
    """
    check_tensor("inner", x=x, y=y)
    program_operands("inner", "floating and complex", x=x, y=y)
    if x.ndim == 0 or y.ndim == 0:
        return finish(x * y, out)
    flat = ops.matmul(ops.reshape(x, [-1, x.shape[-1]]), ops.reshape(y, [-1, y.shape[-1]]), False, True)
    return finish(ops.reshape(flat, x.shape[:-1] + y.shape[:-1]), out)


@aliases(x="input", y="mat2")
def mm(input, mat2, name=None, *, out=None):
    """A matrix times a matrix; batches of them as `paddle.matmul`.

    Args:
        input: Tensor of shape [..., n, k].
        mat2: Tensor of shape [..., k, m].
        name: Unused.
        out: A Tensor that takes the result.

    Returns:
        A Tensor of shape [..., n, m].

    Example:
        >>> paddle.mm(paddle.ones([2, 3]), paddle.ones([3, 1])).tolist()
        [[3.0], [3.0]]
    """
    program_operands("mm", "floating and complex", input=input, mat2=mat2)
    return finish(ops.matmul(input, mat2), out)


@aliases(input="x", dim="axis")
def diff(x, n=1, axis=-1, prepend=None, append=None, name=None, *, out=None):
    """Differences of neighbours along an axis, taken `n` times; of bools whether they differ.

    Args:
        x: A Tensor.
        n: How many times, from 1 on.
        axis: The axis, negative from the end.
        prepend: A Tensor that comes before x along the axis, or None.
        append: A Tensor that stands behind x along the axis, or None.
        name: Unused.
        out: A Tensor that takes the result.

    Returns:
        A Tensor that is n shorter along the axis.

    Raises:
        ValueError: n is below 1.

    Example:
        >>> paddle.diff(paddle.to_tensor([1, 4, 9])).tolist()
        [3, 5]
    """
    check_tensor("diff", x=x)
    if n < 1:
        raise ValueError(f"diff: n has value {n}; at least one difference is taken.")
    axis = axis_of(axis, x.ndim, "diff")
    parts = [p for p in (prepend, x, append) if p is not None]
    x = ops.concat(parts, axis) if len(parts) > 1 else x
    for _ in range(n):
        size = x.shape[axis]
        if size == 0:
            break
        late = ops.slice(x, [axis], [1], [size])
        early = ops.slice(x, [axis], [0], [larger(size - 1, 0)])
        x = ops.logical_xor(late, early) if x.dtype.name == "bool" else late - early
    return finish(x, out)


@aliases(input="x")
def frac(x, name=None, *, out=None):
    """The fractional part, with the sign of x: x - trunc(x).

    Args:
        x: A Tensor of numbers.
        name: Unused.
        out: A Tensor that takes the result.

    Example:
        >>> paddle.frac(paddle.to_tensor([1.5, -0.25])).tolist()
        [0.5, -0.25]
    """
    check_tensor("frac", x=x)
    if x.dtype.name not in ("int32", "int64", "float16", "bfloat16", "float32", "float64"):
        raise TypeError(f"frac: x has dtype {x.dtype.name}; it must be int32, int64 or a floating dtype. Cast it.")
    return finish(x - ops.trunc(x), out)


@aliases(input="x")
@writes_out
def deg2rad(x, name=None):
    """Degrees as radians: x pi / 180.

    Args:
        x: A Tensor; integers give the default dtype.
        name: Unused.

    Example:
        >>> paddle.deg2rad(paddle.to_tensor([0.0, 180.0])).tolist() == [0.0, float(paddle.to_tensor(paddle.pi))]
        True
    """
    check_tensor("deg2rad", x=x)
    return _floating(x) * (math.pi / 180.0)


@aliases(input="x")
@writes_out
def rad2deg(x, name=None):
    """Radians as degrees: x 180 / pi.

    Args:
        x: A Tensor; integers give the default dtype.
        name: Unused.

    Example:
        >>> float(paddle.rad2deg(paddle.to_tensor(paddle.pi)))
        180.0
    """
    check_tensor("rad2deg", x=x)
    return _floating(x) * (180.0 / math.pi)


def _floating(x):
    return ops.cast(x, convert(None)) if x.dtype.name.startswith(("int", "uint")) else x


@aliases(input="x", other="y")
@writes_out
def logaddexp(x, y, name=None):
    """log(exp(x) + exp(y)) without overflow: the larger one plus log1p(exp(-|x - y|)).

    Args:
        x: A floating Tensor.
        y: Another one; they broadcast.
        name: Unused.

    Example:
        >>> paddle.logaddexp(paddle.to_tensor([1000.0]), paddle.to_tensor([0.0])).tolist()
        [1000.0]
    """
    check_tensor("logaddexp", x=x, y=y)
    return ops.logaddexp(_floating(x), _floating(y))


@aliases(input="x", other="y")
@writes_out
def hypot(x, y, name=None):
    """sqrt(x^2 + y^2): the lengths of the legs give that of the hypotenuse.

    Args:
        x: A floating Tensor.
        y: Another one; they broadcast.
        name: Unused.

    Example:
        >>> paddle.hypot(paddle.to_tensor([3.0]), paddle.to_tensor([4.0])).tolist()
        [5.0]
    """
    check_tensor("hypot", x=x, y=y)
    return ops.hypot(_floating(x), _floating(y))


@aliases(input="x", dim="axis")
def count_nonzero(x, axis=None, keepdim=False, name=None):
    """The number of elements that are not zero.

    Args:
        x: Tensor of any dtype.
        axis: One axis or several; None for all.
        keepdim: Whether reduced axes stay, with extent 1.
        name: Unused.

    Returns:
        An int64 Tensor.

    Example:
        >>> paddle.count_nonzero(paddle.to_tensor([[0, 1], [2, 3]]), axis=1).tolist()
        [1, 2]
    """
    check_tensor("count_nonzero", x=x)
    nonzero = ops.cast(ops.not_equal(x, as_tensor(0, x)), _core.int64)
    return ops.sum(nonzero, [] if axis is None else axis, None, keepdim)


def _has_fraction(limit):
    return isinstance(limit, float) or (isinstance(limit, Tensor) and is_floating(limit.dtype))


@aliases(input="x")
def clip(x, min=None, max=None, name=None, *, out=None):
    """Limits the elements of x to an interval; outside it the gradient is 0.

    Args:
        x: The tensor; integers with a floating-point limit are computed in float32.
        min: The least value, a number or a Tensor with one element; None for no limit.
        max: The greatest value, likewise.
        out: Where the result is written.

    Returns:
        Tensor: min(max(x, min), max), in the shape of x.

    Example:
        >>> paddle.clip(paddle.to_tensor([-2.0, 0.5, 3.0]), -1.0, 1.0).tolist()
        [-1.0, 0.5, 1.0]
    """
    check_tensor("clip", x=x)
    if x.dtype in _WHOLE and (_has_fraction(min) or _has_fraction(max)):
        x = ops.cast(x, _core.float32)
    result = ops.clip(x, -_INFINITY if min is None else min, _INFINITY if max is None else max)
    return result if out is None else finish(result, out)


@aliases(input="x")
def clamp(x, min=None, max=None, name=None, *, out=None):
    """The elements of x brought into [min, max], as `clip`.

    Args:
        x: A Tensor.
        min: The least value, a number or a Tensor; None: none.
        max: The greatest value, likewise.
        name: Unused.
        out: A Tensor that takes the result.
    """
    check_tensor("clamp", x=x)
    return finish(clip(x, min, max), out)


@aliases(input="x")
@writes_out
def sgn(x, name=None):
    """The sign of a real number, x / |x| of a complex one, and 0 at 0.

    Args:
        x: A Tensor of numbers.
        name: Unused.

    Example:
        >>> paddle.sgn(paddle.to_tensor([-2.0, 0.0, 3.0])).tolist()
        [-1.0, 0.0, 1.0]
    """
    check_tensor("sgn", x=x)
    if not x.dtype.name.startswith(("float", "bfloat", "complex")):
        raise TypeError(f"sgn: x has dtype {x.dtype.name}; it must be a floating or complex one. Use paddle.sign.")
    if not x.dtype.name.startswith("complex"):
        return ops.sign(x)
    size = ops.abs(x)
    return x / ops.where(size == 0, ops.full_like(size, 1.0), size)


def increment(x, value=1.0, name=None):
    """Adds a number to x in place.

    A leaf that needs a gradient only gets another value: what reads it later has its gradient by the new value.

    Args:
        x: A Tensor of one element.
        value: A number.
        name: Unused.

    Returns:
        x.

    Example:
        >>> i = paddle.zeros([1])
        >>> _ = paddle.increment(i, 2.0)
        >>> i.tolist()
        [2.0]
    """
    check_tensor("increment", x=x)
    program_operands("increment", "no bool", x=x)
    if x.is_leaf and not x.stop_gradient:
        with no_grad():
            return _core.assign_inplace(x, ops.increment(x, value), "increment")
    return _core.assign_inplace(x, ops.increment(x if x.stop_gradient else ops.assign(x), value), "increment")


@writes_out
def addcmul(input, tensor1, tensor2, value=1, name=None):
    """input + value * tensor1 * tensor2.

    Args:
        input: A Tensor.
        tensor1: A Tensor.
        tensor2: A Tensor; all three broadcast.
        value: A number.
        name: Unused.

    Example:
        >>> paddle.addcmul(paddle.ones([2]), paddle.ones([2]), paddle.to_tensor([1.0, 2.0]), 10.0).tolist()
        [11.0, 21.0]
    """
    check_tensor("addcmul", input=input, tensor1=tensor1, tensor2=tensor2)
    return input + value * tensor1 * tensor2


@writes_out
def addcdiv(input, tensor1, tensor2, value=1, name=None):
    """input + value * tensor1 / tensor2.

    Args:
        input: A Tensor.
        tensor1: A Tensor.
        tensor2: A Tensor; all three broadcast.
        value: A number.
        name: Unused.

    Example:
        >>> paddle.addcdiv(paddle.ones([2]), paddle.ones([2]), paddle.to_tensor([1.0, 2.0]), 10.0).tolist()
        [11.0, 6.0]
    """
    check_tensor("addcdiv", input=input, tensor1=tensor1, tensor2=tensor2)
    return input + value * tensor1 / tensor2


def _trapezoid_steps(y, x, dx, axis, name):
    """(the areas between neighbours along the axis, the axis without sign)."""
    check_tensor(name, y=y)
    if x is not None and dx is not None:
        raise ValueError(f"{name}: both x and dx are given; pass one of them.")
    if not is_floating(y.dtype):
        raise TypeError(f"{name}: y has dtype {y.dtype.name}; it must be a floating dtype. Cast y first.")
    axis = axis_of(axis, y.ndim, name)
    size = y.shape[axis]
    both = ops.slice(y, [axis], [1], [size]) + ops.slice(y, [axis], [0], [larger(size - 1, 0)])
    if x is None:
        return both * (0.5 if dx is None else dx * 0.5), axis
    step = diff(x, axis=-1 if x.ndim == 1 else axis)
    if x.ndim == 1:
        step = ops.reshape(step, [-1] + [1] * (y.ndim - 1 - axis))
    return both * step * 0.5, axis


@aliases(dim="axis")
@writes_out
def trapezoid(y, x=None, dx=None, axis=-1, name=None):
    """The integral along an axis by the trapezoidal rule.

    Args:
        y: A floating tensor of values.
        x: The places of the values: a vector or a tensor of the shape of y.
        dx: The distance of the places, 1 by default.
        axis: An axis.

    Returns:
        A tensor of the shape of y without the axis.
    """
    areas, axis = _trapezoid_steps(y, x, dx, axis, "trapezoid")
    return ops.sum(areas, [axis])


@aliases(dim="axis")
@writes_out
def cumulative_trapezoid(y, x=None, dx=None, axis=-1, name=None):
    """The running integral along an axis by the trapezoidal rule.

    Args:
        y: A floating tensor of values.
        x: The places of the values: a vector or a tensor of the shape of y.
        dx: The distance of the places, 1 by default.
        axis: An axis.

    Returns:
        A tensor with one slice less than y.
    """
    areas, axis = _trapezoid_steps(y, x, dx, axis, "cumulative_trapezoid")
    return ops.cumsum(areas, axis)
