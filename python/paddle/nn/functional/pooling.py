# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Pools: average, maximum, p-norm, adaptive and fractional ones, and the inverse of maximum pools."""

import math

from ... import _core
from ...framework.checked_numbers import whole
from ...framework.symint import comes_late, numbers_of
from ...tensor._args import aliases, check_tensor
from ._windows import FORMATS, channels_last, flat_padding, flat_size, paddings, per_axis, rank_error

ops = _core.ops

__all__ = [
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "max_pool1d",
    "max_pool2d",
    "max_pool3d",
    "max_unpool1d",
    "max_unpool2d",
    "max_unpool3d",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "fractional_max_pool2d",
    "fractional_max_pool3d",
    "lp_pool1d",
    "lp_pool2d",
]


def _check_rank(op, x, axes):
    check_tensor(op, x=x)
    if x.ndim != axes + 2:
        raise ValueError(rank_error(op, x, axes + 2))


def _sizes(op, value, axes, name, least=1):
    sizes = per_axis(value, axes, f"{op}: {name}")
    if any(not comes_late(size) and size < least for size in sizes):
        raise ValueError(f"{op}: {name} has value {value}; it must be at least {least}.")
    return sizes


def _pads(op, padding, axes, last, ceil_mode):
    pads, algorithm = paddings(padding, axes, last, op)
    if algorithm == "VALID" and ceil_mode:
        raise ValueError(f"{op}: padding is 'VALID' and ceil_mode is True; with 'VALID' ceil_mode must be False.")
    return pads, algorithm


def _pool(op, x, kind, kernel_size, stride, padding, ceil_mode, exclusive, data_format, axes):
    last = channels_last(data_format, axes, op)
    _check_rank(op, x, axes)
    kernel = _sizes(op, kernel_size, axes, "kernel_size")
    step = kernel if stride is None else _sizes(op, stride, axes, "stride")
    pads, algorithm = _pads(op, padding, axes, last, ceil_mode)
    run = ops.pool3d if axes == 3 else ops.pool2d
    return run(x, kernel, step, pads, ceil_mode, exclusive, data_format, kind, False, False, algorithm)


# Pools of one axis are those of two, the first of extent 1.


def _flat_stride(op, stride, kernel_size):
    return flat_size(op, kernel_size if stride is None else stride, "stride")


def _averaged(out, kernel, divisor_override):
    """Average pools with a divisor of the user's own."""
    return out if divisor_override is None else out * (math.prod(kernel) / divisor_override)


@aliases(input="x")
def avg_pool1d(x, kernel_size, stride=None, padding=0, exclusive=True, ceil_mode=False, name=None):
    """Average of windows along one axis; arguments as `avg_pool2d`.

    Args:
        x: [N, C, L].
    """
    op = "avg_pool1d"
    _check_rank(op, x, 1)
    flat = flat_size(op, kernel_size, "kernel_size"), _flat_stride(op, stride, kernel_size), flat_padding(op, padding)
    out = _pool(op, ops.unsqueeze(x, [2]), "avg", *flat, ceil_mode, exclusive, "NCHW", 2)
    return ops.squeeze(out, [2])


@aliases(input="x")
def avg_pool2d(
    x,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    exclusive=True,
    divisor_override=None,
    data_format="NCHW",
    name=None,
):
    """Average of every window of every channel.

    Args:
        x: [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        stride: Step of the windows; kernel_size by default.
        padding: An integer, one per axis, [top, bottom, left, right], four pairs, 'SAME' or 'VALID'.
        ceil_mode: Count a last window that the input fills only in part.
        exclusive: Leave padding out of the average.
        divisor_override: Divides instead of the number of elements of the kernel.

    Returns:
        [N, C, windows_h, windows_w] in the same data_format.

    Raises:
        ValueError: kernel, stride and padding do not fit the input.

    Example:
        >>> import paddle
        >>> paddle.nn.functional.avg_pool2d(paddle.ones([1, 2, 4, 4]), 2).shape
        paddle.Size([1, 2, 2, 2])
    """
    op = "avg_pool2d"
    out = _pool(op, x, "avg", kernel_size, stride, padding, ceil_mode, exclusive, data_format, 2)
    return _averaged(out, per_axis(kernel_size, 2, f"{op}: kernel_size"), divisor_override)


@aliases(input="x")
def avg_pool3d(
    x,
    kernel_size,
    stride=None,
    padding=0,
    ceil_mode=False,
    exclusive=True,
    divisor_override=None,
    data_format="NCDHW",
    name=None,
):
    """Average of every window of volumes.

    Args:
        x: [N, C, D, H, W], or [N, D, H, W, C] with data_format 'NDHWC'.
        kernel_size: Extents of the windows, an integer or three.
        stride: Step of the windows; kernel_size by default.
        padding: An integer, one per axis, one per side, five pairs, 'SAME' or 'VALID'.
        ceil_mode: Count a last window that the input fills only in part.
        exclusive: Leave padding out of the average.
        divisor_override: Divides instead of the number of elements of the kernel.
        data_format: 'NCDHW' or 'NDHWC'.
        name: Unused.

    Returns:
        [N, C, windows_d, windows_h, windows_w] in the same data_format.

    Raises:
        ValueError: kernel, stride and padding do not fit the input.
    """
    op = "avg_pool3d"
    out = _pool(op, x, "avg", kernel_size, stride, padding, ceil_mode, exclusive, data_format, 3)
    return _averaged(out, per_axis(kernel_size, 3, f"{op}: kernel_size"), divisor_override)


def _max_pool(op, x, kernel_size, stride, padding, return_mask, ceil_mode, data_format, axes):
    if not return_mask:
        return _pool(op, x, "max", kernel_size, stride, padding, ceil_mode, True, data_format, axes)
    if channels_last(data_format, axes, op):
        raise ValueError(
            f"{op}: return_mask is True and data_format is {data_format!r}; positions exist for {FORMATS[axes][0]!r} only."
        )
    _check_rank(op, x, axes)
    kernel = _sizes(op, kernel_size, axes, "kernel_size")
    step = kernel if stride is None else _sizes(op, stride, axes, "stride")
    pads, _ = _pads(op, padding, axes, False, ceil_mode)
    run = ops.max_pool3d_with_index if axes == 3 else ops.max_pool2d_with_index
    out, mask = run(x, kernel, step, pads, False, False, ceil_mode)
    return out, mask


@aliases(input="x", return_indices="return_mask")
def max_pool1d(x, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, name=None):
    """Maximum of windows along one axis; arguments as `max_pool2d`.

    Args:
        x: [N, C, L].
    """
    op = "max_pool1d"
    _check_rank(op, x, 1)
    flat = flat_size(op, kernel_size, "kernel_size"), _flat_stride(op, stride, kernel_size), flat_padding(op, padding)
    out = _max_pool(op, ops.unsqueeze(x, [2]), *flat, return_mask, ceil_mode, "NCHW", 2)
    return tuple(ops.squeeze(t, [2]) for t in out) if return_mask else ops.squeeze(out, [2])


@aliases(input="x", return_indices="return_mask")
def max_pool2d(
    x, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, data_format="NCHW", name=None
):
    """Maximum of every window of every channel.

    Args:
        x: [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        stride: Step of the windows; kernel_size by default.
        padding: An integer, one per axis, [top, bottom, left, right], four pairs, 'SAME' or 'VALID'.
        return_mask: Return the flat positions (h * W + w) of the maxima too; not with 'NHWC'.
        ceil_mode: Count a last window that the input fills only in part.

    Returns:
        [N, C, windows_h, windows_w], and with return_mask the positions, int32.

    Raises:
        ValueError: kernel, stride and padding do not fit the input.

    Example:
        >>> import paddle
        >>> paddle.nn.functional.max_pool2d(paddle.ones([1, 2, 4, 4]), 2).shape
        paddle.Size([1, 2, 2, 2])
    """
    return _max_pool("max_pool2d", x, kernel_size, stride, padding, return_mask, ceil_mode, data_format, 2)


@aliases(input="x", return_indices="return_mask")
def max_pool3d(
    x, kernel_size, stride=None, padding=0, return_mask=False, ceil_mode=False, data_format="NCDHW", name=None
):
    """Maximum of every window of volumes; arguments as `max_pool2d` with one axis more."""
    return _max_pool("max_pool3d", x, kernel_size, stride, padding, return_mask, ceil_mode, data_format, 3)


def _unpool_size(op, x, kernel, stride, padding, output_size, axes):
    least = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(x.shape[2:], stride, padding, kernel, strict=True)]
    if output_size is None:
        return least
    sizes = [int(n) for n in output_size]
    sizes = sizes[2:] if len(sizes) == axes + 2 else sizes
    if len(sizes) != axes:
        raise ValueError(f"{op}: output_size has value {list(output_size)}; give {axes} or {axes + 2} sizes.")
    for n, around, s in zip(sizes, least, stride, strict=True):
        if not around - s < n < around + s:
            raise ValueError(
                f"{op}: output_size has value {list(output_size)}; {n} must lie between {around - s} and {around + s}, "
                f"what kernel, stride and padding leave open."
            )
    return sizes


def _unpool(op, x, indices, kernel_size, stride, padding, data_format, output_size, axes):
    if channels_last(data_format, axes, op):
        raise ValueError(f"{op}: data_format has value {data_format!r}; it must be {FORMATS[axes][0]!r}.")
    _check_rank(op, x, axes)
    kernel = _sizes(op, kernel_size, axes, "kernel_size")
    stride = kernel if stride is None else _sizes(op, stride, axes, "stride")
    padding = _sizes(op, padding, axes, "padding", least=0)
    sizes = _unpool_size(op, x, kernel, stride, padding, output_size, axes)
    run = ops.unpool3d if axes == 3 else ops.unpool
    return run(x, indices, kernel, stride, padding, sizes, data_format)


@aliases(input="x")
def max_unpool1d(x, indices, kernel_size, stride=None, padding=0, data_format="NCL", output_size=None, name=None):
    """Inverse of `max_pool1d` on the elements that it picked; arguments as `max_unpool2d`."""
    check_tensor("max_unpool1d", x=x, indices=indices)
    op = "max_unpool1d"
    _check_rank(op, x, 1)
    channels_last(data_format, 1, op)
    kernel, stride = flat_size(op, kernel_size, "kernel_size"), _flat_stride(op, stride, kernel_size)
    padding = [0, *per_axis(padding, 1, f"{op}: padding")]
    flat = ops.unsqueeze(x, [2])
    if output_size is not None:
        output_size = [1, int(list(output_size)[-1])]
    if data_format != "NCL":
        raise ValueError(f"{op}: data_format has value {data_format!r}; it must be 'NCL'.")
    out = _unpool(op, flat, ops.unsqueeze(indices, [2]), kernel, stride, padding, "NCHW", output_size, 2)
    return ops.squeeze(out, [2])


@aliases(input="x")
def max_unpool2d(x, indices, kernel_size, stride=None, padding=0, data_format="NCHW", output_size=None, name=None):
    """Zeros, with every value of x at the position it was picked from by `max_pool2d(..., return_mask=True)`.

    Args:
        x: [N, C, H, W].
        indices: Flat positions of the same shape, integer.
        output_size: Spatial sizes of the output, or its whole shape; follows from the kernel by default.

    Returns:
        [N, C, H_out, W_out].

    Raises:
        ValueError: A position outside the output, or a size that the pool cannot have had.

    Example:
        >>> import paddle
        >>> out, mask = paddle.nn.functional.max_pool2d(paddle.rand([1, 2, 4, 4]), 2, return_mask=True)
        >>> paddle.nn.functional.max_unpool2d(out, mask, 2).shape
        paddle.Size([1, 2, 4, 4])
    """
    check_tensor("max_unpool2d", x=x, indices=indices)
    return _unpool("max_unpool2d", x, indices, kernel_size, stride, padding, data_format, output_size, 2)


@aliases(input="x")
def max_unpool3d(x, indices, kernel_size, stride=None, padding=0, data_format="NCDHW", output_size=None, name=None):
    """Inverse of `max_pool3d` on the elements that it picked; arguments as `max_unpool2d`."""
    check_tensor("max_unpool3d", x=x, indices=indices)
    return _unpool("max_unpool3d", x, indices, kernel_size, stride, padding, data_format, output_size, 3)


def _adaptive_sizes(op, x, output_size, axes, last):
    if isinstance(output_size, _core.Tensor):
        output_size = numbers_of(output_size)
    if output_size is None or hasattr(output_size, "__index__"):
        output_size = [output_size] * axes
    if not isinstance(output_size, list | tuple) or len(output_size) != axes:
        raise ValueError(f"{op}: output_size has value {output_size!r}; give an integer or {axes} of them (or None).")
    extents = x.shape[1:-1] if last else x.shape[2:]
    unknown = [comes_late(s) for s in output_size]
    given = zip(output_size, extents, unknown, strict=True)
    sizes = [n if s is None else s if late else whole(op, "output_size", s) for s, n, late in given]
    if any(isinstance(s, int) and s < 0 for s in sizes):
        raise ValueError(f"{op}: output_size has value {output_size}; no value may be negative.")
    return sizes


def _adaptive_avg(op, x, output_size, data_format, axes):
    last = channels_last(data_format, axes, op)
    _check_rank(op, x, axes)
    sizes = _adaptive_sizes(op, x, output_size, axes, last)
    run = ops.pool3d if axes == 3 else ops.pool2d
    return run(x, sizes, [1] * axes, [0] * axes, False, True, data_format, "avg", False, True, "EXPLICIT")


def _adaptive_max(op, x, output_size, return_mask, axes):
    _check_rank(op, x, axes)
    sizes = _adaptive_sizes(op, x, output_size, axes, False)
    run = ops.max_pool3d_with_index if axes == 3 else ops.max_pool2d_with_index
    out, mask = run(x, sizes, [1] * axes, [0] * axes, False, True, False)
    return (out, mask) if return_mask else out


def _one(output_size):
    return output_size[0] if isinstance(output_size, list | tuple) and len(output_size) == 1 else output_size


@aliases(input="x")
def adaptive_avg_pool1d(x, output_size, name=None):
    """Average of `output_size` windows that cut sequences [N, C, L].

    Args:
        x: Tensor [N, C, L].
        output_size: Number of windows.
        name: Unused.

    Returns:
        A Tensor [N, C, output_size].

    Example:
        >>> paddle.nn.functional.adaptive_avg_pool1d(paddle.to_tensor([[[1.0, 3.0, 2.0, 4.0]]]), 2).tolist()
        [[[2.0, 3.0]]]
    """
    _check_rank("adaptive_avg_pool1d", x, 1)
    out = _adaptive_avg("adaptive_avg_pool1d", ops.unsqueeze(x, [2]), [1, _one(output_size)], "NCHW", 2)
    return ops.squeeze(out, [2])


@aliases(input="x")
def adaptive_avg_pool2d(x, output_size, data_format="NCHW", name=None):
    """Average of as many windows as the output has elements: window i of n covers [i H / n, (i + 1) H / n), rounded
    outwards.

    Args:
        x: [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        output_size: One integer, or one per axis; None keeps the extent.

    Returns:
        [N, C, output_size...] in the same data_format.

    Example:
        >>> import paddle
        >>> paddle.nn.functional.adaptive_avg_pool2d(paddle.ones([1, 2, 7, 7]), 3).shape
        paddle.Size([1, 2, 3, 3])
    """
    return _adaptive_avg("adaptive_avg_pool2d", x, output_size, data_format, 2)


@aliases(input="x")
def adaptive_avg_pool3d(x, output_size, data_format="NCDHW", name=None):
    """`adaptive_avg_pool2d` for volumes."""
    return _adaptive_avg("adaptive_avg_pool3d", x, output_size, data_format, 3)


@aliases(input="x", return_indices="return_mask")
def adaptive_max_pool1d(x, output_size, return_mask=False, name=None):
    """Maximum of `output_size` windows that cut sequences [N, C, L].

    Args:
        x: Tensor [N, C, L].
        output_size: Number of windows.
        return_mask: Whether to give the positions of the maxima too.
        name: Unused.

    Returns:
        A Tensor [N, C, output_size]; with return_mask a tuple of it and int32 positions of that shape.

    Example:
        >>> x = paddle.to_tensor([[[1.0, 4.0, 2.0, 3.0]]])
        >>> paddle.nn.functional.adaptive_max_pool1d(x, 2).tolist()
        [[[4.0, 3.0]]]
    """
    _check_rank("adaptive_max_pool1d", x, 1)
    out = _adaptive_max("adaptive_max_pool1d", ops.unsqueeze(x, [2]), [1, _one(output_size)], return_mask, 2)
    return tuple(ops.squeeze(t, [2]) for t in out) if return_mask else ops.squeeze(out, [2])


@aliases(input="x", return_indices="return_mask")
def adaptive_max_pool2d(x, output_size, return_mask=False, name=None):
    """Maximum of as many windows as the output has elements; windows as in `adaptive_avg_pool2d`.

    Args:
        x: [N, C, H, W].
        output_size: One integer, or one per axis; None keeps the extent.
        return_mask: Return the flat positions of the maxima too, int32.
    """
    return _adaptive_max("adaptive_max_pool2d", x, output_size, return_mask, 2)


@aliases(input="x", return_indices="return_mask")
def adaptive_max_pool3d(x, output_size, return_mask=False, name=None):
    """`adaptive_max_pool2d` for volumes."""
    return _adaptive_max("adaptive_max_pool3d", x, output_size, return_mask, 3)


def _fractional(op, x, output_size, kernel_size, random_u, return_mask, axes):
    _check_rank(op, x, axes)
    sizes = _adaptive_sizes(op, x, output_size, axes, False)
    kernel = [0] * axes if kernel_size is None else _sizes(op, kernel_size, axes, "kernel_size")
    if random_u is None:
        random_u = 0.0  # the operator draws
    elif not 0.0 < random_u < 1.0:
        raise ValueError(f"{op}: random_u has value {random_u}; it must lie in (0, 1).")
    run = ops.fractional_max_pool3d if axes == 3 else ops.fractional_max_pool2d
    out, mask = run(x, sizes, kernel, float(random_u), return_mask)
    return (out, mask) if return_mask else out


def fractional_max_pool2d(x, output_size, kernel_size=None, random_u=None, return_mask=False, name=None):
    """Maximum of windows of varying length, drawn so that the output has any size (Graham, arXiv 1412.6071).

    Args:
        x: [N, C, H, W].
        output_size: One integer, or one per axis; None keeps the extent.
        kernel_size: Length of the windows, which then overlap; disjoint windows by default.
        random_u: The number in (0, 1) that places the windows; drawn by default.
        return_mask: Return the flat positions of the maxima too, int32.

    Example:
        >>> import paddle
        >>> paddle.nn.functional.fractional_max_pool2d(paddle.rand([1, 2, 7, 7]), 3, random_u=0.4).shape
        paddle.Size([1, 2, 3, 3])
    """
    return _fractional("fractional_max_pool2d", x, output_size, kernel_size, random_u, return_mask, 2)


def fractional_max_pool3d(x, output_size, kernel_size=None, random_u=None, return_mask=False, name=None):
    """`fractional_max_pool2d` for volumes."""
    return _fractional("fractional_max_pool3d", x, output_size, kernel_size, random_u, return_mask, 3)


def _lp_pool(op, x, norm_type, kernel_size, stride, padding, ceil_mode, data_format):
    if isinstance(padding, bool):  # PyTorch's order: norm_type, kernel_size, stride, ceil_mode
        padding, ceil_mode = 0, padding
    check_tensor(op, x=x)
    norm = float(norm_type)
    if norm == 0:
        raise ValueError(f"{op}: norm_type has value {norm_type}; it must be another number than 0.")
    if norm == math.inf:
        return _max_pool(op, x, kernel_size, stride, padding, False, ceil_mode, data_format, 2)
    last = channels_last(data_format, 2, op)
    _check_rank(op, x, 2)
    kernel = _sizes(op, kernel_size, 2, "kernel_size")
    step = kernel if stride is None else _sizes(op, stride, 2, "stride")
    pads, algorithm = _pads(op, padding, 2, last, ceil_mode)
    return ops.lp_pool2d(x, kernel, step, pads, ceil_mode, True, data_format, "lp", False, False, algorithm, norm)


@aliases(input="x")
def lp_pool1d(x, norm_type, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NCL", name=None):
    """p-norm of windows along one axis; arguments as `lp_pool2d`."""
    op = "lp_pool1d"
    _check_rank(op, x, 1)
    axis = 1 if channels_last(data_format, 1, op) else 2
    if isinstance(padding, bool):
        padding, ceil_mode = 0, padding
    flat = flat_size(op, kernel_size, "kernel_size"), _flat_stride(op, stride, kernel_size), flat_padding(op, padding)
    out = _lp_pool(op, ops.unsqueeze(x, [axis]), norm_type, *flat, ceil_mode, "NHWC" if axis == 1 else "NCHW")
    return ops.squeeze(out, [axis])


@aliases(input="x")
def lp_pool2d(x, norm_type, kernel_size, stride=None, padding=0, ceil_mode=False, data_format="NCHW", name=None):
    """(sum of x^p)^(1 / p) of every window of every channel; the maximum for p = inf.

    Args:
        x: [N, C, H, W], or [N, H, W, C] with data_format 'NHWC'.
        norm_type: The power p, not 0.
        kernel_size, stride, padding, ceil_mode: As in `max_pool2d`.

    Example:
        >>> import paddle
        >>> paddle.nn.functional.lp_pool2d(paddle.ones([1, 2, 4, 4]), 2, 2).shape
        paddle.Size([1, 2, 2, 2])
    """
    return _lp_pool("lp_pool2d", x, norm_type, kernel_size, stride, padding, ceil_mode, data_format)
