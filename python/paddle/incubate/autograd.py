# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions: products with Jacobians, and whole Jacobians and Hessians."""

from .. import _core, _paths
from ..autograd import grad as _grad
from ..autograd.functional import _fresh, jacobian, jvp, vjp

__all__ = ["Hessian", "Jacobian", "disable_prim", "enable_prim", "forward_grad", "grad", "jvp", "prim_enabled", "vjp"]

ops = _core.ops


def _listed(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def as_tensors(xs):
    """A Tensor as a tuple of one; lists and tuples as a tuple; None stays None."""
    return xs if xs is None else tuple(_listed(xs))


class Jacobian:
    """The Jacobian of a function, as a matrix.

    Inputs are flattened and joined to N numbers, outputs to M; with `is_batched` the first axis of
    all is a batch of B independent rows.  Entries are read by indexing: `J[:, :]`, `J[i, j]`.

    Args:
        func: A function of the inputs that returns a Tensor or a list.
        xs: A Tensor or a list.
        is_batched: Whether the first axis is a batch.
    """

    def __init__(self, func, xs, is_batched=False):
        inputs = _fresh(xs)
        outputs = _listed(func(*inputs))
        axis = 0 if is_batched else None
        rows = [ops.concat([self._block(y, x, axis) for x in inputs], -1) for y in outputs]
        self._values = ops.concat(rows, -2)

    @staticmethod
    def _block(y, x, axis):
        """dy/dx with exactly the axes [B,] M, N."""
        lead = [x.shape[0]] if axis == 0 else []
        count = lead[0] if lead else 1
        return ops.reshape(jacobian(y, x, axis), [*lead, y.size // max(count, 1), x.size // max(count, 1)])

    @property
    def shape(self):
        """[M, N], or [B, M, N]."""
        return self._values.shape

    def __getitem__(self, indexes):
        return self._values[indexes]


class Hessian:
    """The Hessian of a function of one number per row, as a matrix; see Jacobian.

    Args:
        func: A function of the inputs that returns a Tensor of one element (per row of a batch).
        xs: A Tensor or a list.
        is_batched: Whether the first axis is a batch.
    """

    def __init__(self, func, xs, is_batched=False):
        inputs = _fresh(xs)
        (value,) = _listed(func(*inputs))
        rows = inputs[0].shape[0] if is_batched else 1
        if value.size != rows:
            raise RuntimeError(
                f"Hessian: func returns shape {list(value.shape)}; it must return one number"
                f"{' per row of the batch' if is_batched else ''}."
            )

        def slope(*points):
            given = points[0] if len(points) == 1 else list(points)
            total = ops.sum(func(*points))
            found = _grad([total], _listed(given), create_graph=True, allow_unused=True)
            return [ops.full_like(x, 0.0) if g is None else g for g, x in zip(found, points, strict=True)]

        self._jacobian = Jacobian(slope, inputs, is_batched)

    @property
    def shape(self):
        """[N, N], or [B, N, N]."""
        return self._jacobian.shape

    def __getitem__(self, indexes):
        return self._jacobian[indexes]


def forward_grad(outputs, inputs, grad_inputs=None):
    """Products of the Jacobian of computed outputs with directions of the inputs.

    Args:
        outputs: A Tensor or a list, computed from the inputs.
        inputs: A Tensor or a list.
        grad_inputs: The directions; None: ones.
    """
    ys, xs = _listed(outputs), _listed(inputs)
    directions = [ops.full_like(x, 1.0) for x in xs] if grad_inputs is None else _listed(grad_inputs)
    weights = [ops.full_like(y, 0.0) for y in ys]
    for weight in weights:
        weight.stop_gradient = False
    transposed = _grad(ys, xs, weights, create_graph=True, allow_unused=True)
    used = [(t, d) for t, d in zip(transposed, directions, strict=True) if t is not None]
    products = [None] * len(ys)
    if used:
        products = _grad([t for t, _ in used], weights, [d for _, d in used], create_graph=True, allow_unused=True)
    products = [ops.full_like(y, 0.0) if p is None else p for p, y in zip(products, ys, strict=True)]
    return products if isinstance(outputs, (list, tuple)) else products[0]


def grad(outputs, inputs, grad_outputs=None):
    """Gradients of computed outputs with respect to inputs, differentiable again.

    Args:
        outputs: A Tensor or a list.
        inputs: A Tensor or a list.
        grad_outputs: Weights of the outputs; None: ones.
    """
    weights = None if grad_outputs is None else _listed(grad_outputs)
    found = _grad(_listed(outputs), _listed(inputs), weights, create_graph=True, allow_unused=True)
    return list(found) if isinstance(inputs, (list, tuple)) else found[0]


_prim = {"enabled": False}


def enable_prim():
    """Sets what `prim_enabled` tells. Derivatives of every order are written in operators without it."""
    _prim["enabled"] = True


def disable_prim():
    """Sets what `prim_enabled` tells. Derivatives of every order are written in operators anyway."""
    _prim["enabled"] = False


def prim_enabled():
    """Whether `enable_prim` was called last."""
    return _prim["enabled"]


def prim2orig(block=None, blacklist=None):
    """Programs hold the operators that were called; there are none to put in their place.

    Args:
        block: Not read.
        blacklist: Not read.
    """


_paths.attach(__name__)
