# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cosine windows, and complex numbers as pairs, under the names that programs written for PyTorch use."""

import math

from .. import _core
from ..framework.dtypes import convert

ops = _core.ops


def _cosine_window(name, length, periodic, alpha, beta, dtype, requires_grad):
    if length < 0:
        raise ValueError(f"{name}: window_length has value {length}; it must be >= 0.")
    chosen = convert(dtype)
    if length == 1:
        window = ops.full([1], 1.0, chosen)
    else:
        steps = length if periodic else length - 1
        places = ops.arange(0, length, 1, _core.float64)
        window = ops.cast(alpha - beta * ops.cos(places * (2 * math.pi / max(steps, 1))), chosen)
    window.stop_gradient = not requires_grad
    return window


def hann_window(
    window_length, periodic=True, *, dtype="float32", layout=None, device=None, pin_memory=False, requires_grad=False
):
    """0.5 - 0.5 cos(2 pi k / n) for k = 0 ... window_length - 1.

    Args:
        periodic: n is window_length, for spectra; else window_length - 1, a symmetric window.
        dtype: dtype of the window.
        requires_grad: Whether it wants a gradient.
    """
    return _cosine_window("hann_window", window_length, periodic, 0.5, 0.5, dtype, requires_grad)


def hamming_window(
    window_length,
    periodic=True,
    alpha=0.54,
    beta=0.46,
    *,
    dtype="float32",
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
):
    """alpha - beta cos(2 pi k / n) for k = 0 ... window_length - 1; see `hann_window`."""
    return _cosine_window("hamming_window", window_length, periodic, alpha, beta, dtype, requires_grad)


def view_as_real(input):
    """A complex tensor as real and imaginary parts on a new last axis."""
    return ops.as_real(input)


def view_as_complex(input):
    """Pairs on the last axis as a complex tensor."""
    return ops.as_complex(input)
