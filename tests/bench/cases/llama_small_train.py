# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Llama-style decoder (33.7 M weights), batch 4 x 256 tokens, AdamW, gradient clip 1.0: tokens/s."""

from harness import fill_paddle, fill_torch, integers, peak_rss_mib
from models.llama import VOCAB, paddle_llama, torch_llama

BATCH, LENGTH, RATE, DECAY, CLIP = 4, 256, 3e-4, 0.1, 1.0


def measure(bench, step):
    import time

    begin = time.perf_counter()
    losses = [float(step())]
    bench.one("first_step", "s", time.perf_counter() - begin, clock="wall")
    losses += [float(step()) for _ in range(2)]
    bench.check("loss_after_3_steps", losses[-1])
    bench.time("train_rate", step, unit="tokens/s", work=BATCH * LENGTH, warmup=1, repeats=5, budget=8)
    bench.one("peak_rss", "MiB", peak_rss_mib())


def paddle_step(bench, wrap):
    """One training step; wrap(loss function) is what it calls."""
    paddle = bench.paddle()
    model = fill_paddle(paddle_llama())
    optimizer = paddle.optimizer.AdamW(
        RATE, parameters=model.parameters(), weight_decay=DECAY, grad_clip=paddle.nn.ClipGradByGlobalNorm(CLIP)
    )
    text = paddle.to_tensor(integers("text", [BATCH, LENGTH + 1], VOCAB))
    x, y = text[:, :-1], text[:, 1:]

    def loss_of(x, y):
        logits, _ = model(x)
        return paddle.nn.functional.cross_entropy(logits.reshape([-1, VOCAB]), y.reshape([-1]))

    loss_of = wrap(loss_of)

    def step():
        loss = loss_of(x, y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


def run_paddle(bench):
    measure(bench, paddle_step(bench, bench.maybe_compile))


def torch_step(bench, wrap):
    torch = bench.torch()
    model = fill_torch(torch_llama())
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=DECAY)
    text = torch.from_numpy(integers("text", [BATCH, LENGTH + 1], VOCAB))
    x, y = text[:, :-1], text[:, 1:]

    def loss_of(x, y):
        logits, _ = model(x)
        return torch.nn.functional.cross_entropy(logits.reshape(-1, VOCAB), y.reshape(-1))

    loss_of = wrap(loss_of)

    def step():
        loss = loss_of(x, y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), CLIP)
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return step


def run_torch(bench):
    measure(bench, torch_step(bench, bench.maybe_compile))
