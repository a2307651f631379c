# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a branch or the body of a loop changes without assigning a variable: lists, dicts, attributes.

While a program is captured both branches of an `if` run, and the body of a loop runs more than once.
Places remembers what they find and puts it back, so that each run begins with the same, and tells
what they changed, so that it becomes a value of the program."""

import inspect

from ....nn.layer.layers import Layer
from ..values.containers import is_container
from ..values.dynamic_list import DynamicList
from ..values.tagged_union import TaggedUnion
from ..values.undefined import Missing
from .reachability import Reachability, VariableSetter, is_computed_attribute


class NamedLocation:
    """A variable or attribute by name, read and set by functions."""

    def __init__(self, name, get, put, is_given=False, owner=None):
        self.name, self._get, self._put = name, get, put
        self.is_given, self._owner = is_given, owner

    def get(self):
        return _value_or(self._get)

    def put(self, value):
        if self._put is not None:
            self._put(value)

    @property
    def settable(self):
        return self._put is not None

    @property
    def owner(self):
        """(object, name of its attribute), or (Missing, "") of variables."""
        return (Missing, "") if self._owner is None else _value_or(self._owner, (Missing, ""))


def _value_or(get, otherwise=Missing):
    try:
        return get()
    except (AttributeError, NameError, LookupError, ValueError):
        return otherwise


def set_attribute(owner, name, value):
    """setattr, or delattr for what did not exist."""
    buffers = owner._buffers if isinstance(owner, Layer) else ()
    if isinstance(value, TaggedUnion) and name in buffers:
        buffers[name] = value
    elif value is Missing:
        if hasattr(owner, name):
            delattr(owner, name)
    else:
        setattr(owner, name, value)


def _contents(container):
    if isinstance(container, DynamicList):
        return container.store
    if isinstance(container, set):
        return frozenset(container)
    return dict(container) if isinstance(container, dict) else list(container)


def _fill(container, contents):
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
    """The slots of a statement and the containers that can be reached from them.

    Args:
        slots: (name, get, put, given, owner) of what the statement may change. `given`: by functions that it calls or
            passes it to, so that what these can see counts, and of the variable only whether it holds a list or dict.
            `owner`: what gives the object and the name of an attribute, or None.
        ignored: What is left as a run leaves it, out of what only called functions see.
    """

    def __init__(self, slots, ignored=()):
        self.slots, reach = [], Reachability()
        self._ignored = list(ignored)
        slots = [NamedLocation(*s) for s in slots]
        values = [s.get() for s in slots]
        for slot, value in zip(slots, values, strict=True):
            if is_container(value):
                reach.add(value, slot.name)
        seen = len(reach.containers)
        for slot, value in zip(slots, values, strict=True):
            owner, attribute = slot.owner
            if slot.is_given:
                reach.add(value, slot.name)
            elif owner is not Missing and is_computed_attribute(owner, attribute):
                reach.add(owner, slot.name)
        variables = [(n, get, put) for n, get, put in reach.variables if not self._is_ignored(put)]
        containers = reach.containers[:seen]
        containers += [c for c in reach.containers[seen:] if not self._is_ignored(c[1])]
        self.containers = [c for _, c in containers]
        self._known = {id(v): v for v in (*self.containers, *reach.objects)}
        self._classes = {id(vars(v)): type(v) for v in reach.objects}
        self.slots = [s for s, v in zip(slots, values, strict=True) if self._counts(s, v)]
        self._first_seen = len(self.slots)  # from here on, what only called functions see
        self.slots += [NamedLocation(*v) for v in variables if not any(v[0] == s.name for s in self.slots)]
        self._seen = seen
        self.names = [*(s.name for s in self.slots), *(name for name, _ in containers)]

    def _counts(self, slot, value):
        if slot.is_given:
            return is_container(value)
        owner, attribute = slot.owner
        if owner is Missing:
            return True
        if is_computed_attribute(owner, attribute):
            return False
        own = getattr(owner, "__dict__", None)
        if not self.is_known(own):
            return True
        return isinstance(owner, Layer) and attribute not in own and attribute not in own["_buffers"]

    def _is_ignored(self, place):
        return any(place is i or (isinstance(place, VariableSetter) and place == i) for i in self._ignored)

    def only_seen(self, position):
        """Whether what stands at this position of a reading is changed by called functions alone."""
        at = position - len(self.slots)
        return at >= self._seen if at >= 0 else position >= self._first_seen

    def without(self, position):
        """What Places is given as `ignored` to leave out a position, too; None: no other one."""
        if position is None:
            return self._ignored
        at = position - len(self.slots)
        return [*self._ignored, self.containers[at] if at >= 0 else self.slots[position]._put]

    def part(self, contents, position, key):
        """What stands at a key of the dict at a position of a reading, which holds `contents`; key Missing: these."""
        if key is Missing or not isinstance(contents, dict):
            return contents
        at = position - len(self.slots)
        owner = self._classes.get(id(self.containers[at])) if at >= 0 else None
        return contents[key] if key in contents else inspect.getattr_static(owner, key, Missing) if owner else Missing

    def is_known(self, value):
        """Whether the value is one of the containers, or an object whose attributes are."""
        return value is not None and self._known.get(id(value)) is value

    def read(self):
        """What slots and containers hold now, slots first."""
        return [*(s.get() for s in self.slots), *map(_contents, self.containers)]

    def write(self, values):
        """Puts back what read() gave, or other values in the same order."""
        count = len(self.slots)
        for slot, value in zip(self.slots, values[:count], strict=True):
            if slot.get() is not value:
                slot.put(value)
        for container, contents in zip(self.containers, values[count:], strict=True):
            if not _unchanged(_contents(container), contents):
                _fill(container, contents)

    @staticmethod
    def changed(before, *after):
        """Positions at which one of the readings differs from `before`."""
        return [k for k, b in enumerate(before) if not all(_unchanged(b, a[k]) for a in after)]

    def list_at(self, position):
        """The plain list whose contents stand at this position of a reading, or None."""
        at = position - len(self.slots)
        found = self.containers[at] if at >= 0 else None
        return found if isinstance(found, list) else None

    def container_at(self, position):
        """The container whose contents stand at this position of a reading."""
        return self.containers[position - len(self.slots)]

    def grown_at(self, position):
        """The GrownList whose contents stand at this position of a reading, or None."""
        at = position - len(self.slots)
        found = self.containers[at] if at >= 0 else None
        return found if isinstance(found, DynamicList) else None

    def stand_for(self, container):
        """How many of the slots and containers hold it."""
        held = [s.get() for s in self.slots]
        for own in map(_contents, self.containers):
            held += own.values() if isinstance(own, dict) else own if isinstance(own, (list, frozenset)) else ()
        return sum(v is container for v in held)

    def contents_of(self, container, reading):
        """What a container held at a reading."""
        at = next((k for k, c in enumerate(self.containers) if c is container), None)
        return container if at is None else reading[len(self.slots) + at]

    def replace(self, old, new):
        """Wherever the container `old` stands there stands `new` now; whether that could be done."""
        done = False
        for slot in self.slots:
            if slot.get() is old and slot.settable:
                slot.put(new)
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
