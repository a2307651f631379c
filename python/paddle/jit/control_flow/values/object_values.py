# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects of the user's classes that a region makes, as values: their attributes are its results (scalar
replacement)."""

import sys

from .... import _core
from ....nn.layer.layers import Layer
from .tagged_union import TaggedUnion

_LIBRARIES = sys.stdlib_module_names | {"paddle", "numpy", "scipy", "torch"}


class ObjectConstructor:
    """Makes an object of its attributes; equal for one class."""

    def __init__(self, cls):
        self._cls = cls

    def __eq__(self, other):
        return isinstance(other, ObjectConstructor) and self._cls is other._cls

    def __hash__(self):
        return hash((ObjectConstructor, self._cls))

    def __call__(self, attributes):
        made = object.__new__(self._cls)
        vars(made).update(attributes)
        return made


def object_node(value, capture):
    """For tree.flatten: the constructor of an object, and its attributes."""
    if not isinstance(capture, _core.pir.Capture) or not is_user_object(value):
        return None
    return object_attributes(value) if any(_is_made_in_region(v, capture) for v in vars(value).values()) else None


def object_attributes(value):
    """For tree.flatten: the constructor of an object, and its attributes."""
    return ObjectConstructor(type(value)), dict(vars(value))


def is_user_object(value):
    """Whether a value is an object of a class of the user's, but no layer."""
    if isinstance(value, (type, Layer)) or type(getattr(value, "__dict__", None)) is not dict:
        return False
    return not is_library_module(type(value).__module__)


def is_captured_object(value):
    """Whether a value is such an object and holds tensors of the capture."""
    return is_user_object(value) and any(
        isinstance(v, _core.Tensor) and _core.pir.is_symbolic(v) for v in vars(value).values()
    )


def _is_made_in_region(value, capture):
    return isinstance(value, _core.Tensor) and _core.pir.is_symbolic(value) and not capture.stood_before(value)


def merged_object(value):
    """The value; a TaggedUnion of two such objects of one class as one object, whose attributes are phi values."""
    if not isinstance(value, TaggedUnion):
        return value

    from ..recording.branches import choose

    first, second = merged_object(value._first), merged_object(value._second)
    if not is_captured_object(first) or not is_captured_object(second) or type(first) is not type(second):
        return value
    return ObjectConstructor(type(first))(choose(value._tag, lambda: dict(vars(first)), lambda: dict(vars(second))))


def is_library_module(module):
    """Whether a module of this name is part of a library, whose objects are not the user's."""
    return (module or "").partition(".")[0] in _LIBRARIES
