# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""add, multiply, cast, sum, mean on contiguous float32, the output allocated in the call: GB/s.

Bytes are those that must move: inputs read once, outputs written once. run.py divides by the copy
rates of limits.py taken in the same run.
"""

import functools

MIB = 1 << 20


def measure_size(bench, make, operators, label, size):
    a, b = make(size // 4), make(size // 4)
    for name, (function, moved) in operators.items():
        call = functools.partial(function, a, b)
        bench.time(f"{name}_{label}", call, unit="GB/s", work=moved * size / 1e9, repeats=9, budget=2)
    bench.check(f"sum_{label}", float(operators["sum"][0](a, b)))


def measure(bench, make, operators):
    for label, size in (("32MiB", 32 * MIB), ("1GiB", 1024 * MIB)):
        measure_size(bench, make, operators, label, size)


def run_paddle(bench):
    if bench.compiled:
        return
    paddle = bench.paddle()
    measure(
        bench,
        lambda n: paddle.full([n], 0.5),
        {
            "add": (paddle.add, 3),
            "multiply": (paddle.multiply, 3),
            "cast": (lambda a, b: paddle.cast(a, "float64"), 3),
            "sum": (lambda a, b: paddle.sum(a), 1),
            "mean": (lambda a, b: paddle.mean(a), 1),
        },
    )


def run_torch(bench):
    if bench.compiled:
        return
    torch = bench.torch()
    measure(
        bench,
        lambda n: torch.full([n], 0.5),
        {
            "add": (torch.add, 3),
            "multiply": (torch.mul, 3),
            "cast": (lambda a, b: a.to(torch.float64), 3),
            "sum": (lambda a, b: torch.sum(a), 1),
            "mean": (lambda a, b: torch.mean(a), 1),
        },
    )
