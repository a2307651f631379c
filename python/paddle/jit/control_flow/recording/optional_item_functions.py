# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of Python's on optional items."""

import builtins

from ... import tree
from ..context import is_symbolic
from ..values.flattening import flatten
from ..values.logic import and_, not_, or_, truth
from ..values.optional_items import OptionalItems, any_present, count_present
from .branches import choose, has_tensors, if_


def as_list(items):
    """A DynamicList of the items that a run has, where these hold tensors and have one structure; keys and numbers stay
    OptionalItems, and other values what they are."""
    if not isinstance(items, OptionalItems) or not has_tensors([item for item, _ in items.pairs]):
        return items
    if len({tree.key_of(flatten(item)[0]) for item, _ in items.pairs}) > 1:
        return items
    made = []
    for item, presence in items.pairs:
        if is_symbolic(presence):
            made = if_(presence, lambda m, v=item: (m + [v],), lambda m: (m,), (made,), ("comprehension",))[0]
        else:
            made = made + [item]
    return made


def _sum(items, start=0):
    for item, presence in items.pairs:
        before = start
        start = choose(presence, lambda item=item, before=before: before + item, lambda before=before: before)
    return start


def _sorted(items, /, *, key=None, reverse=False):
    def of_pair(pair):
        return pair[0] if key is None else key(pair[0])

    return OptionalItems(builtins.sorted(items.pairs, key=of_pair, reverse=reverse))


def enumerate_optional(items, start=0):
    """enumerate()."""
    pairs = items.pairs
    return OptionalItems(
        ((count_present(pairs[:k]) + start, item), presence) for k, (item, presence) in enumerate(pairs)
    )


def _any(items):
    from .higher_order import any_

    return any_([and_(lambda t=presence: t, lambda v=item: truth(v)) for item, presence in items.pairs])


def _all(items):
    from .higher_order import all_

    return all_([or_(lambda t=presence: not_(t), lambda v=item: truth(v)) for item, presence in items.pairs])


def _map(function, items):
    from ..convert import convert_callee
    from .iteration import comprehension

    return comprehension(items, convert_callee(function))


def _on_list(callee):
    def function(items, *args, **kwargs):
        from ..convert import convert_callee

        made = as_list(items)
        return made._refuse() if made is items else convert_callee(callee)(made, *args, **kwargs)

    return function


_FUNCTIONS = {
    list: as_list,
    sum: _sum,
    len: lambda items: count_present(items.pairs),
    bool: lambda items: any_present(items.pairs),
    sorted: _sorted,
    enumerate: enumerate_optional,
    reversed: lambda items: OptionalItems(reversed(items.pairs)),
    any: _any,
    all: _all,
    iter: lambda items: items,
}


_FUNCTIONS |= {f: _on_list(f) for f in (max, min)}


# Functions that look at keys; those that are not in _FUNCTIONS refuse optional ones.
HANDLED_FUNCTIONS = frozenset(_FUNCTIONS) | {dict, tuple, set, frozenset, zip, map, filter}


def optional_item_function(callee, args):
    """What is called in the place of a function of Python's with OptionalItems, or with a dict with optional keys;
    None: itself."""
    if callee is map and len(args) == 2:
        return _map
    return _FUNCTIONS.get(callee)
