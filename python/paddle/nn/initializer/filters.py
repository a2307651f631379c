# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Initializers of convolution filters: Dirac, which passes channels on, and Bilinear, for upsampling."""

import math

from ... import _core
from . import Initializer, ParameterInitializer

ops = _core.ops


class Dirac(ParameterInitializer):
    """Filters that keep as many input channels as possible: 1 in the middle of w[d, d], else 0.

    Args:
        groups: The output channels consist of this many groups, each of which starts with input channel 0.
    """

    def __init__(self, groups=1, name=None):
        if not isinstance(groups, int) or groups < 1:
            raise AssertionError(f"Dirac: groups has value {groups!r}; it must be a positive integer.")
        self._groups = groups

    def _values(self, shape, dtype):
        if len(shape) not in (3, 4, 5) or shape[0] % self._groups:
            raise AssertionError(
                f"Dirac: the parameter has shape {shape} and groups is {self._groups}; it must be a filter of 1 to 3 "
                f"spatial axes whose output channels form equal groups."
            )
        size = shape[0] // self._groups
        middle = [n // 2 for n in shape[2:]]
        places = [
            [group * size + channel, channel, *middle]
            for group in range(self._groups)
            for channel in range(min(size, shape[1]))
        ]
        ones = ops.full([len(places)], 1.0, _core.float32)
        return ops.cast(ops.scatter_nd_add(ops.full(shape, 0.0, _core.float32), _core.to_tensor(places), ones), dtype)


class Bilinear(Initializer):
    """Weights of bilinear interpolation in square filters, for transposed convolutions that upsample.

    Element i of a filter of size k is (1 - |(i mod k) / f - c|) (1 - |(i / k mod k) / f - c|) with f = ceil(k / 2) and
    c = (2 f - 1 - f mod 2) / 2 f; i / k is not rounded, as in PaddlePaddle.
    """

    def _values(self, shape, dtype):
        if len(shape) != 4 or shape[2] != shape[3]:
            raise ValueError(f"Bilinear: the parameter has shape {shape}; it must be [out, in, k, k].")
        k = shape[3]
        half = math.ceil(k / 2.0)
        centre = (2 * half - 1 - half % 2) / (2.0 * half)

        def weight(i):
            return (1 - abs((i % k) / half - centre)) * (1 - abs((i / k) % k / half - centre))

        one = _core.to_tensor([weight(i) for i in range(k * k)], _core.float32)
        filters = ops.expand(ops.reshape(one, [1, 1, k, k]), shape)
        return ops.cast(ops.assign(filters), dtype)
