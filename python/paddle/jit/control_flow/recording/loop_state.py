# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The variables and locations of a loop, flattened for a recording of it."""

from ... import tree
from ..context import active
from ..effects.container_aliases import LoopContainerAliases
from ..effects.loop_carried_keys import LoopCarriedKeys, changed_keys
from ..effects.mutable_locations import MutableLocations
from ..values.dynamic_list import ColumnStore, DynamicList
from ..values.flattening import flatten, flatten_contents, flatten_object, unflatten_all
from ..values.mismatch import raise_mismatch
from ..values.tagged_union import UnionConstructor, as_union
from ..values.undefined import Missing, Undefined
from .branches import example_of, list_before, replace_list

_ABSENT = Undefined("alternative")  # a leaf of the alternative that a value is not


def _absent_like(value):
    """A value of the same structure whose leaves are absent."""
    structure, leaves = flatten(value)
    return tree.unflatten(structure, [_ABSENT] * len(leaves))


class LoopState:
    """The variables and locations of a loop, in one recording of it.

    Positions count the variables first, then the locations.

    Args:
        values: The variables before the loop.
        names: Their names.
        effects: What rounds may change besides; the descriptions of MutableLocations.
        ignored: See MutableLocations.
        keys: Pairs (dict, key) of loop-carried keys that are known.
        rebound: Names of locations in which rounds put another DynamicList.
    """

    def __init__(self, values, names, effects, ignored=(), keys=(), rebound=()):
        self.values, self.effects, self.count = values, effects, len(values)
        self.aliases = LoopContainerAliases(values, names)
        self.locations = MutableLocations(effects, ignored)
        self.keys = LoopCarriedKeys(self.locations, keys)
        self.names = [*names, *self.locations.names]
        self.initial_contents = self.locations.snapshot()
        # Positions of variables that are taken as loop-invariant, with the value that the first round gave them.
        self.invariants = set()
        # Position of a variable that has no value outside of a round -> its Undefined.
        self.round_locals = {}
        # Positions of variables for which every round makes an object: the attributes are carried.
        self.object_variables = set()
        # Positions of variables without a value before the loop, whose structure a round gave.
        self.shaped_by_round = set()
        self.new_keys = []  # see changed_keys()
        self.rebound = set(rebound)  # names of locations in which rounds put another list
        self.union_structures = [None] * len(self.names)  # the structures of those that are TaggedUnions
        structures, _ = self.flattened(values, self.initial_contents)
        self.union_structures = [
            s if isinstance(s, tree.Made) and s.function == UnionConstructor(None) else None for s, _ in structures
        ]

    def flattened(self, values, contents):
        """(structures, leaves with the names of their variables) of variables and of contents of the locations."""
        structures, leaves = [], []
        values = [self.round_locals.get(i, v) for i, v in enumerate(values)]
        variables = [flatten_object(v) if i in self.object_variables else flatten(v) for i, v in enumerate(values)]
        names = self.names[self.count :]
        for k, (content, name) in enumerate(zip(contents, names, strict=True)):
            content = self._with_deleted_keys(k, content)
            is_rebound = isinstance(content, DynamicList) and name in self.rebound
            variables.append(flatten(content) if is_rebound else flatten_contents(content, self.locations, name))
        pairs = zip(variables, self.union_structures, strict=False)
        variables = [own if like is None else as_union(own, like, _ABSENT) or own for own, like in pairs]
        for i in self.shaped_by_round:  # a round left it without a value
            if len(variables[i][1]) == 1 and isinstance(variables[i][1][0], Undefined):
                structure, own = flatten(self.values[i])
                variables[i] = structure, [_ABSENT] * len(own)
        variables += map(flatten, self.keys.read())
        for (structure, own), name in zip(variables, [*self.names, *self.keys.names], strict=True):
            structures.append((structure, len(own)))
            leaves.extend((leaf, name) for leaf in own)
        return structures, leaves

    def _with_deleted_keys(self, k, content):
        """The contents of a location, with the keys that a round deleted: their loop-carried bools tell that they are
        absent."""
        before = self.initial_contents[k]
        if k < len(self.locations.named) or not isinstance(content, dict) or not isinstance(before, dict):
            return content
        owner = self.locations.container_at(k)
        deleted = [key for key in before if key not in content and self.keys.knows(owner, key)]
        if not deleted:
            return content
        completed = {key: content[key] if key in content else _absent_like(before[key]) for key in before}
        return {**completed, **content}

    def fill_absent(self, current, leaves):
        """Where a round gave one of two alternatives, or no value, the leaves of the other one stay what they are.
        `leaves` are changed."""
        if (self.shaped_by_round or self.keys.pairs or any(self.union_structures)) and len(current) == len(leaves):
            for k, (leaf, name) in enumerate(leaves):
                if leaf is _ABSENT:
                    leaves[k] = current[k], name

    def assign(self, structures, leaves):
        """Sets the locations to their contents, and returns the variables."""
        made = unflatten_all(structures, leaves)
        contents = [Missing if isinstance(v, Undefined) else v for v in made[self.count : len(self.names)]]
        restored = [s if _are_identical(s, c) else c for s, c in zip(self.initial_contents, contents, strict=True)]
        self.locations.restore(restored)
        self.keys.note(made[len(self.names) :])
        return self.aliases.with_aliases(made[: self.count])

    def finds_new_keys(self, contents):
        """Whether a round adds keys or attributes, or deletes some: they become loop-carried keys before the next
        recording."""
        changes = zip(self.initial_contents, contents, strict=True)
        new = [f for k, (before, now) in enumerate(changes) for f in changed_keys(self.locations, k, before, now)]
        self.new_keys = [f for f in new if not self.keys.knows(*f[:2])]
        return bool(self.new_keys)

    def with_dynamic_list(self, values, position, elements):
        """The loop with a DynamicList at a position.

        Args:
            values: The variables before the loop.
            position: Where it is.
            elements: Elements that it has, or a ColumnStore. None: what is there is changed by called functions only,
                and stays as a run leaves it.
        """
        ignored = self.locations.ignoring(position - self.count) if position >= self.count else []
        if elements is None:
            return self.next_recording(values, ignored)
        ignored = ignored[:-1]
        like = elements if isinstance(elements, ColumnStore) else example_of(elements, self.names[position])
        if position < self.count:
            old, made = values[position], DynamicList.of(values[position], like, active.input_symbols)
            values = [made if v is old else v for v in values]
        else:
            held = self.locations.dynamic_list_at(position - self.count)
            if held is None and isinstance(self.initial_contents[position - self.count], DynamicList):
                held = self.initial_contents[position - self.count]
                self._note_rebound(held, self.names[position])
            if held is not None:
                held.store = held.with_columns_for(like).store
                return self.next_recording(values, ignored)
            old = list_before(self.locations, self.initial_contents, position - self.count)
            replace_list(self.locations, old, DynamicList.of(old, like, active.input_symbols))
        return self.next_recording(values, ignored)

    def _note_rebound(self, held, name):
        """Remembers that rounds put another DynamicList into a location: no other location may hold the one from before
        the loop."""
        if self.locations.count_holders(held) > 1 or any(v is held for v in self.values):
            raise_mismatch("a loop", name)
        self.rebound.add(name)

    def next_recording(self, values, ignored):
        """The state of the next recording."""
        return LoopState(values, self.names[: self.count], self.effects, ignored, self.keys.pairs, self.rebound)


def _are_identical(a, b):
    """Whether two contents of a location hold the very same values."""
    if isinstance(a, (list, dict)) and type(a) is type(b) and len(a) == len(b):
        pairs = zip(a, b, strict=True) if isinstance(a, list) else ((a[k], b.get(k)) for k in a)
        return all(p is q for p, q in pairs)
    return a is b
