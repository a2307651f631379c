# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`a, *b = values` and `[*values, c]` where only the running program knows how many values there are."""

from .grown import GrownList
from .iteration import opened
from .refusals import raise_if
from .some_items import listed


def _known_or_grown(values):
    return listed(opened(values))


def _check(count, expected, is_least):
    def make(got):
        if got < expected:
            least = "at least " if is_least else ""
            return ValueError(f"not enough values to unpack (expected {least}{expected}, got {int(got)})")
        return ValueError(f"too many values to unpack (expected {expected})")

    raise_if(count < expected if is_least else count != expected, make, (count,))


def unpacked(values, count):
    """What is assigned to a tuple of targets."""
    values = _known_or_grown(values)
    if not isinstance(values, GrownList):
        return values
    _check(values.length(), count, False)
    return [values[k] for k in range(count)]


def with_rest(values, before, behind):
    """What is assigned to targets of which one is starred: it gets a list.

    Args:
        values: What is taken apart.
        before: The number of targets before the starred one.
        behind: The number of those behind it.
    """
    values = _known_or_grown(values)
    if isinstance(values, GrownList):
        _check(values.length(), before + behind, True)
    else:
        values = list(values)
        if len(values) < before + behind:
            least = before + behind
            raise ValueError(f"not enough values to unpack (expected at least {least}, got {len(values)})")
    rest = values[before : -behind if behind else None]
    return [*(values[k] for k in range(before)), rest, *(values[k - behind] for k in range(behind))]


def joined(*parts):
    """The list display of these parts, which are lists or what a `*` stands before."""
    made = []
    for part in map(_known_or_grown, parts):
        made = made + (part if isinstance(part, GrownList) else list(part))
    return made
