# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of softmax and its relatives."""

import numpy as np
from scipy import special

from tests.op_cases import Case

FLOATS = ("float32", "float64", "float16", "bfloat16")


def _softmax_grad(out, out_grad, axis):
    return out * (out_grad - (out * out_grad).sum(axis, keepdims=True))


def _log_softmax_grad(out, out_grad, axis):
    return out_grad - np.exp(out) * out_grad.sum(axis, keepdims=True)


def _forward(op, ref, shape, axis):
    return Case(
        op=op,
        args=lambda rng: dict(x=3 * rng.standard_normal(shape), axis=axis),
        ref=ref,
        dtypes=FLOATS,
        grad=("x",),
        id=f"axis {axis} of {len(shape)}",
    )


CASES = [
    _forward("softmax", special.softmax, (3, 37), -1),
    _forward("softmax", special.softmax, (2, 5, 3), 1),
    _forward("log_softmax", special.log_softmax, (3, 37), -1),
    _forward("log_softmax", special.log_softmax, (2, 5, 3), 0),
    Case(
        op="softmax_grad",
        args=lambda rng: dict(out=rng.random((3, 4)), out_grad=rng.standard_normal((3, 4)), axis=-1),
        ref=_softmax_grad,
        dtypes=("float32", "float64"),
        grad=("out", "out_grad"),
    ),
    Case(
        op="log_softmax_grad",
        args=lambda rng: dict(out=-rng.random((3, 4)), out_grad=rng.standard_normal((3, 4)), axis=-1),
        ref=_log_softmax_grad,
        dtypes=("float32", "float64"),
        grad=("out", "out_grad"),
    ),
]
