# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The structure of dicts with optional keys.

Such a dict is flattened into its values and, for each optional key, the bool that tells whether a run has it."""

from ... import tree
from ..context import active, is_symbolic
from .optional_keys import has_key, note_optional_key, optional_keys_of
from .tagged_union import merge_leaf
from .undefined import Undefined


class DictConstructor:
    """Makes a dict of [bools of the optional keys, values of all keys]; equal for the same keys.

    Args:
        keys: All keys.
        optional: Those of them that are optional.
    """

    def __init__(self, keys, optional):
        self._keys, self._optional = tuple(keys), tuple(optional)

    @property
    def keys(self):
        """All keys, in their order."""
        return self._keys

    def __eq__(self, other):
        return isinstance(other, DictConstructor) and (self._keys, self._optional) == (other._keys, other._optional)

    def __hash__(self):
        return hash((self._keys, self._optional))

    def __call__(self, parts):
        presences, values = parts
        presences = dict(zip(self._optional, presences, strict=True))
        made = {}
        for key, value in zip(self._keys, values, strict=True):
            presence = presences.get(key, True)
            if is_symbolic(presence) or isinstance(presence, Undefined):
                made[key] = value
                note_optional_key(made, key, presence)
            elif bool(presence):
                made[key] = value
        return made


def dict_node(value):
    """For tree.flatten: the constructor and parts of a dict with optional keys; None for other values."""
    if type(value) is not dict:
        return None
    optional = optional_keys_of(value)
    if not optional:
        return None
    return DictConstructor(value, optional), [[has_key(value, key) for key in optional], list(value.values())]


def _entries_of(structure):
    """{key: (structure of its value, that of its bool, or True)} of the structure of a dict; None for other
    structures."""
    if isinstance(structure, tree.Made) and isinstance(structure.function, DictConstructor):
        presences, values = structure.structure
        presence_of = dict(zip(structure.function._optional, presences, strict=True))
        return {k: (v, presence_of.get(k, True)) for k, v in zip(structure.function.keys, values, strict=True)}
    return {k: (v, True) for k, v in structure.items()} if type(structure) is dict else None


class _Incompatible(Exception):
    """Structures differ in something else than the keys of dicts."""


class _StructureMerge:
    """The merge of two flattened values into one structure; `leaves` are those of both in it."""

    def __init__(self, first, second, name):
        self._own, self._name = (first, second), name
        self.leaves = ([], [])

    def _take(self, left, right):
        self.leaves[0].append(left)
        self.leaves[1].append(right)
        return tree.Leaf(len(self.leaves[0]) - 1)

    def _one_sided(self, structure, side):
        """The structure of a value that only one branch has a key for."""

        def take(leaf):
            pair = [Undefined(self._name)] * 2
            pair[side] = self._own[side][leaf.index]
            return self._take(*pair)

        return tree.replaced(structure, take)

    def structure(self, a, b):
        """The structure that two structures are merged into."""
        if isinstance(a, tree.Leaf) and isinstance(b, tree.Leaf):
            return merge_leaf(self._take, self._own[0][a.index], self._own[1][b.index], self._name)
        keys = _entries_of(a), _entries_of(b)
        if None not in keys:
            return self._of_dicts(*keys)
        is_plain = type(a) is type(b) and isinstance(a, (list, tuple)) and not hasattr(a, "_fields")
        if is_plain and len(a) == len(b):
            return type(a)(map(self.structure, a, b))
        if tree.key_of(tree.renumbered(a)) != tree.key_of(tree.renumbered(b)):
            raise _Incompatible
        found = []
        tree.replaced(b, found.append)
        others = iter(found)
        return tree.replaced(a, lambda leaf: self.structure(leaf, next(others)))

    def _of_dicts(self, first, second):
        keys = list(dict.fromkeys([*first, *second]))
        optional, presences, values = [], [], []
        for key in keys:
            parts = [own.get(key, (None, False)) for own in (first, second)]
            if any(presence is not True for _, presence in parts):
                pair = [self._own[k][p.index] if isinstance(p, tree.Leaf) else p for k, (_, p) in enumerate(parts)]
                optional.append(key)
                presences.append(self._take(*pair))
            sides = [own[key][0] for own in (first, second) if key in own]
            if len(sides) == 2:
                values.append(self.structure(*sides))
            else:
                values.append(self._one_sided(sides[0], 0 if key in first else 1))
        if not optional:
            return dict(zip(keys, values, strict=True))
        return tree.Made(DictConstructor(keys, optional), [presences, values])


def merge_dict_structures(first, second, name):
    """Merges two flattened values, of which dicts have different keys: the common structure, and the leaves of both in
    it; None where they differ in something else, too.

    Args:
        first: One of them.
        second: The other one.
        name: The variable that holds them.
    """
    merge = _StructureMerge(first[1], second[1], name)
    try:
        structure = merge.structure(first[0], second[0])
    except _Incompatible:
        return None
    active.optional_keys = getattr(active, "optional_keys", None) or []
    return structure, *merge.leaves
