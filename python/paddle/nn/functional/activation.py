# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Activations that are composites of operators."""

from ... import _core
from ...framework.checked_numbers import check_real
from ...framework.dtypes import convert
from ...tensor._args import aliases, check_tensor, finish, writes_out

ops = _core.ops

__all__ = [
    "softmax",
    "log_softmax",
    "hardtanh",
    "hardtanh_",
    "softmax_",
    "gelu",
    "glu",
    "prelu",
    "rrelu",
    "silu",
]


@aliases(input="x", dim="axis")
def softmax(x, axis=-1, dtype=None, name=None, *, out=None):
    """exp(x) over its sum along an axis.

    Args:
        x: Floating Tensor.
        axis: The axis.
        dtype: x is cast to it first; None keeps its own.
        name: Unused.
        out: A Tensor that takes the result.

    Example:
        >>> paddle.nn.functional.softmax(paddle.to_tensor([0.0, 0.0])).tolist()
        [0.5, 0.5]
    """
    x = x if dtype is None else ops.cast(x, convert(dtype))
    return finish(ops.softmax(x, axis), out) if out is not None else ops.softmax(x, axis)


@aliases(input="x", dim="axis")
def log_softmax(x, axis=-1, dtype=None, name=None):
    """The logarithm of `softmax` along an axis, without overflow.

    Args:
        x: Floating Tensor.
        axis: The axis.
        dtype: x is cast to it first; None keeps its own.
        name: Unused.

    Example:
        >>> float(paddle.nn.functional.log_softmax(paddle.to_tensor([1000.0, 0.0]))[1])
        -1000.0
    """
    return ops.log_softmax(x if dtype is None else ops.cast(x, convert(dtype)), axis)


@aliases(input="x")
def silu(x, inplace=False, name=None):
    """x * sigmoid(x).

    Args:
        x: Floating Tensor.
        inplace: Whether the result is written into x.
        name: Unused.

    Example:
        >>> paddle.nn.functional.silu(paddle.to_tensor([0.0, 100.0])).tolist()
        [0.0, 100.0]
    """
    if inplace:
        return _core.assign_inplace(x, ops.silu(_old(x)), "silu")
    return ops.silu(x)


@aliases(input="x", min_val="min", max_val="max")
def hardtanh(x, min=-1.0, max=1.0, name=None):
    """x clipped to [min, max]."""
    check_real("hardtanh", min=min, max=max)
    return ops.hardtanh(x, float(min), float(max))


def _old(x):
    """The value that x has before the write, for the history of what is computed from it."""
    return x if x.stop_gradient else ops.assign(x)


def hardtanh_(x, min=-1.0, max=1.0, name=None):
    """hardtanh in place."""
    check_tensor("hardtanh_", x=x)
    check_real("hardtanh_", min=min, max=max)
    return _core.assign_inplace(x, ops.hardtanh(_old(x), float(min), float(max)), "hardtanh_")


def softmax_(x, axis=-1, dtype=None, name=None):
    """softmax in place."""
    check_tensor("softmax_", x=x)
    return _core.assign_inplace(x, softmax(_old(x), axis, dtype), "softmax_")


@writes_out
@aliases(input="x")
def gelu(x, approximate=False, name=None):
    """x * Phi(x), Phi the standard normal distribution function.

    Args:
        x: Floating Tensor.
        approximate: True or "tanh" for the form with tanh, False or "none" for the exact one.
        name: Unused.

    Example:
        >>> paddle.nn.functional.gelu(paddle.to_tensor([0.0, 100.0])).tolist()
        [0.0, 100.0]
    """
    if isinstance(approximate, str):
        if approximate not in ("tanh", "none"):
            raise ValueError(f"gelu: approximate has value {approximate!r}; it must be 'tanh', 'none' or a bool.")
        approximate = approximate == "tanh"
    return ops.gelu(x, approximate)


@aliases(input="x", dim="axis")
def glu(x, axis=-1, name=None):
    """The first half along an axis times the sigmoid of the second (Dauphin et al. 2017).

    Args:
        x: Floating Tensor whose extent along the axis is even.
        axis: The axis that is halved.
        name: Unused.

    Returns:
        A Tensor with half the extent along the axis.

    Example:
        >>> paddle.nn.functional.glu(paddle.to_tensor([4.0, 0.0])).tolist()
        [2.0]
    """
    check_tensor("glu", x=x)
    return ops.glu(x, axis)


@aliases(input="x")
def prelu(x, weight, data_format="NCHW", name=None):
    """x where positive, else x times the slope of its channel.

    Args:
        weight: One slope, or one per channel.
        data_format: Channels are the last axis of formats that end in C, else axis 1.
    """
    check_tensor("prelu", x=x, weight=weight)
    return ops.prelu(x, weight, data_format, "all" if weight.size == 1 else "channel")


def rrelu(x, lower=0.125, upper=1.0 / 3.0, training=True, name=None):
    """x where positive, else x times a slope drawn from [lower, upper] (its middle in eval)."""
    return ops.rrelu(x, float(lower), float(upper), not training)[0]
