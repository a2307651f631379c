# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A value that is one of two of different structure: None or a tensor, one tensor or two, this function or that."""

import operator

from .. import tree


class OneOf:
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
        if attribute.startswith("_") or not all(hasattr(v, attribute) for v in _kept(self)):
            raise AttributeError(f"{self._name!r} is one of two values that do not both have {attribute!r}")
        return applied(getattr, (self, attribute))

    def __setattr__(self, attribute, value):
        applied(setattr, (self, attribute, value))

    def __call__(self, *args, **kwargs):
        from .convert import convert_callee

        return applied(lambda f: convert_callee(f)(*args, **kwargs), (self,))

    def __bool__(self):
        return bool(truth_of(self))


def _delegate(name):
    function = getattr(operator, name)

    def method(self, *others):
        return applied(function, (self, *others))

    def reflected(self, other):
        return applied(function, (other, self))

    return method, reflected


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor"):
    _stem = _name.rstrip("_")
    _method, _reflected = _delegate(_name)
    setattr(OneOf, f"__{_stem}__", _method)
    setattr(OneOf, f"__r{_stem}__", _reflected)
for _name in ("neg", "invert", "abs", "getitem", "setitem", "lt", "le", "gt", "ge"):
    setattr(OneOf, f"__{_name}__", _delegate(_name)[0])


class Maker:
    """What makes a OneOf of its tag and its alternatives; all are equal, the name is for messages."""

    def __init__(self, name):
        self._name = name

    def __eq__(self, other):
        return isinstance(other, Maker)

    def __hash__(self):
        return hash(Maker)

    def __call__(self, parts):
        return OneOf(self._name, *parts)


def node(value):
    """For tree.flatten."""
    return (Maker(value._name), [value._tag, value._first, value._second]) if isinstance(value, OneOf) else None


def may_be_none(structure):
    """Whether a structure is None or that of a OneOf."""
    return structure is None or isinstance(getattr(structure, "function", None), Maker)


def lifted(taken, like, undefined):
    """(structure, leaves) of a value as those of a OneOf with the structure `like`, of which it is one; None: it is not.

    Args:
        taken: Structure and leaves of the value.
        like: A structure.
        undefined: What stands for the leaves of the other alternative.
    """
    structure, leaves = taken
    if not isinstance(getattr(like, "function", None), Maker) or isinstance(
        getattr(structure, "function", None), Maker
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


def picked(parts):
    """The alternative, once the program has run."""
    tag, first, second = parts
    return first if bool(tag) else second


def _chosen(value, function):
    """function(the alternative), where the program decides which it is."""
    from .runtime import choose
    from .values import is_symbolic

    if not is_symbolic(value._tag):
        return function(picked((value._tag, value._first, value._second)))
    changed = [(value._name, lambda part=part: part, None, True, None) for part in _kept(value)]
    return choose(value._tag, lambda: function(value._first), lambda: function(value._second), changed)


def _kept(value):
    """The alternatives that are not None."""
    out = []
    for part in (value._first, value._second):
        out += _kept(part) if isinstance(part, OneOf) else [] if part is None else [part]
    return out


def is_none(value):
    """`value is None`."""
    return _chosen(value, is_none) if isinstance(value, OneOf) else value is None


def truth_of(value):
    """What an `if` sees: the value, or the truth of the alternative."""
    from .runtime import truth

    return (
        _chosen(value, lambda v: truth(truth_of(v)) if v is not None else False) if isinstance(value, OneOf) else value
    )


def _check_not_none(value):
    """Outside of branches the alternative None is an error when the program runs, as it is in Python."""
    from .values import active, is_symbolic

    capture = getattr(active, "capture", None)
    none = is_none(value)
    if capture is None or capture.open_scopes or getattr(active, "terms", ()) or not is_symbolic(none):
        return

    def check(is_none_now):
        if is_none_now:
            raise TypeError(f"to_static: {value._name!r} is None in this run and is used as a tensor.")

    capture.host_call(check, [none])


def applied(function, args, kwargs=None, drop_none=True):
    """function(*args) with each OneOf as its alternative."""
    from .values import is_symbolic

    kwargs = kwargs or {}
    for k, value in (*enumerate(args), *kwargs.items()):
        if not isinstance(value, OneOf):
            continue

        def put(alternative, k=k):
            if isinstance(k, str):
                return applied(function, args, {**kwargs, k: alternative}, drop_none)
            return applied(function, (*args[:k], alternative, *args[k + 1 :]), kwargs, drop_none)

        kept = _kept(value) if drop_none and is_symbolic(value._tag) else ()
        if len(kept) != 1:
            return _chosen(value, put)
        _check_not_none(value)
        return put(kept[0])
    return function(*args, **kwargs)
