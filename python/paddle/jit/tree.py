# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Nested Python values taken apart into leaves and put together again.

Lists, tuples, named tuples, dicts and dataclasses are taken apart; classes derived from them stay what they are."""

import copy
import dataclasses
import itertools


class Leaf:
    """Marks the place of leaf number `index` in a structure."""

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index


class Made:
    """What `function` makes of another structure."""

    __slots__ = ("function", "structure")

    def __init__(self, function, structure):
        self.function, self.structure = function, structure


class Object:
    """A mapping or dataclass of a class of its own: an empty copy, its items and its fields."""

    __slots__ = ("empty", "fields", "items")

    def __init__(self, empty, items, fields):
        self.empty, self.items, self.fields = empty, items, fields


def _fields_of(value):
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return {}
    return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if hasattr(value, f.name)}


def _taken_apart(value, inner):
    fields = _fields_of(value)
    items = dict(value.items()) if isinstance(value, dict) else {}
    empty = copy.copy(value)
    for name in fields:
        object.__setattr__(empty, name, None)
    for key in items:
        dict.__setitem__(empty, key, None)
    return Object(empty, {k: inner(v) for k, v in items.items()}, {k: inner(v) for k, v in fields.items()})


def _put_together(structure, leaves):
    made = copy.copy(structure.empty)
    for key, inner in structure.items.items():
        dict.__setitem__(made, key, unflatten(inner, leaves))
    for name, inner in structure.fields.items():
        object.__setattr__(made, name, unflatten(inner, leaves))
    return made


def flatten(value, is_leaf, leaves, node=None, once=False):
    """The structure of `value` with each leaf replaced by a Leaf; leaves are appended in order.

    Args:
        value: Any value.
        is_leaf: Whether a value is a leaf.
        leaves: List that the leaves are appended to.
        node: What makes a value of another: (function, that value), or None for all others.
        once: Whether a leaf that is found again is the one that was appended already.
    """

    def inner(v):
        return flatten(v, is_leaf, leaves, node, once)

    if is_leaf(value):
        for index, leaf in enumerate(leaves if once else ()):
            if leaf is value:
                return Leaf(index)
        leaves.append(value)
        return Leaf(len(leaves) - 1)
    made = node(value) if node is not None else None
    if made is not None:
        return Made(made[0], inner(made[1]))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(inner, value))
    if type(value) is dict:
        return {k: inner(v) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(inner, value))
    if isinstance(value, (list, tuple)):
        return Made(type(value), list(map(inner, value)))
    if isinstance(value, dict) or _fields_of(value):
        return _taken_apart(value, inner)
    return value


def unflatten(structure, leaves):
    if isinstance(structure, Leaf):
        return leaves[structure.index]
    if isinstance(structure, Made):
        return structure.function(unflatten(structure.structure, leaves))
    if isinstance(structure, Object):
        return _put_together(structure, leaves)
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(unflatten(v, leaves) for v in structure))
    if isinstance(structure, (list, tuple)):
        return type(structure)(unflatten(v, leaves) for v in structure)
    if isinstance(structure, dict):
        return {k: unflatten(v, leaves) for k, v in structure.items()}
    return structure


def replaced(structure, of_leaf):
    """The structure with of_leaf(leaf) in the place of each Leaf."""

    def inner(v):
        return replaced(v, of_leaf)

    if isinstance(structure, Leaf):
        return of_leaf(structure)
    if isinstance(structure, Made):
        return Made(structure.function, inner(structure.structure))
    if isinstance(structure, Object):
        parts = ({k: inner(v) for k, v in part.items()} for part in (structure.items, structure.fields))
        return Object(structure.empty, *parts)
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*map(inner, structure))
    if isinstance(structure, (list, tuple)):
        return type(structure)(map(inner, structure))
    if isinstance(structure, dict):
        return {k: inner(v) for k, v in structure.items()}
    return structure


def shifted(structure, by):
    """The structure with leaves of greater numbers."""
    return replaced(structure, lambda leaf: Leaf(leaf.index + by))


def renumbered(structure):
    """The structure with leaves counted from 0."""
    numbers = itertools.count()
    return replaced(structure, lambda _: Leaf(next(numbers)))


def number_of_leaves(structure):
    leaves = []
    replaced(structure, leaves.append)
    return len(leaves)


def key_of(structure):
    """A hashable key of a structure without its leaves."""
    if isinstance(structure, Leaf):
        return ("leaf", structure.index)
    if isinstance(structure, Made):
        return ("made", structure.function, key_of(structure.structure))
    if isinstance(structure, Object):
        return (type(structure.empty), key_of(structure.items), key_of(structure.fields))
    if isinstance(structure, (list, tuple)):
        return (type(structure), *map(key_of, structure))
    if isinstance(structure, dict):
        return ("dict", *((k, key_of(v)) for k, v in structure.items()))
    try:
        hash(structure)
    except TypeError:
        return ("id", id(structure))
    return (type(structure), structure)
