# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that move values: shifts in time."""

from fractions import Fraction

from ... import _core
from ...tensor._args import check_tensor, program_operands

ops = _core.ops

__all__ = ["temporal_shift"]


def temporal_shift(x, seg_num, shift_ratio=0.25, name=None, data_format="NCHW"):
    """Moves the first channels one frame back and the next ones one frame on (Lin et al. 2019).

    Args:
        x: [N * seg_num, C, H, W], or [N * seg_num, H, W, C] for "NHWC".
        seg_num: Frames of a sample.
        shift_ratio: Part of the channels that moves in each direction.
    """
    check_tensor("temporal_shift", x=x)
    program_operands("temporal_shift", "floating", x=x)
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(f"temporal_shift: data_format has value {data_format!r}; it must be 'NCHW' or 'NHWC'.")
    if x.ndim != 4 or (isinstance(x.shape[0], int) and x.shape[0] % seg_num):
        raise ValueError(
            f"temporal_shift: x has shape {list(x.shape)} and seg_num is {seg_num}; x must have 4 dimensions, the first a "
            f"multiple of seg_num."
        )
    if not 0 < shift_ratio < 0.5:
        raise ValueError(f"temporal_shift: shift_ratio has value {shift_ratio}; it must be in (0, 0.5).")
    channel = 2 if data_format == "NCHW" else 4
    frames = ops.reshape(x, [x.shape[0] // seg_num, seg_num, *x.shape[1:]])
    count = frames.shape[channel]
    if isinstance(count, int):
        first, second = int(count * shift_ratio), int(count * 2 * shift_ratio)
    else:  # an extent that varies in the program that is captured
        part = Fraction(shift_ratio).limit_denominator(1 << 20)
        first, second = (count * n * part.numerator // part.denominator for n in (1, 2))
    padding = [0] * 10
    padding[2] = padding[3] = 1
    wide = ops.pad(frames, padding, 0.0)

    def moved_part(begin, end, frame):
        return ops.slice(wide, [1, channel], [frame, begin], [frame + seg_num, end])

    moved = ops.concat([moved_part(0, first, 0), moved_part(first, second, 2), moved_part(second, count, 1)], channel)
    return ops.reshape(moved, x.shape)
