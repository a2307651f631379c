# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that make tensors."""

import numpy as np

from tests.op_cases import Case

CASES = [
    Case(op="arange", args=lambda rng: dict(start=0, end=7, step=2, dtype="int64"),
         ref=lambda start, end, step, dtype: np.arange(start, end, step, dtype), dtypes=("int64",),
         id="step"),
    Case(op="tril", args=lambda rng: dict(x=rng.normal(size=(2, 3, 4)), diagonal=1),
         ref=lambda x, diagonal: np.tril(x, diagonal), dtypes=("float32",), grad=("x",), id="batch"),
    Case(op="triu", args=lambda rng: dict(x=rng.normal(size=(2, 3, 4)), diagonal=-1),
         ref=lambda x, diagonal: np.triu(x, diagonal), dtypes=("float32",), grad=("x",), id="batch"),
]
