# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How cost grows with depth: MLP of 10, 100, 1000 layers Linear(64)+tanh, batch 16.

forward + backward time, and the first call (compile latency for the compiled frameworks).
"""

import time

from harness import fill_paddle, fill_torch, normal

WIDTH, BATCH, DEPTHS = 64, 16, (10, 100, 1000)


def measure(bench, depth, step):
    begin = time.perf_counter()
    loss = float(step())
    bench.one(f"first_call.depth{depth}", "s", time.perf_counter() - begin, clock="wall")
    bench.check(f"loss.depth{depth}", loss)
    bench.time(f"forward_backward.depth{depth}", step, budget=5)


def layers(nn, depth):
    parts = []
    for _ in range(depth):
        parts += [nn.Linear(WIDTH, WIDTH), nn.Tanh()]
    return nn.Sequential(*parts)


def run_paddle(bench):
    paddle = bench.paddle()
    x = paddle.to_tensor(normal("x", [BATCH, WIDTH]))
    for depth in DEPTHS:
        model = fill_paddle(layers(paddle.nn, depth))

        def loss_of(x):
            y = model(x)
            return (y * y).mean()

        loss_of = bench.maybe_compile(loss_of)

        def step():
            loss = loss_of(x)
            loss.backward()
            model.clear_gradients()
            return loss

        measure(bench, depth, step)


def run_torch(bench):
    torch = bench.torch()
    x = torch.from_numpy(normal("x", [BATCH, WIDTH]))
    for depth in DEPTHS:
        model = fill_torch(layers(torch.nn, depth))

        def loss_of(x):
            y = model(x)
            return (y * y).mean()

        loss_of = bench.maybe_compile(loss_of)

        def step():
            loss = loss_of(x)
            loss.backward()
            model.zero_grad()
            return loss

        measure(bench, depth, step)
