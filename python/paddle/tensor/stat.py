# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Statistics: variance, deviation, medians, quantiles, histograms."""

import functools

from .. import _core
from ..framework.checked_numbers import shown, whole
from ..framework.symint import comes_late
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
    writes_out,
)

__all__ = [
    "var",
    "std",
    "median",
    "nanmedian",
    "quantile",
    "nanquantile",
    "nanmean",
    "histogram_bin_edges",
    "histogramdd",
]


def _axes(axis, op):
    """The axes for an operator; all of them for None."""
    if axis is None:
        return []
    if comes_late(axis):
        return axis
    if hasattr(axis, "__index__"):
        return [whole(op, "axis", axis)]
    if isinstance(axis, str) or not hasattr(axis, "__iter__"):
        raise ValueError(f"{op}: axis {shown(axis)}; it must be an int, a list of ints or None.")
    return list(axis)


@aliases(input="x", dim="axis")
def var(x, axis=None, unbiased=None, keepdim=False, name=None, *, correction=1, out=None):
    """The variance over axes.

    Args:
        x: A tensor.
        axis: An axis or a list of them; all by default.
        unbiased: True divides by N - 1, False by N; None by N - correction.
        keepdim: Whether the axes stay with extent 1.
        correction: What is taken off N.
        out: Receives the result.

    Returns:
        A tensor of the dtype of x.

    Example:
        >>> x = paddle.to_tensor([1.0, 2.0, 3.0, 6.0])
        >>> round(float(paddle.var(x)), 4), round(float(paddle.var(x, unbiased=False)), 4)
        (4.6667, 3.5)
    """
    program_operands("var", "floating", x=x)
    if unbiased is not None:
        correction = 1 if unbiased else 0
    return finish(ops.var(x, _axes(axis, "var"), keepdim, correction != 0, float(correction)), out)


@aliases(input="x", dim="axis")
def std(x, axis=None, unbiased=True, keepdim=False, name=None, *, correction=1, out=None):
    """The standard deviation over axes, the square root of `var`.

    Args:
        x: A tensor.
        axis: An axis or a list of them; all by default.
        unbiased: True divides by N - correction, False by N.
        keepdim: Whether the axes stay with extent 1.
        name: Unused.
        correction: What is taken off N.
        out: Receives the result.

    Returns:
        A tensor of the dtype of x.

    Example:
        >>> x = paddle.to_tensor([[1.0, 3.0], [2.0, 2.0]])
        >>> paddle.std(x, axis=1, unbiased=False).tolist()
        [1.0, 0.0]
    """
    program_operands("std", "floating", x=x)
    return finish(ops.std(x, _axes(axis, "std"), keepdim, bool(unbiased), float(correction)), out)


def _median(op, x, axis, keepdim, mode, name):
    check_tensor(name, x=x)
    if mode not in ("avg", "min"):
        raise ValueError(f"{name}: mode has value {mode!r}; it must be 'avg' or 'min'.")
    if mode == "min" and name == "median" and axis is not None and not hasattr(axis, "__index__"):
        raise ValueError(f"{name}: axis has value {axis}; with mode 'min' it must be None or an int.")
    if isinstance(axis, (list, tuple)) and not axis:
        raise ValueError(f"{name}: axis is empty; pass an axis, or None for all.")
    axes = _axes(axis, name)
    if not comes_late(axes):
        axes = [axis_of(a, x.ndim, name) for a in axes] or list(range(x.ndim))
    if x.size == 0:  # a mean of nothing: NaN, where there is a result
        value = ops.mean(x if is_floating(x.dtype) else ops.cast(x, _core.float32), axes, keepdim)
        index = ops.full(value.shape, 0, _core.int64)
    else:
        value, index = op(x, _axes(axis, name), keepdim, mode)
    return (value, index) if mode == "min" and hasattr(axis, "__index__") else value


def _smaller_by_other_names(fn):
    """Calls with the keywords `input` or `dim` have mode='min' unless they say otherwise."""

    @functools.wraps(fn)
    def call(*args, **kwargs):
        if len(args) < 4 and ("input" in kwargs or "dim" in kwargs):
            kwargs.setdefault("mode", "min")
        return fn(*args, **kwargs)

    return call


@_smaller_by_other_names
@aliases(input="x", dim="axis")
def median(x, axis=None, keepdim=False, mode="avg", name=None, *, out=None):
    """The middle value; NaN where there is one.

    Args:
        x: A tensor.
        axis: An axis or a list of them; all by default.
        keepdim: Whether the axes stay with extent 1.
        mode: 'avg' takes the mean of the two middle values of an even number; 'min' takes the
            smaller one, and with an axis also gives its position. It is the default of calls that name `input` or
            `dim`.
        out: Receives the values.

    Returns:
        The medians, or (medians, positions).
    """
    result = _median(ops.median, x, axis, keepdim, mode, "median")
    return finish(result, out) if out is not None and not isinstance(result, tuple) else result


def nanmedian(x, axis=None, keepdim=False, mode="avg", name=None):
    """The median of the elements that are not NaN; NaN where all are.

    Args:
        x: A Tensor of real numbers.
        axis: An axis or several; all by default.
        keepdim: Whether reduced axes stay, with extent 1.
        mode: Of an even number of elements: 'avg' takes the mean of the two in the middle, 'min' the smaller one.
        name: Unused.

    Returns:
        The medians; with mode 'min' and one axis also their positions.

    Example:
        >>> float(paddle.nanmedian(paddle.to_tensor([1.0, float("nan"), 4.0])))
        2.5
    """
    return _median(ops.nanmedian, x, axis, keepdim, mode, "nanmedian")


@aliases(input="x", dim="axis")
def nanmean(x, axis=None, keepdim=False, name=None, *, dtype=None, out=None):
    """The mean of the elements that are not NaN; NaN where all are.

    Args:
        x: A Tensor of numbers; integers give float32.
        axis: An axis or several; all by default.
        keepdim: Whether reduced axes stay, with extent 1.
        name: Unused.
        dtype: The dtype to compute in, a floating one; that of x by default.
        out: A Tensor that takes the result.

    Example:
        >>> float(paddle.nanmean(paddle.to_tensor([1.0, float("nan"), 4.0])))
        2.5
    """
    check_tensor("nanmean", x=x)
    if dtype is not None:
        x = ops.cast(x, convert(dtype))
    if not is_floating(x.dtype) and not x.dtype.name.startswith("complex"):
        x = ops.cast(x, _core.float32)
    numbers = ops.cast(ops.logical_not(ops.isnan(x)), x.dtype)
    mean = ops.nansum(x, _axes(axis, "nanmean"), None, keepdim) / ops.sum(
        numbers, _axes(axis, "nanmean"), None, keepdim
    )
    return finish(mean, out)


def _reduced_last(op, x, axis):
    """The values sorted along a new last axis, and the axes that were reduced."""
    axes = [axis_of(a, x.ndim, op) for a in _axes(axis, op)] or list(range(x.ndim))
    rest = [a for a in range(x.ndim) if a not in axes]
    rows = ops.reshape(ops.transpose(x, rest + axes), [x.shape[a] for a in rest] + [-1])
    return ops.argsort(rows, -1, False, True)[0], axes


_WEIGHTS = {
    "linear": lambda place: place - ops.floor(place),
    "lower": lambda place: ops.full_like(place, 0),
    "higher": lambda place: ops.ceil(place) - ops.floor(place),
    "midpoint": lambda place: (ops.ceil(place) - ops.floor(place)) * 0.5,
    "nearest": lambda place: ops.round(place) - ops.floor(place),
}


def _fractions(op, q):
    if isinstance(q, Tensor):
        if q.ndim > 1:
            raise ValueError(f"{op}: q has shape {list(q.shape)}; it must be a number or a vector.")
        q = q.tolist()
    q = list(q) if isinstance(q, (list, tuple)) else [q]
    if not q:
        raise ValueError(f"{op}: q is empty; it must hold at least one fraction.")
    for fraction in q:
        if not 0 <= fraction <= 1:
            raise ValueError(f"{op}: q has value {fraction}; fractions must be in [0, 1].")
    return q


def _quantile(op, x, q, axis, keepdim, interpolation, skip_nan):
    check_tensor(op, x=x)
    q = _fractions(op, q)
    if interpolation not in _WEIGHTS:
        raise ValueError(f"{op}: interpolation must be one of {', '.join(_WEIGHTS)}, but got {interpolation!r}.")
    x = x if is_floating(x.dtype) else ops.cast(x, _core.float64)
    rows, axes = _reduced_last(op, x, axis)
    if rows.shape[-1] == 0:
        rows = ops.full([*rows.shape[:-1], 1], float("nan"), x.dtype)
    numbers = ops.sum(ops.cast(ops.logical_not(ops.isnan(rows)), _core.float64), [-1], None, True)
    size = ops.full_like(numbers, rows.shape[-1])
    count = numbers if skip_nan else size
    missing = ops.equal(numbers, as_tensor(0.0, numbers)) if skip_nan else ops.less_than(numbers, size)
    results = []
    for fraction in q:
        place = ops.maximum((count - 1) * fraction, as_tensor(0.0, count))
        low = ops.take_along_axis(rows, ops.cast(ops.floor(place), _core.int64), -1)
        high = ops.take_along_axis(rows, ops.cast(ops.ceil(place), _core.int64), -1)
        weight = ops.cast(_WEIGHTS[interpolation](place), x.dtype)
        # Equal neighbours may both be infinite.
        value = ops.where(ops.equal(low, high), low, low + (high - low) * weight)
        value = ops.where(missing, ops.full_like(value, float("nan")), value)
        value = ops.squeeze(value, [-1])
        results.append(ops.unsqueeze(value, sorted(axes)) if keepdim and axes else value)
    return ops.stack(results, 0) if len(q) > 1 else results[0]


@aliases(input="x", dim="axis")
def quantile(x, q, axis=None, keepdim=False, interpolation="linear", name=None, *, out=None):
    """The values below which the fractions `q` lie; NaN where there is one.

    Args:
        x: A floating tensor.
        q: A fraction in [0, 1], or a list or vector of them; more than one give a new first axis.
        axis: An axis or a list of them; all by default.
        keepdim: Whether the axes stay with extent 1.
        interpolation: Between two values: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'.
        out: Receives the result.

    Returns:
        A tensor of the dtype of x.

    Raises:
        ValueError: q lies outside of [0, 1].

    Example:
        >>> paddle.quantile(paddle.to_tensor([0.0, 1.0, 2.0, 3.0, 4.0]), [0.25, 0.5]).tolist()
        [1.0, 2.0]
    """
    return finish(_quantile("quantile", x, q, axis, keepdim, interpolation, False), out)


@aliases(input="x", dim="axis")
@writes_out
def nanquantile(x, q, axis=None, keepdim=False, interpolation="linear"):
    """`quantile` of the elements that are not NaN; NaN where all are.

    Args:
        x: A Tensor of real numbers.
        q: A fraction in [0, 1], or a list or vector of them; more than one give a new first axis.
        axis: An axis or several; all by default.
        keepdim: Whether reduced axes stay, with extent 1.
        interpolation: Between two values: 'linear', 'lower', 'higher', 'midpoint' or 'nearest'.

    Raises:
        ValueError: A fraction lies outside [0, 1], or there is no such interpolation.

    Example:
        >>> float(paddle.nanquantile(paddle.to_tensor([1.0, float("nan"), 3.0]), 0.5))
        2.0
    """
    return _quantile("nanquantile", x, q, axis, keepdim, interpolation, True)


def histogram_bin_edges(input, bins=100, min=0.0, max=0.0, name=None):
    """The bounds of the intervals that `histogram` counts in, as float32 of shape [bins + 1].

    Args:
        input: The values whose range is taken when min and max are both 0.
        bins: How many intervals.
        min: The lower end.
        max: The upper end.
    """
    check_tensor("histogram_bin_edges", input=input)
    if bins < 1:
        raise ValueError(f"histogram_bin_edges: bins has value {bins}; at least one is needed.")
    if max < min:
        raise ValueError(f"histogram_bin_edges: max is {max} and min is {min}; max must not be below min.")
    if min == 0 and max == 0 and input.size:
        min, max = float(ops.min(input, [])), float(ops.max(input, []))
    if min == max:
        min, max = min - 0.5, max + 0.5
    return ops.linspace(float(min), float(max), bins + 1, _core.float32)


def _edges(x, bins, ranges):
    """The bounds of the intervals along each coordinate."""
    count = x.shape[1]
    bins = [bins] * count if hasattr(bins, "__index__") else list(bins)
    if len(bins) != count:
        raise _core.ArgumentValueError(f"histogramdd: bins has {len(bins)} entries and x has {count} coordinates.")
    if any(isinstance(b, Tensor) for b in bins):
        for b in bins:
            if not isinstance(b, Tensor):
                raise ValueError("histogramdd: bins must hold only ints or only tensors of bounds.")
        return [ops.cast(b, x.dtype) for b in bins]
    if ranges is not None and len(ranges) != 2 * count:
        raise _core.ArgumentValueError(
            f"histogramdd: ranges has {len(ranges)} numbers; {2 * count} are needed, two per coordinate."
        )
    edges = []
    for d, n in enumerate(bins):
        if ranges is None and _core.is_capturing():
            column = x[:, d]
            low, high = ops.min(column, []), ops.max(column, [])
            half = ops.cast(ops.equal(low, high), x.dtype) * 0.5
            edges.append(ops.linspace(low - half, high + half, n + 1, x.dtype))
            continue
        if ranges is None:
            column = x[:, d]
            low, high = (float(ops.min(column, [])), float(ops.max(column, []))) if x.shape[0] else (0.0, 1.0)
        else:
            low, high = float(ranges[2 * d]), float(ranges[2 * d + 1])
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges.append(ops.linspace(low, high, n + 1, x.dtype))
    return edges


@aliases(input="x", weight="weights")
def histogramdd(x, bins=10, ranges=None, density=False, weights=None, name=None):
    """Counts of points in boxes.

    Args:
        x: Points as rows of a floating tensor of shape [..., N, D].
        bins: The number of intervals of every coordinate, a list of D numbers, or a list of D
            tensors of bounds.
        ranges: 2 D numbers, the lower and upper end of each coordinate; those of x by default.
        density: Whether to divide by the total and by the volumes of the boxes.
        weights: What each point counts.

    Returns:
        (counts of shape [bins...], list of D tensors of bounds).
    """
    check_tensor("histogramdd", x=x)
    if not is_floating(x.dtype):
        raise TypeError(f"histogramdd: x has dtype {x.dtype.name}; it must be float32 or float64.")
    if x.ndim < 2:
        raise _core.ArgumentValueError(f"histogramdd: x has shape {list(x.shape)}; it must hold points as rows.")
    x = ops.reshape(x, [-1, x.shape[-1]])
    edges = _edges(x, bins, ranges)
    sizes = [e.shape[0] - 1 for e in edges]
    flat, inside = None, None
    for d, e in enumerate(edges):
        column = ops.assign(x[:, d])
        at = ops.searchsorted(e, column, False, True) - 1
        # The last interval is closed.
        at = at - ops.cast(ops.equal(column, e[-1]), _core.int64)
        fits = ops.logical_and(at >= 0, at < sizes[d])
        inside = fits if inside is None else ops.logical_and(inside, fits)
        flat = at if flat is None else flat * sizes[d] + at
    weights = ops.full([x.shape[0]], 1, x.dtype) if weights is None else ops.reshape(weights, [-1])
    total = 1
    for n in sizes:
        total *= n
    counts = ops.full([total], 0, x.dtype)
    counts = ops.index_add(
        counts,
        ops.where(inside, flat, ops.full_like(flat, 0)),
        ops.where(inside, ops.cast(weights, x.dtype), ops.full([x.shape[0]], 0, x.dtype)),
        0,
    )
    counts = ops.reshape(counts, sizes)
    if density:
        counts = counts / ops.sum(counts, [])
        for d, e in enumerate(edges):
            shape = [1] * len(sizes)
            shape[d] = sizes[d]
            counts = counts / ops.reshape(e[1:] - e[:-1], shape)
    return counts, edges
