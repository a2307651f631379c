# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loop-carried keys: keys of dicts, and attributes, that rounds of a loop on a tensor add or delete. A loop-carried
bool tells whether they are there."""

from .... import _core
from ..values.flattening import flatten, placeholder, unflatten_all
from ..values.optional_keys import has_key, note_optional_key, optional_keys_of
from ..values.undefined import Missing, Undefined


class LoopCarriedKeys:
    """The keys of a loop whose presence is loop-carried.

    Args:
        locations: The MutableLocations of the loop.
        known: Pairs (dict, key) that an earlier recording of the loop found.
    """

    def __init__(self, locations, known=()):
        self._owners = [c for c in locations.containers if isinstance(c, dict)]
        owners = [(getattr(o, "__dict__", None), name) for o, name in (s.owner for s in locations.named)]
        self._attributes = [(own, name) for own, name in owners if isinstance(own, dict)]
        self.pairs = list(known)
        self.finds_more()

    def finds_more(self):
        """Whether further keys turn out to be optional; they are added to the pairs."""
        found = [(own, key) for own in self._owners for key in optional_keys_of(own)]
        found += [(own, name) for own, name in self._attributes if name in optional_keys_of(own)]
        more = [pair for pair in found if not self.knows(*pair)]
        self.pairs += more
        return bool(more)

    def knows(self, owner, key):
        """Whether a key is among the pairs."""
        return any(owner is o and key == k for o, k in self.pairs)

    @property
    def names(self):
        """The names of the keys, for messages."""
        return [key for _, key in self.pairs]

    def read(self):
        """The presence of the keys: bools and bool tensors."""
        return [has_key(owner, key) for owner, key in self.pairs]

    def note(self, presences):
        """Makes the keys optional, with these values as their presence."""
        for (owner, key), presence in zip(self.pairs, presences, strict=True):
            if key in owner:
                note_optional_key(owner, key, presence)

    def prepare(self, owner, key, value):
        """A round adds a key, or deletes it, where `value` is Missing: before the loop it becomes an optional key, in
        the former case with a placeholder of the structure of `value`."""
        if value is Missing:
            note_optional_key(owner, key, _core.ops.full([], True, _core.bool))
            self.pairs.append((owner, key))
            return
        structure, leaves = flatten(value)
        made = [leaf if isinstance(leaf, Undefined) else placeholder(leaf) for leaf in leaves]
        (owner[key],) = unflatten_all([(structure, len(made))], made)
        note_optional_key(owner, key, _core.ops.full([], False, _core.bool))
        self.pairs.append((owner, key))


def changed_keys(locations, k, before, now):
    """(dict, key, value) of the keys that a round adds or deletes at position k of a snapshot, where `before` was and
    `now` is; the value is Missing where the round deletes a key."""
    if k >= len(locations.named):
        owner = locations.container_at(k)
        if not isinstance(before, dict) or not isinstance(now, dict):
            return []
        more = [(owner, key, now[key]) for key in now if key not in before]
        return more + [(owner, key, Missing) for key in before if key not in now]
    owner, name = locations.named[k].owner
    own = getattr(owner, "__dict__", None)
    if before is not Missing or now is Missing or not isinstance(own, dict):
        return []
    return [(own, name, now)]
