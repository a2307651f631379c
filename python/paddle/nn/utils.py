# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Helpers on parameters and gradients."""

from .. import _core, _paths
from ..framework.memory import write
from .reparametrize import remove_weight_norm, spectral_norm, weight_norm

ops = _core.ops

__all__ = [
    "clip_grad_norm_",
    "clip_grad_value_",
    "parameters_to_vector",
    "vector_to_parameters",
    "weight_norm",
    "remove_weight_norm",
    "spectral_norm",
]


def _gradients(parameters, op):
    if isinstance(parameters, _core.Tensor):
        parameters = [parameters]
    elif not hasattr(parameters, "__iter__"):
        kind = type(parameters).__name__
        raise TypeError(f"{op}: parameters has type {kind}; it must be a Tensor or a list of Tensors.")
    parameters = list(parameters)
    for p in parameters:
        if not isinstance(p, _core.Tensor):
            raise TypeError(f"{op}: parameters holds a {type(p).__name__}; it must be a Tensor or a list of Tensors.")
    return [p.grad for p in parameters if p.grad is not None]


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scale gradients in place so that their joint norm is at most `max_norm`.

    Args:
        parameters: A parameter or several; those without gradient are passed over.
        max_norm: The largest norm.
        norm_type: 0, 1, 2 or infinity: which norm.
        error_if_nonfinite: Raise RuntimeError when the norm is NaN or infinite.

    Returns:
        The norm before, a Tensor of shape [].

    Raises:
        TypeError: parameters holds something else than Tensors.
        ValueError: norm_type is another.

    Example:
        >>> layer = paddle.nn.Linear(2, 1, bias_attr=False)
        >>> layer(paddle.to_tensor([[3.0, 4.0]])).sum().backward()
        >>> float(paddle.nn.utils.clip_grad_norm_(layer.parameters(), 1.0))
        5.0
        >>> [round(v, 3) for v in layer.weight.grad.flatten().tolist()]
        [0.6, 0.8]
    """
    from ..tensor.linalg import vector_norm

    norm_type = float(norm_type)
    if norm_type not in (0.0, 1.0, 2.0, float("inf")):
        raise ValueError(f"clip_grad_norm_: norm_type has value {norm_type}; it must be 0, 1, 2 or inf.")
    grads = _gradients(parameters, "clip_grad_norm_")
    previous = _core.set_grad_enabled(False)
    try:
        if not grads:
            return _core.to_tensor(0.0)
        norms = ops.stack([vector_norm(g, norm_type) for g in grads], 0)
        total = vector_norm(norms, norm_type)
        if error_if_nonfinite and not bool(ops.isfinite(total)):
            raise RuntimeError(
                f"clip_grad_norm_: the norm of order {norm_type} is not finite; "
                f"pass error_if_nonfinite=False to clip nevertheless."
            )
        factor = ops.clip(float(max_norm) / (total + 1e-6), None, 1.0)
        for g in grads:
            write(g, g * ops.cast(factor, g.dtype))
        return total
    finally:
        _core.set_grad_enabled(previous)


def clip_grad_value_(parameters, clip_value):
    """Clip gradients in place to [-clip_value, clip_value]."""
    clip_value = float(clip_value)
    if clip_value < 0:
        raise ValueError(f"clip_grad_value_: clip_value has value {clip_value}; it must not be negative.")
    for g in _gradients(parameters, "clip_grad_value_"):
        write(g, ops.clip(g.detach(), -clip_value, clip_value))


def parameters_to_vector(parameters, name=None):
    """All parameters flattened and joined; `vector_to_parameters` is the way back.

    Args:
        parameters: Tensors.
        name: Unused.

    Returns:
        A Tensor of one axis.

    Example:
        >>> paddle.nn.utils.parameters_to_vector(paddle.nn.Linear(2, 3).parameters()).shape
        paddle.Size([9])
    """
    return ops.concat([ops.reshape(p, [-1]) for p in parameters], 0)


def vector_to_parameters(vec, parameters, name=None):
    """Write the slices of a vector into parameters, in order."""
    start = 0
    for p in parameters:
        end = start + p.size
        write(p, ops.reshape(ops.slice(vec.detach(), [0], [start], [end]), p.shape))
        start = end


_paths.attach(__name__)
