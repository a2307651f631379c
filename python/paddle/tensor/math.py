# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic composites: sums of lists, products, differences, interpolation, increments."""

from .. import _core
from .._bind import fallback
from ._args import Tensor, aliases, as_tensor, axis_of, convert, finish, ops, write

__all__ = [
    "add_n",
    "increment",
    "outer",
    "inner",
    "dot",
    "mv",
    "lerp",
    "diff",
    "trace",
    "diagonal",
    "neg",
    "frac",
    "deg2rad",
    "rad2deg",
    "logaddexp",
    "count_nonzero",
    "mm",
    "clamp",
    "sgn",
    "hypot",
    "trapezoid",
    "addcmul",
    "addcdiv",
    "nansum",
    "nanmean",
]


def add_n(inputs, name=None):
    """The sum of the tensors of a list."""
    if isinstance(inputs, Tensor):
        return ops.assign(inputs)
    total = inputs[0]
    for x in inputs[1:]:
        total = total + x
    return total if len(inputs) > 1 else ops.assign(total)


def increment(x, value=1.0, name=None):
    """Add a number to `x` in place."""
    if x.size != 1:
        raise ValueError(f"increment: x has shape {x.shape}; it must have one element.")
    return write(x, x + value)


@fallback
@aliases(input="x", vec2="y")
def outer(x, y, name=None, *, out=None):
    """Products of all pairs of elements of two flattened tensors."""
    rows, columns = ops.reshape(x, [-1, 1]), ops.reshape(y, [1, -1])
    return finish(rows * columns, out)


@fallback
@aliases(input="x", other="y")
def inner(x, y, name=None, *, out=None):
    """Sums of products over the last axes."""
    if x.ndim == 0 or y.ndim == 0:
        return finish(x * y, out)
    flat = ops.matmul(ops.reshape(x, [-1, x.shape[-1]]), ops.reshape(y, [-1, y.shape[-1]]), False, True)
    return finish(ops.reshape(flat, x.shape[:-1] + y.shape[:-1]), out)


@fallback
@aliases(input="x", tensor="y")
def dot(x, y, name=None, *, out=None):
    """Sums of products of vectors (or of the rows of two matrices)."""
    return finish(ops.sum(x * y, [-1]), out)


@fallback
@aliases(input="x")
def mv(x, vec, name=None, *, out=None):
    """A matrix times a vector."""
    return finish(ops.matmul(x, vec), out)


@fallback
@aliases(x="input", y="mat2")
def mm(input, mat2, name=None, *, out=None):
    """A matrix times a matrix."""
    return finish(ops.matmul(input, mat2), out)


@fallback
@aliases(input="x", end="y")
def lerp(x, y, weight, name=None, *, out=None):
    """`x + weight * (y - x)`."""
    return finish(x + weight * (y - x), out)


@fallback
@aliases(input="x", dim="axis")
def diff(x, n=1, axis=-1, prepend=None, append=None, name=None, *, out=None):
    """Differences of neighbours along an axis, taken `n` times."""
    axis = axis_of(axis, x.ndim, "diff")
    parts = [p for p in (prepend, x, append) if p is not None]
    x = ops.concat(parts, axis) if len(parts) > 1 else x
    for _ in range(n):
        size = x.shape[axis]
        late = ops.slice(x, [axis], [1], [size])
        early = ops.slice(x, [axis], [0], [max(size - 1, 0)])
        x = ops.logical_xor(late, early) if x.dtype.name == "bool" else late - early
    return finish(x, out)


@fallback
def diagonal(x, offset=0, axis1=0, axis2=1, name=None):
    """The diagonals of the planes of two axes, as a new last axis."""
    axis1, axis2 = axis_of(axis1, x.ndim, "diagonal"), axis_of(axis2, x.ndim, "diagonal")
    order = [a for a in range(x.ndim) if a not in (axis1, axis2)] + [axis1, axis2]
    x = ops.transpose(x, order)
    rows, columns = x.shape[-2:]
    first, second = max(-offset, 0), max(offset, 0)
    count = max(min(rows - first, columns - second), 0)
    index = [(first + i) * columns + second + i for i in range(count)]
    flat = ops.reshape(x, x.shape[:-2] + [rows * columns])
    return ops.index_select(flat, _core.to_tensor(index, _core.int64), flat.ndim - 1)


@fallback
def trace(x, offset=0, axis1=0, axis2=1, name=None):
    """Sums of the diagonals."""
    return ops.sum(diagonal(x, offset, axis1, axis2), [-1])


@fallback
def neg(x, name=None):
    """`-x`."""
    return -x


@fallback
def frac(x, name=None):
    """The fractional part."""
    return x - ops.trunc(x)


@fallback
def deg2rad(x, name=None):
    """Degrees as radians."""
    return _floating(x) * (3.141592653589793 / 180.0)


@fallback
def rad2deg(x, name=None):
    """Radians as degrees."""
    return _floating(x) * (180.0 / 3.141592653589793)


def _floating(x):
    return ops.cast(x, convert(None)) if x.dtype.name.startswith(("int", "uint")) else x


@fallback
def logaddexp(x, y, name=None):
    """`log(exp(x) + exp(y))`."""
    top = ops.maximum(x, y)
    return top + ops.log1p(ops.exp(-ops.abs(x - y)))


@fallback
def hypot(x, y, name=None):
    """`sqrt(x * x + y * y)`."""
    return ops.sqrt(x * x + y * y)


def count_nonzero(x, axis=None, keepdim=False, name=None):
    """The number of elements that are not zero."""
    axis = [] if axis is None else [axis] if isinstance(axis, int) else list(axis)
    return ops.sum(ops.cast(ops.not_equal(x, as_tensor(0, x)), _core.int64), axis, None, keepdim)


@fallback
@aliases(input="x")
def clamp(x, min=None, max=None, name=None, *, out=None):
    """As `clip`."""
    from .. import clip

    return finish(clip(x, min, max), out)


@fallback
def sgn(x, name=None):
    """The sign."""
    return ops.sign(x)


@fallback
def addcmul(input, tensor1, tensor2, value=1, name=None):
    """`input + value * tensor1 * tensor2`."""
    return input + value * tensor1 * tensor2


@fallback
def addcdiv(input, tensor1, tensor2, value=1, name=None):
    """`input + value * tensor1 / tensor2`."""
    return input + value * tensor1 / tensor2


def trapezoid(y, x=None, dx=None, axis=-1, name=None):
    """The integral along an axis by the trapezoidal rule."""
    axis = axis_of(axis, y.ndim, "trapezoid")
    size = y.shape[axis]
    both = ops.slice(y, [axis], [1], [size]) + ops.slice(y, [axis], [0], [size - 1])
    if x is None:
        step = 1.0 if dx is None else dx
    else:
        step = diff(x, axis=-1 if x.ndim == 1 else axis)
        if x.ndim == 1:
            step = ops.reshape(step, [-1] + [1] * (y.ndim - 1 - axis))
    return ops.sum(both * step, [axis]) * 0.5


@fallback
def nansum(x, axis=None, dtype=None, keepdim=False, name=None):
    """The sum, with NaN taken as zero."""
    clean = ops.where(ops.isnan(x), ops.full_like(x, 0), x)
    axis = [] if axis is None else [axis] if isinstance(axis, int) else list(axis)
    total = ops.sum(clean, axis, None, keepdim)
    return total if dtype is None else ops.cast(total, convert(dtype))


@fallback
def nanmean(x, axis=None, keepdim=False, name=None):
    """The mean of the elements that are not NaN."""
    axis = [] if axis is None else [axis] if isinstance(axis, int) else list(axis)
    count = ops.sum(ops.cast(ops.logical_not(ops.isnan(x)), x.dtype), axis, None, keepdim)
    return nansum(x, axis or None, None, keepdim) / count
