# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients of programs as functions of values."""

from ..framework.modes import in_dynamic_mode
from ..static.gradient import append_backward as _append_backward
from ..static.gradient import gradients
from . import grad as _grad


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
    """Gradients of outputs with respect to inputs, as `paddle.grad`.

    Args:
        outputs: A Tensor or a list of them.
        inputs: A Tensor or a list of them.
        grad_outputs: Gradients of the outputs; None: ones.
        retain_graph: Whether the graph can be used again.
        create_graph: Whether the gradients have gradients.
        only_inputs: Must be True.
        allow_unused: Whether the gradient of an input that is not used is None; in a program it always is.
        no_grad_vars: Tensors that count as constants.

    Returns:
        A list of one gradient an input.
    """
    unused = allow_unused or not in_dynamic_mode()
    return _grad(outputs, inputs, grad_outputs, retain_graph, create_graph, only_inputs, unused, no_grad_vars)


def append_backward(loss, parameter_list=None, no_grad_set=None):
    """Append the gradients of a loss to the program; see `paddle.static.append_backward`."""
    return _append_backward(loss, parameter_list, no_grad_set)


def calc_gradient(outputs, inputs, grad_outputs=None, no_grad_set=None):
    """Gradients of outputs with respect to inputs; see `paddle.static.gradients`."""
    return gradients(outputs, inputs, grad_outputs, no_grad_set)


calc_gradient_helper = calc_gradient

__all__ = ["append_backward", "calc_gradient", "calc_gradient_helper", "grad"]
