# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic whose second operand lies at an axis of the first, as in operators of PaddlePaddle 2."""

from ._args import check_tensor, ops


def _aligned(name, x, y, axis):
    """`y` with axes of extent 1 behind it, so that its first axis meets axis `axis` of x; -1: the last axes meet."""
    check_tensor(name, x=x, y=y)
    behind = 0 if axis == -1 else x.ndim - axis - y.ndim
    if behind < 0 or not -1 <= axis <= x.ndim:
        raise ValueError(f"{name}: y of rank {y.ndim} does not fit at axis {axis} of x, which has rank {x.ndim}.")
    return ops.reshape(y, [*y.shape, *[1] * behind]) if behind else y


def _add_with_axis(x, y, axis=-1, name=None):
    """`x + y`."""
    return x + _aligned("add", x, y, axis)


def _subtract_with_axis(x, y, axis=-1, name=None):
    """`x - y`."""
    return x - _aligned("subtract", x, y, axis)


def _multiply_with_axis(x, y, axis=-1, name=None):
    """`x * y`."""
    return x * _aligned("multiply", x, y, axis)


def _divide_with_axis(x, y, axis=-1, name=None):
    """`x / y`."""
    return x / _aligned("divide", x, y, axis)
