# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operations on dicts and attributes with optional keys."""

import types

from .... import _core
from ..context import active, is_symbolic
from ..values.conditions import where_reached
from ..values.optional_items import OptionalItems, dict_items, dict_keys, dict_values, optional_items_of
from ..values.optional_keys import (
    check_no_optional_keys,
    has_key,
    has_varying_keys,
    note_optional_key,
    optional_keys_of,
)
from .branches import choose
from .exceptions import raise_if
from .optional_item_functions import HANDLED_FUNCTIONS, optional_item_function

_NOTHING = object()


def set_key(owner, key, value):
    """`owner[key] = value`: from now on every run that comes here has the key."""
    presence = has_key(owner, key) if getattr(active, "optional_keys", None) else True
    owner[key] = value
    if presence is not True and presence is not False:
        note_optional_key(owner, key, True, is_reordered=next(reversed(owner)) != key)


def require_key(owner, key, make):
    """Makes runs raise that do not have a key which is read.

    Args:
        owner: A dict.
        key: A key that it holds while the program is captured.
        make: make(key) gives the exception.
    """
    presence = has_key(owner, key)
    if not is_symbolic(presence):
        return

    raise_if(where_reached(_core.ops.logical_not(presence)), make, (key,))
    if active.capture.open_scopes == 0 and not getattr(active, "short_circuits", ()):
        note_optional_key(owner, key, True)  # every run that continues has it


def read_key(owner, key):
    """`owner[key]` of a dict."""
    if getattr(active, "optional_keys", None) and key in owner:
        if hasattr(type(owner), "__missing__") and has_key(owner, key) is not True:
            raise ValueError(
                f"to_static: the key {key!r} is set by a branch on a tensor, and the {type(owner).__name__} makes its own "
                "value where it is not; set the key in both branches."
            )
        require_key(owner, key, KeyError)
    return owner[key]


def read_attribute(owner, name):
    """`owner.name`."""
    if getattr(active, "optional_keys", None):
        own = getattr(owner, "__dict__", None)
        if isinstance(own, dict) and name in own:
            said = f"{type(owner).__name__!r} object has no attribute {name!r}"
            require_key(own, name, lambda _: AttributeError(said))
    return getattr(owner, name)


def keyword_arguments(value):
    """A mapping whose keys `**` gives as arguments; optional keys are an error."""
    check_no_optional_keys(value, "given on by **")
    return value


def delete_item(owner, key):
    """`del owner[key]`."""
    if isinstance(owner, dict) and key in owner:
        require_key(owner, key, KeyError)
    del owner[key]


def contains(key, owner):
    """`key in owner`."""
    if optional_keys_of(owner):
        return has_key(owner, key)
    return owner.has(key) if isinstance(owner, OptionalItems) else key in owner


def _get(owner, key, default=None):
    presence = has_key(owner, key)
    if not is_symbolic(presence):
        return owner[key] if presence else default
    return choose(presence, lambda: owner[key], lambda: default)


def _pop(owner, key, default=_NOTHING):
    value = read_key(owner, key) if default is _NOTHING else _get(owner, key, default)
    owner.pop(key, None)
    return value


def _setdefault(owner, key, default=None):
    set_key(owner, key, _get(owner, key, default))
    return owner[key]


_METHODS_OF_KEYS = {"get": _get, "pop": _pop, "setdefault": _setdefault}


_UNAFFECTED_METHODS = ("clear", "__setitem__", "__getitem__", "fromkeys")  # what they do does not depend on other keys


def update_dict(owner, *sources, **more):
    """`owner.update(...)`: optional keys of the sources are set in those runs that have them."""
    for source in (*sources, more):
        optional = optional_keys_of(source)
        if not optional:
            source = dict(source)
        for key, value in source.items():
            if key not in optional:
                set_key(owner, key, value)
                continue
            presence, before = has_key(source, key), has_key(owner, key)
            if before is False:
                owner[key] = value
                note_optional_key(owner, key, presence)
                continue
            previous = owner[key]
            owner[key] = choose(presence, lambda value=value: value, lambda previous=previous: previous)
            if before is not True:
                note_optional_key(owner, key, _core.ops.logical_or(presence, before))


def dict_display(*mappings):
    """A dict of the keys of all mappings: `{**a, **b}`, `dict(a)`, `a.copy()`."""
    made = {}
    update_dict(made, *mappings)
    return made


_VIEWS = {"keys": dict_keys, "values": dict_values, "items": dict_items}


def dict_method(owner, name):
    """A method of a dict that takes its optional keys into account; None: its own."""
    if name == "update":
        return lambda *args, **kwargs: update_dict(owner, *args, **kwargs)
    if name in _VIEWS and has_varying_keys(owner):
        return lambda: _VIEWS[name](owner)
    if not optional_keys_of(owner) or name in _UNAFFECTED_METHODS:
        return None
    if name in _METHODS_OF_KEYS:
        return lambda *args: _METHODS_OF_KEYS[name](owner, *args)
    if name == "copy":
        return lambda: dict_display(owner)
    check_no_optional_keys(owner, f"asked for {name}()")
    return None


def _getattr(owner, name, *default):
    own = getattr(owner, "__dict__", None)
    if name not in optional_keys_of(own):
        return getattr(owner, name, *default)
    return _get(own, name, *default) if default else read_attribute(owner, name)


def _hasattr(owner, name):
    own = getattr(owner, "__dict__", None)
    return has_key(own, name) if name in optional_keys_of(own) else hasattr(owner, name)


_FUNCTIONS = {getattr: _getattr, hasattr: _hasattr}


def attribute_function(callee):
    """What is called in the place of getattr or hasattr where there are optional keys; None for other functions."""
    if not getattr(active, "optional_keys", None) or isinstance(callee, _core.Tensor):
        return None
    try:
        return _FUNCTIONS.get(callee)
    except TypeError:  # not hashable
        return None


def with_optional_keys(callee, made):
    """`made`, which is called in the place of `callee`, with optional keys of its arguments taken into account."""
    if not isinstance(callee, (type, types.BuiltinFunctionType)) or callee not in HANDLED_FUNCTIONS:
        return _without_optional_keys(callee, made)

    def call(*args, **kwargs):
        if not getattr(active, "optional_keys", None):
            return made(*args, **kwargs)
        if callee is dict and len(args) == 1 and optional_keys_of(args[0]):
            return dict_display(args[0], kwargs)
        given = [optional_items_of(value, callee not in (len, sorted)) for value in args]
        at = [value for value in given if isinstance(value, OptionalItems)]
        function = optional_item_function(callee, args) if at else None
        return made(*args, **kwargs) if function is None else function(*given, **kwargs)

    return call


_READERS = ("itertools", "functools", "collections", "json", "copy", "statistics", "numpy")


def _without_optional_keys(callee, made):
    """`made`, for a function of C, or of a library, that looks into dicts: optional keys in its arguments are an
    error."""
    is_text = isinstance(getattr(callee, "__self__", None), (str, bytes))
    module = getattr(callee, "__module__", None) or ""
    if not is_text and (not isinstance(module, str) or module.partition(".")[0] not in _READERS):
        return made

    def call(*args, **kwargs):
        for value in (*args, *kwargs.values()):
            check_no_optional_keys(value, f"given to {getattr(callee, '__name__', callee)}()")
        return made(*args, **kwargs)

    return call
