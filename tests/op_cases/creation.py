# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that make tensors."""

import numpy as np

from tests.op_cases import Case

CASES = [
    Case(
        op="full",
        args=lambda rng: dict(shape=[2, 3], value=1.5, dtype="float64"),
        ref=lambda shape, value, dtype: np.full(shape, value),
        id="matrix",
    ),
    Case(
        op="full",
        args=lambda rng: dict(shape=[], value=True, dtype="bool"),
        ref=lambda shape, value, dtype: np.array(True),
        id="no axes",
    ),
    Case(
        op="full",
        args=lambda rng: dict(shape=[0, 2], value=7, dtype="int64"),
        ref=lambda shape, value, dtype: np.full(shape, value),
        id="no elements",
    ),
    Case(
        op="full_with_tensor",
        args=lambda rng: dict(value=np.array([2.5]), shape=[2, 3], dtype="float64"),
        ref=lambda value, shape, dtype: np.full(shape, value[0]),
    ),
    Case(
        op="full_like",
        args=lambda rng: dict(x=rng.normal(size=(2, 3)), value=-2.0),
        ref=lambda x, value: np.full(x.shape, value),
        dtypes=("float32", "float64", "float16", "bfloat16"),
    ),
    Case(
        op="full_like",
        args=lambda rng: dict(x=rng.normal(size=(2, 3)), value=3, dtype="int32"),
        ref=lambda x, value, dtype: np.full(x.shape, value, dtype),
        id="other dtype",
    ),
    Case(
        op="eye",
        args=lambda rng: dict(num_rows=2, num_columns=3, dtype="float32"),
        ref=lambda num_rows, num_columns, dtype: np.eye(num_rows, num_columns, dtype=dtype),
    ),
    Case(
        op="linspace",
        args=lambda rng: dict(start=-1.0, stop=2.0, number=7, dtype="float64"),
        ref=lambda start, stop, number, dtype: np.linspace(start, stop, number),
    ),
    Case(
        op="causal_fill",
        args=lambda rng: dict(x=rng.normal(size=(2, 3, 4)), value=-1.0),
        ref=lambda x, value: np.where(np.tri(3, 4, dtype=bool), x, value),
        dtypes=("float32", "float64"),
        grad=("x",),
    ),
    Case(
        op="arange",
        args=lambda rng: dict(start=0, end=7, step=2, dtype="int64"),
        ref=lambda start, end, step, dtype: np.arange(start, end, step, dtype),
        dtypes=("int64",),
        id="step",
    ),
    Case(
        op="tril",
        args=lambda rng: dict(x=rng.normal(size=(2, 3, 4)), diagonal=1),
        ref=lambda x, diagonal: np.tril(x, diagonal),
        dtypes=("float32",),
        grad=("x",),
        id="batch",
    ),
    Case(
        op="triu",
        args=lambda rng: dict(x=rng.normal(size=(2, 3, 4)), diagonal=-1),
        ref=lambda x, diagonal: np.triu(x, diagonal),
        dtypes=("float32",),
        grad=("x",),
        id="batch",
    ),
]
