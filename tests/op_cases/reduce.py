# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
#
# Rows of the operator table: reductions and scans, against NumPy and SciPy.
import numpy as np
from scipy.special import logsumexp

from tests.op_cases import Case


def f(rng, *shape):
    return rng.standard_normal(shape).astype("float32")


F = ("float32", "float64")


def reduction(op, ref, grad=("x",), dtypes=F):
    return [
        Case(
            op=op,
            args=lambda r: dict(x=f(r, 3, 4, 2), axis=[0, 2], keepdim=False),
            ref=lambda x, axis, keepdim: ref(x, axis=(0, 2)),
            dtypes=dtypes,
            grad=grad,
            id="apart",
        ),
        Case(
            op=op,
            args=lambda r: dict(x=f(r, 3, 4), axis=[], keepdim=True),
            ref=lambda x, axis, keepdim: ref(x, axis=(0, 1), keepdims=True),
            dtypes=dtypes,
            grad=grad,
            id="all-keepdim",
        ),
    ]


CASES = [
    *reduction("sum", np.sum),
    *reduction("mean", np.mean),
    *reduction("prod", np.prod),
    *reduction("max", np.max),
    *reduction("min", np.min),
    *reduction("amax", np.max),
    *reduction("amin", np.min),
    *reduction("any", np.any, ()),
    *reduction("all", np.all, ()),
    *reduction("logsumexp", logsumexp),
    Case(
        op="squared_l2_norm",
        args=lambda r: dict(x=f(r, 3, 4)),
        ref=lambda x: np.array([(x * x).sum()]),
        dtypes=F,
        grad=("x",),
        id="all",
    ),
    *reduction("l2_norm", lambda x, **k: np.sqrt((x * x).sum(**k)), dtypes=(*F, "float16", "bfloat16")),
    Case(
        op="p_norm",
        args=lambda r: dict(x=f(r, 3, 4), porder=3.0, axis=-1, epsilon=1e-12, keepdim=False, asvector=False),
        ref=lambda x, **k: (abs(x) ** 3).sum(-1) ** (1 / 3),
        dtypes=F,
        grad=("x",),
        id="three",
    ),
    Case(op="argmax", args=lambda r: dict(x=f(r, 3, 4), axis=1), ref=lambda x, axis: x.argmax(1), dtypes=F, id="rows"),
    Case(
        op="argmin",
        args=lambda r: dict(x=f(r, 3, 4), axis=0, keepdims=True),
        ref=lambda x, axis, keepdims: x.argmin(0)[None],
        dtypes=F,
        id="columns",
    ),
    Case(
        op="cumsum",
        args=lambda r: dict(x=f(r, 3, 4), axis=0),
        ref=lambda x, axis: x.cumsum(0),
        dtypes=F,
        grad=("x",),
        id="columns",
    ),
    Case(
        op="cumprod",
        args=lambda r: dict(x=np.where(np.arange(8).reshape(2, 4) == 2, 0, f(r, 2, 4)).astype("float32"), dim=1),
        ref=lambda x, dim: x.cumprod(1),
        dtypes=F,
        grad=("x",),
        id="with-a-zero",
    ),
    Case(
        op="linear_scan",
        args=lambda r: dict(a=f(r, 3), b=f(r, 3), axis=0),
        ref=lambda a, b, axis: np.array([b[0], b[1] + a[1] * b[0], b[2] + a[2] * (b[1] + a[1] * b[0])]),
        dtypes=F,
        grad=("a", "b"),
        id="three",
    ),
]
