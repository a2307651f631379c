# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Running sums, products and extremes along an axis."""

from .. import _core
from ._args import (
    aliases,
    axis_of,
    check_tensor,
    convert,
    finish,
    ops,
    writes_out,
)

__all__ = [
    "cumsum",
    "cumprod",
    "cummax",
    "cummin",
    "logcumsumexp",
]


@aliases(input="x", dim="axis")
def cumsum(x, axis=None, dtype=None, name=None, *, out=None):
    """Running sums along an axis.

    Args:
        x: Tensor.
        axis: The axis; None: of the flattened x.
        dtype: x is cast to it first; None keeps its own (int64 for narrower integers and bool).
        name: Unused.
        out: A Tensor that takes the result.

    Example:
        >>> paddle.cumsum(paddle.to_tensor([1.0, 2.0, 3.0])).tolist()
        [1.0, 3.0, 6.0]
    """
    check_tensor("cumsum", x=x)
    if dtype is not None:
        x = ops.cast(x, convert(dtype))
    elif x.dtype.name in ("bool", "int8", "int16", "uint8", "int32"):
        x = ops.cast(x, _core.int64)
    if axis is None:
        return finish(ops.cumsum(ops.reshape(x, [-1]), 0), out)
    return finish(ops.cumsum(x, axis), out)


@aliases(input="x", axis="dim")
def cumprod(x, dim=None, *, dtype=None, out=None, name=None):
    """Running products along an axis.

    Args:
        x: Tensor.
        dim: The axis; None: of the flattened x.
        dtype: x is cast to it first; None keeps its own.
        out: A Tensor that takes the result.
        name: Unused.

    Example:
        >>> paddle.cumprod(paddle.to_tensor([1.0, 2.0, 3.0]), dim=0).tolist()
        [1.0, 2.0, 6.0]
    """
    check_tensor("cumprod", x=x)
    x = x if dtype is None else ops.cast(x, convert(dtype))
    if dim is None:
        x, dim = ops.reshape(x, [-1]), 0
    return finish(ops.cumprod(x, dim), out)


def _running(op, x, axis, dtype):
    if axis is None:
        x, axis = ops.reshape(x, [-1]), 0
    return op(x, axis_of(axis, x.ndim, op.__name__), convert(dtype))


@aliases(input="x", dim="axis")
@writes_out
def cummax(x, axis=None, dtype="int64", name=None):
    """The largest element so far along an axis (of the flattened tensor without one), and its position.

    Args:
        x: A tensor of real numbers.
        axis: An axis, or None.
        dtype: 'int64' or 'int32', of the positions.

    Returns:
        (values, positions), of the shape of x or of its flattened form.
    """
    return _running(ops.cummax, x, axis, dtype)


@aliases(input="x", dim="axis")
@writes_out
def cummin(x, axis=None, dtype="int64", name=None):
    """The smallest element so far along an axis, and its position; see `cummax`."""
    return _running(ops.cummin, x, axis, dtype)


@aliases(input="x", dim="axis")
@writes_out
def logcumsumexp(x, axis=None, dtype=None, name=None):
    """The logarithm of the running sum of exponentials along an axis, without overflow.

    Args:
        x: A tensor; integers are cast to the default floating dtype.
        axis: An axis; None flattens first.
        dtype: The dtype to compute in.
    """
    check_tensor("logcumsumexp", x=x)
    if dtype is not None:
        x = ops.cast(x, convert(dtype))
    elif x.dtype.name.startswith(("int", "uint", "bool")):
        x = ops.cast(x, convert(None))
    return ops.logcumsumexp(x, -1 if axis is None else axis, axis is None)
