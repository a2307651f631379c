# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys of dicts, and attributes, that rounds of a loop on tensors set first or delete: whether they are there goes from
round to round as a value of the loop."""

from .... import _core
from ..values.flattening import flatten, placeholder, unflatten_all
from ..values.optional_keys import has_key, note_optional_key, optional_keys_of
from ..values.undefined import Missing, Undefined


class LoopCarriedKeys:
    """The keys of a loop of which the program decides whether they are there.

    Args:
        places: The Places of the loop.
        known: Pairs (dict, key) that an earlier recording of the loop found.
    """

    def __init__(self, places, known=()):
        self._owners = [c for c in places.containers if isinstance(c, dict)]
        owners = [(getattr(o, "__dict__", None), name) for o, name in (s.owner for s in places.slots)]
        self._attributes = [(own, name) for own, name in owners if isinstance(own, dict)]
        self.pairs = list(known)
        self.finds_more()

    def finds_more(self):
        """Whether keys turn out to be there in some runs only; from now on they are among the pairs."""
        found = [(own, key) for own in self._owners for key in optional_keys_of(own)]
        found += [(own, name) for own, name in self._attributes if name in optional_keys_of(own)]
        more = [pair for pair in found if not self.knows(*pair)]
        self.pairs += more
        return bool(more)

    def knows(self, owner, key):
        """Whether the key is among the pairs."""
        return any(owner is o and key == k for o, k in self.pairs)

    @property
    def names(self):
        """For messages, those of the keys."""
        return [key for _, key in self.pairs]

    def read(self):
        """Whether the keys are there: bools and bool tensors."""
        return [has_key(owner, key) for owner, key in self.pairs]

    def note(self, there):
        """The keys are there where these values say so."""
        for (owner, key), tag in zip(self.pairs, there, strict=True):
            if key in owner:
                note_optional_key(owner, key, tag)

    def prepare(self, owner, key, value):
        """A round sets a key first: the dict gets something that stands there until then. Or it deletes the key, and
        `value` is Missing."""
        if value is Missing:
            note_optional_key(owner, key, _core.ops.full([], True, _core.bool))
            self.pairs.append((owner, key))
            return
        structure, leaves = flatten(value)
        made = [leaf if isinstance(leaf, Undefined) else placeholder(leaf) for leaf in leaves]
        (owner[key],) = unflatten_all([(structure, len(made))], made)
        note_optional_key(owner, key, _core.ops.full([], False, _core.bool))
        self.pairs.append((owner, key))


def changed_keys(places, k, before, now):
    """(dict, key, value) of what a round sets first or deletes at position k of a reading, which held `before` and
    holds `now`; the value is Missing where it deletes."""
    if k >= len(places.slots):
        owner = places.container_at(k)
        if not isinstance(before, dict) or not isinstance(now, dict):
            return []
        more = [(owner, key, now[key]) for key in now if key not in before]
        return more + [(owner, key, Missing) for key in before if key not in now]
    owner, name = places.slots[k].owner
    own = getattr(owner, "__dict__", None)
    if before is not Missing or now is Missing or not isinstance(own, dict):
        return []
    return [(own, name, now)]
