# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Escaping values: what a captured function leaves in objects that outlive it."""

from ....framework.symint import SymInt
from ... import tree
from ..context import active
from ..values.tagged_union import TaggedUnion
from .reachability import Reachability, VariableSetter


def check_no_escaping_unions(*roots):
    """Raises when a location that the roots reach holds a TaggedUnion: code that is not captured would find neither
    alternative there."""
    if not getattr(active, "stores_unions", False):
        return
    reach = Reachability()
    for root in roots:
        reach.add(root, "")
    found = None
    for name, getter, setter in reach.variables:
        if isinstance(getter(), TaggedUnion):
            found = name
            setter(None)
    for _, container in reach.containers:
        if isinstance(container, (dict, list)):
            for key, value in list(container.items() if isinstance(container, dict) else enumerate(container)):
                if isinstance(value, TaggedUnion):
                    found = key
                    container[key] = None
    if found is not None:
        raise TypeError(
            f"to_static: {found!r} is None in some runs and something else in others, as a branch or loop on a tensor "
            "decides, and an object, list, dict or enclosing function keeps it behind the function; set it to one of the "
            "two before the function ends."
        )


class EscapedExtent:
    """What code outside of the capture finds for an open extent that a captured function stored in an object: which
    number it is depends on the run. Its use as a number raises RuntimeError."""

    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"<{self._name!r}: an open extent of a captured function>"

    def _refuse(self, *_):
        raise RuntimeError(
            f"to_static: {self._name!r} was set to an extent of an input, which is open in the captured function and another "
            "one in each run; it has no value behind the function or in another capture. Return the extent, or read the "
            "shape again where it is needed."
        )

    __int__ = __index__ = __float__ = __bool__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __round__ = _refuse
    __hash__ = object.__hash__


def replace_escaping_extents(*roots):
    """Puts EscapedExtents in the place of the open extents that the roots reach: another capture has the same symbols
    for other extents."""
    reach = Reachability()
    for root in roots:
        reach.add(root, "")
    for name, getter, setter in reach.variables:
        if isinstance(setter, VariableSetter):
            closed = _escaped(_read(getter), name)
            if closed is not None:
                setter(closed)
    for name, container in reach.containers:
        if isinstance(container, (dict, list)):
            for key, value in list(container.items() if isinstance(container, dict) else enumerate(container)):
                closed = _escaped(value, key if isinstance(key, str) else name)
                if closed is not None:
                    container[key] = closed


def _read(getter):
    try:
        return getter()
    except (NameError, LookupError, ValueError):
        return None


def _escaped(value, name):
    """The EscapedExtent of an extent, or a tuple with some; None for other values."""
    if type(value) is SymInt:
        return EscapedExtent(name)
    if type(value) is tuple and any(type(v) is SymInt for v in value):
        return tuple(EscapedExtent(name) if type(v) is SymInt else v for v in value)
    return None


def check_saved_result(result):
    """Raises when a program that goes to a file returns a TaggedUnion."""

    def check(value):
        if isinstance(value, TaggedUnion):
            raise TypeError(
                "to_static: the function returns values of different structure, rank or dtype, as a branch or loop on a "
                "tensor decides; a saved program has one type for each result: return the same in all branches."
            )
        return False

    if getattr(active, "has_unions", None):
        tree.flatten(result, check, [])
