# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients: `backward`, `grad`, `PyLayer`, `no_grad`, jacobians."""

from .. import _core, _lazy, _paths
from ..framework.modes import enable_grad, is_grad_enabled, no_grad, recording_program, set_grad_enabled
from .functional import hessian, jacobian, jvp, vjp
from .py_layer import PyLayer, PyLayerContext, saved_tensors_hooks

Function = PyLayer
__getattr__ = _lazy.attribute_hook(__name__, ("backward_utils", "ir_backward"), {})
_paths.register_without_replacing(__name__)

__all__ = [
    "Function",
    "PyLayer",
    "PyLayerContext",
    "backward",
    "enable_grad",
    "grad",
    "hessian",
    "is_grad_enabled",
    "jacobian",
    "jvp",
    "no_grad",
    "saved_tensors_hooks",
    "set_grad_enabled",
    "vjp",
]


def _listed(value, op, name, gradients=False):
    """A tensor or several as a list; gradients may be None, which stands for the default."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    for v in values:
        if not isinstance(v, _core.Tensor) and not (gradients and v is None):
            raise _core.ArgumentValueError(f"{op}: {name} holds a {type(v).__name__}; pass Tensors.")
    return values


def backward(tensors, grad_tensors=None, retain_graph=False, *, dump_backward_graph_path=None):
    """Add the gradients of tensors to the leaves they come from.

    Args:
        tensors: One or several tensors.
        grad_tensors: Their own gradients; ones by default.
        retain_graph: Keep the graph for another backward pass.
    """
    tensors = _listed(tensors, "backward", "tensors")
    grads = None
    if grad_tensors is not None:
        grads = _listed(grad_tensors, "backward", "grad_tensors", True)
        if len(grads) != len(tensors):
            raise AssertionError(
                f"backward: tensors has {len(tensors)} items and grad_tensors {len(grads)}; the numbers must be equal."
            )
    _core.backward(tensors, grads, retain_graph)


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=False,
    no_grad_vars=None,
    *,
    dump_backward_graph_path=None,
):
    """The gradients of outputs with respect to inputs; leaves keep their `.grad`.

    Args:
        grad_outputs: Gradients of the outputs; ones by default.
        retain_graph: Accepted; the graph stays in any case, as only `backward` frees it.
        create_graph: Make the result differentiable.
        allow_unused: Give None for inputs that no output depends on, instead of an error.
        no_grad_vars: Tensors through which no gradient flows.

    Returns:
        A list of Tensors, one for each input and of its shape; None where `allow_unused` gives it.

    Raises:
        ValueError: An input is not reachable from the outputs and `allow_unused` is False.

    Example:
        >>> x = paddle.to_tensor(3.0, stop_gradient=False)
        >>> (slope,) = paddle.grad(x * x * x, [x], create_graph=True)
        >>> float(slope), float(paddle.grad(slope, [x])[0])
        (27.0, 18.0)
    """
    if only_inputs is not True:
        raise AssertionError(f"grad: only_inputs has value {only_inputs!r}; only True is available.")
    for name, switch in (
        ("retain_graph", retain_graph),
        ("create_graph", create_graph),
        ("allow_unused", allow_unused),
    ):
        if not isinstance(switch, (bool, type(None))):
            raise _core.ArgumentValueError(f"grad: {name} is {switch!r}; it must be True or False.")
    outputs = _listed(outputs, "grad", "outputs")
    inputs = _listed(inputs, "grad", "inputs")
    if not outputs or not inputs:
        raise _core.ArgumentValueError(
            f"grad: {'inputs' if outputs else 'outputs'} is empty; pass at least one Tensor."
        )
    if grad_outputs is not None:
        grad_outputs = _listed(grad_outputs, "grad", "grad_outputs", True)
        if len(grad_outputs) != len(outputs):
            raise _core.ArgumentValueError(
                f"grad: outputs has {len(outputs)} items and grad_outputs {len(grad_outputs)}; the numbers must be equal."
            )
    blocked = None
    if no_grad_vars is not None:
        if isinstance(no_grad_vars, (set, frozenset)):
            no_grad_vars = list(no_grad_vars)
        blocked = _listed(no_grad_vars, "grad", "no_grad_vars")
    program = recording_program()
    recording = None if program is None else program._recording
    if recording is not None and recording.has_open_extents and not recording.has_control_flow:
        from ..static.gradient import _gradients

        return _gradients(outputs, inputs, grad_outputs or [None] * len(outputs), blocked)
    return list(_core.grad(outputs, inputs, grad_outputs, True, create_graph, allow_unused, blocked))
