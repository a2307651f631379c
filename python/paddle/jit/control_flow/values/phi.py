# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Phi values: the values of variables where the two branches of an `if` meet.

Both values are flattened. Where their structures are equal, each pair of leaves has one phi value; where they differ,
dicts get optional keys, and other values become TaggedUnions."""

from ... import tree
from ...ast.syntax import RETURN_VALUE
from .dict_structure import merge_dict_structures
from .flattening import is_leaf, is_same
from .mismatch import raise_mismatch
from .tagged_union import as_union, have_different_types, may_be_none, merge_leaf, union_of
from .undefined import Undefined


def _is_undefined(flat):
    _, leaves = flat
    return len(leaves) == 1 and isinstance(leaves[0], Undefined)


def can_merge(a, b):
    """Whether merge_branches() takes two flattened values as those of one variable without a TaggedUnion."""
    return _is_undefined(a) or _is_undefined(b) or tree.key_of(a[0]) == tree.key_of(b[0])


def _union_leaves(structure, pairs, name):
    """The structure with a TaggedUnion in the place of each pair of leaves of different type; and the leaves of both
    sides."""
    leaves = ([], [])

    def take(left, right):
        leaves[0].append(left)
        leaves[1].append(right)
        return tree.Leaf(len(leaves[0]) - 1)

    structure = tree.replaced(structure, lambda leaf: merge_leaf(take, *pairs[leaf.index], name))
    return structure, *leaves


def merge_branches(first, second, names, count=0, optional=(), lists=()):
    """The structures of variables after an `if`, and the pairs of leaves that they are made of.

    Args:
        first: The flattened variables at the end of one branch.
        second: Those at the end of the other one.
        names: Their names.
        count: So many of the first may become a TaggedUnion.
        optional: Positions of further ones that may become one of None and something else.
        lists: Positions of lists whose elements may become TaggedUnions.
    """
    structures, pairs = [], []
    for k, (a, b, name) in enumerate(zip(first, second, names, strict=True)):
        a, b = as_union(a, b[0], Undefined(name)) or a, as_union(b, a[0], Undefined(name)) or b
        structure, left = a
        right_structure, right = b
        absent = next((flat for flat in (a, b) if _is_undefined(flat) and flat[1][0].why), None)
        if absent is not None:  # it has a value in this branch, too, but one that cannot be had here
            structure, left = absent
            right = left
        elif _is_undefined(a) or _is_undefined(b):
            structure, present = b if _is_undefined(a) else a
            undefined = [Undefined(name)] * len(present)
            left, right = (undefined, present) if _is_undefined(a) else (present, undefined)
        elif (
            tree.key_of(structure) != tree.key_of(right_structure)
            and (made := merge_dict_structures(a, b, name)) is not None
        ):
            structure, left, right = made
        elif tree.key_of(structure) != tree.key_of(right_structure):
            is_limited = k >= count or name == RETURN_VALUE
            if (k >= count and k not in optional) or (
                is_limited and not any(map(may_be_none, (structure, right_structure)))
            ):
                raise_mismatch("an if", name)
            structure, left, right = union_of(a, b, name)
        elif (k < count or k in optional or k in lists) and any(
            map(have_different_types, zip(left, right, strict=True))
        ):
            structure, left, right = _union_leaves(structure, list(zip(left, right, strict=True)), name)
        structures.append((structure, len(left)))
        for pair in zip(left, right, strict=True):
            if not is_same(*pair) and not all(map(is_leaf, pair)):  # two lists, dicts or objects
                raise_mismatch("an if", name)
            pairs.append(pair)
    return structures, pairs
