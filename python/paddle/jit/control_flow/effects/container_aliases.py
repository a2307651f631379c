# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Aliases of containers: lists, dicts and objects that several variables hold. After a branch or round, too, they are
one container where they are one in plain Python."""

from ..context import active
from ..values.containers import copy_containers, is_container
from ..values.dynamic_list import DynamicList
from ..values.mismatch import Mismatch
from ..values.object_values import is_captured_object
from ..values.undefined import Undefined
from .list_replacement import other_holder


def _is_mutable(value):
    return is_container(value) or is_captured_object(value)


def first_aliases(values):
    """For each variable the position of the first one that holds the same container or object."""
    known = {}
    return [known.setdefault(id(v), k) if _is_mutable(v) else k for k, v in enumerate(values)]


def copy_each(values):
    """Copies of the values, of a container that several variables hold one copy."""
    first = first_aliases(values)
    made = []
    for k, value in enumerate(values):
        made.append(copy_containers(value) if first[k] == k else made[first[k]])
    return made


def _refuse(what, names):
    first, second = names
    raise Mismatch(
        f"to_static: {first!r} and {second!r} hold one list, dict or object behind {what} on a tensor in some runs, and not in "
        "others: what is changed by one name would have to be seen by the other; give one of them a copy."
    )


def _is_generated(names):
    return any(n.startswith("__jst") for n in names)


def merge_aliases(merged, ends, aliases, names):
    """The variables after two branches, where aliases in both branches are one value.

    Args:
        merged: The variables after the branches.
        ends: The variables at the end of either branch.
        aliases: first_aliases() of these.
        names: Their names.
    """
    made = list(merged)
    for k in range(len(names)):
        others = {first[k] for first in aliases} - {k}
        for f in others:
            sides = [end for end, first in zip(ends, aliases, strict=True) if first[k] != f and end[k] is not end[f]]
            unset = [[isinstance(end[at], Undefined) for end in sides] for at in (k, f)]
            if all(unset[0]):
                made[k] = made[f]
            elif all(unset[1]):
                made[f] = made[k]
            elif not _is_generated((names[k], names[f])):
                _refuse("an if", (names[f], names[k]))
    return made


class LoopContainerAliases:
    """The aliases among the variables of a loop.

    Args:
        values: The variables before the loop.
        names: Their names.
    """

    def __init__(self, values, names):
        self._values, self._names = values, names
        self._first = first_aliases(values)

    def with_aliases(self, variables):
        """The variables at the start of a round, or after the loop, with one value for aliases."""
        return tuple(variables[f] for f in self._first)

    def find_changes(self, after):
        """Whether the aliases after a round are others: then they are the aliases before the loop, too, or are none any
        more."""
        found, before = first_aliases(after), self._first
        common = [f if found[k] == found[f] else k for k, f in enumerate(before)]
        for k, f in enumerate(found):
            if f == common[k]:
                continue
            unset = [isinstance(self._values[at], Undefined) for at in (k, f)]
            if all(unset):
                common[k] = f
            elif common[k] == k and not _is_generated((self._names[k], self._names[f])):
                _refuse("a loop", (self._names[f], self._names[k]))
        self._first = common
        return common != before


def _contents(container):
    if isinstance(container, dict):
        return [*container, *container.values()]
    return list(container) if isinstance(container, list) else [container.store]


def _are_same(first, second):
    return len(first) == len(second) and all(a is b for a, b in zip(first, second, strict=True))


def check_copies(values, copies, names):
    """Raises where a branch changed a container that another name holds, too, and gave its own name
    another one.

    Args:
        values: The variables before the branch.
        copies: The copies that the branch got.
        names: Their names.
    """
    for before, copy, name in zip(values, copies, names, strict=True):
        if copy is before or not isinstance(before, (list, dict)) or _are_same(_contents(before), _contents(copy)):
            continue
        other = other_holder(before, names)
        if other is not None:
            _refuse("an if", (name, other))


def note_copies(what, values, merged, names):
    """Remembers lists and dicts after a region that in some runs are one from before it that another name holds, too:
    they may be read, but not changed.

    Args:
        what: The region, for the message.
        values: The variables before it.
        merged: The variables after it.
        names: Their names.
    """
    for before, behind, name in zip(values, merged, names, strict=False):
        if (
            behind is before
            or not isinstance(before, (list, dict))
            or not isinstance(behind, (list, dict, DynamicList))
        ):
            continue
        other = other_holder(before, names)
        if other is not None:
            pairs = [(c, _contents(c)) for c in (before, behind)]
            active.container_copies = [*(getattr(active, "container_copies", None) or ()), (what, (name, other), pairs)]


def check_copies_unchanged():
    """Raises where a container that note_copies() remembers was changed."""
    for what, names, pairs in getattr(active, "container_copies", None) or ():
        if any(not _are_same(_contents(c), contents) for c, contents in pairs):
            _refuse(what, names)


def _inside(value, found):
    """Adds the containers and objects that a value holds, by identity."""
    if _is_mutable(value):
        if id(value) in found:
            return
        found[id(value)] = value
    if isinstance(value, (list, tuple)):
        inner = value
    elif isinstance(value, dict):
        inner = value.values()
    else:
        inner = vars(value).values() if is_captured_object(value) else ()
    for v in inner:
        _inside(v, found)


def check_stored_containers(what, values, names, given, locations, snapshot):
    """Raises where a region stores a container or object that it made in a variable and in a location too, so that it
    would have to be two values of the program.

    Args:
        what: The region, for the message.
        values: The variables after it.
        names: Their names.
        given: The variables that it began with: these, and the containers in them, are not made by it.
        locations: The MutableLocations.
        snapshot: Their contents after it.
    """
    before, made = {}, {}
    for value in given:
        _inside(value, before)
    for value, name in zip(values, names, strict=False):
        own = {}
        _inside(value, own)
        for key in own:
            if key not in before and not name.startswith("__jst"):
                made.setdefault(key, name)
    if not made:
        return
    for k, (held, name) in enumerate(zip(snapshot, locations.names, strict=True)):
        contents = held.values() if isinstance(held, dict) else held if isinstance(held, (list, frozenset)) else ()
        for value in (held,) if k < len(locations.named) else contents:
            if id(value) in made and _is_mutable(value) and not locations.is_tracked(value):
                _refuse(what, (made[id(value)], name))
