# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the normalisations."""

import numpy as np

from tests.op_cases import Case

FLOATS = ("float32", "float64")


def _rms(x, scale):
    r = 1 / np.sqrt((x * x).mean(-1) + 1e-5)
    return x * r[..., None] * scale, r


def _layer(x, scale, bias, epsilon, begin_norm_axis):
    mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) / np.sqrt(var + epsilon) * scale + bias, mean[..., 0], var[..., 0]


CASES = [
    Case(
        op="rms_norm",
        args=lambda rng: dict(x=rng.standard_normal((3, 4, 6)), scale=rng.standard_normal(6)),
        ref=_rms,
        dtypes=FLOATS,
        grad=("x", "scale"),
    ),
    Case(
        op="layer_norm",
        args=lambda rng: dict(
            x=rng.standard_normal((3, 6)),
            scale=rng.standard_normal(6),
            bias=rng.standard_normal(6),
            epsilon=1e-5,
            begin_norm_axis=1,
        ),
        ref=_layer,
        dtypes=FLOATS,
        grad=("x", "scale", "bias"),
    ),
]
