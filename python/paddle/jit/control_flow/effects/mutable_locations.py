# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Locations that a region may change without assigning a variable: attributes, variables of other scopes, and
containers.

While a program is captured both branches of an `if` run, and the body of a loop runs more than once. A snapshot of the
locations is restored before each run, so that each begins with the same state; what differs afterwards becomes a value
of the program."""

import inspect

from ....nn.layer.layers import Layer
from ..values.containers import is_container
from ..values.dynamic_list import DynamicList
from ..values.tagged_union import TaggedUnion
from ..values.undefined import Missing
from .reachability import Reachability, VariableSetter, is_computed_attribute


class NamedLocation:
    """A variable or attribute with a name, read and set by functions."""

    def __init__(self, name, getter, setter, by_call=False, owner=None):
        self.name, self._getter, self._setter = name, getter, setter
        self.by_call, self._owner = by_call, owner

    def get(self):
        return _value_or(self._getter)

    def set(self, value):
        if self._setter is not None:
            self._setter(value)

    @property
    def is_settable(self):
        return self._setter is not None

    @property
    def owner(self):
        """(object, name of its attribute); (Missing, "") for variables."""
        return (Missing, "") if self._owner is None else _value_or(self._owner, (Missing, ""))


def _value_or(get, otherwise=Missing):
    """What get() gives; `otherwise` where there is no such variable, attribute or item."""
    try:
        return get()
    except (AttributeError, NameError, LookupError, ValueError):
        return otherwise


def set_attribute(owner, name, value):
    """setattr(); delattr() for an attribute that did not exist."""
    buffers = owner._buffers if isinstance(owner, Layer) else ()
    if isinstance(value, TaggedUnion) and name in buffers:
        buffers[name] = value
    elif value is Missing:
        if hasattr(owner, name):
            delattr(owner, name)
    else:
        setattr(owner, name, value)


def _contents(container):
    """A shallow copy of what a container holds."""
    if isinstance(container, DynamicList):
        return container.store
    if isinstance(container, set):
        return frozenset(container)
    return dict(container) if isinstance(container, dict) else list(container)


def _fill(container, contents):
    """Sets what a container holds to what _contents() returned."""
    if isinstance(container, DynamicList):
        container.store = contents
    elif isinstance(container, list):
        list.__setitem__(container, slice(None), contents)
    elif isinstance(container, dict):
        dict.clear(container)
        dict.update(container, contents)
    else:
        container.clear()
        getattr(container, "update" if isinstance(container, set) else "extend")(contents)


def _unchanged(before, after):
    """Whether contents are the very same values."""
    if before is after:
        return True
    if isinstance(before, frozenset) and isinstance(after, frozenset):
        return before == after
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(a is b for a, b in zip(before, after, strict=True))
    if isinstance(before, dict) and isinstance(after, dict):
        return list(before) == list(after) and all(after[k] is v for k, v in before.items())
    return False


class MutableLocations:
    """The locations of a statement: named ones, and the containers that these reach.

    A snapshot is a list of contents, those of the named locations first; a position is an index of it.

    Args:
        descriptions: (name, getter, setter, by_call, owner) of what the statement may change. `by_call`: functions that
            are called or get it may change what it reaches; of the variable itself it only matters whether it holds a
            container. `owner`: gives (object, name of the attribute), or None.
        ignored: Locations that only called functions reach and that stay as a run leaves them.
    """

    def __init__(self, descriptions, ignored=()):
        self.named, reach = [], Reachability()
        self._ignored = list(ignored)
        named = [NamedLocation(*d) for d in descriptions]
        values = [s.get() for s in named]
        for location, value in zip(named, values, strict=True):
            if is_container(value):
                reach.add(value, location.name)
        direct_count = len(reach.containers)
        for location, value in zip(named, values, strict=True):
            owner, attribute = location.owner
            if location.by_call:
                reach.add(value, location.name)
            elif owner is not Missing and is_computed_attribute(owner, attribute):
                reach.add(owner, location.name)
        variables = [v for v in reach.variables if not self._is_ignored(v[2])]
        containers = reach.containers[:direct_count]
        containers += [c for c in reach.containers[direct_count:] if not self._is_ignored(c[1])]
        self.containers = [c for _, c in containers]
        self._tracked = {id(v): v for v in (*self.containers, *reach.objects)}
        self._classes = {id(vars(v)): type(v) for v in reach.objects}
        self.named = [s for s, v in zip(named, values, strict=True) if self._is_needed(s, v)]
        self._first_by_call = len(self.named)  # from here on, those that only called functions reach
        self.named += [NamedLocation(*v) for v in variables if not any(v[0] == s.name for s in self.named)]
        self._direct_count = direct_count
        self.names = [*(s.name for s in self.named), *(name for name, _ in containers)]

    def _is_needed(self, location, value):
        if location.by_call:
            return is_container(value)
        owner, attribute = location.owner
        if owner is Missing:
            return True
        if is_computed_attribute(owner, attribute):
            return False
        own = getattr(owner, "__dict__", None)
        if not self.is_tracked(own):
            return True
        return isinstance(owner, Layer) and attribute not in own and attribute not in own["_buffers"]

    def _is_ignored(self, location):
        return any(location is i or (isinstance(location, VariableSetter) and location == i) for i in self._ignored)

    def is_changed_by_calls_only(self, position):
        """Whether only called functions change what is at a position."""
        at = position - len(self.named)
        return at >= self._direct_count if at >= 0 else position >= self._first_by_call

    def ignoring(self, position):
        """The `ignored` that also leaves out the location at a position; None: no further one."""
        if position is None:
            return self._ignored
        at = position - len(self.named)
        return [*self._ignored, self.containers[at] if at >= 0 else self.named[position]._setter]

    def value_at_key(self, contents, position, key):
        """The value of a key of the dict at a position, which holds `contents`; for the key Missing these."""
        if key is Missing or not isinstance(contents, dict):
            return contents
        at = position - len(self.named)
        owner = self._classes.get(id(self.containers[at])) if at >= 0 else None
        return contents[key] if key in contents else inspect.getattr_static(owner, key, Missing) if owner else Missing

    def is_tracked(self, value):
        """Whether a value is one of the containers, or an object whose attributes are."""
        return value is not None and self._tracked.get(id(value)) is value

    def snapshot(self):
        """What the locations hold now, the named ones first."""
        return [*(s.get() for s in self.named), *map(_contents, self.containers)]

    def restore(self, values):
        """Sets the locations to the contents of a snapshot."""
        count = len(self.named)
        for location, value in zip(self.named, values[:count], strict=True):
            if location.get() is not value:
                location.set(value)
        for container, contents in zip(self.containers, values[count:], strict=True):
            if not _unchanged(_contents(container), contents):
                _fill(container, contents)

    @staticmethod
    def changed(before, *after):
        """Positions at which one of the snapshots differs from `before`."""
        return [k for k, b in enumerate(before) if not all(_unchanged(b, a[k]) for a in after)]

    def list_at(self, position):
        """The plain list whose contents are at a position; None for others."""
        at = position - len(self.named)
        found = self.containers[at] if at >= 0 else None
        return found if isinstance(found, list) else None

    def container_at(self, position):
        """The container whose contents are at a position."""
        return self.containers[position - len(self.named)]

    def dynamic_list_at(self, position):
        """The DynamicList whose contents are at a position; None for others."""
        at = position - len(self.named)
        found = self.containers[at] if at >= 0 else None
        return found if isinstance(found, DynamicList) else None

    def count_holders(self, container):
        """The number of locations that hold a container."""
        held = [s.get() for s in self.named]
        for own in map(_contents, self.containers):
            held += own.values() if isinstance(own, dict) else own if isinstance(own, (list, frozenset)) else ()
        return sum(v is container for v in held)

    def contents_of(self, container, snapshot):
        """What a container held in a snapshot."""
        at = next((k for k, c in enumerate(self.containers) if c is container), None)
        return container if at is None else snapshot[len(self.named) + at]

    def replace(self, old, new):
        """Puts `new` wherever locations hold the container `old`; whether one did and could be set."""
        done = False
        for location in self.named:
            if location.get() is old and location.is_settable:
                location.set(new)
                done = True
        for container in self.containers:
            contents = _contents(container)
            if isinstance(contents, list) and any(v is old for v in contents):
                _fill(container, [new if v is old else v for v in contents])
                done = True
            elif isinstance(contents, dict) and any(v is old for v in contents.values()):
                _fill(container, {k: new if v is old else v for k, v in contents.items()})
                done = True
        return done
