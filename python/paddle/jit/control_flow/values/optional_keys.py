# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys of dicts and attributes of objects that are there only in some runs: a branch on a tensor set or deleted them.

The dict holds a value for such a key while the program is captured; whether the key is there is a tensor."""

from .... import _core
from ... import tree
from ..context import active


class OptionalKey:
    """A key that is there where the bool tensor `tag` holds, as long as the dict holds that value for it. Where
    `is_moved`, runs differ in which of the keys behind it stand before it."""

    def __init__(self, owner, key, value, tag, is_moved):
        self.owner, self.key, self.value, self.tag, self.is_moved = owner, key, value, tag, is_moved


def _entries():
    if getattr(active, "optional", None) is None:
        active.optional = []
    return active.optional


def note_optional_key(owner, key, tag, is_moved=False):
    """From now on the program decides by `tag` whether the key is in the dict."""
    _entries().append(OptionalKey(owner, key, owner[key], tag, is_moved))


def has_key(owner, key):
    """True, False or a bool tensor: whether the dict has the key."""
    return key in owner and has_key_with(owner, key, owner[key])


def has_key_with(owner, key, value):
    """The same of a key for which the dict holds this value; a copy of the dict has the same tensor there."""
    known = _entry_of(owner, key, value)
    return True if known is None else known.tag


def _entry_of(owner, key, value):
    for known in reversed(getattr(active, "optional", None) or ()):
        own = known.owner is owner or isinstance(value, _core.Tensor)
        if own and known.key == key and known.value is value:
            return known
    return None


def has_varying_keys(owner):
    """Whether runs differ in the keys of a dict, or in their order."""
    if not getattr(active, "optional", None) or not isinstance(owner, dict):
        return False
    notes = [_entry_of(owner, key, value) for key, value in owner.items()]
    return any(known is not None and (known.tag is not True or known.is_moved) for known in notes)


def check_key_order(owner):
    """Raises where runs differ in the order of the keys of a dict."""
    notes = [(key, _entry_of(owner, key, value)) for key, value in owner.items()]
    moved = next((key for key, known in notes if known is not None and known.is_moved), None)
    if moved is not None:
        raise KeyError(
            f"to_static: the key {moved!r} is set by a branch on a tensor and again behind it, so that the order of the "
            "keys is not the same in all runs; set the key in both branches, or not again."
        )


def optional_keys_of(owner):
    """The keys of a dict of which the program decides whether they are there."""
    if not getattr(active, "optional", None) or not isinstance(owner, dict):
        return []
    return [key for key in owner if has_key(owner, key) is not True]


def check_no_optional_keys(value, what):
    """Raises when a dict among the values has keys that are there in some runs only."""
    if not getattr(active, "optional", None):
        return

    def check(v):
        keys = optional_keys_of(v)
        if keys:
            raise KeyError(
                f"to_static: the key {keys[0]!r} is in a dict in some runs only, as a branch on a tensor decides, and "
                f"the dict is {what}; set the key in both branches, or read it with get()."
            )
        return False

    tree.flatten(value, check, [])
