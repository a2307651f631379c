# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Padding of tensors and images."""

from ... import _core
from ...framework.checked_numbers import shown, whole
from ...framework.symint import comes_late, numbers_of
from ...tensor._args import aliases, check_tensor

ops = _core.ops

__all__ = ["pad", "zeropad2d"]

_MODES = ("constant", "reflect", "replicate", "circular")
_FORMATS = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}


def _numbers(pad, rank):
    if pad is None:
        raise TypeError("pad: argument pad may not be None; pass numbers of elements, as in [1, 1].")
    if isinstance(pad, _core.Tensor):
        pad = numbers_of(pad)
    if hasattr(pad, "__index__"):
        return [whole("pad", "pad", pad)] * (2 * (rank - 2))
    if isinstance(pad, str) or not hasattr(pad, "__iter__"):
        raise _core.ArgumentTypeError(f"pad: pad {shown(pad)}; it must be an int, or a list or Tensor of ints.")
    later = [comes_late(n) for n in pad]
    return [n if k else whole("pad", "an element of pad", n) for n, k in zip(pad, later, strict=True)]


def _check_image(rank, data_format, op):
    if rank not in _FORMATS:
        raise AssertionError(f"{op}: x has {rank} dimensions; with this mode it must have 3, 4 or 5.")
    if data_format not in _FORMATS[rank]:
        raise AssertionError(
            f"{op}: data_format has value {data_format!r}; with {rank} dimensions it must be one of {_FORMATS[rank]}."
        )


def _trailing(numbers, rank):
    """(before, after) per axis from pairs that begin at the last axis."""
    numbers = numbers + [0] * (len(numbers) % 2)
    if any(numbers[2 * rank :]):
        raise ValueError(f"pad: pad has {len(numbers)} values; x has {rank} dimensions, so at most {2 * rank} count.")
    numbers = numbers[: 2 * rank] + [0] * (2 * rank - len(numbers))
    return [n for axis in reversed(range(rank)) for n in numbers[2 * axis : 2 * axis + 2]]


@aliases(input="x")
def pad(x, pad, mode="constant", value=0.0, data_format=None, pad_from_left_axis=True, name=None):
    """x made larger at the ends of axes.

    Args:
        pad: Numbers of elements before and after, as a list or tensor of integers; negative ones
            crop. In mode 'constant' 2 * x.ndim numbers count all axes from the first (from the last
            without `pad_from_left_axis`) and fewer count axes from the last. 2 * (x.ndim - 2)
            numbers count the spatial axes, from the last.
        mode: 'constant', or elements of x: 'reflect', 'replicate' or 'circular'; these need x of 3
            to 5 dimensions.
        value: What mode 'constant' writes.
        data_format: "NCL", "NLC", "NCHW", "NHWC", "NCDHW" or "NDHWC"; by default channels in front.

    Returns:
        A tensor of the dtype of x.

    Example:
        >>> x = paddle.ones([1, 1, 2, 3])
        >>> paddle.nn.functional.pad(x, [1, 1, 0, 2]).shape
        paddle.Size([1, 1, 4, 5])
    """
    check_tensor("pad", x=x)
    rank = x.ndim
    numbers = _numbers(pad, rank)
    if mode not in _MODES:
        raise AssertionError(f"pad: mode has value {mode!r}; it must be one of {_MODES}.")
    if mode == "constant" and len(numbers) == 2 * rank:
        return ops.pad(x, numbers if pad_from_left_axis else _trailing(numbers, rank), value)
    if data_format is None:
        data_format = _FORMATS.get(rank, ("NCHW",))[0]
    if mode != "constant" or rank in _FORMATS:
        _check_image(rank, data_format, "pad")
    spatial = len(numbers) == 2 * (rank - 2) and rank in _FORMATS
    by_numbers = not data_format.endswith("C") and all(isinstance(n, int) for n in numbers)
    if mode == "constant" and (not spatial or by_numbers):
        return ops.pad(x, _trailing(numbers, rank), value)
    return ops.pad3d(x, numbers, mode, value, data_format)


def zeropad2d(x, padding, data_format="NCHW", name=None):
    """Zeros around images; padding is [left, right, top, bottom]."""
    check_tensor("zeropad2d", x=x)
    return pad(x, padding, "constant", 0.0, data_format)
