# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Comparisons of whole tensors."""

from .. import _core
from .._bind import fallback
from ._args import aliases, as_tensor, ops

__all__ = ["allclose", "isclose", "equal_all", "is_empty", "isin"]


@fallback
@aliases(input="x", other="y")
def isclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None):
    """Where `|x - y| <= atol + rtol * |y|`."""
    near = ops.less_equal(ops.abs(x - y), ops.abs(y) * rtol + atol)
    near = ops.logical_or(near, ops.equal(x, y))
    if equal_nan:
        near = ops.logical_or(near, ops.logical_and(ops.isnan(x), ops.isnan(y)))
    return near


@fallback
@aliases(input="x", other="y")
def allclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False, name=None):
    """True when all elements are close (a 0-d bool tensor)."""
    return ops.all(isclose(x, y, rtol, atol, equal_nan))


@fallback
def equal_all(x, y, name=None):
    """True when shapes and all elements are equal (a 0-d bool tensor)."""
    if x.shape != y.shape:
        return _core.to_tensor(False)
    return ops.all(ops.equal(x, y))


def is_empty(x, name=None):
    """True when `x` has no element (a 0-d bool tensor)."""
    return _core.to_tensor(x.size == 0)


@fallback
def isin(x, test_x, assume_unique=False, invert=False, name=None):
    """Where elements of `x` occur in `test_x`."""
    x, test_x = as_tensor(x), as_tensor(test_x)
    hit = ops.any(ops.equal(ops.unsqueeze(x, [-1]), ops.reshape(test_x, [-1])), [-1])
    return ops.logical_not(hit) if invert else hit
