# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cosine windows, and complex numbers as pairs, under the names that programs written for PyTorch use."""

import math

from .. import _core
from ..framework.devices import honours_device
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


@honours_device
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


@honours_device
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


def _shaped_window(name, length, periodic, shape, dtype, requires_grad):
    """The window whose value at k of n steps is shape(k / n)."""
    if length < 0:
        raise ValueError(f"{name}: window_length has value {length}; it must be >= 0.")
    chosen = convert(dtype)
    if length == 1:
        window = ops.full([1], 1.0, chosen)
    else:
        places = ops.arange(0, length, 1, _core.float64) / max(length if periodic else length - 1, 1)
        window = ops.cast(shape(places), chosen)
    window.stop_gradient = not requires_grad
    return window


@honours_device
def bartlett_window(
    window_length, periodic=True, *, dtype="float32", layout=None, device=None, pin_memory=False, requires_grad=False
):
    """1 - |2 k / n - 1| for k = 0 ... window_length - 1; see `hann_window`."""
    return _shaped_window(
        "bartlett_window", window_length, periodic, lambda x: 1.0 - ops.abs(x * 2.0 - 1.0), dtype, requires_grad
    )


@honours_device
def blackman_window(
    window_length, periodic=True, *, dtype="float32", layout=None, device=None, pin_memory=False, requires_grad=False
):
    """0.42 - 0.5 cos(2 pi k / n) + 0.08 cos(4 pi k / n) for k = 0 ... window_length - 1; see `hann_window`."""

    def shape(x):
        turn = x * (2 * math.pi)
        return 0.42 - ops.cos(turn) * 0.5 + ops.cos(turn * 2.0) * 0.08

    return _shaped_window("blackman_window", window_length, periodic, shape, dtype, requires_grad)


@honours_device
def kaiser_window(
    window_length,
    periodic=True,
    beta=12.0,
    *,
    dtype="float32",
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad=False,
):
    """I0(beta sqrt(1 - (2 k / n - 1)^2)) / I0(beta) for k = 0 ... window_length - 1, with the Bessel function I0; see
    `hann_window`.

    Args:
        beta: Shape of the window: wider main lobes and lower side lobes the larger it is.
    """

    def shape(x):
        inside = (1.0 - (x * 2.0 - 1.0) ** 2).clip(0.0)
        return ops.i0(ops.sqrt(inside) * beta) / ops.i0(ops.full([1], beta, _core.float64))

    return _shaped_window("kaiser_window", window_length, periodic, shape, dtype, requires_grad)


def view_as_real(input):
    """A complex tensor as real and imaginary parts on a new last axis."""
    return ops.as_real(input)


def view_as_complex(input):
    """Pairs on the last axis as a complex tensor."""
    return ops.as_complex(input)
