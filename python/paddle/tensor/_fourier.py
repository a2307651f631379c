# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments of the Fourier transforms, and the transforms of x whose lengths and axes are known."""

from .. import _core
from ._args import check_tensor, finish

ops = _core.ops

_COMPLEX = (_core.complex64, _core.complex128)
_REAL = (_core.float32, _core.float64)


def _check_norm(fn, norm):
    if norm not in ("forward", "backward", "ortho"):
        raise ValueError(f"{fn}: norm has value {norm!r}; it must be 'forward', 'backward' or 'ortho'.")


def _integer(fn, name, value):
    """A Python integer, numpy's included; ValueError for anything else."""
    if not hasattr(value, "__index__"):
        raise ValueError(f"{fn}: {name} is {value!r}; it must be an integer.")
    return value.__index__()


def integers(fn, name, values):
    if not hasattr(values, "__iter__"):
        raise ValueError(f"{fn}: {name} is {values!r}; it must be a sequence of integers.")
    return [_integer(fn, name, value) for value in values]


def axis_of(fn, axis, ndim):
    axis = _integer(fn, "axis", axis)
    if not -ndim <= axis < ndim:
        raise ValueError(f"{fn}: axis is {axis} and x has {ndim} dimensions; it must be in [{-ndim}, {ndim}).")
    return axis % ndim


def plan_of_axes(fn, x, s, axes):
    """(fn, x, sizes or None, axes) of a transform of several axes."""
    check_tensor(fn, x=x)
    if s is not None:
        s = integers(fn, "s", s)
    if axes is None:
        axes = list(range(x.ndim)) if s is None else list(range(x.ndim - len(s), x.ndim))
    axes = [axis_of(fn, a, x.ndim) for a in integers(fn, "axes", axes)]
    if len(set(axes)) != len(axes):
        raise ValueError(f"{fn}: axes is {axes}; an axis must not be named twice.")
    if s is not None and len(s) != len(axes):
        raise ValueError(f"{fn}: s has {len(s)} sizes and there are {len(axes)} axes; there must be one size per axis.")
    return fn, x, s, axes


def _resized(fn, x, sizes, axes):
    """x cut or filled up with zeros to sizes[i] along axes[i]."""
    for n, axis in zip(sizes, axes, strict=True):
        if n <= 0:
            raise ValueError(f"{fn}: n has value {n}; it must be positive.")
        have = x.shape[axis]
        if not isinstance(have, int):
            more = [n if i == 2 * axis + 1 else 0 for i in range(2 * x.ndim)]
            x = ops.slice(ops.pad(x, more, 0.0), [axis], [0], [n])
        elif n < have:
            x = ops.slice(x, [axis], [0], [n])
        elif n > have:
            paddings = [0] * (2 * x.ndim)
            paddings[2 * axis + 1] = n - have
            x = ops.pad(x, paddings, 0.0)
    return x


class ComplexInputError(TypeError, RuntimeError):
    """A complex tensor where a transform takes a real one; PaddlePaddle raises a RuntimeError."""


def _to_complex(x):
    if x.dtype in _COMPLEX:
        return x
    return ops.cast(x, "complex128" if x.dtype == _core.float64 else "complex64")


def _to_real(fn, x):
    if x.dtype in _COMPLEX:
        raise ComplexInputError(f"{fn}: x has dtype {x.dtype.name}; it must be real; take its real part.")
    return x if x.dtype in _REAL else ops.cast(x, "float32")


def _empty(x):
    return 0 in x.shape


def complex_to_complex(fn, x, s, axes, norm, forward, out):
    _check_norm(fn, norm)
    real = x.dtype in _REAL and s is None
    if s is not None:
        x = _resized(fn, x, s, axes)
        real = x.dtype in _REAL
    if _empty(x) or not axes:
        return finish(ops.assign(_to_complex(x)), out)
    if real:
        return finish(ops.fft_r2c(x, axes, norm, forward, False), out)
    return finish(ops.fft_c2c(_to_complex(x), axes, norm, forward), out)


def real_to_complex(fn, x, s, axes, norm, forward, out):
    _check_norm(fn, norm)
    x = _to_real(fn, x)
    if s is not None:
        x = _resized(fn, x, s, axes)
    return finish(ops.fft_r2c(x, axes, norm, forward, True), out)


def complex_to_real(fn, x, s, axes, norm, forward, out):
    _check_norm(fn, norm)
    x = _to_complex(x)
    last = 0
    if s is not None:
        last = s[-1]
        if last <= 0:
            raise ValueError(f"{fn}: n has value {last}; it must be positive.")
        x = _resized(fn, x, [*s[:-1], last // 2 + 1], axes)
    return finish(ops.fft_c2r(x, axes, norm, forward, last), out)


def plan_of_axis(fn, x, n, axis):
    """(fn, x, sizes or None, axes) of a transform of one axis."""
    check_tensor(fn, x=x)
    return fn, x, None if n is None else [_integer(fn, "n", n)], [axis_of(fn, axis, x.ndim)]
