# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of operators that draw numbers: that they run; tests/python/test_random.py checks what they draw."""

import numpy as np

from tests.op_cases import Case

EAGER = ("eager",)

CASES = [
    Case(op="uniform", args=lambda rng: dict(shape=[3, 4], min=0.0, max=1.0), ref=None, modes=EAGER),
    Case(op="gaussian", args=lambda rng: dict(shape=[3, 4], mean=0.0, std=1.0), ref=None, modes=EAGER),
    Case(op="randint", args=lambda rng: dict(low=0, high=5, shape=[7]), ref=None, modes=EAGER),
    Case(op="randperm", args=lambda rng: dict(n=9), ref=None, modes=EAGER),
    Case(op="bernoulli", args=lambda rng: dict(x=rng.uniform(0, 1, (3, 4))), ref=None, modes=("eager", "strided")),
    Case(op="bernoulli", args=lambda rng: dict(x=np.array([0.0, 1.0, 1.0])), ref=lambda x: x, id="certain"),
    *(
        Case(op=op, args=lambda rng: dict(x=rng.uniform(0.5, 9, (3, 4))), ref=None, modes=("eager", "strided"))
        for op in ("poisson", "standard_gamma")
    ),
    Case(
        op="binomial",
        args=lambda rng: dict(count=np.array([4.0, 7.0, 3.0]), prob=np.array([0.0, 1.0, 1.0])),
        ref=lambda count, prob: np.array([0, 7, 3]),
    ),
    Case(op="dirichlet", args=lambda rng: dict(alpha=rng.uniform(0.5, 9, (3, 4))), ref=None, modes=EAGER),
    Case(
        op="multinomial",
        args=lambda rng: dict(x=np.array([[0.0, 2.0], [1.0, 0.0]])),
        ref=lambda x: np.array([[1], [0]]),
    ),
    Case(
        op="multinomial",
        args=lambda rng: dict(x=rng.uniform(0.5, 9, (3, 4)), num_samples=9, replacement=True),
        ref=None,
        modes=EAGER,
        id="replacement",
    ),
    Case(
        op="truncated_gaussian_random",
        args=lambda rng: dict(shape=[3], mean=0.0, std=1.0, seed=0, a=-2.0, b=2.0),
        ref=None,
        modes=EAGER,
    ),
    *(
        Case(op=op, args=lambda rng: dict(x=rng.normal(size=(3, 4))), ref=None, modes=EAGER)
        for op in ("exponential", "uniform_inplace", "gaussian_inplace")
    ),
    Case(op="dropout", args=lambda rng: dict(x=rng.normal(size=(3, 4)), p=0.5), ref=None, modes=("eager", "strided")),
    Case(
        op="dropout",
        args=lambda rng: dict(x=rng.normal(size=(3, 4)), p=0.0),
        ref=lambda x, p: x,
        dtypes=("float32", "float64", "float16", "bfloat16"),
        grad=("x",),
        id="keeps all",
    ),
    Case(
        op="dropout",
        args=lambda rng: dict(x=rng.normal(size=(3, 4)), p=1.0),
        ref=lambda x, p: 0 * x,
        dtypes=("float32", "float64"),
        grad=("x",),
        id="drops all",
    ),
    Case(
        op="dropout",
        args=lambda rng: dict(x=rng.normal(size=(3, 4)), p=0.25, is_test=True, mode="downscale_in_infer"),
        ref=lambda x, p, is_test, mode: x * 0.75,
        dtypes=("float32", "float64"),
        grad=("x",),
        id="downscaled",
    ),
    Case(
        op="attn_dropout_mask",
        args=lambda rng: dict(seed_offset=np.array([1, 0]), shape=[2, 3], p=0.5),
        ref=None,
        modes=EAGER,
    ),
    Case(op="attn_seed_offset", args=lambda rng: dict(like=rng.normal(size=2), count=[4]), ref=None, modes=EAGER),
]
