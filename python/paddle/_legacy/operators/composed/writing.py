# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators that write values into a tensor that exists."""

import math

from .... import _core

ops = _core.ops

__all__ = [
    "assign_out_",
    "assign_value_",
    "check_finite_and_unscale_",
    "exponential_",
    "fill_",
    "fill_diagonal_",
    "full_",
    "gaussian_inplace_",
    "set_value",
    "set_value_with_tensor",
    "uniform_inplace_",
    "update_loss_scaling_",
]


def _assign(x, value, name):
    same = value.shape == x.shape and value.dtype == x.dtype
    return (_core.assign_inplace if same else _core.rebind_inplace)(x, value, name)


def assign_out_(x, output):
    """x written into output."""
    return _assign(output, ops.assign(x), "assign_out_")


def _constant(values, shape, dtype):
    from ....tensor import creation

    kinds = {_core.float32: float, _core.float64: float, _core.float16: float, _core.bfloat16: float}
    kind = bool if dtype == _core.bool else kinds.get(dtype)
    if kind is None:
        kind = complex if dtype in (_core.complex64, _core.complex128) else int
    return creation.to_tensor([kind(v) for v in values], dtype).reshape(list(shape))


def assign_value_(output, shape, dtype, values, place=None):
    """Given values, in a shape, written into output."""
    return _assign(output, _constant(values, shape, dtype), "assign_value_")


def full_(output, shape, value, dtype=_core.float32, place=None):
    """One value, in a shape, written into output."""
    return _assign(output, ops.full(shape, value, dtype, place), "full_")


def fill_(x, value=0):
    """Every element of x becomes value."""
    return x.fill_(value)


def fill_diagonal_(x, value=0.0, offset=0, wrap=False):
    """The diagonal of x becomes value."""
    return x.fill_diagonal_(value, offset, wrap)


def uniform_inplace_(x, min=-1.0, max=1.0, seed=0, diag_num=0, diag_step=0, diag_val=1.0):
    """Every element of x becomes a uniform value in [min, max)."""
    if diag_num:
        raise NotImplementedError(f"uniform_inplace_: diag_num has value {diag_num}; it must be 0.")
    return x.uniform_(min, max, seed)


def gaussian_inplace_(x, mean=0.0, std=1.0, seed=0):
    """Every element of x becomes a normal value."""
    return _assign(x, ops.gaussian(x.shape, mean, std, seed, x.dtype), "gaussian_inplace_")


def exponential_(x, lam):
    """Every element of x becomes a value of the exponential distribution of rate lam."""
    return x.exponential_(lam)


# -- values into a part --------------------------------------------------------------------------


def _bounds(values, count):
    """One bound for each axis; `values` may be a tensor of all."""
    return ops.unbind(values, 0) if isinstance(values, _core.Tensor) else list(values) or [0] * count


def _part(x, starts, ends, steps, axes, decrease_axes):
    """The index of the part of x that is written."""
    count = len(axes)
    bounds = zip(_bounds(starts, count), _bounds(ends, count), _bounds(steps, count), strict=True)
    part = [slice(None)] * x.ndim
    for axis, (start, end, step) in zip(axes, bounds, strict=True):
        part[axis] = start if axis in decrease_axes else slice(start, end, step)
    return tuple(part)


def _without_new_axes(value, sizes, none_axes):
    """A value for a part that was indexed with None at none_axes, for the part itself."""
    if not none_axes:
        return value
    widened = list(sizes)
    for axis in sorted(none_axes):
        widened.insert(axis, 1)
    return ops.reshape(ops.expand(value, widened), list(sizes))


def set_value_with_tensor(x, values, starts, ends, steps, axes, decrease_axes, none_axes):
    """A copy of x with values in the part [starts:ends:steps] of some axes.

    Args:
        starts, ends, steps: One bound for each of axes, as integers or tensors.
        decrease_axes: Axes of which one index is written; values lack them.
        none_axes: Axes of size one that values have in addition.
    """
    out = ops.assign(x)
    part = _part(x, starts, ends, steps, axes, decrease_axes)
    if none_axes:
        values = _without_new_axes(values, out[part].shape, none_axes)
    out[part] = ops.cast(values, x.dtype)
    return out


def set_value(x, starts, ends, steps, axes, decrease_axes, none_axes, shape, values):
    """A copy of x with the numbers `values`, in a shape, in the part [starts:ends:steps] of some axes."""
    value = _constant(values, shape if math.prod(shape) == len(values) else [len(values)], x.dtype)
    return set_value_with_tensor(x, value, starts, ends, steps, axes, decrease_axes, none_axes)


# -- loss scaling --------------------------------------------------------------------------------


def check_finite_and_unscale_(x, scale):
    """Gradients divided by the loss scale, in place.

    Returns:
        (the gradients, whether one of them is not finite, [1] bool).
    """
    bad = [ops.logical_not(ops.all(ops.isfinite(t), [], False)) for t in x]
    found = ops.any(ops.stack(bad, 0), [0], True)
    inverse = 1.0 / ops.cast(scale, _core.float32)
    for t in x:
        _core.assign_inplace(t, ops.cast(ops.cast(t, _core.float32) * inverse, t.dtype), "check_finite_and_unscale_")
    return x, found


def update_loss_scaling_(
    x,
    found_infinite,
    prev_loss_scaling,
    in_good_steps,
    in_bad_steps,
    incr_every_n_steps,
    decr_every_n_nan_or_inf,
    incr_ratio,
    decr_ratio,
    stop_update=False,
):
    """The next loss scale and the counts behind it, in place; gradients become zero where one was not finite."""
    bad = found_infinite
    for t in x:
        _core.assign_inplace(t, ops.where(bad, ops.full_like(t, 0), t), "update_loss_scaling_")
    if not stop_update:
        zero = ops.full_like(in_good_steps, 0)
        good_steps = ops.where(bad, zero, in_good_steps + 1)
        bad_steps = ops.where(bad, in_bad_steps + 1, zero)
        fewer = ops.logical_and(bad, bad_steps == decr_every_n_nan_or_inf)
        more = ops.logical_and(ops.logical_not(bad), good_steps == incr_every_n_steps)
        least = ops.full_like(prev_loss_scaling, 1.0)
        shrunk, grown = ops.maximum(prev_loss_scaling * decr_ratio, least), prev_loss_scaling * incr_ratio
        grown = ops.where(ops.isfinite(grown), grown, prev_loss_scaling)
        scale = ops.where(fewer, shrunk, ops.where(more, grown, prev_loss_scaling))
        for target, value in (
            (prev_loss_scaling, scale),
            (in_good_steps, ops.where(more, zero, good_steps)),
            (in_bad_steps, ops.where(fewer, zero, bad_steps)),
        ):
            _core.assign_inplace(target, value, "update_loss_scaling_")
    return x, prev_loss_scaling, in_good_steps, in_bad_steps
