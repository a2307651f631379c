# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Jacobians, Hessians and products with them, over `grad`."""

from .. import _core

ops = _core.ops


def _grad(*args, **kwargs):
    from . import grad

    return grad(*args, **kwargs)


def _rows(y, x, create_graph):
    """dy/dx as a tensor of shape [y.size, x.size]."""
    flat = ops.reshape(y, [-1])
    rows = []
    for i in range(y.size):
        item = ops.slice(flat, [0], [i], [i + 1])
        row = _grad([item], [x], retain_graph=True, create_graph=create_graph, allow_unused=True)[0]
        row = ops.full_like(x, 0.0) if row is None else row
        rows.append(ops.reshape(row, [-1]))
    return ops.stack(rows, 0)


def _each(fn, values):
    return tuple(fn(v) for v in values) if isinstance(values, (list, tuple)) else fn(values)


def jacobian(ys, xs, batch_axis=None):
    """dy/dx of computed tensors: [M, N], or [B, M, N] with batch_axis=0, without M or N where ys or xs has no such axis."""
    if batch_axis not in (None, 0):
        raise ValueError(f"jacobian: batch_axis has value {batch_axis}; it must be None or 0.")

    def one(y, x):
        if batch_axis is None:
            full = _rows(y, x, True)
            shape = ([y.size] if y.ndim else []) + ([x.size] if x.ndim else [])
            return ops.reshape(full, shape)
        if y.ndim == 0 or x.ndim == 0:
            raise ValueError(
                f"jacobian: ys has shape {list(y.shape)} and xs has shape {list(x.shape)}; with batch_axis=0 both must "
                "have an axis of samples."
            )
        batch, width = y.shape[0], y.size // max(y.shape[0], 1)
        flat = ops.reshape(y, [batch, width])
        columns = []
        for i in range(width):
            part = ops.sum(ops.slice(flat, [1], [i], [i + 1]))
            row = _grad([part], [x], retain_graph=True, create_graph=True, allow_unused=True)[0]
            row = ops.full_like(x, 0.0) if row is None else row
            columns.append(ops.reshape(row, [batch, -1]))
        full = ops.stack(columns, 1)
        spare = ([1] if y.ndim == 1 else []) + ([2] if x.ndim == 1 else [])
        return ops.squeeze(full, spare) if spare else full

    return _each(lambda y: _each(lambda x: one(y, x), xs), ys)


def hessian(ys, xs, batch_axis=None):
    """The second derivatives of a computed scalar (per batch row with batch_axis=0)."""
    if batch_axis is None and ys.numel() != 1:
        raise ValueError(f"hessian: ys has shape {list(ys.shape)}; it must have one element.")
    first = jacobian(ys, xs, batch_axis)
    if isinstance(first, tuple):
        return tuple(jacobian(row, xs, batch_axis) for row in first)
    return jacobian(first, xs, batch_axis)


def _listed(values, name, optional=False):
    """The tensors of one argument: a tensor or a sequence of them."""
    if isinstance(values, (list, tuple)) or (optional and values is None):
        return values if values is None else list(values)
    if hasattr(values, "stop_gradient"):
        return [values]
    kinds = "Tensor|Sequence[Tensor]" + ("|None" if optional else "")
    raise TypeError(f"{name} must be {kinds}, got {type(values).__name__}.")


def _fresh(xs):
    """Tensors with the values of `xs` by which to differentiate; derivatives stay functions of those that need a
    gradient."""
    made = []
    for x in _listed(xs, "xs"):
        x = x.detach() if x.stop_gradient else ops.assign(x)
        x.stop_gradient = False
        made.append(x)
    return made


def _seeds(v, likes):
    """The vectors `v`, which are as many and of the shapes of `likes`."""
    v = _listed(v, "v", optional=True)
    if v is None:
        return [ops.full_like(like, 1.0) for like in likes]
    if len(v) != len(likes):
        raise RuntimeError(f"v holds {len(v)} tensors; it must hold {len(likes)}.")
    for i, (seed, like) in enumerate(zip(v, likes, strict=True)):
        if list(seed.shape) != list(like.shape):
            raise RuntimeError(f"v[{i}] has shape {list(seed.shape)}; it must have {list(like.shape)}.")
    return v


def _like_given(results, given):
    return tuple(results) if isinstance(given, (list, tuple)) else results[0]


def vjp(func, xs, v=None):
    """func(xs) and v times its Jacobian."""
    inputs = _fresh(xs)
    ys = func(*inputs)
    outputs = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    grads = _grad(outputs, inputs, _seeds(v, outputs), create_graph=True, allow_unused=True)
    return ys, _like_given(grads, xs)


def jvp(func, xs, v=None):
    """func(xs) and its Jacobian times v."""
    inputs = _fresh(xs)
    v = _seeds(v, inputs)
    ys = func(*inputs)
    outputs = list(ys) if isinstance(ys, (list, tuple)) else [ys]
    seeds = [ops.full_like(y, 0.0) for y in outputs]
    for seed in seeds:
        seed.stop_gradient = False
    grads = _grad(outputs, inputs, seeds, create_graph=True)
    products = _grad(grads, seeds, v, allow_unused=True, create_graph=True)
    products = [ops.full_like(y, 0.0) if p is None else p for y, p in zip(outputs, products, strict=False)]
    return ys, _like_given(products, ys)
