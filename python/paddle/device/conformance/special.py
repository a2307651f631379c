# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Elementwise kernels on NaN, infinities, zeros of both signs, denormals and large numbers: they must give what the CPU
gives. Denormals may count as zero."""

import numpy as np

from ... import _core

VALUES = "nan inf -inf 0 -0.0 1e-40 -1e-40 1.17549435e-38 3.4e38 1 -1 0.5 88 -2.5".split()
TINY = 2.4e-38  # twice the least number that is no denormal


def operators(place):
    """(operator, dtype) of the elementwise operators of one or two tensors that the device has a kernel of."""
    found = []
    for op, native, _, _, _, elementwise in _core.operator_support(place):
        if elementwise and "float32" in native and not op.endswith("_"):
            kinds = [argument[1] for argument in _core.describe_op(op)["arguments"]]
            if kinds in (["Tensor"], ["Tensor", "Tensor"]):
                found.append((op, "float32"))
    return sorted(found)


def results(op, place):
    """The results on all pairs of the values, as arrays."""
    inputs = len(_core.describe_op(op)["arguments"])
    numbers = np.array([float(text) for text in VALUES], "float32")
    grids = np.meshgrid(*[numbers] * inputs, indexing="ij")
    out = getattr(_core.ops, op)(*[_core.to_tensor(grid, place=_core.Place(place)) for grid in grids])
    return [t.numpy() for t in (out if isinstance(out, list | tuple) else [out])]


def compare(got, expected):
    """AssertionError where results differ."""
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=TINY)
