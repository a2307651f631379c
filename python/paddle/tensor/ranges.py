# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers in a row: ranges at equal distances and ratios, the grids made of them, positions of triangles."""

import builtins

from .. import _core
from ..framework.devices import check_device, honours_device, made_on
from ._args import Tensor, aliases, check_tensor, convert, finish, is_floating, ops

__all__ = ["arange", "range", "logspace", "meshgrid", "tril_indices", "triu_indices"]


def arange(
    start=0,
    end=None,
    step=1,
    dtype=None,
    *,
    out=None,
    device=None,
    requires_grad=False,
    pin_memory=False,
    name=None,
):
    """The values start, start + step, ... below end (above it for a negative step).

    Args:
        start: First value; the end when `end` is None.
        end: The bound, not included.
        step: Distance of neighbours.
        dtype: None gives int64 for integers, else the default dtype. With an integer dtype the fractions
            of start, end and step are dropped first.

    Returns:
        A Tensor of shape [ceil((end - start) / step)].

    Raises:
        ValueError: step is 0.

    Example:
        >>> paddle.arange(1, 8, 3).tolist()
        [1, 4, 7]
    """
    if end is None:
        start, end = 0, start
    bounds = (start, end, step)
    if dtype is None:
        dtype = _core.int64
        for bound in bounds:
            if isinstance(bound, Tensor):
                if is_floating(bound.dtype):
                    dtype = bound.dtype
            elif not hasattr(bound, "__index__"):
                dtype = convert(None)
    dtype = convert(dtype)
    if not is_floating(dtype):
        bounds = tuple(int(bound) if isinstance(bound, float) else bound for bound in bounds)
    if any(type(bound).__name__ == "SymInt" for bound in bounds):
        with made_on(device):
            return finish(_counted(*bounds, dtype), out, requires_grad, device, pin_memory)
    return finish(ops.arange(*bounds, dtype, check_device(device)), out, requires_grad, device, pin_memory)


def _counted(start, end, step, dtype):
    """`arange` whose bounds are extents that a captured program knows only when it runs."""
    if not all(hasattr(bound, "__index__") or type(bound).__name__ == "SymInt" for bound in (start, end, step)):
        raise TypeError(
            f"arange: start is {start}, end {end} and step {step}; with a symbolic extent as a bound, the "
            f"others must be integers."
        )
    count = -((start - end) // step)
    steps = ops.cumsum(ops.full([count], 1, _core.int64), 0, False, False, False) - 1
    return ops.cast(steps * step + start, dtype)


@honours_device
def range(start=0, end=None, step=1, dtype=None, *, out=None, device=None, requires_grad=False, name=None):
    """The values start, start + step, ... up to end, which is included.

    Args:
        start: First value; the end when `end` is None.
        end: The bound.
        step: Distance of neighbours.
        dtype: None gives the default dtype.

    Returns:
        A Tensor of one axis.

    Raises:
        ValueError: step is 0 or leads away from end.

    Example:
        >>> paddle.range(1, 3).tolist()
        [1.0, 2.0, 3.0]
    """
    if end is None:
        start, end = 0, start
    start, end, step = (bound.item() if isinstance(bound, Tensor) else bound for bound in (start, end, step))
    if step == 0 or (end - start) * step < 0:
        raise ValueError(f"range: start is {start}, end {end} and step {step}; step must lead from start to end.")
    count = int((end - start) // step) + 1
    numbers = ops.arange(0, count, 1, _core.int64)
    if isinstance(start, int) and isinstance(step, int):
        values = numbers * step + start
    else:
        values = ops.cast(numbers, _core.float64) * float(step) + float(start)
    return finish(ops.cast(values, convert(dtype)), out, requires_grad, device)


@aliases(end="stop", steps="num")
@honours_device
def logspace(
    start, stop, num, base=10.0, dtype=None, name=None, *, out=None, device=None, requires_grad=False, pin_memory=False
):
    """`num` values from base**start to base**stop at equal ratios.

    Args:
        start: Exponent of the first value, a number or a Tensor of one element.
        stop: Exponent of the last value, likewise.
        num: How many values, from 0 on.
        base: What is raised, above 0.
        dtype: Of the result; float32 by default.
        name: Unused.
        out: A Tensor that takes the result.
        device: Device of the result; None for the current one.
        requires_grad: Whether gradients are wanted of the result.
        pin_memory: Whether it lies in page-locked memory of the host, for a device other than the CPU.

    Returns:
        A Tensor of shape [num].

    Example:
        >>> paddle.logspace(0, 2, 3).tolist()
        [1.0, 10.0, 100.0]
    """
    powers = ops.linspace(start, stop, num, _core.float64)
    if isinstance(base, Tensor):
        base = ops.cast(ops.reshape(base, [1]), _core.float64)
    else:
        base = ops.full([1], float(base), _core.float64)
    return finish(ops.cast(ops.elementwise_pow(base, powers), convert(dtype)), out, requires_grad, device)


def meshgrid(*args, indexing="ij", name=None):
    """Grids of coordinates, one per vector.

    Args:
        args: Vectors of n1, n2, ... elements, or one list of them.
        indexing: 'ij' or 'xy' (the first two axes swapped).

    Returns:
        A list of Tensors of shape [n1, n2, ...], of which the k-th varies along axis k.

    Example:
        >>> rows, columns = paddle.meshgrid(paddle.arange(2), paddle.arange(3))
        >>> rows.tolist(), columns.tolist()
        ([[0, 0, 0], [1, 1, 1]], [[0, 1, 2], [0, 1, 2]])
    """
    if len(args) == 1 and isinstance(args[0], (list, tuple)):
        args = args[0]
    if indexing not in ("ij", "xy"):
        raise ValueError(f"meshgrid: indexing has value {indexing!r}; it must be 'ij' or 'xy'.")
    for i, a in enumerate(args):
        check_tensor("meshgrid", **{f"args[{i}]": a})
        if a.ndim > 1:
            raise ValueError(f"meshgrid: args[{i}] has shape {list(a.shape)}; it must be a vector or a number.")
    vectors = [ops.reshape(a, [-1]) if a.ndim != 1 else a for a in args]
    count = len(vectors)
    order = list(builtins.range(count))
    if indexing == "xy" and count > 1:
        order[0], order[1] = 1, 0
    sizes = [0] * count
    for axis, vector in zip(order, vectors, strict=False):
        sizes[axis] = vector.shape[0]
    grids = []
    for axis, vector in zip(order, vectors, strict=False):
        view = [1] * count
        view[axis] = sizes[axis]
        grids.append(ops.expand(ops.reshape(vector, view), sizes))
    return grids


@honours_device
def tril_indices(row, col, offset=0, dtype="int64", *, device=None):
    """Row and column numbers of the lower triangle of a [row, col] matrix.

    Args:
        row: Number of rows.
        col: Number of columns; None for as many.
        offset: Which diagonal is the last one; positive ones lie above the main one.
        dtype: int32 or int64.
        device: Device of the result; None for the current one.

    Returns:
        A Tensor of shape [2, n].

    Example:
        >>> paddle.tril_indices(2, 2).tolist()
        [[0, 1, 1], [0, 0, 1]]
    """
    return ops.tril_indices(row, row if col is None else col, offset, convert(dtype))


@honours_device
def triu_indices(row, col=None, offset=0, dtype="int64", *, device=None):
    """Row and column numbers of the upper triangle of a [row, col] matrix.

    Args:
        row: Number of rows.
        col: Number of columns; None for as many.
        offset: Which diagonal is the first one; positive ones lie above the main one.
        dtype: int32 or int64.
        device: Device of the result; None for the current one.

    Returns:
        A Tensor of shape [2, n].

    Example:
        >>> paddle.triu_indices(2).tolist()
        [[0, 0, 1], [0, 1, 1]]
    """
    return ops.triu_indices(row, row if col is None else col, offset, convert(dtype))
