# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the parameter updates."""

import numpy as np

from tests.op_cases import Case

CASES = [
    Case(
        op="sgd_",
        args=lambda rng: dict(
            param=rng.standard_normal(5), learning_rate=np.array([0.1]), grad=rng.standard_normal(5)
        ),
        ref=lambda param, learning_rate, grad: param - learning_rate * grad,
        dtypes=("float32", "float64"),
    ),
    Case(
        op="momentum_",
        args=lambda rng: dict(
            param=rng.standard_normal(5),
            grad=rng.standard_normal(5),
            velocity=rng.standard_normal(5),
            learning_rate=np.array([0.1]),
            mu=0.9,
        ),
        ref=lambda param, grad, velocity, learning_rate, mu: (
            param - learning_rate * (mu * velocity + grad),
            mu * velocity + grad,
        ),
        dtypes=("float32", "float64"),
    ),
]
