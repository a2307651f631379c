# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics: variance, deviation, median, quantiles."""

from .. import _core
from .._bind import fallback
from ._args import aliases, finish, ops

__all__ = ["var", "std", "median", "quantile"]


def _axes(axis, ndim):
    if axis is None:
        return list(range(ndim))
    axes = [axis] if isinstance(axis, int) else list(axis)
    return [a % ndim if ndim else a for a in axes]


@aliases(input="x", dim="axis")
def var(x, axis=None, unbiased=True, keepdim=False, name=None, *, correction=1, out=None):
    """The variance over axes.

    Args:
        unbiased: Divide by N - 1 instead of N.
        correction: What is taken off N (with `unbiased`).
    """
    axes = _axes(axis, x.ndim)
    count = 1
    for a in axes:
        count *= x.shape[a]
    center = ops.mean(x, axes, True)
    gap = x - center
    total = ops.sum(gap * gap, axes, None, keepdim)
    divisor = count - correction if unbiased else count
    return finish(total / float(max(divisor, 0)), out)


@aliases(input="x", dim="axis")
def std(x, axis=None, unbiased=True, keepdim=False, name=None, *, correction=1, out=None):
    """The standard deviation over axes; see `var`."""
    return finish(ops.sqrt(var(x, axis, unbiased, keepdim, correction=correction)), out)


def _sorted_last(x, axis):
    """The values sorted along a new last axis, and the axes they come from."""
    axes = _axes(axis, x.ndim)
    rest = [a for a in range(x.ndim) if a not in axes]
    x = ops.reshape(ops.transpose(x, rest + axes), [x.shape[a] for a in rest] + [-1])
    ordered = ops.topk(x, x.shape[-1], -1, False, True)[0]
    return ordered, axes


def _keep(result, axes, keepdim):
    return ops.unsqueeze(result, sorted(axes)) if keepdim and axes else result


@fallback
def median(x, axis=None, keepdim=False, mode="avg", name=None):
    """The middle value (for an even number of values: the mean of two, or with mode 'min' the
    smaller one and its index)."""
    if mode == "min" and axis is not None:
        order = ops.argsort(x, axis)[1]
        place = _core.to_tensor([(x.shape[axis] - 1) // 2], _core.int64)
        index = ops.index_select(order, place, axis % x.ndim)
        value = ops.take_along_axis(x, index, axis % x.ndim)
        if not keepdim:
            value, index = ops.squeeze(value, [axis]), ops.squeeze(index, [axis])
        return value, index
    ordered, axes = _sorted_last(x, axis)
    size, last = ordered.shape[-1], ordered.ndim - 1
    low, high = (size - 1) // 2, size // 2
    middle = ops.slice(ordered, [last], [low], [high + 1])
    if mode == "min":
        middle = ops.slice(middle, [last], [0], [1])
    elif middle.dtype.name != "float64":
        middle = ops.cast(middle, _core.float32)
    result = ops.mean(middle, [last], False) if mode == "avg" else ops.squeeze(middle, [last])
    missing = ops.any(ops.isnan(ordered), [last]) if "float" in x.dtype.name else None
    if missing is not None:
        result = ops.where(missing, ops.full_like(result, float("nan")), result)
    return _keep(result, axes, keepdim)


@fallback
def quantile(x, q, axis=None, keepdim=False, interpolation="linear", name=None):
    """The values below which the fractions `q` lie."""
    ordered, axes = _sorted_last(x, axis)
    ordered = ops.cast(ordered, _core.float64)
    last, size = ordered.ndim - 1, ordered.shape[-1]
    results = []
    for fraction in q if isinstance(q, (list, tuple)) else [q]:
        place = fraction * (size - 1)
        low = int(place)
        high = min(low + (place > low), size - 1)
        a = ops.slice(ordered, [last], [low], [low + 1])
        b = ops.slice(ordered, [last], [high], [high + 1])
        weight = {
            "linear": place - low,
            "lower": 0.0,
            "higher": 1.0,
            "midpoint": 0.5,
            "nearest": float(round(place) - low),
        }[interpolation]
        results.append(_keep(ops.squeeze(a + (b - a) * weight, [last]), axes, keepdim))
    return ops.stack(results, 0) if isinstance(q, (list, tuple)) else results[0]
