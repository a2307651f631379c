# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Regions of eager mode, and tensors of arrays."""

import contextlib
import functools

from ...framework import modes
from ...framework.modes import in_dynamic_mode, no_grad


@contextlib.contextmanager
def guard(place=None):
    """Inside, calls run at once even while static mode is on.

    Args:
        place: The device of the calls; None: the current one.

    Example:
        >>> import paddle
        >>> with paddle.base.dygraph.guard():
        ...     print(paddle.in_dynamic_mode())
        True
    """
    from ... import device

    static = not in_dynamic_mode()
    before = device.get_device() if place is not None else None
    if place is not None:
        device.set_device("cpu" if "cpu" in str(place).lower() else str(place))
    if static:
        modes.disable_static()
    try:
        yield
    finally:
        if static:
            modes.enable_static()
        if before is not None:
            device.set_device(before)


def enable_dygraph(place=None):
    """Leave static mode; see `paddle.disable_static`."""
    modes.disable_static(place)


def disable_dygraph():
    """Enter static mode; see `paddle.enable_static`."""
    modes.enable_static()


enabled = in_dynamic_mode


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=False,
    no_grad_vars=None,
):
    """Gradients of outputs with respect to inputs; see `paddle.grad`."""
    from ...autograd import grad as gradients

    return gradients(outputs, inputs, grad_outputs, retain_graph, create_graph, only_inputs, allow_unused, no_grad_vars)


@contextlib.contextmanager
def _static_mode():
    dynamic = in_dynamic_mode()
    if dynamic:
        modes.enable_static()
    try:
        yield
    finally:
        if dynamic:
            modes.disable_static()


def switch_to_static_graph(func):
    """Decorator: the function runs in static mode, in dynamic mode as well."""

    @functools.wraps(func)
    def run(*args, **kwargs):
        with _static_mode():
            return func(*args, **kwargs)

    return run


@contextlib.contextmanager
def param_guard(parameters):
    """Inside, the parameters of a dictionary are the tensors they are: nothing changes."""
    yield


@contextlib.contextmanager
def program_desc_tracing_guard(enable):
    """Inside, a layer is recorded as a program or is not: nothing changes."""
    yield


def to_variable(value, name=None, zero_copy=None, dtype=None):
    """A tensor of an array."""
    from ... import to_tensor

    made = to_tensor(value, dtype=dtype)
    if name is not None:
        made.name = name
    return made


def in_declarative_mode():
    """Whether calls are recorded into a program instead of run."""
    from ...nn.layer.layers import in_declarative_mode as recorded

    return recorded()


in_to_static_mode = in_declarative_mode

__all__ = [
    "disable_dygraph",
    "enable_dygraph",
    "enabled",
    "grad",
    "guard",
    "in_declarative_mode",
    "in_to_static_mode",
    "no_grad",
    "param_guard",
    "program_desc_tracing_guard",
    "switch_to_static_graph",
    "to_variable",
]
