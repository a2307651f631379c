# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`a, *b = values` and `[*values, c]` where only the running program knows how many values there are."""

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
    """What is assigned to a tuple of targets."""
    values = _listed(values)
    if not isinstance(values, DynamicList):
        return values
    _check_count(values.length(), count, False)
    return [values[k] for k in range(count)]


def unpack_starred(values, before, behind):
    """What is assigned to targets of which one is starred: it gets a list.

    Args:
        values: What is taken apart.
        before: The number of targets before the starred one.
        behind: The number of those behind it.
    """
    values = _listed(values)
    if isinstance(values, DynamicList):
        _check_count(values.length(), before + behind, True)
    else:
        values = list(values)
        if len(values) < before + behind:
            least = before + behind
            raise ValueError(f"not enough values to unpack (expected at least {least}, got {len(values)})")
    rest = values[before : -behind if behind else None]
    return [*(values[k] for k in range(before)), rest, *(values[k - behind] for k in range(behind))]


def list_display(*parts):
    """The list display of these parts, which are lists or what a `*` stands before."""
    made = []
    for part in map(_listed, parts):
        made = made + (part if isinstance(part, DynamicList) else list(part))
    return made
