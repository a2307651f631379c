# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows reduced by a target index: the part that segments and messages share."""

from .. import _core, tensor
from ..autograd import PyLayer
from ..tensor._args import check_tensor

REDUCTIONS = ("sum", "mean", "max", "min")


class _Extreme(PyLayer):
    """Largest or smallest row elements of each target; every element that attains it gets the gradient."""

    _gradient_of_its_forward = True  # its backward is the derivative of its forward

    @staticmethod
    def forward(ctx, rows, target, count, mode):
        shape = [rows.shape[0]] + [1] * (rows.ndim - 1)
        index = tensor.expand(target.reshape(shape), rows.shape)
        empty = tensor.zeros([count, *rows.shape[1:]], rows.dtype)
        out = tensor.put_along_axis(empty, index, rows, 0, reduce="a" + mode, include_self=False)
        ctx.target, ctx.rest = target, (None, None) if isinstance(count, _core.Tensor) else (None,)
        ctx.attains = (rows == tensor.gather(out, target)).astype(rows.dtype)
        return out

    @staticmethod
    def backward(ctx, grad):
        return tensor.gather(grad, ctx.target) * ctx.attains, *ctx.rest


def reduce_rows(rows, target, count, mode):
    """Row i of the result reduces the rows whose target is i; it is 0 where there are none.

    Args:
        rows: Tensor of shape [E, ...].
        target: Row of the result for each row, int32 or int64 in [0, count), of shape [E].
        count: Rows of the result; a Tensor where it is known only at run time.
        mode: "sum", "mean", "max" or "min".
    """
    if isinstance(count, int) and (rows.shape[0] == 0 or count == 0):
        return tensor.zeros([count, *rows.shape[1:]], rows.dtype) + rows.sum() * 0
    if mode in ("max", "min"):
        return _Extreme.apply(rows, target, count, mode)
    index = target.reshape([-1, 1])
    total = tensor.scatter_nd_add(tensor.zeros([count, *rows.shape[1:]], rows.dtype), index, rows)
    if mode == "sum":
        return total
    ones = tensor.ones([rows.shape[0]], rows.dtype)
    size = tensor.scatter_nd_add(tensor.zeros([count], rows.dtype), index, ones)
    size = tensor.maximum(size, tensor.ones_like(size)).reshape([count] + [1] * (rows.ndim - 1))
    if tensor.is_floating_point(rows):
        return total / size
    return tensor.sign(total) * tensor.floor_divide(tensor.abs(total), size)  # towards zero


def check_index(function, name, index, limit=None):
    """The index as it is, once it is a vector of integers in [0, limit); IndexError or ValueError otherwise."""
    check_tensor(function, **{name: index})
    if index.ndim == 2 and index.shape[1] == 1:
        index = index.squeeze(1)
    if index.ndim != 1:
        raise ValueError(f"{function}: {name} has shape {list(index.shape)}; it must be a vector.")
    if index.dtype not in (_core.int32, _core.int64):
        raise TypeError(f"{function}: {name} has dtype {index.dtype.name}; it must be int32 or int64.")
    if not _core.is_capturing() and index.shape[0]:
        low, high = int(index.min()), int(index.max())
        if low < 0 or (limit is not None and high >= limit):
            bound = "at least 0" if limit is None else f"in [0, {limit})"
            raise IndexError(f"{function}: {name} holds {low if low < 0 else high}; it must be {bound}.")
    return index
