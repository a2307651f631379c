# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The items of a dict with keys that are there in some runs only: what iterates over them does in each run what it does for
the keys that are there."""

from .... import _core
from .conditions import scalar
from .optional_keys import check_key_order, has_key, has_varying_keys


class OptionalItems:
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
        return any_present([(item, there) for item, there in self.pairs if item == key])

    __iter__ = __len__ = __getitem__ = __bool__ = __eq__ = __reversed__ = __add__ = __radd__ = __contains__ = _refuse
    __hash__ = None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()


def present_items(parts):
    """The items that are there, once the program has run."""
    return [item for item, there in parts[0] if bool(there)]


def count_present(pairs):
    """How many are there: an int, or a 0-d int64 tensor."""
    number = sum(there is True for _, there in pairs)
    for _, there in pairs:
        if there is not True:
            number = scalar(there).astype("int64") + number
    return number


def any_present(pairs):
    """Whether one is there: a bool, or a bool tensor."""
    tags = [there for _, there in pairs]
    if not tags or any(t is True for t in tags):
        return bool(tags)
    found = scalar(tags[0])
    for tag in tags[1:]:
        found = _core.ops.logical_or(found, scalar(tag))
    return found


def dict_keys(owner):
    """The keys of a dict."""
    return _items_of(owner, lambda key, _: key)


def dict_values(owner):
    """Its values."""
    return _items_of(owner, lambda _, value: value)


def dict_items(owner):
    """Its pairs of a key and a value."""
    return _items_of(owner, lambda *pair: pair)


def _items_of(owner, item, in_order=True):
    if in_order:
        check_key_order(owner)
    return OptionalItems((item(key, value), has_key(owner, key)) for key, value in owner.items())


def optional_items_of(value, in_order=True):
    """SomeItems of what is iterated over, where that is a dict with keys of some runs; else the value."""
    return _items_of(value, lambda key, _: key, in_order) if has_varying_keys(value) else value


# -- functions of Python's ---------------------------------------------------------------------------


def is_nonempty_dict(owner):
    """The truth of a dict: a bool, or a bool tensor."""

    return any_present(optional_items_of(owner, in_order=False).pairs)
