# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Values of variables behind two branches."""

from ... import tree
from ...ast.syntax import RETURN_VALUE
from .dict_structure import merge_dict_structures
from .flattening import is_leaf, is_same
from .mismatch import mismatch
from .tagged_union import as_union, have_different_types, may_be_none, merge_leaf, union_of
from .undefined import Undefined


def _is_undefined(taken):
    _, leaves = taken
    return len(leaves) == 1 and isinstance(leaves[0], Undefined)


def can_merge(a, b):
    """Whether both() takes the two as values of one variable."""
    return _is_undefined(a) or _is_undefined(b) or tree.key_of(a[0]) == tree.key_of(b[0])


def _union_leaves(structure, pairs, name):
    """The structure with a OneOf in the place of leaves that _differ; and the leaves of both sides."""
    leaves = ([], [])

    def take(left, right):
        leaves[0].append(left)
        leaves[1].append(right)
        return tree.Leaf(len(leaves[0]) - 1)

    structure = tree.replaced(structure, lambda leaf: merge_leaf(take, *pairs[leaf.index], name))
    return structure, *leaves


def _of_one_structure(a, b, name):

    return merge_dict_structures(a, b, name)


def merge_branches(first, second, names, count=0, places=()):
    """Structures and pairs of leaves of the variables after both branches; the first `count` may be one of two, and those
    at the positions `places` None or something else."""
    structures, pairs = [], []
    for k, (a, b, name) in enumerate(zip(first, second, names, strict=True)):
        a, b = as_union(a, b[0], Undefined(name)) or a, as_union(b, a[0], Undefined(name)) or b
        structure, left = a
        other, right = b
        unset = next((taken for taken in (a, b) if _is_undefined(taken) and taken[1][0].why), None)
        if unset is not None:  # it has a value in this branch, too, but none that can be had here
            structure, left = unset
            right = left
        elif _is_undefined(a) or _is_undefined(b):
            structure, kept = b if _is_undefined(a) else a
            missing = [Undefined(name)] * len(kept)
            left, right = (missing, kept) if _is_undefined(a) else (kept, missing)
        elif tree.key_of(structure) != tree.key_of(other) and (made := _of_one_structure(a, b, name)) is not None:
            structure, left, right = made
        elif tree.key_of(structure) != tree.key_of(other):
            is_limited = k >= count or name == RETURN_VALUE
            if (k >= count and k not in places) or (is_limited and not any(map(may_be_none, (structure, other)))):
                mismatch("an if", name)
            structure, left, right = union_of(a, b, name)
        elif (k < count or k in places) and any(map(have_different_types, zip(left, right, strict=True))):
            structure, left, right = _union_leaves(structure, list(zip(left, right, strict=True)), name)
        structures.append((structure, len(left)))
        for pair in zip(left, right, strict=True):
            if not is_same(*pair) and not all(map(is_leaf, pair)):  # two lists, dicts or objects
                mismatch("an if", name)
            pairs.append(pair)
    return structures, pairs
