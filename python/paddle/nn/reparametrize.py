# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weights that are computed from other parameters before every forward: weight and spectral norm."""

from .. import _core
from ..framework.modes import no_grad, recording_program
from .initializer import Initializer

ops = _core.ops

__all__ = ["weight_norm", "remove_weight_norm", "spectral_norm"]


def _moved_first(weight, dim):
    """The weight as a matrix whose rows belong to the entries of axis `dim`."""
    if dim:
        weight = ops.transpose(weight, [dim, *(i for i in range(weight.ndim) if i != dim)])
    return ops.reshape(weight, [weight.shape[0], -1])


def _norm_except(weight, dim):
    """The 2-norm over all axes but `dim`, [size of it]; over all axes for -1."""
    if dim == -1:
        return ops.sqrt(ops.sum(weight * weight))
    return ops.sqrt(ops.sum(weight * weight, [i for i in range(weight.ndim) if i != dim], None, False))


def _unit(x, eps):
    return x / ops.maximum(ops.sqrt(ops.sum(x * x)), ops.full([], eps, x.dtype))


def _set_plain(layer, name, value):
    """A tensor as a buffer that no state has."""
    if name not in layer._buffers:
        layer.register_buffer(name, value, persistable=False)
    layer._buffers[name] = value


class _FirstValue(Initializer):
    """A function of the value that another parameter has, or that its startup program makes."""

    def __init__(self, source, function):
        self._source, self._function = source, function

    def _values(self, shape, dtype):
        with no_grad():
            if recording_program() is None:
                return self._function(self._source)
            from ..static.state import first_value

            return self._function(first_value(self._source))


class _WeightNorm:
    """weight = g * v / |v|, with the norm over all axes but one."""

    recomputes_buffer = True  # of its name, in each call

    def __init__(self, name, dim):
        self.name, self.dim = name, dim

    def compute(self, layer):
        g, v = getattr(layer, self.name + "_g"), getattr(layer, self.name + "_v")
        factor = g / _norm_except(v, self.dim)
        if self.dim != -1:
            shape = [1] * v.ndim
            shape[self.dim] = v.shape[self.dim]
            factor = ops.reshape(factor, shape)
        return v * factor

    def __call__(self, layer, inputs):
        _set_plain(layer, self.name, self.compute(layer))


def _find(layer, kind, name):
    """Key and hook of a norm of the parameter, or None twice."""
    for key, (hook, _) in layer._forward_pre_hooks.items():
        if isinstance(hook, kind) and hook.name == name:
            return key, hook
    return None, None


def weight_norm(layer, name="weight", dim=0):
    """Split a weight into direction and length (Salimans & Kingma 2016): g * v / |v|.

    Args:
        layer: The layer.
        name: Name of its parameter; name_g and name_v take its place.
        dim: Axis whose entries have lengths of their own; None or -1 for one length.

    Returns:
        The layer.

    Example:
        >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2))
        >>> [name for name, _ in layer.named_parameters()]
        ['bias', 'weight_v', 'weight_g']
    """
    if _find(layer, _WeightNorm, name)[1] is not None:
        raise RuntimeError(
            f"weight_norm: {name!r} of {type(layer).__name__} has a weight norm already; call remove_weight_norm first."
        )
    dim = -1 if dim is None else dim
    weight = layer._parameters[name]
    if not -weight.ndim <= dim < weight.ndim:
        raise AssertionError(f"weight_norm: dim has value {dim}; {name} has {weight.ndim} dimensions.")
    dim = dim if dim == -1 else dim % weight.ndim
    hook = _WeightNorm(name, dim)
    del layer._parameters[name]
    v = layer.create_parameter(weight.shape, dtype=weight.dtype, default_initializer=_FirstValue(weight, ops.assign))
    layer.add_parameter(name + "_v", v)
    length = _FirstValue(weight, lambda w: _norm_except(w, dim))
    shape = [] if dim == -1 else [weight.shape[dim]]
    g = layer.create_parameter(shape, dtype=weight.dtype, default_initializer=length)
    layer.add_parameter(name + "_g", g)
    hook(layer, ())
    layer.register_forward_pre_hook(hook)
    return layer


def remove_weight_norm(layer, name="weight"):
    """Make the product of a weight norm a plain parameter again.

    Args:
        layer: A Layer to which `weight_norm` was applied.
        name: Name of the parameter.

    Returns:
        The layer.

    Example:
        >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(2, 3))
        >>> sorted(name for name, _ in paddle.nn.utils.remove_weight_norm(layer).named_parameters())
        ['bias', 'weight']
    """
    key, hook = _find(layer, _WeightNorm, name)
    if hook is None:
        raise ValueError(f"remove_weight_norm: {name!r} of {layer} has no weight norm; call weight_norm first.")
    with no_grad():
        value = hook.compute(layer)
    delattr(layer, name)
    del layer._parameters[name + "_g"]
    del layer._parameters[name + "_v"]
    weight = layer.create_parameter(value.shape, dtype=value.dtype)
    weight.set_value(value)
    layer.add_parameter(name, weight)
    del layer._forward_pre_hooks[key]
    return layer


class _SpectralNorm:
    """weight / sigma, sigma its largest singular value by power iteration."""

    recomputes_buffer = True

    def __init__(self, name, n_power_iterations, dim, eps):
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def compute(self, layer, iterate):
        weight = getattr(layer, self.name + "_orig")
        u, v = getattr(layer, self.name + "_u"), getattr(layer, self.name + "_v")
        matrix = _moved_first(weight, self.dim)
        if iterate:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v.set_value(_unit(ops.matmul(matrix, u, True, False), self.eps))
                    u.set_value(_unit(ops.matmul(matrix, v), self.eps))
            # The graph keeps these vectors; later iterations write into the buffers.
            u, v = u.clone(), v.clone()
        return weight / ops.sum(u * ops.matmul(matrix, v))

    def __call__(self, layer, inputs):
        _set_plain(layer, self.name, self.compute(layer, layer.training))


def spectral_norm(layer, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value (Miyato et al. 2018).

    Args:
        layer: The layer.
        name: Name of its parameter; name_orig takes its place, name_u and name_v are buffers.
        n_power_iterations: Steps of the power iteration per forward in training.
        eps: Smallest norm that the iteration divides by.
        dim: Axis of the outputs; 1 for Linear and transposed convolutions, else 0, when None.

    Returns:
        The layer.

    Example:
        >>> layer = paddle.nn.utils.spectral_norm(paddle.nn.Linear(3, 2), n_power_iterations=50)
        >>> _ = layer(paddle.ones([1, 3]))
        >>> round(float(paddle.linalg.svd(layer.weight)[1].max()), 3)
        1.0
    """
    if _find(layer, _SpectralNorm, name)[1] is not None:
        raise RuntimeError(
            f"spectral_norm: {name!r} of {type(layer).__name__} has a spectral norm already; one is enough."
        )
    if n_power_iterations <= 0:
        raise ValueError(f"spectral_norm: n_power_iterations has value {n_power_iterations}; it must be positive.")
    if dim is None:
        outputs_second = ("Linear", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
        dim = 1 if any(t.__name__ in outputs_second for t in type(layer).__mro__) else 0
    weight = layer._parameters[name]
    hook = _SpectralNorm(name, n_power_iterations, dim, eps)
    with no_grad():
        rows, columns = _moved_first(weight, dim).shape
        u = _unit(ops.cast(ops.gaussian([rows], 0.0, 1.0, 0, _core.float32), weight.dtype), eps)
        v = _unit(ops.cast(ops.gaussian([columns], 0.0, 1.0, 0, _core.float32), weight.dtype), eps)
    del layer._parameters[name]
    layer.add_parameter(name + "_orig", weight)
    _set_plain(layer, name, weight * 1.0)  # the first forward divides it
    layer.register_buffer(name + "_u", u)
    layer.register_buffer(name + "_v", v)
    layer.register_forward_pre_hook(hook)
    return layer
