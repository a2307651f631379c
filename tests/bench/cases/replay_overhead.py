# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Microseconds per operator of a program of 600 small operators: eager calls, and as a captured program with
fixed shapes, with an open extent that takes four values in turn, and with one that is new in every call."""

import time

from harness import normal

SIZE, ROUNDS = 8, 100
OPERATORS = 6 * ROUNDS


def samples(function, arguments, repeats):
    for given in arguments:
        function(*given)
        function(*given)
    times = []
    for _ in range(7):
        begin = time.perf_counter()
        for _ in range(repeats):
            for given in arguments:
                function(*given)
        times.append((time.perf_counter() - begin) / (repeats * len(arguments) * OPERATORS) * 1e6)
    return times


def run_paddle(bench):
    paddle = bench.paddle()

    def square(x, w):
        for _ in range(ROUNDS):
            y = paddle.tanh(paddle.matmul(x, w))
            z = paddle.transpose(y, [1, 0])
            x = paddle.expand(paddle.sum(paddle.add(y, z), axis=1, keepdim=True), [SIZE, SIZE])
        return x

    def rows(x, w):
        for _ in range(ROUNDS):
            y = paddle.tanh(paddle.matmul(x, w))
            z = paddle.tanh(paddle.transpose(y, [1, 0]))
            x = paddle.expand(paddle.sum(z, axis=0).unsqueeze(1), [-1, SIZE])
        return x

    x, w = (paddle.to_tensor(normal(name, [SIZE, SIZE])) for name in ("replay_x", "replay_w"))
    whole = paddle.to_tensor(normal("replay_rows", [80, SIZE]))
    turns = [(whole[:n].clone(), w) for n in (3, 8, 5, 12)]
    fresh = [(whole[:n].clone(), w) for n in range(13, 80)]
    with paddle.no_grad():
        cases = {"fixed": (square, [(x, w)], 100), "turns": (rows, turns, 25), "fresh": (rows, fresh, 1)}
        for name, (function, arguments, repeats) in cases.items():
            if bench.compiled:
                spec = paddle.static.InputSpec
                given = None if name == "fixed" else [spec([None, SIZE]), spec([SIZE, SIZE])]
                function = paddle.jit.to_static(function, full_graph=True, input_spec=given)
            bench.check(f"{name}_sum", sum(float(function(*given).sum()) for given in arguments))
            if not bench.check_only:
                bench.samples(name, "us", samples(function, arguments, repeats))
