# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Initializers with the arguments of PaddlePaddle 1: `Normal(loc, scale)`, `Xavier(uniform)`, `MSRA(uniform)`."""

import contextlib

from ..nn import initializer as _present
from ..nn.initializer import (
    ConstantInitializer,
    Initializer,
    MSRAInitializer,
    NormalInitializer,
    TruncatedNormalInitializer,
    UniformInitializer,
    XavierInitializer,
    set_global_initializer,
)

Constant, Uniform, Normal = ConstantInitializer, UniformInitializer, NormalInitializer
TruncatedNormal, Xavier, MSRA = TruncatedNormalInitializer, XavierInitializer, MSRAInitializer
Bilinear = BilinearInitializer = _present.Bilinear


class NumpyArrayInitializer(_present.Assign):
    """The values of an array.

    Args:
        value: An array.
    """

    def __init__(self, value):
        import numpy

        if not isinstance(value, numpy.ndarray):
            raise AssertionError(f"NumpyArrayInitializer: value has type {type(value).__name__}; it must be an array.")
        super().__init__(value)


def force_init_on_cpu():
    """False: parameters are made where they are."""
    return False


@contextlib.contextmanager
def init_on_cpu():
    """Inside, nothing changes: paddle has the CPU."""
    yield


__all__ = [
    "MSRA",
    "Bilinear",
    "BilinearInitializer",
    "Constant",
    "ConstantInitializer",
    "Initializer",
    "MSRAInitializer",
    "Normal",
    "NormalInitializer",
    "NumpyArrayInitializer",
    "TruncatedNormal",
    "TruncatedNormalInitializer",
    "Uniform",
    "UniformInitializer",
    "Xavier",
    "XavierInitializer",
    "set_global_initializer",
]
