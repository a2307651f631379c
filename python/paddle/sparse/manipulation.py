# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Order, shape, parts and sums of sparse tensors."""

import builtins
import math

from .. import _core, tensor
from ..framework.call_forms import aliases
from . import _layout
from .tensor import is_sparse


def _need_sparse(name, x):
    if not is_sparse(x):
        raise TypeError(f"sparse.{name}: x is not a sparse tensor; use paddle.{name} for dense ones.")


def coalesce(x, name=None):
    """A sparse tensor with sorted and distinct indices; values of equal index are added.

    Args:
        x: A sparse Tensor in coordinate form.
        name: Unused.

    Returns:
        A sparse Tensor in coordinate form.
    """
    _need_sparse("coalesce", x)
    return _layout.coalesce(x)


def transpose(x, perm, name=None):
    """The tensor with its axes in another order.

    Args:
        x: A sparse Tensor.
        perm: Axis of x for each axis of the result; sparse axes stay in front of dense ones.
        name: Unused.

    Returns:
        A sparse Tensor in the form of x.

    Raises:
        ValueError: perm is no permutation of the axes, or mixes sparse and dense axes.
    """
    _need_sparse("transpose", x)
    perm = [p + x.ndim if p < 0 else p for p in perm]
    axes = _layout.sparse_dim(x)
    if sorted(perm) != list(range(x.ndim)) or builtins.any(p >= axes for p in perm[:axes]):
        raise ValueError(
            f"sparse.transpose: perm is {perm} and x has {axes} sparse of {x.ndim} axes; perm must hold each axis once, "
            f"sparse ones first."
        )
    values = x._values
    if perm[axes:] != list(range(axes, x.ndim)):
        values = values.transpose([0] + [p - axes + 1 for p in perm[axes:]])
    index = _layout.coords(x)[perm[:axes]]
    return _layout.build(index, values, [x._shape[p] for p in perm], x.is_sparse_csr(), like=x)


@aliases(input="x")
def reshape(x, shape, name=None):
    """The tensor with its elements in another shape.

    Args:
        x: A sparse Tensor.
        shape: New lengths; one may be -1 (what is left), 0 keeps the length of that axis. Dense axes stay.
        name: Unused.

    Returns:
        A sparse Tensor in the form of x.

    Raises:
        ValueError: shape holds another number of elements, or changes dense axes.
    """
    _need_sparse("reshape", x)
    wanted = [int(n) for n in shape]
    shape = [x._shape[i] if n == 0 and i < x.ndim else n for i, n in enumerate(wanted)]
    if shape.count(-1) == 1:
        rest = -math.prod(shape)
        shape = [(x.size // rest if rest else 0) if n == -1 else n for n in shape]
    axes = _layout.sparse_dim(x)
    dense = x._shape[axes:]
    split = len(shape) - len(dense)
    if math.prod(shape) != x.size or min(shape, default=0) < 0 or split < 1 or shape[split:] != dense:
        raise ValueError(
            f"sparse.reshape: shape is {wanted} and x has shape {list(x.shape)} with dense axes {dense}; shape must hold "
            f"as many elements and end in the dense axes."
        )
    index = _layout.unflat(_layout.flat(_layout.coords(x), x._shape[:axes]), shape[:split])
    return _layout.build(index, x._values, shape, x.is_sparse_csr(), x._coalesced, like=x)


def slice(x, axes, starts, ends, name=None):
    """The part of the tensor between starts and ends.

    Args:
        x: A sparse Tensor.
        axes: Axes that are cut.
        starts, ends: First index and index behind the last for each of them; negative ones count from the end.
        name: Unused.

    Returns:
        A sparse Tensor in the form of x.

    Raises:
        ValueError: axes, starts and ends differ in length, or an axis does not exist.
    """
    import numpy as np

    _need_sparse("slice", x)
    bounds = [[int(n) for n in one] for one in (axes, starts, ends)]
    if len({len(one) for one in bounds}) != 1 or builtins.any(not -x.ndim <= a < x.ndim for a in bounds[0]):
        raise ValueError(
            f"sparse.slice: axes is {bounds[0]}, starts {bounds[1]} and ends {bounds[2]}; they must be equally long, "
            f"and x has {x.ndim} axes."
        )
    index, shape, values = _layout.coords(x).copy(), list(x._shape), x._values
    sparse_axes = len(index)
    kept = np.ones(index.shape[1], bool)
    for axis, start, end in zip(*bounds, strict=True):
        axis %= x.ndim
        start, end, _ = builtins.slice(start, end).indices(shape[axis])
        shape[axis] = max(end - start, 0)
        if axis < sparse_axes:
            kept &= (index[axis] >= start) & (index[axis] < end)
            index[axis] -= start
        else:
            values = tensor.slice(values, [axis - sparse_axes + 1], [start], [max(end, start)])
    if not kept.all():
        values = _layout.take(values, np.flatnonzero(kept))
    return _layout.build(index[:, kept], values, shape, x.is_sparse_csr(), x._coalesced, like=x)


def sum(x, axis=None, dtype=None, keepdim=False, name=None):
    """Sums along axes.

    Args:
        x: A sparse Tensor.
        axis: An axis or several; all if None.
        dtype: Element type of the sum; int64 for bool and int32 by default, else that of x.
        keepdim: Summed axes stay, with length 1; they always do in CSR form.
        name: Unused.

    Returns:
        A sparse Tensor in the form of x; of shape [1] if all axes are summed and dropped.

    Raises:
        ValueError: An axis does not exist.
    """
    import numpy as np

    _need_sparse("sum", x)
    axes = list(range(x.ndim)) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    if builtins.any(not -x.ndim <= a < x.ndim for a in axes):
        raise ValueError(f"sparse.sum: axis is {axis}; x has {x.ndim} axes.")
    axes = {a % x.ndim for a in axes}
    csr, sparse_axes = x.is_sparse_csr(), _layout.sparse_dim(x)
    keepdim = keepdim or csr
    values = x._values
    if dtype is None and values.dtype in (_core.bool, _core.int32):
        dtype = "int64"
    values = values if dtype is None else values.astype(dtype)
    dense = [a - sparse_axes + 1 for a in axes if a >= sparse_axes]
    if dense:
        values = values.sum(dense, keepdim=keepdim)
    left = [a for a in range(sparse_axes) if a not in axes]
    if not left and _layout.is_later(x):
        return _summed(x, np.zeros((0, 1), np.int64), values.sum([0], keepdim=True), axes, keepdim)
    lengths = [x._shape[a] for a in left]
    place = _layout.flat(_layout.coords(x)[left], lengths)
    if len(left) < sparse_axes:
        place, values = _layout.merge(place, values)
    index = _layout.unflat(place, lengths)
    return _summed(x, index, values, axes, keepdim)


def _summed(x, index, values, axes, keepdim):
    """The sums as a sparse tensor: with axes of length 1 where summed ones stay."""
    import numpy as np

    sparse_axes = _layout.sparse_dim(x)
    rows, shape, left = [], [], iter(index)
    zeros = np.zeros(index.shape[1], np.int64)
    for axis in range(sparse_axes):
        if axis not in axes:
            rows.append(next(left))
            shape.append(x._shape[axis])
        elif keepdim:
            rows.append(zeros)
            shape.append(1)
    whole = not rows
    if whole:
        rows, shape = [zeros], [1]
    shape += list(values.shape[1:])
    made = _layout.build(np.stack(rows), values, shape, x.is_sparse_csr(), coalesced=x._coalesced, like=x)
    made._is_number = whole and list(values.shape) == [1]
    return made
