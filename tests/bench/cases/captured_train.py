# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Training with the loss captured by to_static, against eager, of mlp_train and llama_small_train.

Both run in turns in one process: steps/s of each, and captured over eager.
"""

import statistics

from cases import llama_small_train, mlp_train


def measure(bench, name, case, steps, rounds):
    paddle = bench.paddle()
    made = {
        "eager": case.paddle_step(bench, lambda loss_of: loss_of),
        "captured": case.paddle_step(bench, lambda loss_of: paddle.jit.to_static(loss_of, full_graph=True)),
    }
    for kind, step in made.items():
        for _ in range(3):
            loss = float(step())
        bench.check(f"{name}_{kind}_loss_after_3_steps", loss)
    if bench.check_only:
        return
    seconds = {kind: [] for kind in made}
    for _ in range(rounds):
        for kind, step in made.items():
            begin = bench.now()
            for _ in range(steps):
                step()
            seconds[kind].append((bench.now() - begin) / steps)
    for kind, values in seconds.items():
        bench.samples(f"{name}_{kind}", "steps/s", [1 / s for s in values])
    gain = [eager / captured for eager, captured in zip(seconds["eager"], seconds["captured"], strict=True)]
    bench.one(f"{name}_gain", "x", statistics.median(gain))


def run_paddle(bench):
    if bench.compiled:
        return
    measure(bench, "mlp", mlp_train, 20, 9)
    measure(bench, "llama", llama_small_train, 1, 5)
