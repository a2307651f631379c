# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optional items: the keys, values or items of a dict with optional keys. What iterates over them does in each run what
Python does for the keys that the run has."""

from .... import _core
from .conditions import scalar
from .optional_keys import check_key_order, has_key, has_varying_keys


class OptionalItems:
    """Items that only some runs have.

    Args:
        pairs: (item, True or a bool tensor that tells whether a run has it), in order.
    """

    def __init__(self, pairs):
        self.pairs = list(pairs)

    def _refuse(self, *args, **kwargs):
        absent = next(item for item, presence in self.pairs if presence is not True)
        raise KeyError(
            f"to_static: {absent!r} of a dict is there in some runs only, as a branch on a tensor decides, and this use of "
            "the dict needs to know which keys there are; set the key in both branches, or use a for statement, a "
            "comprehension, get() or in."
        )

    def has(self, key):
        """`key in self`, for keys and other values that are known while the program is captured."""
        if not all(isinstance(item, (str, int, float, tuple, type(None))) for item, _ in self.pairs):
            self._refuse()
        return any_present([(item, presence) for item, presence in self.pairs if item == key])

    __iter__ = __len__ = __getitem__ = __bool__ = __eq__ = __reversed__ = __add__ = __radd__ = __contains__ = _refuse
    __hash__ = None

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()


def present_items(parts):
    """The items that a run has, once it has ended."""
    return [item for item, presence in parts[0] if bool(presence)]


def count_present(pairs):
    """The number of present items: an int, or a 0-d int64 tensor."""
    number = sum(presence is True for _, presence in pairs)
    for _, presence in pairs:
        if presence is not True:
            number = scalar(presence).astype("int64") + number
    return number


def any_present(pairs):
    """Whether there is a present item: a bool, or a bool tensor."""
    presences = [presence for _, presence in pairs]
    if not presences or any(t is True for t in presences):
        return bool(presences)
    found = scalar(presences[0])
    for presence in presences[1:]:
        found = _core.ops.logical_or(found, scalar(presence))
    return found


def dict_keys(owner):
    """The keys of a dict as OptionalItems."""
    return _items_of(owner, lambda key, _: key)


def dict_values(owner):
    """The values of a dict as OptionalItems."""
    return _items_of(owner, lambda _, value: value)


def dict_items(owner):
    """The (key, value) pairs of a dict as OptionalItems."""
    return _items_of(owner, lambda *pair: pair)


def _items_of(owner, item, in_order=True):
    """OptionalItems of item(key, value) of a dict; `in_order`: their order matters, and must not differ between
    runs."""
    if in_order:
        check_key_order(owner)
    return OptionalItems((item(key, value), has_key(owner, key)) for key, value in owner.items())


def optional_items_of(value, in_order=True):
    """What iteration over a value gives: of a dict with optional keys OptionalItems, else the value."""
    return _items_of(value, lambda key, _: key, in_order) if has_varying_keys(value) else value


def is_nonempty_dict(owner):
    """The truth of a dict with optional keys: a bool, or a bool tensor."""
    return any_present(optional_items_of(owner, in_order=False).pairs)
