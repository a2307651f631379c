# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Seconds to capture an MLP of 1000 layers (and of 250: the ratio shows that the time is linear)."""

DEPTHS, WIDTH = (250, 1000), 8


def capture(bench, paddle, depth):
    model = paddle.nn.Sequential(*(paddle.nn.Linear(WIDTH, WIDTH) for _ in range(depth)))
    x = paddle.ones([2, WIDTH])
    expected = model(x)
    captured = paddle.jit.to_static(lambda x: model(x), full_graph=True)
    begin = bench.now()
    result = captured(x)
    bench.one(f"capture_{depth}", "s", bench.now() - begin)
    bench.check(f"difference_{depth}", float((result - expected).abs().max()))


def run_paddle(bench):
    if bench.compiled:
        return
    paddle = bench.paddle()
    for depth in DEPTHS:
        capture(bench, paddle, depth)
