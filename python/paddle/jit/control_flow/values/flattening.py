# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables flattened into a structure and leaves: tensors, numbers, extents and variables without a value.

Containers, TaggedUnions, DynamicLists, dicts with optional keys and objects that a region made are parts of the
structure."""

import re

from .... import _core
from ....framework.symint import SymInt, number
from ... import tree
from ..context import active
from .containers import list_node
from .dict_structure import dict_node
from .object_values import merged_object, object_attributes, object_node
from .tagged_union import union_node
from .undefined import Missing, Undefined


def is_leaf(value):
    """Whether a value is a leaf: one that becomes one tensor of the program, or a variable without a value."""
    return isinstance(value, (_core.Tensor, SymInt, bool, int, float, Undefined))


def flatten(value, locations=None):
    """Structure and leaves of a value.

    Args:
        value: Any value.
        locations: MutableLocations, whose containers are leaves; None: there are none.
    """
    return _flatten_with(value, _node_of, locations)


def flatten_object(value):
    """Structure and leaves of an object, which are those of its attributes (scalar replacement)."""
    value = merged_object(value)
    return _flatten_with(value, lambda v: object_attributes(v) if v is value else _node_of(v), None)


def _flatten_with(value, node, locations):
    leaves = []
    test = is_leaf if locations is None else lambda v: is_leaf(v) or locations.is_tracked(v)
    return tree.flatten(value, test, leaves, node), leaves


def _node_of(value):
    found = union_node(value) or dict_node(value) or list_node(value)
    return found or object_node(value, getattr(active, "capture", None))


def flatten_contents(contents, locations, name):
    """Structure and leaves of what a location holds in a snapshot; `name` is that of the location."""
    if contents is Missing:
        return flatten(Undefined(name))
    if isinstance(contents, dict):  # its optional keys are known by its identity
        return _flatten_with(contents, lambda v: None if v is contents else _node_of(v), locations)
    if isinstance(contents, list) or locations.is_tracked(contents):
        return flatten(contents, locations)
    return flatten(contents)


def as_tensor(value, like):
    """A Python number or an extent as a tensor whose dtype fits that of `like`."""
    if isinstance(value, _core.Tensor):
        return value
    dtype = like.dtype if isinstance(like, _core.Tensor) else None
    if isinstance(value, SymInt):
        return number(value).astype(dtype or ("float32" if isinstance(like, float) else "int64"))
    if dtype is None:
        kinds = {type(v) for v in (value, like) if not isinstance(v, Undefined)}
        dtype = "float32" if float in kinds else "bool" if kinds == {bool} else "int64"
    import paddle

    return paddle.full([], value, dtype)


def placeholder(like):
    """The value in a branch of a variable that only the other branch sets; extents that are made there are 1."""
    import paddle

    if isinstance(like, SymInt):
        return 1
    if not isinstance(like, _core.Tensor):
        return like
    return paddle.full(shape_outside(like.shape), 0, like.dtype)


def shape_outside(shape):
    """The shape outside of the region that made a tensor: extents that are no symbols of the inputs are 1."""
    known = getattr(active, "input_symbols", None) or ()
    return [e if all(s in known for s in re.findall(r"s\d+", str(e))) else 1 for e in shape]


def is_same(a, b):
    """Whether two leaves are the same value, so that no phi value is needed."""
    if a is b:
        return True
    if isinstance(a, _core.Tensor) or isinstance(b, _core.Tensor):
        return False
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return isinstance(a, Undefined) and isinstance(b, Undefined)
    if isinstance(a, SymInt) or isinstance(b, SymInt):
        return type(a) is type(b) and hash(a) == hash(b)
    return type(a) is type(b) and a == b


def unflatten_all(structures, leaves):
    """The values of (structure, number of leaves) pairs and all their leaves."""
    out, at = [], 0
    for structure, count in structures:
        out.append(tree.unflatten(structure, leaves[at : at + count]))
        at += count
    return tuple(out)
