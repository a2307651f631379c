# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Nested lists, tuples and dicts: their leaves, and structures made of leaves."""


def is_sequence(seq):
    """Whether a value is a list, tuple or dict."""
    return isinstance(seq, (list, tuple, dict))


def to_sequence(nest):
    """`nest` when it is a list, tuple or dict, else a list that holds it."""
    return nest if is_sequence(nest) else [nest]


def flatten(nest):
    """The leaves of nested lists, tuples and dicts (dicts in key order), as one list.

    Args:
        nest: The structure; anything else is a leaf.

    Example:
        >>> paddle.utils.flatten({"b": [1, (2, 3)], "a": 0})
        [0, 1, 2, 3]
    """
    if isinstance(nest, dict):
        return [leaf for key in sorted(nest) for leaf in flatten(nest[key])]
    if isinstance(nest, (list, tuple)):
        return [leaf for item in nest for leaf in flatten(item)]
    return [nest]


def _rebuild(structure, leaves):
    if isinstance(structure, dict):
        made = {key: _rebuild(structure[key], leaves) for key in sorted(structure)}
        return type(structure)((key, made[key]) for key in structure)
    if isinstance(structure, tuple) and hasattr(structure, "_fields"):
        return type(structure)(*(_rebuild(item, leaves) for item in structure))
    if isinstance(structure, (list, tuple)):
        return type(structure)(_rebuild(item, leaves) for item in structure)
    return next(leaves)


def pack_sequence_as(structure, flat_sequence):
    """The leaves in `flat_sequence` in the shape of `structure`."""
    if isinstance(flat_sequence, dict):
        flat_sequence = flatten(flat_sequence)
    count = len(flatten(structure))
    if count != len(flat_sequence):
        raise ValueError(
            f"pack_sequence_as: flat_sequence has {len(flat_sequence)} items; the structure has {count} leaves."
        )
    return _rebuild(structure, iter(flat_sequence))


def map_structure(func, *structure):
    """Call a function on the leaves of nested lists, tuples and dicts.

    Args:
        func: Takes one leaf of each structure.
        structure: Structures of equal form.

    Returns:
        A structure of that form with what the function gives.

    Example:
        >>> paddle.utils.map_structure(lambda a, b: a + b, [1, {"x": 2}], [10, {"x": 20}])
        [11, {'x': 22}]
    """
    flat = [flatten(s) for s in structure]
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*flat, strict=False)])


def assert_same_structure(nest1, nest2, check_types=True, skip_if=None):
    """Raise unless two nested structures have the same form.

    Args:
        nest1, nest2: The structures.
        check_types: Compare the types of the containers too.
        skip_if: Function of a value; parts for which it is true are not compared.
    """
    if skip_if is not None and (skip_if(nest1) or skip_if(nest2)):
        return
    if is_sequence(nest1) != is_sequence(nest2):
        raise ValueError(f"assert_same_structure: {nest1!r} and {nest2!r} have different structures.")
    if not is_sequence(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(
            f"assert_same_structure: one structure has type {type(nest1).__name__}, the other {type(nest2).__name__}."
        )
    if len(nest1) != len(nest2) or (isinstance(nest1, dict) and set(nest1) != set(nest2)):
        raise ValueError(f"assert_same_structure: {nest1!r} and {nest2!r} have different structures.")
    keys = nest1 if isinstance(nest1, dict) else range(len(nest1))
    for key in keys:
        assert_same_structure(nest1[key], nest2[key], check_types, skip_if)
