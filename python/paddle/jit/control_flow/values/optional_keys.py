# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optional keys: keys of dicts and attributes of objects that only some runs have, as a branch on a tensor set or
deleted them.

While the program is captured the dict holds a value for such a key; a bool tensor tells whether a run has the key. A
key that is in the dict and not optional is there in every run."""

from .... import _core
from ... import tree
from ..context import active


class OptionalKey:
    """A key that a run has where the bool tensor `presence` is true, as long as the dict holds this value for it. Where
    `is_reordered`, runs differ in which of the following keys stand before it."""

    def __init__(self, owner, key, value, presence, is_reordered):
        self.owner, self.key, self.value, self.presence, self.is_reordered = owner, key, value, presence, is_reordered


def _entries():
    if getattr(active, "optional_keys", None) is None:
        active.optional_keys = []
    return active.optional_keys


def note_optional_key(owner, key, presence, is_reordered=False):
    """From now on the tensor `presence` tells whether a run has the key."""
    _entries().append(OptionalKey(owner, key, owner[key], presence, is_reordered))


def has_key(owner, key):
    """Whether the dict has a key: True, False or a bool tensor."""
    return key in owner and has_key_with(owner, key, owner[key])


def has_key_with(owner, key, value):
    """has_key() of a key for which the dict holds `value`; a copy of the dict holds the same tensor there."""
    entry = _entry_of(owner, key, value)
    return True if entry is None else entry.presence


def _entry_of(owner, key, value):
    for entry in reversed(getattr(active, "optional_keys", None) or ()):
        own = entry.owner is owner or isinstance(value, _core.Tensor)
        if own and entry.key == key and entry.value is value:
            return entry
    return None


def has_varying_keys(owner):
    """Whether runs differ in the keys of a dict, or in their order."""
    if not getattr(active, "optional_keys", None) or not isinstance(owner, dict):
        return False
    entries = [_entry_of(owner, key, value) for key, value in owner.items()]
    return any(entry is not None and (entry.presence is not True or entry.is_reordered) for entry in entries)


def check_key_order(owner):
    """Raises where runs differ in the order of the keys of a dict."""
    entries = [(key, _entry_of(owner, key, value)) for key, value in owner.items()]
    reordered = next((key for key, entry in entries if entry is not None and entry.is_reordered), None)
    if reordered is not None:
        raise KeyError(
            f"to_static: the key {reordered!r} is set by a branch on a tensor and again behind it, so that the order of the "
            "keys is not the same in all runs; set the key in both branches, or not again."
        )


def optional_keys_of(owner):
    """The optional keys of a dict."""
    if not getattr(active, "optional_keys", None) or not isinstance(owner, dict):
        return []
    return [key for key in owner if has_key(owner, key) is not True]


def check_no_optional_keys(value, use):
    """Raises when a dict among the values has optional keys; `use` says in the message what the dict is."""
    if not getattr(active, "optional_keys", None):
        return

    def check(v):
        keys = optional_keys_of(v)
        if keys:
            raise KeyError(
                f"to_static: the key {keys[0]!r} is in a dict in some runs only, as a branch on a tensor decides, and "
                f"the dict is {use}; set the key in both branches, or read it with get()."
            )
        return False

    tree.flatten(value, check, [])
