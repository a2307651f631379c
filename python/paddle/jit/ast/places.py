# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a branch or the body of a loop changes without assigning a variable: lists, dicts, attributes.

While a program is captured both branches of an `if` run, and the body of a loop runs more than once.
Places remembers what they find and puts it back, so that each run begins with the same, and tells
what they changed, so that it becomes a value of the program."""

from .. import tree
from .grown import Columns, GrownList


class Missing:
    """An attribute or variable that does not exist."""


class Slot:
    """A variable or attribute by name, read and set by functions."""

    def __init__(self, name, get, put):
        self.name, self._get, self._put = name, get, put

    def get(self):
        return _held(self._get)

    def put(self, value):
        if self._put is not None:
            self._put(value)

    @property
    def settable(self):
        return self._put is not None


def _held(get):
    try:
        return get()
    except (AttributeError, NameError, LookupError):
        return Missing


def set_attribute(owner, name, value):
    """setattr, or delattr for what did not exist."""
    if value is Missing:
        if hasattr(owner, name):
            delattr(owner, name)
    else:
        setattr(owner, name, value)


def grown_node(value):
    """For tree.flatten: a GrownList is made of its columns, and they of tensors."""
    if isinstance(value, GrownList):
        return GrownList, value.columns
    return (value.maker, value.tensors) if isinstance(value, Columns) else None


def _is_container(value):
    return isinstance(value, (list, dict, GrownList))


def _contents(container):
    if isinstance(container, GrownList):
        return container.columns
    return dict(container) if isinstance(container, dict) else list(container)


def _fill(container, contents):
    if isinstance(container, GrownList):
        container.columns = contents
    elif isinstance(container, list):
        list.__setitem__(container, slice(None), contents)
    else:
        dict.clear(container)
        dict.update(container, contents)


def _unchanged(before, after):
    if before is after:
        return True
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(a is b for a, b in zip(before, after, strict=True))
    if isinstance(before, dict) and isinstance(after, dict):
        return list(before) == list(after) and all(after[k] is v for k, v in before.items())
    return False


class Places:
    """The slots of a statement and the containers that can be reached from them.

    Args:
        slots: (name, get, put, given) of what the statement may change; `given`: only by functions that it is passed
            to, so that lists and dicts count alone.
    """

    def __init__(self, slots):
        self.slots = [Slot(*s) for *s, given in slots if not given or _is_container(_held(s[1]))]
        self.containers = []
        self._known = set()
        self.names = [s.name for s in self.slots]
        for slot in self.slots:
            self._collect(slot.get(), slot.name)

    def _collect(self, value, name):
        if not _is_container(value) or id(value) in self._known:
            return
        self._known.add(id(value))
        self.containers.append(value)
        self.names.append(name)
        if isinstance(value, (list, dict)):
            for inner in value.values() if isinstance(value, dict) else value:
                self._collect(inner, name)

    def is_known(self, value):
        """Whether the value is one of the containers."""
        return id(value) in self._known and _is_container(value)

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

    def grown_at(self, position):
        """The GrownList whose contents stand at this position of a reading, or None."""
        at = position - len(self.slots)
        found = self.containers[at] if at >= 0 else None
        return found if isinstance(found, GrownList) else None

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


def copied(value):
    """The value with copies of its lists and dicts."""
    return tree.unflatten(tree.flatten(value, lambda _: False, [], grown_node), [])
