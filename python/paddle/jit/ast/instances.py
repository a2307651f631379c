# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects of the user's that a branch on a tensor makes, as values: their attributes are results of the branch."""

from ... import _core
from ...nn.layer.layers import Layer
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
    if not isinstance(capture, _core.pir.Capture) or isinstance(value, (type, Layer)):
        return None
    own = getattr(value, "__dict__", None)
    if type(own) is not dict or is_of_a_library(type(value).__module__):
        return None
    if not any(_is_of_a_branch(v, capture) for v in own.values()):
        return None
    return Instance(type(value)), dict(own)


def _is_of_a_branch(value, capture):
    return isinstance(value, _core.Tensor) and _core.pir.is_symbolic(value) and not capture.stood_before(value)
