# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients of operators as functions (`paddle._C_ops.matmul_grad`), for programs that write their own backward."""

from .. import _core

ops = _core.ops


def _gradients(function, inputs, grads):
    """Gradients of function(*inputs), one for each input; None for an absent one."""
    given = [None if t is None else t.detach() for t in inputs]
    for t in given:
        if t is not None:
            t.stop_gradient = False
    previous = _core.set_grad_enabled(True)
    try:
        out = function(*given)
    finally:
        _core.set_grad_enabled(previous)
    wanted = [t for t in given if t is not None]
    found = iter(_core.grad([out], wanted, [grads], False, False, True, []))
    return tuple(None if t is None else next(found) for t in given)


def matmul_grad(x, y, out_grad, transpose_x=False, transpose_y=False):
    """Gradients of x @ y in x and in y."""
    return _gradients(lambda a, b: ops.matmul(a, b, transpose_x, transpose_y), (x, y), out_grad)


def swiglu_grad(x, y, out_grad):
    """Gradients of swiglu(x, y) in x and, unless it is None, in y."""
    return _gradients(ops.swiglu, (x, y), out_grad)


def fused_rms_norm_ext_grad(x, scale, invvar, y_grad, epsilon=1e-5):
    """Gradients of x / rms(x) * scale over the last axis, in x and in scale.

    Args:
        invvar: 1 / rms(x) of each row, as the forward gave it.
    """
    wide = x.dtype if x.dtype == _core.float64 else _core.float32
    rows, g = ops.cast(x, wide), ops.cast(y_grad, wide)
    inverse = ops.reshape(ops.cast(invvar, wide), [*x.shape[:-1], 1])
    normed, scaled = rows * inverse, g * ops.cast(scale, wide)
    grad_x = (scaled - normed * ops.mean(scaled * normed, [-1], True)) * inverse
    grad_scale = ops.sum(g * normed, list(range(x.ndim - 1)))
    return ops.cast(grad_x, x.dtype), ops.cast(grad_scale, scale.dtype)
