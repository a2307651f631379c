# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`a, *b = values` and `[*values, c]` of values whose number only the running program knows."""

from ..values.dynamic_list import DynamicList
from .exceptions import raise_if
from .iteration import iterable_of
from .optional_item_functions import as_list


def _listed(values):
    return as_list(iterable_of(values))


def _check_count(count, expected, is_least):
    def make(got):
        if got < expected:
            least = "at least " if is_least else ""
            return ValueError(f"not enough values to unpack (expected {least}{expected}, got {int(got)})")
        return ValueError(f"too many values to unpack (expected {expected})")

    raise_if(count < expected if is_least else count != expected, make, (count,))


def unpack(values, count):
    """The values that are assigned to a tuple of targets."""
    values = _listed(values)
    if not isinstance(values, DynamicList):
        return values
    _check_count(values.length(), count, False)
    return [values[k] for k in range(count)]


def unpack_starred(values, before, after):
    """The values that are assigned to targets of which one is starred: that one gets a list.

    Args:
        values: What is unpacked.
        before: The number of targets before the starred one.
        after: The number of targets after it.
    """
    values = _listed(values)
    if isinstance(values, DynamicList):
        _check_count(values.length(), before + after, True)
    else:
        values = list(values)
        if len(values) < before + after:
            least = before + after
            raise ValueError(f"not enough values to unpack (expected at least {least}, got {len(values)})")
    rest = values[before : -after if after else None]
    return [*(values[k] for k in range(before)), rest, *(values[k - after] for k in range(after))]


def list_display(*parts):
    """The list of a display; the parts are lists, or what a `*` stands before."""
    made = []
    for part in map(_listed, parts):
        made = made + (part if isinstance(part, DynamicList) else list(part))
    return made
