# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Elementwise functions of two sparse tensors, and dense values taken at a pattern."""

import math

from .. import _core, tensor
from . import _layout
from .tensor import is_sparse


def is_same_shape(x, y):
    """Whether two tensors, sparse or dense, have the same shape."""
    return list(x.shape) == list(y.shape)


def _pair(name, x, y):
    if not is_sparse(x) or not is_sparse(y):
        raise TypeError(
            f"sparse.{name}: x and y must be sparse tensors; got {type(x).__name__}, {type(y).__name__}. For a dense "
            f"result, call to_dense() first."
        )
    if x.shape != y.shape or _layout.sparse_dim(x) != _layout.sparse_dim(y):
        raise ValueError(
            f"sparse.{name}: x has shape {list(x.shape)} and y {list(y.shape)}, with {_layout.sparse_dim(x)} and "
            f"{_layout.sparse_dim(y)} sparse axes; both must be equal."
        )


def _joined(name, x, y, function):
    """function of the values at all places where x or y stores one; 0 stands for the others."""
    import numpy as np

    _pair(name, x, y)
    same = all(a is b for a, b in zip(x._index, y._index, strict=False))
    if same and (x._coalesced or name in ("add", "subtract")):  # also where indices repeat
        return x._with_values(function(x._values, y._values))
    csr, lengths = x.is_sparse_csr(), x._shape[: _layout.sparse_dim(x)]
    places = [_layout.flat(_layout.coords(one), lengths) for one in (x, y)]
    if len(places[0]) == len(places[1]) and (places[0] == places[1]).all():
        if (places[0][1:] > places[0][:-1]).all():
            return x._with_values(function(x._values, y._values))
    union, where = np.unique(np.concatenate(places), return_inverse=True)
    where = where.reshape(-1)
    split = len(places[0])
    left = _layout.add_at(x._values, where[:split], len(union))
    right = _layout.add_at(y._values, where[split:], len(union))
    index = _layout.unflat(union, lengths)
    return _layout.build(index, function(left, right), x._shape, csr, coalesced=True, like=x)


def add(x, y, name=None):
    """Elementwise sum of two sparse tensors of the same shape, or of stored vectors and a dense one.

    Args:
        x: A sparse Tensor.
        y: A sparse Tensor; or, where the last axis of x is dense, a dense vector of its length, such as a bias, which
            is added to what x stores.
        name: Unused.

    Returns:
        A sparse Tensor in the form of x that stores what x or y stores.

    Raises:
        TypeError: x is not sparse, or y is another dense Tensor.
        ValueError: The shapes differ.
    """
    if is_sparse(x) and isinstance(y, _core.Tensor) and not is_sparse(y) and x._values.ndim > 1:
        if list(y.shape) == x._shape[-1:]:
            return x._with_values(x._values + y)
    return _joined("add", x, y, tensor.add)


def subtract(x, y, name=None):
    """Elementwise difference of two sparse tensors of the same shape.

    Args:
        x: A sparse Tensor.
        y: A sparse Tensor of the same layout; elements that only one of them holds count as well.
        name: Unused.

    Returns:
        A sparse Tensor of that layout.
    """
    return _joined("subtract", x, y, tensor.subtract)


def multiply(x, y, name=None):
    """Elementwise product of a sparse tensor with another, a dense tensor of its shape, or a number.

    Args:
        x: A sparse Tensor.
        y: A sparse or dense Tensor, or a number.
        name: Unused.

    Returns:
        A sparse Tensor in the form of x; with a sparse y it stores what x or y stores.

    Raises:
        TypeError: x is not sparse.
        ValueError: The shapes differ.
    """
    scaled = _scaled("multiply", x, y, tensor.multiply)
    return _joined("multiply", x, y, tensor.multiply) if scaled is None else scaled


def divide(x, y, name=None):
    """Elementwise quotient of a sparse tensor and another, a dense tensor of its shape, or a number.

    Args:
        x: A sparse Tensor.
        y: A sparse or dense Tensor, or a number.
        name: Unused.

    Returns:
        A sparse Tensor in the form of x; with a sparse y it stores every element, as 0 / 0 is NaN.

    Raises:
        TypeError: x is not sparse.
        ValueError: The shapes differ.
    """
    import numpy as np

    scaled = _scaled("divide", x, y, tensor.divide)
    if scaled is not None:
        return scaled
    _pair("divide", x, y)
    axes = _layout.sparse_dim(x)
    lengths = x._shape[:axes]
    index = _layout.unflat(np.arange(math.prod(lengths)), lengths)
    quotient = tensor.divide(x.to_dense(), y.to_dense()).reshape([-1, *x._shape[axes:]])
    return _layout.build(index, quotient, x._shape, x.is_sparse_csr(), coalesced=True, like=x)


def _scaled(name, x, y, function):
    """The result for a dense y; None for a sparse one."""
    if not is_sparse(x) or is_sparse(y):
        return None
    if not isinstance(y, _core.Tensor) or math.prod(y.shape) == 1:
        return x._with_values(function(x._values, y if isinstance(y, _core.Tensor) else tensor.to_tensor(y)))
    if not is_same_shape(x, y):
        raise ValueError(f"sparse.{name}: x has shape {list(x.shape)} and y {list(y.shape)}; both must be equal.")
    return x._with_values(function(x._values, _layout.at_pattern(y, x)))


def mask_as(x, mask, name=None):
    """The values of a dense tensor where a sparse tensor stores its own.

    Args:
        x: A dense Tensor.
        mask: A sparse Tensor of the same shape.
        name: Unused.

    Returns:
        A sparse Tensor with the pattern of mask.

    Raises:
        TypeError: mask is not sparse.
        ValueError: The shapes differ.
    """
    if not is_sparse(mask):
        raise TypeError(
            "sparse.mask_as: mask is not a sparse tensor; convert it with to_sparse_coo() or to_sparse_csr()."
        )
    if not is_same_shape(x, mask):
        raise ValueError(
            f"sparse.mask_as: x has shape {list(x.shape)} and mask {list(mask.shape)}; both must be equal."
        )
    return mask._with_values(_layout.at_pattern(x, mask))
