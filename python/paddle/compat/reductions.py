# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Extremes, medians, sorted and distinct values with the arguments and results that PyTorch programs expect."""

from typing import NamedTuple

from .. import _core, linalg, tensor
from ..framework import random
from .keywords import like_torch


class MinMaxRetType(NamedTuple):
    """Extremes along an axis and where they stand."""

    values: object
    indices: object


class MedianRetType(NamedTuple):
    """Medians along an axis and where they stand."""

    values: object
    indices: object


class SortRetType(NamedTuple):
    """Sorted values and where they stood."""

    values: object
    indices: object


class SlogdetResult(NamedTuple):
    """Signs of determinants and logarithms of their magnitudes."""

    sign: object
    logabsdet: object


def _into(out, made):
    """The result, written into `out` when it is given."""
    if out is None:
        return made
    if isinstance(made, tuple):
        if not isinstance(out, (list, tuple)) or len(out) != len(made):
            raise TypeError(f"out has type {type(out).__name__}; it must be a list or tuple of {len(made)} Tensors.")
        if not all(isinstance(target, _core.Tensor) for target in out):
            raise TypeError(f"out holds {[type(target).__name__ for target in out]}; all must be Tensors.")
        for target, value in zip(out, made, strict=True):
            tensor.assign(value, target)
        return type(made)(*out)
    tensor.assign(made, out)
    return out


def _extreme(name, input, args, out, kwargs):
    """What `max` and `min` share: of all elements, along an axis, or of two tensors."""
    unknown = set(kwargs) - {"dim", "keepdim", "other"}
    if unknown:
        raise TypeError(
            f"paddle.compat.{name}: unexpected keyword arguments {sorted(unknown)}; did you mean paddle.{name}()?"
        )
    names = ("other",) if args and isinstance(args[0], _core.Tensor) else ("dim", "keepdim")
    if len(args) > len(names) or set(names[: len(args)]) & set(kwargs):
        raise TypeError(
            f"paddle.compat.{name}: too many arguments; pass (input), (input, dim, keepdim) or (input, other)."
        )
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    if "other" in given:
        if len(given) > 1 or not isinstance(given["other"], _core.Tensor):
            raise TypeError(f"paddle.compat.{name}: other must be a Tensor, without dim and keepdim.")
        return _into(out, getattr(tensor, f"{name}imum")(input, given["other"]))
    if "dim" not in given:
        if given:
            raise TypeError(f"paddle.compat.{name}: keepdim is given without dim; pass dim too.")
        return _into(out, getattr(tensor, name)(input))
    dim, keepdim = given["dim"], given.get("keepdim", False)
    if isinstance(dim, bool) or not isinstance(dim, int):
        raise TypeError(f"paddle.compat.{name}: dim has type {type(dim).__name__}; it must be an int.")
    if input.ndim == 0:
        return _into(out, MinMaxRetType(input.clone(), tensor.zeros([], "int64")))
    indices = getattr(tensor, f"arg{name}")(input, axis=dim, keepdim=True)
    values = tensor.take_along_axis(input, indices, dim)
    if not keepdim:
        values, indices = values.squeeze(dim), indices.squeeze(dim)
    return _into(out, MinMaxRetType(values, indices))


def max(input, *args, out=None, **kwargs):
    """The largest element; with `dim` (and `keepdim`) the largest along an axis and their positions; with another
    tensor the larger elements of both.

    Args:
        input: A Tensor.
        args: dim and keepdim, or other.
        out: Tensors that take the results.
        kwargs: The same by name.

    Example:
        >>> import paddle
        >>> values, indices = paddle.compat.max(paddle.to_tensor([[3.0, 1.0], [1.0, 5.0]]), dim=1)
        >>> values.tolist(), indices.tolist()
        ([3.0, 5.0], [0, 1])
    """
    return _extreme("max", input, args, out, kwargs)


def min(input, *args, out=None, **kwargs):
    """The smallest element; with `dim` (and `keepdim`) the smallest along an axis and their positions; with another
    tensor the smaller elements of both.

    Args:
        input: A Tensor.
        args: dim and keepdim, or other.
        out: Tensors that take the results.
        kwargs: The same by name.

    Example:
        >>> import paddle
        >>> paddle.compat.min(paddle.to_tensor([3.0, 1.0])).item()
        1.0
    """
    return _extreme("min", input, args, out, kwargs)


def _middle(function, input, dim, keepdim, out):
    if dim is None:
        return _into(out, function(input, axis=None, keepdim=keepdim, mode="min"))
    values, indices = function(input, axis=dim, keepdim=keepdim, mode="min")
    return _into(out, MedianRetType(values, indices))


@like_torch("paddle.median", ("x", "axis"))
def median(input, dim=None, keepdim=False, *, out=None):
    """The median, of two middle elements the smaller; with `dim` along an axis, with positions.

    Args:
        input: A Tensor.
        dim: An axis; None: of all elements.
        keepdim: Whether the axis stays, with extent 1.
        out: Tensors that take the results.
    """
    return _middle(tensor.median, input, dim, keepdim, out)


@like_torch("paddle.nanmedian", ("x", "axis"))
def nanmedian(input, dim=None, keepdim=False, *, out=None):
    """The median without NaN, of two middle elements the smaller; with `dim` along an axis, with positions.

    Args:
        input: A Tensor.
        dim: An axis; None: of all elements.
        keepdim: Whether the axis stays, with extent 1.
        out: Tensors that take the results.
    """
    return _middle(tensor.nanmedian, input, dim, keepdim, out)


@like_torch("paddle.sort", ("x", "axis"))
def sort(input, dim=-1, descending=False, stable=False, out=None):
    """Sorted values along an axis and where they stood.

    Args:
        input: A Tensor.
        dim: The axis.
        descending: Whether the largest come first.
        stable: Whether equal values keep their order.
        out: Tensors that take the results.
    """
    indices = tensor.argsort(input, axis=dim, descending=descending, stable=stable)
    values = input.clone() if input.ndim == 0 else tensor.take_along_axis(input, indices, dim)
    return _into(out, SortRetType(values, indices))


@like_torch("paddle.unique", ("x", "axis"))
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """Distinct values, always sorted.

    Args:
        input: A Tensor.
        sorted: Kept for programs that pass it.
        return_inverse: Whether positions of the elements among the distinct values are given too.
        return_counts: Whether numbers of their occurrences are given too.
        dim: The axis whose slices are compared; None: elements.
    """
    made = tensor.unique(input, return_inverse=return_inverse, return_counts=return_counts, axis=dim)
    return tuple(made) if isinstance(made, (list, tuple)) else made


def equal(input, other):
    """Whether two tensors have the same shape and elements."""
    return bool(tensor.equal_all(input, other))


def seed():
    """Seed the generators with a random number, which is returned."""
    import secrets

    number = secrets.randbits(52)
    random.seed(number)
    return number


def slogdet(x, out=None):
    """Signs of determinants and logarithms of their magnitudes.

    Args:
        x: Square matrices, of shape [..., n, n].
        out: Tensors that take the results.
    """
    sign, logarithm = linalg.slogdet(x)
    return _into(out, SlogdetResult(sign, tensor.real(logarithm)))
