# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tagged unions: the phi values of values that have no common structure or type, such as None and a tensor, tensors of
two ranks, or two functions. A bool tensor is the tag."""

import operator

from .... import _core
from ... import tree
from ..context import active, is_symbolic
from .undefined import Undefined


class TaggedUnion:
    """`first` where the running program finds `tag` true, else `second`.

    An operation on it is done with the alternative that is not None; with two such alternatives a branch on the tag is
    recorded.

    Args:
        name: The variable that holds it.
        tag: A bool tensor.
        first: One alternative.
        second: The other one.
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
    """Makes a TaggedUnion of its tag and its alternatives; all are equal, the name is for messages."""

    def __init__(self, name):
        self._name = name

    def __eq__(self, other):
        return isinstance(other, UnionConstructor)

    def __hash__(self):
        return hash(UnionConstructor)

    def __call__(self, parts):
        return TaggedUnion(self._name, *parts)


def union_node(value):
    """For tree.flatten: the constructor of a TaggedUnion and its parts; None for other values."""
    return (
        (UnionConstructor(value._name), [value._tag, value._first, value._second])
        if isinstance(value, TaggedUnion)
        else None
    )


def may_be_none(structure):
    """Whether a structure is None or that of a TaggedUnion."""
    return structure is None or isinstance(getattr(structure, "function", None), UnionConstructor)


def as_union(flat, like, undefined):
    """(structure, leaves) of a value as those of a TaggedUnion; None when it is none of its alternatives.

    Args:
        flat: Structure and leaves of the value.
        like: The structure of the union.
        undefined: What stands for the leaves of the other alternative.
    """
    structure, leaves = flat
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
    """The alternative, when the tag has a value."""
    tag, first, second = parts
    return first if bool(tag) else second


def _select(value, function):
    """function(alternative), in a branch of the program on the tag."""
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
    """The value; of a TaggedUnion the truth of its alternative."""
    from .logic import truth

    return (
        _select(value, lambda v: truth(union_truth(v)) if v is not None else False)
        if isinstance(value, TaggedUnion)
        else value
    )


def _check_not_none(value):
    """Outside of branches, a run in which the value is None raises, as Python does."""
    capture = getattr(active, "capture", None)
    none = is_none(value)
    if capture is None or capture.open_scopes or getattr(active, "short_circuits", ()) or not is_symbolic(none):
        return

    def check(is_none_now):
        if is_none_now:
            raise TypeError(f"to_static: {value._name!r} is None in this run and is used as a tensor.")

    capture.host_call(check, [none])


def apply_to_alternatives(function, args, kwargs=None, drop_none=True):
    """function(*args, **kwargs) with each TaggedUnion as its alternative.

    Args:
        function: Any function.
        args: Its arguments.
        kwargs: Its named arguments.
        drop_none: Whether alternatives that are None are left out: runs in which the value is None raise.
    """
    kwargs = kwargs or {}
    for k, value in (*enumerate(args), *kwargs.items()):
        if not isinstance(value, TaggedUnion):
            continue

        def with_alternative(alternative, k=k):
            if isinstance(k, str):
                return apply_to_alternatives(function, args, {**kwargs, k: alternative}, drop_none)
            return apply_to_alternatives(function, (*args[:k], alternative, *args[k + 1 :]), kwargs, drop_none)

        alternatives = _not_none(value) if drop_none and is_symbolic(value._tag) else ()
        if len(alternatives) != 1:
            return _select(value, with_alternative)
        _check_not_none(value)
        return with_alternative(alternatives[0])
    return function(*args, **kwargs)


def union_of(a, b, name):
    """A TaggedUnion of two flattened values: its structure, and the leaves of both branches."""
    active.has_unions = True
    parts, leaves = [], ([True], [False])
    for side, (structure, own) in enumerate((a, b)):
        parts.append(tree.shifted(structure, len(leaves[0])))
        leaves[side].extend(own)
        leaves[1 - side].extend([Undefined(name)] * len(own))
    return tree.Made(UnionConstructor(name), [tree.Leaf(0), *parts]), *leaves


def _type_of(value):
    """(dtype, rank) of a tensor; of a number (None, 0)."""
    if isinstance(value, _core.Tensor):
        return value.dtype, value.ndim
    return None, 0


def have_different_types(pair):
    """Whether no one tensor can be the phi value of a pair: the ranks, or the dtypes of two tensors, differ."""
    if not any(isinstance(v, _core.Tensor) for v in pair) or any(isinstance(v, Undefined) for v in pair):
        return False
    (dtype, rank), (other, other_rank) = map(_type_of, pair)
    return rank != other_rank or (None not in (dtype, other) and dtype != other)


def merge_leaf(take, left, right, name):
    """The structure of a pair of leaves: take(left, right), or that of a TaggedUnion where their types differ."""
    if not have_different_types((left, right)):
        return take(left, right)
    active.has_unions = True
    parts = [take(True, False), take(left, Undefined(name)), take(Undefined(name), right)]
    return tree.Made(UnionConstructor(name), parts)
