# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Activations that are composites of operators."""

from ... import _core
from ..._bind import fallback
from ...framework.dtypes import convert
from ...tensor._args import aliases, finish

ops = _core.ops

__all__ = [
    "softmax",
    "log_softmax",
    "relu_",
    "celu",
    "selu",
    "softsign",
    "hardtanh",
    "hardshrink",
    "softshrink",
    "thresholded_relu",
    "glu",
    "swiglu",
    "prelu",
    "gumbel_softmax",
    "rrelu",
    "maxout",
    "silu",
]


@aliases(input="x", dim="axis")
def softmax(x, axis=-1, dtype=None, name=None, *, out=None):
    """exp(x) over its sum along an axis, after a cast to `dtype` when given."""
    x = x if dtype is None else ops.cast(x, convert(dtype))
    return finish(ops.softmax(x, axis), out) if out is not None else ops.softmax(x, axis)


@aliases(input="x", dim="axis")
def log_softmax(x, axis=-1, dtype=None, name=None):
    """The logarithm of softmax along an axis."""
    return ops.log_softmax(x if dtype is None else ops.cast(x, convert(dtype)), axis)


@aliases(input="x")
def silu(x, inplace=False, name=None):
    """x * sigmoid(x)."""
    return ops.silu(x)


@fallback
def relu_(x, name=None):
    """relu in place."""
    from ...framework.memory import write

    return write(x, ops.relu(x))


@fallback
def celu(x, alpha=1.0, name=None):
    """x where positive, else alpha * (exp(x / alpha) - 1)."""
    return ops.maximum(x, x * 0.0) + ops.expm1(ops.clip(x, None, 0.0) / alpha) * alpha


@fallback
def selu(x, scale=1.0507009873554805, alpha=1.6732632423543772, name=None):
    """scale * elu(x, alpha) (Klambauer et al. 2017)."""
    return ops.elu(x, alpha) * scale


@fallback
def softsign(x, name=None):
    """x / (1 + |x|)."""
    return x / (ops.abs(x) + 1.0)


@fallback
def hardtanh(x, min=-1.0, max=1.0, name=None):
    """x clipped to [min, max]."""
    return ops.clip(x, min, max)


def _keep(x, condition, other=0.0):
    return ops.where(condition, x, ops.full_like(x, other))


@fallback
def hardshrink(x, threshold=0.5, name=None):
    """x where |x| > threshold, else 0."""
    return _keep(x, ops.abs(x) > threshold)


@fallback
def softshrink(x, threshold=0.5, name=None):
    """x moved towards zero by threshold, 0 within it."""
    return _keep(x - ops.sign(x) * threshold, ops.abs(x) > threshold)


@fallback
def thresholded_relu(x, threshold=1.0, value=0.0, name=None):
    """x where x > threshold, else value."""
    return _keep(x, x > threshold, value)


@fallback
def glu(x, axis=-1, name=None):
    """The first half along an axis times the sigmoid of the second."""
    a, b = ops.split_with_num(x, 2, axis)
    return a * ops.sigmoid(b)


@fallback
def swiglu(x, y=None, name=None):
    """silu(x) * y; without y, x is halved along the last axis."""
    if y is None:
        x, y = ops.split_with_num(x, 2, -1)
    return ops.silu(x) * y


@fallback
def prelu(x, weight, data_format="NCHW", name=None):
    """x where positive, else x times the slope of its channel."""
    if weight.size > 1:
        shape = [1] * x.ndim
        shape[-1 if data_format.endswith("C") else 1] = weight.size
        weight = ops.reshape(weight, shape)
    return ops.where(x > 0, x, x * weight)


@fallback
def rrelu(x, lower=0.125, upper=1.0 / 3.0, training=True, name=None):
    """x where positive, else x times a slope drawn from [lower, upper] (its middle in eval)."""
    if not training:
        return ops.where(x > 0, x, x * ((lower + upper) / 2))
    return ops.where(x > 0, x, x * ops.uniform(x.shape, x.dtype, lower, upper, 0))


@fallback
def maxout(x, groups, axis=1, name=None):
    """The maximum over groups of channels."""
    axis %= x.ndim
    shape = x.shape[:axis] + [x.shape[axis] // groups, groups] + x.shape[axis + 1 :]
    return ops.max(ops.reshape(x, shape), [axis + 1], False)


@fallback
def gumbel_softmax(x, temperature=1.0, hard=False, axis=-1, name=None):
    """Samples of softmax with Gumbel noise (Jang et al. 2017); one-hot with `hard`."""
    noise = ops.uniform(x.shape, x.dtype, 1e-10, 1.0, 0)
    y = ops.softmax((x - ops.log(-ops.log(noise))) / temperature, axis)
    if not hard:
        return y
    top = ops.cast(ops.equal(y, ops.max(y, [axis], True)), y.dtype)
    return top - y.detach() + y
