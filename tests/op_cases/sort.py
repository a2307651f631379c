# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of sorting."""

import numpy as np

from tests.op_cases import Case


def _argsort(x, axis, descending=False):
    order = np.argsort(-x if descending else x, axis=axis, kind="stable")
    return np.take_along_axis(x, order, axis), order


def _topk(x, k, axis=-1):
    order = np.take(np.argsort(-x, axis=axis, kind="stable"), range(k), axis=axis)
    return np.take_along_axis(x, order, axis), order


CASES = [
    Case(
        op="argsort",
        args=lambda rng, down=down: dict(x=rng.permutation(np.arange(24.0)).reshape(2, 4, 3), axis=1, descending=down),
        ref=_argsort,
        dtypes=("float32", "float64", "int64"),
        grad=("x",),
        id="descending" if down else "ascending",
    )
    for down in (False, True)
] + [
    Case(
        op="topk",
        args=lambda rng: dict(x=rng.permutation(np.arange(30.0)).reshape(5, 6), k=3),
        ref=_topk,
        dtypes=("float32", "float64", "int64"),
        grad=("x",),
    )
]
