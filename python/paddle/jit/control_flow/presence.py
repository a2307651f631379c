# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys of dicts and attributes of objects that are there only in some runs: a branch on a tensor set or deleted them.

The dict holds a value for such a key while the program is captured; whether the key is there is a tensor."""

import types

from ... import _core
from .. import tree
from .values import active, is_symbolic

_NOTHING = object()


class Optional:
    """A key that is there where the bool tensor `tag` holds, as long as the dict holds that value for it. Where
    `is_moved`, runs differ in which of the keys behind it stand before it."""

    def __init__(self, owner, key, value, tag, is_moved):
        self.owner, self.key, self.value, self.tag, self.is_moved = owner, key, value, tag, is_moved


def _known():
    if getattr(active, "optional", None) is None:
        active.optional = []
    return active.optional


def note(owner, key, tag, is_moved=False):
    """From now on the program decides by `tag` whether the key is in the dict."""
    _known().append(Optional(owner, key, owner[key], tag, is_moved))


def is_there(owner, key):
    """True, False or a bool tensor: whether the dict has the key."""
    return key in owner and of_value(owner, key, owner[key])


def of_value(owner, key, value):
    """The same of a key for which the dict holds this value; a copy of the dict has the same tensor there."""
    known = _note_of(owner, key, value)
    return True if known is None else known.tag


def _note_of(owner, key, value):
    for known in reversed(getattr(active, "optional", None) or ()):
        own = known.owner is owner or isinstance(value, _core.Tensor)
        if own and known.key == key and known.value is value:
            return known
    return None


def varies(owner):
    """Whether runs differ in the keys of a dict, or in their order."""
    if not getattr(active, "optional", None) or not isinstance(owner, dict):
        return False
    notes = [_note_of(owner, key, value) for key, value in owner.items()]
    return any(known is not None and (known.tag is not True or known.is_moved) for known in notes)


def check_order(owner):
    """Raises where runs differ in the order of the keys of a dict."""
    notes = [(key, _note_of(owner, key, value)) for key, value in owner.items()]
    moved = next((key for key, known in notes if known is not None and known.is_moved), None)
    if moved is not None:
        raise KeyError(
            f"to_static: the key {moved!r} is set by a branch on a tensor and again behind it, so that the order of the "
            "keys is not the same in all runs; set the key in both branches, or not again."
        )


def set_key(owner, key, value):
    """`owner[key] = value`: from now on the key is there in every run that comes here."""
    there = is_there(owner, key) if getattr(active, "optional", None) else True
    owner[key] = value
    if there is not True and there is not False:
        note(owner, key, True, is_moved=next(reversed(owner)) != key)


def demand(owner, key, make):
    """A key is read: a run in which it is not there raises what make(key) gives.

    Args:
        owner: A dict.
        key: A key that it holds while the program is captured.
        make: KeyError or what else Python raises.
    """
    there = is_there(owner, key)
    if not is_symbolic(there):
        return
    from .refusals import raise_if
    from .truth import where_reached

    raise_if(where_reached(_core.ops.logical_not(there)), make, (key,))
    if active.capture.open_scopes == 0 and not getattr(active, "terms", ()):
        note(owner, key, True)  # every run that goes on has it


def read_key(owner, key):
    """`owner[key]` of a dict."""
    if getattr(active, "optional", None) and key in owner:
        if hasattr(type(owner), "__missing__") and is_there(owner, key) is not True:
            raise ValueError(
                f"to_static: the key {key!r} is set by a branch on a tensor, and the {type(owner).__name__} makes its own "
                "value where it is not; set the key in both branches."
            )
        demand(owner, key, KeyError)
    return owner[key]


def attribute(owner, name):
    """`owner.name`."""
    if getattr(active, "optional", None):
        own = getattr(owner, "__dict__", None)
        if isinstance(own, dict) and name in own:
            said = f"{type(owner).__name__!r} object has no attribute {name!r}"
            demand(own, name, lambda _: AttributeError(said))
    return getattr(owner, name)


def all_there(value):
    """A mapping whose keys are given on by `**`."""
    check_all_there(value, "given on by **")
    return value


def delete(owner, key):
    """`del owner[key]`."""
    if isinstance(owner, dict) and key in owner:
        demand(owner, key, KeyError)
    del owner[key]


def optional_keys(owner):
    """The keys of a dict of which the program decides whether they are there."""
    if not getattr(active, "optional", None) or not isinstance(owner, dict):
        return []
    return [key for key in owner if is_there(owner, key) is not True]


def check_all_there(value, what):
    """Raises when a dict among the values has keys that are there in some runs only."""
    if not getattr(active, "optional", None):
        return

    def check(v):
        keys = optional_keys(v)
        if keys:
            raise KeyError(
                f"to_static: the key {keys[0]!r} is in a dict in some runs only, as a branch on a tensor decides, and "
                f"the dict is {what}; set the key in both branches, or read it with get()."
            )
        return False

    tree.flatten(value, check, [])


def contains(key, owner):
    """`key in owner`."""
    from .some_items import SomeItems

    if optional_keys(owner):
        return is_there(owner, key)
    return owner.has(key) if isinstance(owner, SomeItems) else key in owner


def _get(owner, key, default=None):
    from .branches import choose

    there = is_there(owner, key)
    if not is_symbolic(there):
        return owner[key] if there else default
    return choose(there, lambda: owner[key], lambda: default)


def _pop(owner, key, default=_NOTHING):
    value = read_key(owner, key) if default is _NOTHING else _get(owner, key, default)
    owner.pop(key, None)
    return value


def _setdefault(owner, key, default=None):
    set_key(owner, key, _get(owner, key, default))
    return owner[key]


_METHODS = {"get": _get, "pop": _pop, "setdefault": _setdefault}
_KEPT = ("clear", "__setitem__", "__getitem__", "fromkeys")  # what they do does not depend on other keys


def any_there(owner):
    """The truth of a dict: a bool, or a bool tensor."""
    from . import some_items

    return some_items.any_there(some_items.opened(owner, in_order=False).pairs)


def put_all(owner, *sources, **more):
    """`owner.update(...)`: keys of the sources that are there in some runs only are set in those runs."""
    from .branches import choose

    for source in (*sources, more):
        optional = optional_keys(source)
        if not optional:
            source = dict(source)
        for key, value in source.items():
            if key not in optional:
                set_key(owner, key, value)
                continue
            there, before = is_there(source, key), is_there(owner, key)
            if before is False:
                owner[key] = value
                note(owner, key, there)
                continue
            was = owner[key]
            owner[key] = choose(there, lambda value=value: value, lambda was=was: was)
            if before is not True:
                note(owner, key, _core.ops.logical_or(there, before))


def merged(*mappings):
    """A dict of the keys of all mappings: `{**a, **b}`, `dict(a)`, `a.copy()`."""
    made = {}
    put_all(made, *mappings)
    return made


def _asked(owner, name):
    from . import some_items

    return getattr(some_items, name)(owner)


def method_of(owner, name):
    """A method of a dict, with the keys that are there in some runs only; None: its own."""
    if name == "update":
        return lambda *args, **kwargs: put_all(owner, *args, **kwargs)
    if name in ("keys", "values", "items") and varies(owner):
        return lambda: _asked(owner, name)
    if not optional_keys(owner) or name in _KEPT:
        return None
    if name in _METHODS:
        return lambda *args: _METHODS[name](owner, *args)
    if name == "copy":
        return lambda: merged(owner)
    check_all_there(owner, f"asked for {name}()")
    return None


def _attribute(owner, name, *default):
    own = getattr(owner, "__dict__", None)
    if name not in optional_keys(own):
        return getattr(owner, name, *default)
    return _get(own, name, *default) if default else attribute(owner, name)


def _has_attribute(owner, name):
    own = getattr(owner, "__dict__", None)
    return is_there(own, name) if name in optional_keys(own) else hasattr(owner, name)


_FUNCTIONS = {getattr: _attribute, hasattr: _has_attribute}


def function_on(callee):
    """The function with the keys that are there in some runs only; None: itself."""
    if not getattr(active, "optional", None) or isinstance(callee, _core.Tensor):
        return None
    try:
        return _FUNCTIONS.get(callee)
    except TypeError:  # not hashable
        return None


def checked(callee, made):
    """`made`, which is called in the place of `callee`, on what is there in some runs only."""
    from . import some_items

    if not isinstance(callee, (type, types.BuiltinFunctionType)) or callee not in some_items.FUNCTIONS:
        return _refusing(callee, made)

    def call(*args, **kwargs):
        if not getattr(active, "optional", None):
            return made(*args, **kwargs)
        if callee is dict and len(args) == 1 and optional_keys(args[0]):
            return merged(args[0], kwargs)
        given = [some_items.opened(value, callee not in (len, sorted)) for value in args]
        at = [value for value in given if isinstance(value, some_items.SomeItems)]
        function = some_items.function_on(callee, args) if at else None
        return made(*args, **kwargs) if function is None else function(*given, **kwargs)

    return call


_READERS = ("itertools", "functools", "collections", "json", "copy", "statistics", "numpy")


def _refusing(callee, made):
    """A function of C, or of a library, that looks into dicts is given none with keys of some runs."""
    is_text = isinstance(getattr(callee, "__self__", None), (str, bytes))
    module = getattr(callee, "__module__", None) or ""
    if not is_text and (not isinstance(module, str) or module.partition(".")[0] not in _READERS):
        return made

    def call(*args, **kwargs):
        for value in (*args, *kwargs.values()):
            check_all_there(value, f"given to {getattr(callee, '__name__', callee)}()")
        return made(*args, **kwargs)

    return call
