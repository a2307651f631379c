# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The items of a dict with keys that are there in some runs only: what iterates over them does in each run what it does for
the keys that are there."""

import builtins

from ... import _core
from .. import tree
from . import presence
from .truth import not_, scalar
from .values import is_symbolic, truth


class SomeItems:
    """Items of which the program decides whether they are there.

    Args:
        pairs: (item, True or a bool tensor), in order.
    """

    def __init__(self, pairs):
        self.pairs = list(pairs)

    def _refuse(self, *args, **kwargs):
        absent = next(item for item, there in self.pairs if there is not True)
        raise KeyError(
            f"to_static: {absent!r} of a dict is there in some runs only, as a branch on a tensor decides, and this use of "
            "the dict needs to know which keys there are; set the key in both branches, or use a for statement, a "
            "comprehension, get() or in."
        )

    def has(self, key):
        """`key in self`, for keys and other values that are known while the program is captured."""
        if not all(isinstance(item, (str, int, float, tuple, type(None))) for item, _ in self.pairs):
            self._refuse()
        return any_there([(item, there) for item, there in self.pairs if item == key])

    __iter__ = __len__ = __getitem__ = __bool__ = __eq__ = __reversed__ = __add__ = __radd__ = __contains__ = _refuse
    __hash__ = None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()


def there_of(parts):
    """The items that are there, once the program has run."""
    return [item for item, there in parts[0] if bool(there)]


def count(pairs):
    """How many are there: an int, or a 0-d int64 tensor."""
    number = sum(there is True for _, there in pairs)
    for _, there in pairs:
        if there is not True:
            number = scalar(there).astype("int64") + number
    return number


def any_there(pairs):
    """Whether one is there: a bool, or a bool tensor."""
    tags = [there for _, there in pairs]
    if not tags or any(t is True for t in tags):
        return bool(tags)
    found = scalar(tags[0])
    for tag in tags[1:]:
        found = _core.ops.logical_or(found, scalar(tag))
    return found


def keys(owner):
    """The keys of a dict."""
    return _of(owner, lambda key, _: key)


def values(owner):
    """Its values."""
    return _of(owner, lambda _, value: value)


def items(owner):
    """Its pairs of a key and a value."""
    return _of(owner, lambda *pair: pair)


def _of(owner, item, in_order=True):
    if in_order:
        presence.check_order(owner)
    return SomeItems((item(key, value), presence.is_there(owner, key)) for key, value in owner.items())


def opened(value, in_order=True):
    """SomeItems of what is iterated over, where that is a dict with keys of some runs; else the value."""
    return _of(value, lambda key, _: key, in_order) if presence.varies(value) else value


# -- functions of Python's ---------------------------------------------------------------------------
def listed(some):
    """A list that is as long as the items are many, where they hold tensors and are alike; keys and numbers stay SomeItems,
    and other values what they are."""
    from .branches import has_tensors, if_
    from .values import flatten

    if not isinstance(some, SomeItems) or not has_tensors([item for item, _ in some.pairs]):
        return some
    if len({tree.key_of(flatten(item)[0]) for item, _ in some.pairs}) > 1:
        return some
    made = []
    for item, there in some.pairs:
        if is_symbolic(there):
            made = if_(there, lambda m, v=item: (m + [v],), lambda m: (m,), (made,), ("comprehension",))[0]
        else:
            made = made + [item]
    return made


def _sum(some, start=0):
    from .branches import choose

    for item, there in some.pairs:
        before = start
        start = choose(there, lambda item=item, before=before: before + item, lambda before=before: before)
    return start


def _sorted(some, /, *, key=None, reverse=False):
    def of_pair(pair):
        return pair[0] if key is None else key(pair[0])

    return SomeItems(builtins.sorted(some.pairs, key=of_pair, reverse=reverse))


def numbered(some, start=0):
    """enumerate()."""
    pairs = some.pairs
    return SomeItems(((count(pairs[:k]) + start, item), there) for k, (item, there) in enumerate(pairs))


def _any(some):
    from .selections import any_
    from .truth import and_

    return any_([and_(lambda t=there: t, lambda v=item: truth(v)) for item, there in some.pairs])


def _all(some):
    from .selections import all_
    from .truth import or_

    return all_([or_(lambda t=there: not_(t), lambda v=item: truth(v)) for item, there in some.pairs])


def _map(function, some):
    from .convert import convert_callee
    from .iteration import comprehension

    return comprehension(some, convert_callee(function))


def _through_list(callee):
    def function(some, *args, **kwargs):
        from .convert import convert_callee

        made = listed(some)
        return made._refuse() if made is some else convert_callee(callee)(made, *args, **kwargs)

    return function


_FUNCTIONS = {
    list: listed,
    sum: _sum,
    len: lambda some: count(some.pairs),
    bool: lambda some: any_there(some.pairs),
    sorted: _sorted,
    enumerate: numbered,
    reversed: lambda some: SomeItems(reversed(some.pairs)),
    any: _any,
    all: _all,
    iter: lambda some: some,
}
_FUNCTIONS |= {f: _through_list(f) for f in (max, min)}
# What is asked to do with keys of some runs; what is none of _FUNCTIONS refuses them.
FUNCTIONS = frozenset(_FUNCTIONS) | {dict, tuple, set, frozenset, zip, map, filter}


def function_on(callee, args):
    """What stands for a function of Python's that is called with SomeItems, or with a dict that has such keys; None:
    itself."""
    if callee is map and len(args) == 2:
        return _map
    return _FUNCTIONS.get(callee)
