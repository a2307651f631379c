# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`PyLayer` beside control flow on tensors: the program calls it when it runs, under autograd."""

import contextlib

from .. import _core
from ..amp.auto_cast import amp_state, auto_cast
from ..autograd.py_layer import PyLayerContext, Watch, forward_alone
from . import tree
from .spec import is_tensor


class CallsPyLayers(Exception):
    """The function has control flow on tensors and calls a PyLayer: capture it with calls of that."""


def converted_call(cls, args, kwargs):
    """The PyLayer with control flow of its forward that also works on tensors of a capture."""
    from .control_flow.convert import convert

    if getattr(cls, "_gradient_of_its_forward", False):
        return forward_alone(cls, args, kwargs)
    forward = convert(cls.forward)
    if forward is not cls.forward:
        cls = type(cls.__name__, (cls,), {"forward": staticmethod(forward)})
    return _core.pylayer_apply(cls, PyLayerContext(), args, kwargs or None)


def recorder_of(capture):
    """What records calls of PyLayers in `capture`: (class, args, kwargs) -> what forward gives."""

    def record(cls, args, kwargs):
        if getattr(cls, "_gradient_of_its_forward", False):
            return converted_call(cls, args, kwargs)
        given = []
        arguments = tree.flatten((args, kwargs), is_tensor, given)
        result = _result_in_capture(capture, cls, args, kwargs)
        like = []
        structure = tree.flatten(result, is_tensor, like)
        cast = amp_state()

        def call(*tensors):
            args, kwargs = tree.unflatten(arguments, tensors)
            found = []
            with contextlib.nullcontext() if cast is None else auto_cast(**cast):
                tree.flatten(cls.apply(*args, **kwargs), is_tensor, found)
            return found

        return tree.unflatten(structure, capture.host_results(call, given, like))

    return record


def _result_in_capture(capture, cls, args, kwargs):
    """What forward gives for tensors of the capture; what it records is dropped."""
    capture.begin_while(_core.ops.full([], True, "bool"), [])
    capture.begin_round()
    try:
        with Watch(converted_call):
            return converted_call(cls, args, kwargs)
    finally:
        capture.drop_while()
