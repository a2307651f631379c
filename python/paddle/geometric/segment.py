# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Reductions of segments: neighbouring rows with the same segment id."""

from .. import _core
from ._reduce import check_index, reduce_rows


def _segment(function, mode, data, segment_ids):
    ids = check_index(function, "segment_ids", segment_ids)
    known = not _core.is_capturing()
    if data.ndim == 0 or (known and ids.shape[0] != data.shape[0]):
        raise ValueError(
            f"{function}: data has shape {list(data.shape)} and segment_ids has {ids.shape[0]} elements; "
            f"there must be one id for each row of data."
        )
    if not known:
        return reduce_rows(data, ids, ids[-1] + 1, mode)
    if ids.shape[0] > 1 and bool((ids[1:] < ids[:-1]).any()):
        raise ValueError(f"{function}: segment_ids must not decrease; sort the rows of data by segment first.")
    count = int(ids[-1]) + 1 if ids.shape[0] else 0
    return reduce_rows(data, ids, count, mode)


def segment_sum(data, segment_ids, name=None):
    """Sums of the rows of each segment; 0 for ids that do not occur.

    Args:
        data: Tensor of shape [N, ...].
        segment_ids: Segment of each row, int32 or int64 in ascending order, of shape [N].
        name: Unused.

    Returns:
        A Tensor of shape [last id + 1, ...] of data's dtype.

    Raises:
        ValueError: segment_ids descends or has another length than data.
        IndexError: segment_ids is negative.
    """
    return _segment("segment_sum", "sum", data, segment_ids)


def segment_mean(data, segment_ids, name=None):
    """Means of the rows of each segment; 0 for ids that do not occur.

    Args:
        data: Tensor of shape [N, ...].
        segment_ids: Segment of each row, int32 or int64 in ascending order, of shape [N].
        name: Unused.

    Returns:
        A Tensor of shape [last id + 1, ...] of data's dtype.

    Raises:
        ValueError: segment_ids descends or has another length than data.
        IndexError: segment_ids is negative.
    """
    return _segment("segment_mean", "mean", data, segment_ids)


def segment_max(data, segment_ids, name=None):
    """Largest elements of the rows of each segment; 0 for ids that do not occur.

    Args:
        data: Tensor of shape [N, ...].
        segment_ids: Segment of each row, int32 or int64 in ascending order, of shape [N].
        name: Unused.

    Returns:
        A Tensor of shape [last id + 1, ...] of data's dtype.

    Raises:
        ValueError: segment_ids descends or has another length than data.
        IndexError: segment_ids is negative.
    """
    return _segment("segment_max", "max", data, segment_ids)


def segment_min(data, segment_ids, name=None):
    """Smallest elements of the rows of each segment; 0 for ids that do not occur.

    Args:
        data: Tensor of shape [N, ...].
        segment_ids: Segment of each row, int32 or int64 in ascending order, of shape [N].
        name: Unused.

    Returns:
        A Tensor of shape [last id + 1, ...] of data's dtype.

    Raises:
        ValueError: segment_ids descends or has another length than data.
        IndexError: segment_ids is negative.
    """
    return _segment("segment_min", "min", data, segment_ids)
