# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Eager calls of composed operators that have no kernel: with FLAGS_cinn_eager, and without.

Rates count the bytes that must move, inputs once and results once; [64, 1024] shows the cost of a call. For paddle the
metrics are NAME.SIZE.compiled and NAME.SIZE.composed, for others NAME.SIZE.
"""

import numpy as np
from harness import normal

SIZES = {"large": (2048, 4096), "small": (64, 1024)}
# Tensors that are read whole, and those of the size of the inputs that are written.
MOVED = {"var": (1, 0), "logsumexp": (1, 0), "bce_with_logits": (2, 1), "log_loss": (2, 1), "logit": (1, 1)}


def measure(bench, functions, tensor, as_numpy, ending=""):
    for size, shape in SIZES.items():
        x, y = (tensor(np.abs(np.tanh(normal(n, shape))) * 0.98 + 0.01) for n in "xy")
        for name, function in functions.items():

            def call(function=function, given=(x, y)[: MOVED[name][0]]):
                return function(*given)

            metric = f"{name}.{size}{ending}"
            bench.check(f"abs_mean.{name}.{size}", np.abs(as_numpy(call())).astype("float64").mean())
            for _ in range(4):
                call()
            work = sum(MOVED[name]) * 4 * x.shape[0] * x.shape[1] / 1e9
            if size == "large":
                bench.time(metric, call, unit="GB/s", work=work, budget=2)
            else:
                bench.time(metric, call, budget=2)


def run_paddle(bench):
    if bench.compiled:
        return
    paddle = bench.paddle()
    losses = paddle.nn.functional
    functions = {
        "var": lambda x: paddle.var(x, -1),
        "logsumexp": lambda x: paddle.logsumexp(x, -1),
        "bce_with_logits": lambda x, y: losses.binary_cross_entropy_with_logits(x, y, reduction="none"),
        "log_loss": lambda x, y: losses.log_loss(x, y, 1e-3),
        "logit": lambda x: paddle.logit(x, 1e-3),
    }
    with paddle.no_grad():
        for flag, ending in ((True, ".compiled"), (False, ".composed")):
            paddle.set_flags({"FLAGS_cinn_eager": flag})
            measure(bench, functions, paddle.to_tensor, lambda t: t.numpy(), ending)


def run_torch(bench):
    if bench.compiled:
        return
    torch = bench.torch()
    losses = torch.nn.functional

    def log_loss(x, y):
        return -y * torch.log(x + 1e-3) - (1 - y) * torch.log(1 - x + 1e-3)

    functions = {
        "var": lambda x: torch.var(x, -1),
        "logsumexp": lambda x: torch.logsumexp(x, -1),
        "bce_with_logits": lambda x, y: losses.binary_cross_entropy_with_logits(x, y, reduction="none"),
        "log_loss": log_loss,
        "logit": lambda x: torch.logit(x, 1e-3),
    }
    with torch.no_grad():
        measure(bench, functions, torch.from_numpy, lambda t: t.numpy())
