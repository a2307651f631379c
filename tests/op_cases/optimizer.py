# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of the parameter updates."""

import numpy as np

from tests.op_cases import Case


def _adam_arguments(rng, **more):
    arrays = {name: rng.standard_normal(5) for name in ("param", "grad")}
    return dict(
        **arrays,
        learning_rate=np.array([0.1]),
        moment1=rng.standard_normal(5),
        moment2=rng.random(5),
        beta1_pow=np.array([0.81]),
        beta2_pow=np.array([0.998]),
        **more,
    )


def _adam(
    param, grad, learning_rate, moment1, moment2, beta1_pow, beta2_pow, coeff=0.0, lr_ratio=1.0, moment2_max=None, **_
):
    rate = learning_rate * lr_ratio
    param = param * (1 - rate * coeff)
    moment1, moment2 = 0.9 * moment1 + 0.1 * grad, 0.999 * moment2 + 0.001 * grad**2
    greatest = moment2 if moment2_max is None else np.maximum(moment2, moment2_max)
    denominator = np.sqrt(greatest / (1 - beta2_pow)) + 1e-8
    out = param - rate * moment1 / (1 - beta1_pow) / denominator
    return (out, moment1, moment2, None if moment2_max is None else greatest, 0.9 * beta1_pow, 0.999 * beta2_pow)


CASES = [
    Case(op="adam_", args=_adam_arguments, ref=_adam, dtypes=("float32", "float64")),
    Case(
        op="adam_",
        args=lambda rng: _adam_arguments(rng, moment2_max=rng.random(5), amsgrad=True),
        ref=_adam,
        dtypes=("float32", "float64"),
        id="greatest moment",
    ),
    Case(
        op="adamw_",
        args=lambda rng: _adam_arguments(rng, coeff=0.05, with_decay=True),
        ref=_adam,
        dtypes=("float32", "float64"),
        id="decay",
    ),
    Case(
        op="adamw_",
        args=lambda rng: _adam_arguments(rng, coeff=0.05, with_decay=True, lr_ratio=0.5),
        ref=_adam,
        dtypes=("float32", "float64"),
        id="slower",
    ),
    Case(
        op="sgd_",
        args=lambda rng: dict(param=rng.standard_normal(5), learning_rate=np.array([0.1]), grad=rng.standard_normal(5)),
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
