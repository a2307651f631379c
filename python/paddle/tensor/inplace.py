# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""In-place forms of composites: `x.logit_()` is `x.logit()` written into x, with its history."""

import functools

from .. import _core
from ._args import aliases, axis_of, check_tensor, convert, index_and_axis, ops
from .along_axis import put_along_axis_, scatter_add_

# Composites whose result has the shape and dtype of their first argument.
_WRITTEN = (
    "clamp",
    "clip",
    "frac",
    "gammainc",
    "hypot",
    "ldexp",
    "logit",
    "masked_scatter",
    "multigammaln",
    "nan_to_num",
    "renorm",
    "sinc",
)

__all__ = [
    *(name + "_" for name in _WRITTEN),
    "cumprod_",
    "cumsum_",
    "index_fill_",
    "put_along_axis_",
    "scatter_add_",
    "t_",
    "where_",
    "set_",
    "resize_",
    "bernoulli_",
    "geometric_",
    "cauchy_",
    "log_normal_",
    "random_",
]


def _old(x):
    """The value that x has before the write, for a composite that records its history."""
    return x if x.stop_gradient else ops.assign(x)


def _written(fn):
    @functools.wraps(fn)
    def write(*args, **kwargs):
        if args:
            x, *args = args
        else:  # addmm_(input=, x=, y=): x is the second argument
            x = kwargs.pop(next((key for key in ("input", "arr", "x") if key in kwargs), "x"), None)
        check_tensor(write.__name__, x=x)
        return _core.assign_inplace(x, fn(_old(x), *args, **kwargs), write.__name__)

    write.__name__ = fn.__name__ + "_"
    write.__qualname__ = write.__name__
    write.__doc__ = f"`{fn.__name__}`, written into the first argument, which is returned."
    return write


def forms(namespace):
    """name -> in-place form, of the composites in `namespace`."""
    made = {name + "_": _written(namespace[name]) for name in _WRITTEN if name in namespace}
    made.update({name: globals()[name] for name in __all__ if name in globals()})
    return made


def t_(input, name=None):
    """The transpose of a matrix, in place."""
    check_tensor("t_", input=input)
    if input.ndim > 2:
        raise ValueError(f"t_: input has {input.ndim} dimensions; it must have at most 2.")
    return input if input.ndim < 2 else input.transpose_([1, 0])


def _become(x, made, name):
    """x with the values of `made`, in its own memory unless that is of another dtype."""
    if made.dtype != x.dtype:
        return _core.rebind_inplace(x, made, name)
    return _core.assign_inplace(x if list(made.shape) == list(x.shape) else x.reshape_(made.shape), made, name)


@aliases(dim="axis")
def cumsum_(x, axis=None, dtype=None, name=None):
    """Running sums along an axis, written into x; without one x becomes a vector, with dtype it takes that one."""
    check_tensor("cumsum_", x=x)
    from .cumulative import cumsum

    made = cumsum(_old(x), axis, dtype)
    return _become(x, made if dtype is not None else ops.cast(made, x.dtype), "cumsum_")


def cumprod_(x, dim=None, dtype=None, name=None):
    """Running products along an axis, written into x; without one x becomes a vector, with dtype it takes that one."""
    check_tensor("cumprod_", x=x)
    from .cumulative import cumprod

    return _become(x, cumprod(_old(x), dim, dtype=dtype), "cumprod_")


@aliases(input="x", dim="axis")
def index_fill_(x, index, axis, value, name=None):
    """Write `value` into the slices of x that `index` names along an axis."""
    index, axis = index_and_axis(index, axis)
    check_tensor("index_fill_", x=x, index=index)
    axis = axis_of(axis, x.ndim, "index_fill_")
    x[(slice(None),) * axis + (index,)] = value
    return x


def where_(condition, x=None, y=None, name=None):
    """Elements of x where the condition is true, else of y, written into x."""
    from .search import where

    check_tensor("where_", x=x)
    return _core.assign_inplace(x, where(condition, _old(x), y), "where_")


def set_(x, source=None, shape=None, stride=None, offset=0, name=None):
    """Make x a view of the memory of another tensor.

    Args:
        x: The tensor that is changed.
        source: The tensor whose memory x takes; without one x becomes empty.
        shape: The new shape; that of source by default.
        stride: The new strides, in elements; contiguous ones by default.
        offset: Where x starts in the memory, in bytes.
    """
    check_tensor("set_", x=x)
    if source is None:
        return _core.rebind_inplace(x, ops.full([0], 0, x.dtype), "set_")
    if shape is None and stride is None and not offset:
        return _core.rebind_inplace(x, source[...], "set_")
    shape = list(source.shape) if shape is None else list(shape)
    if stride is None:
        stride, step = [], 1
        for size in reversed(shape):
            stride.insert(0, step)
            step *= size
    return _core.rebind_inplace(x, ops.as_strided(source, shape, list(stride), offset), "set_")


def resize_(x, shape, fill_zero=False, name=None):
    """Change the shape of x in place, cutting its memory off or adding to it.

    Args:
        x: The tensor that is changed.
        shape: The new shape, of any number of elements.
        fill_zero: Accepted; what is added is zero in any case.
    """
    shape = [shape] if isinstance(shape, int) else list(shape)
    size = 1
    for n in shape:
        size *= n
    flat = ops.reshape(_old(x), [-1])
    if size <= x.size:
        flat = ops.slice(flat, [0], [0], [size])
    else:
        flat = ops.concat([flat, ops.full([size - x.size], 0, x.dtype)], 0)
    return _core.rebind_inplace(x, ops.reshape(flat, shape), "resize_")


def _drawn(x, values, name):
    """Write random values: what was there before has no influence, so its gradient is zero."""
    values = values if values.dtype == x.dtype else ops.cast(values, x.dtype)
    if not x.stop_gradient:
        values = ops.where(ops.full([1], False, convert("bool")), _old(x), values)
    return _core.assign_inplace(x, values, name)


def _unit(x):
    """Uniform numbers in (0, 1], of the shape of x."""
    return 1.0 - ops.uniform(x.shape, convert("float64"), 0.0, 1.0, 0)


def bernoulli_(x, p=0.5, name=None):
    """Fill x with 1 with probability p (a number or a tensor), else 0."""
    check_tensor("bernoulli_", x=x)
    return _drawn(x, _unit(x) <= p, "bernoulli_")


@aliases(p="probs")
def geometric_(x, probs, name=None):
    """Fill x with `log(u) / log(1 - probs)` for uniform u, whose ceiling is geometric."""
    check_tensor("geometric_", x=x)
    if isinstance(probs, _core.Tensor):
        return _drawn(x, ops.log(_unit(x)) / ops.log1p(-ops.cast(probs, convert("float64"))), "geometric_")
    from math import log1p

    return _drawn(x, ops.log(_unit(x)) / log1p(-probs), "geometric_")


@aliases(median="loc", sigma="scale")
def cauchy_(x, loc=0, scale=1, name=None):
    """Fill x with numbers of the Cauchy distribution."""
    check_tensor("cauchy_", x=x)
    return _drawn(x, ops.tan((_unit(x) - 0.5) * 3.141592653589793) * scale + loc, "cauchy_")


def log_normal_(x, mean=1.0, std=2.0, name=None):
    """Fill x with exponentials of normal numbers of the given mean and deviation."""
    check_tensor("log_normal_", x=x)
    return _drawn(x, ops.exp(ops.gaussian(x.shape, mean, std, 0, convert("float64"))), "log_normal_")


def random_(x, from_=0, to=None, *, generator=None):
    """Fill x with integers of [from_, to); without `to`, of [0, from_) or of all that the dtype holds."""
    check_tensor("random_", x=x)
    if to is None and from_ != 0:
        from_, to = 0, from_
    if to is None:
        digits = {"float32": 24, "float64": 53, "float16": 11, "bfloat16": 8}
        to = 2 ** digits[x.dtype.name] if x.dtype.name in digits else 2 ** (8 * x.element_size() - 1) - 1
    if from_ >= to:
        raise ValueError(f"random_: from_ is {from_} and to is {to}; from_ must be less than to.")
    low = ops.uniform(x.shape, convert("float64"), 0.0, 1.0, 0)
    return _drawn(x, ops.floor(low * float(to - from_)) + float(from_), "random_")
