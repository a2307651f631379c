# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Nested Python values taken apart into leaves and put together again."""


class Leaf:
    """Marks the place of leaf number `index` in a structure."""

    __slots__ = ("index",)

    def __init__(self, index):
        self.index = index


def flatten(value, is_leaf, leaves):
    """The structure of `value` with each leaf replaced by a Leaf; leaves are appended in order."""
    if is_leaf(value):
        leaves.append(value)
        return Leaf(len(leaves) - 1)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(flatten(v, is_leaf, leaves) for v in value))
    if isinstance(value, (list, tuple)):
        return type(value)(flatten(v, is_leaf, leaves) for v in value)
    if isinstance(value, dict):
        return {k: flatten(v, is_leaf, leaves) for k, v in value.items()}
    return value


def unflatten(structure, leaves):
    if isinstance(structure, Leaf):
        return leaves[structure.index]
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(unflatten(v, leaves) for v in structure))
    if isinstance(structure, (list, tuple)):
        return type(structure)(unflatten(v, leaves) for v in structure)
    if isinstance(structure, dict):
        return {k: unflatten(v, leaves) for k, v in structure.items()}
    return structure


def key_of(structure):
    """A hashable key of a structure without its leaves."""
    if isinstance(structure, Leaf):
        return ("leaf", structure.index)
    if isinstance(structure, (list, tuple)):
        return (type(structure), *map(key_of, structure))
    if isinstance(structure, dict):
        return ("dict", *((k, key_of(v)) for k, v in structure.items()))
    try:
        hash(structure)
    except TypeError:
        return ("id", id(structure))
    return (type(structure), structure)
