# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sets of time spans, as lists of (start, end) that do not meet, in order."""

__all__ = ["intersection_ranges", "merge_ranges", "merge_self_ranges", "subtract_ranges", "sum_ranges"]


def sum_ranges(ranges):
    """The length of all spans together."""
    return sum(end - start for start, end in ranges)


def merge_self_ranges(src_ranges, is_sorted=False):
    """The union of spans that may overlap.

    Args:
        is_sorted: Whether they are in the order of their starts.
    """
    merged = []
    for start, end in src_ranges if is_sorted else sorted(src_ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def merge_ranges(range_list1, range_list2, is_sorted=False):
    """The union of two sets."""
    return merge_self_ranges([*range_list1, *range_list2])


def intersection_ranges(range_list1, range_list2, is_sorted=False):
    """What lies in both sets."""
    found = []
    for first, last in merge_self_ranges(range_list1, is_sorted):
        for start, end in merge_self_ranges(range_list2, is_sorted):
            if max(first, start) < min(last, end):
                found.append((max(first, start), min(last, end)))
    return found


def subtract_ranges(range_list1, range_list2, is_sorted=False):
    """What lies in the first set and not in the second."""
    found = []
    taken = merge_self_ranges(range_list2, is_sorted)
    for start, last in merge_self_ranges(range_list1, is_sorted):
        for first, end in taken:
            if end <= start or first >= last:
                continue
            if first > start:
                found.append((start, first))
            start = max(start, end)
        if start < last:
            found.append((start, last))
    return found
