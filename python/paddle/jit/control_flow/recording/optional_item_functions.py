# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of Python on optional items."""

import builtins

from ... import tree
from ..context import is_symbolic
from ..values.flattening import flatten
from ..values.logic import and_, not_, or_, truth
from ..values.optional_items import OptionalItems, any_present, count_present
from .branches import choose, has_tensors, if_


def as_list(some):
    """A list that is as long as the items are many, where they hold tensors and are alike; keys and numbers stay
    SomeItems, and other values what they are."""
    if not isinstance(some, OptionalItems) or not has_tensors([item for item, _ in some.pairs]):
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
    for item, there in some.pairs:
        before = start
        start = choose(there, lambda item=item, before=before: before + item, lambda before=before: before)
    return start


def _sorted(some, /, *, key=None, reverse=False):
    def of_pair(pair):
        return pair[0] if key is None else key(pair[0])

    return OptionalItems(builtins.sorted(some.pairs, key=of_pair, reverse=reverse))


def enumerate_optional(some, start=0):
    """enumerate()."""
    pairs = some.pairs
    return OptionalItems(((count_present(pairs[:k]) + start, item), there) for k, (item, there) in enumerate(pairs))


def _any(some):
    from .higher_order import any_

    return any_([and_(lambda t=there: t, lambda v=item: truth(v)) for item, there in some.pairs])


def _all(some):
    from .higher_order import all_

    return all_([or_(lambda t=there: not_(t), lambda v=item: truth(v)) for item, there in some.pairs])


def _map(function, some):
    from ..convert import convert_callee
    from .iteration import comprehension

    return comprehension(some, convert_callee(function))


def _on_list(callee):
    def function(some, *args, **kwargs):
        from ..convert import convert_callee

        made = as_list(some)
        return made._refuse() if made is some else convert_callee(callee)(made, *args, **kwargs)

    return function


_FUNCTIONS = {
    list: as_list,
    sum: _sum,
    len: lambda some: count_present(some.pairs),
    bool: lambda some: any_present(some.pairs),
    sorted: _sorted,
    enumerate: enumerate_optional,
    reversed: lambda some: OptionalItems(reversed(some.pairs)),
    any: _any,
    all: _all,
    iter: lambda some: some,
}


_FUNCTIONS |= {f: _on_list(f) for f in (max, min)}


# What is asked to do with keys of some runs; what is none of _FUNCTIONS refuses them.
HANDLED_FUNCTIONS = frozenset(_FUNCTIONS) | {dict, tuple, set, frozenset, zip, map, filter}


def optional_item_function(callee, args):
    """What stands for a function of Python's that is called with SomeItems, or with a dict that has such keys; None:
    itself."""
    if callee is map and len(args) == 2:
        return _map
    return _FUNCTIONS.get(callee)
