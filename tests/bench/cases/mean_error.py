# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Relative error of a float32 mean over ten million values, against a float64 sum of the same."""

import numpy as np
from harness import generator

COUNT = 10_000_000


def measure(bench, mean):
    values = generator("mean_error").random(COUNT, dtype=np.float32)
    exact = values.sum(dtype=np.float64) / COUNT
    bench.one("relative_error", "1", abs(mean(values) - exact) / exact)


def run_paddle(bench):
    if not bench.compiled:
        paddle = bench.paddle()
        measure(bench, lambda v: float(paddle.to_tensor(v).mean()))


def run_torch(bench):
    if not bench.compiled:
        torch = bench.torch()
        measure(bench, lambda v: float(torch.from_numpy(v).mean()))


def run_numpy(bench):
    measure(bench, lambda v: float(v.mean()))
