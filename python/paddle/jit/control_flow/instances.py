# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects of the user's that a branch on a tensor or a round of a loop makes, as values: their attributes are results of
it."""

from ... import _core
from ...nn.layer.layers import Layer
from .one_of import OneOf
from .reach import is_of_a_library


class Instance:
    """What makes an object of its attributes; equal for one class."""

    def __init__(self, cls):
        self._cls = cls

    def __eq__(self, other):
        return isinstance(other, Instance) and self._cls is other._cls

    def __hash__(self):
        return hash((Instance, self._cls))

    def __call__(self, attributes):
        made = object.__new__(self._cls)
        vars(made).update(attributes)
        return made


def node(value, capture):
    """For tree.flatten: of an object that holds a tensor of a branch that is over; None of others."""
    if not isinstance(capture, _core.pir.Capture) or not is_object(value):
        return None
    return attributes(value) if any(_is_of_a_branch(v, capture) for v in vars(value).values()) else None


def attributes(value):
    """For tree.flatten: the object as what is made of its attributes."""
    return Instance(type(value)), dict(vars(value))


def is_object(value):
    """Whether it is an object of a class of the user's, but no layer."""
    if isinstance(value, (type, Layer)) or type(getattr(value, "__dict__", None)) is not dict:
        return False
    return not is_of_a_library(type(value).__module__)


def is_made(value):
    """Whether it is such an object that holds tensors of the capture."""
    return is_object(value) and any(
        isinstance(v, _core.Tensor) and _core.pir.is_symbolic(v) for v in vars(value).values()
    )


def _is_of_a_branch(value, capture):
    return isinstance(value, _core.Tensor) and _core.pir.is_symbolic(value) and not capture.stood_before(value)


def one_made(value):
    """The value; of one of two such objects of one class, an object with the attributes of the one that it is."""
    if not isinstance(value, OneOf):
        return value
    from .runtime import choose

    first, second = one_made(value._first), one_made(value._second)
    if not is_made(first) or not is_made(second) or type(first) is not type(second):
        return value
    return Instance(type(first))(choose(value._tag, lambda: dict(vars(first)), lambda: dict(vars(second))))
