# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A value that is one of two of different structure: None or a tensor, one tensor or two, this function or that."""

import operator

from .... import _core
from ... import tree
from ..context import active, is_symbolic
from .undefined import Undefined


class TaggedUnion:
    """`first` where the running program finds `tag` true, else `second`.

    What is computed with it is computed with the alternative that is not None, or with both.

    Args:
        name: The variable that holds it.
        tag: A bool tensor.
        first: One value.
        second: The other.
    """

    def __init__(self, name, tag, first, second):
        self.__dict__.update(_name=name, _tag=tag, _first=first, _second=second)

    def __getattr__(self, attribute):
        if attribute.startswith("_") or not all(hasattr(v, attribute) for v in _not_none(self)):
            raise AttributeError(f"{self._name!r} is one of two values that do not both have {attribute!r}")
        return apply_to_alternatives(getattr, (self, attribute))

    def __setattr__(self, attribute, value):
        apply_to_alternatives(setattr, (self, attribute, value))

    def __call__(self, *args, **kwargs):

        from ..convert import convert_callee

        return apply_to_alternatives(lambda f: convert_callee(f)(*args, **kwargs), (self,))

    def __bool__(self):
        return bool(union_truth(self))


def _delegate(name):
    function = getattr(operator, name)

    def method(self, *others):
        return apply_to_alternatives(function, (self, *others))

    def reflected(self, other):
        return apply_to_alternatives(function, (other, self))

    return method, reflected


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor"):
    _stem = _name.rstrip("_")
    _method, _reflected = _delegate(_name)
    setattr(TaggedUnion, f"__{_stem}__", _method)
    setattr(TaggedUnion, f"__r{_stem}__", _reflected)
for _name in ("neg", "invert", "abs", "getitem", "setitem", "lt", "le", "gt", "ge"):
    setattr(TaggedUnion, f"__{_name}__", _delegate(_name)[0])


class UnionConstructor:
    """What makes a OneOf of its tag and its alternatives; all are equal, the name is for messages."""

    def __init__(self, name):
        self._name = name

    def __eq__(self, other):
        return isinstance(other, UnionConstructor)

    def __hash__(self):
        return hash(UnionConstructor)

    def __call__(self, parts):
        return TaggedUnion(self._name, *parts)


def union_node(value):
    """For tree.flatten."""
    return (
        (UnionConstructor(value._name), [value._tag, value._first, value._second])
        if isinstance(value, TaggedUnion)
        else None
    )


def may_be_none(structure):
    """Whether a structure is None or that of a OneOf."""
    return structure is None or isinstance(getattr(structure, "function", None), UnionConstructor)


def as_union(taken, like, undefined):
    """(structure, leaves) of a value as those of a OneOf with the structure `like`, of which it is one; None: it is not.

    Args:
        taken: Structure and leaves of the value.
        like: A structure.
        undefined: What stands for the leaves of the other alternative.
    """
    structure, leaves = taken
    if not isinstance(getattr(like, "function", None), UnionConstructor) or isinstance(
        getattr(structure, "function", None), UnionConstructor
    ):
        return None
    alternatives = like.structure[1:]
    for side, part in enumerate(alternatives):
        own = tree.renumbered(part)
        if tree.key_of(own) != tree.key_of(structure):
            continue
        made = [side == 0]
        for k, other in enumerate(alternatives):
            made += leaves if k == side else [undefined] * tree.number_of_leaves(other)
        return like, made
    return None


def selected(parts):
    """The alternative, once the program has run."""
    tag, first, second = parts
    return first if bool(tag) else second


def _select(value, function):
    """function(the alternative), where the program decides which it is."""

    from ..recording.branches import choose

    if not is_symbolic(value._tag):
        return function(selected((value._tag, value._first, value._second)))
    changed = [(value._name, lambda part=part: part, None, True, None) for part in _not_none(value)]
    return choose(value._tag, lambda: function(value._first), lambda: function(value._second), changed)


def _not_none(value):
    """The alternatives that are not None."""
    out = []
    for part in (value._first, value._second):
        out += _not_none(part) if isinstance(part, TaggedUnion) else [] if part is None else [part]
    return out


def is_none(value):
    """`value is None`."""
    return _select(value, is_none) if isinstance(value, TaggedUnion) else value is None


def union_truth(value):
    """What an `if` sees: the value, or the truth of the alternative."""

    from .logic import truth

    return (
        _select(value, lambda v: truth(union_truth(v)) if v is not None else False)
        if isinstance(value, TaggedUnion)
        else value
    )


def _check_not_none(value):
    """Outside of branches the alternative None is an error when the program runs, as it is in Python."""

    capture = getattr(active, "capture", None)
    none = is_none(value)
    if capture is None or capture.open_scopes or getattr(active, "terms", ()) or not is_symbolic(none):
        return

    def check(is_none_now):
        if is_none_now:
            raise TypeError(f"to_static: {value._name!r} is None in this run and is used as a tensor.")

    capture.host_call(check, [none])


def apply_to_alternatives(function, args, kwargs=None, drop_none=True):
    """function(*args) with each OneOf as its alternative."""

    kwargs = kwargs or {}
    for k, value in (*enumerate(args), *kwargs.items()):
        if not isinstance(value, TaggedUnion):
            continue

        def put(alternative, k=k):
            if isinstance(k, str):
                return apply_to_alternatives(function, args, {**kwargs, k: alternative}, drop_none)
            return apply_to_alternatives(function, (*args[:k], alternative, *args[k + 1 :]), kwargs, drop_none)

        kept = _not_none(value) if drop_none and is_symbolic(value._tag) else ()
        if len(kept) != 1:
            return _select(value, put)
        _check_not_none(value)
        return put(kept[0])
    return function(*args, **kwargs)


def union_of(a, b, name):
    """A OneOf of two taken values: its structure, and the leaves of both sides."""
    active.alternatives = True
    parts, leaves = [], ([True], [False])
    for side, (structure, own) in enumerate((a, b)):
        parts.append(tree.shifted(structure, len(leaves[0])))
        leaves[side].extend(own)
        leaves[1 - side].extend([Undefined(name)] * len(own))
    return tree.Made(UnionConstructor(name), [tree.Leaf(0), *parts]), *leaves


def _type_of(value):
    """dtype and rank of a tensor; of a number, its rank."""
    if isinstance(value, _core.Tensor):
        return value.dtype, value.ndim
    return None, 0


def have_different_types(pair):
    """Whether no one tensor can stand for both: leaves of different rank, or tensors of different dtype."""
    if not any(isinstance(v, _core.Tensor) for v in pair) or any(isinstance(v, Undefined) for v in pair):
        return False
    (dtype, rank), (other, other_rank) = map(_type_of, pair)
    return rank != other_rank or (None not in (dtype, other) and dtype != other)


def merge_leaf(take, left, right, name):
    """The structure of two leaves as one: take(left, right), or that of a OneOf where they _differ."""
    if not have_different_types((left, right)):
        return take(left, right)
    active.alternatives = True
    parts = [take(True, False), take(left, Undefined(name)), take(Undefined(name), right)]
    return tree.Made(UnionConstructor(name), parts)
