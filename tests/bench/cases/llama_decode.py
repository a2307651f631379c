# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The model of `llama_small_train`, batch 1: prompt of 128 tokens, 128 greedy tokens with a key/value cache.

Eager: the cache grows by concatenation.  Compiled: a cache of fixed size and a mask.
"""

import time

from harness import fill_paddle, fill_torch, integers
from models.llama import HEAD, HEADS, LONGEST, VOCAB, paddle_llama, torch_llama

PROMPT, NEW = 128, 128


def measure(bench, generate):
    """generate() -> list of NEW token ids and (prompt seconds, decode seconds)."""
    begin = time.perf_counter()
    generate()
    bench.one("first_call", "s", time.perf_counter() - begin, clock="wall")
    tokens, _ = generate()
    bench.check("token_checksum", sum((i + 1) * t for i, t in enumerate(tokens)))
    times = [generate()[1] for _ in range(3)]
    bench.samples("prompt", "ms", [1e3 * a for a, _ in times])
    bench.samples("decode_rate", "tokens/s", [(NEW - 1) / b for _, b in times])


def run_paddle(bench):
    paddle = bench.paddle()
    model = fill_paddle(paddle_llama())
    model.eval()
    prompt = paddle.to_tensor(integers("prompt", [1, PROMPT], VOCAB))
    step = bench.maybe_compile(model.forward_static) if bench.compiled else None

    @paddle.no_grad()
    def generate():
        begin = bench.now()
        logits, past = model(prompt)
        token = logits[:, -1:].argmax(-1)
        tokens = [int(token.item())]
        middle = bench.now()
        if bench.compiled:
            room = paddle.zeros([1, LONGEST - PROMPT, HEADS, HEAD])
            past = [tuple(paddle.concat([t, room], 1) for t in kv) for kv in past]
        for position in range(PROMPT, PROMPT + NEW - 1):
            if bench.compiled:
                token = step(token, past, paddle.to_tensor([position]))
            else:
                logits, past = model(token, past, position)
                token = logits.argmax(-1)
            tokens.append(int(token.item()))
        return tokens, (middle - begin, bench.now() - middle)

    measure(bench, generate)


def run_torch(bench):
    torch = bench.torch()
    model = fill_torch(torch_llama()).eval()
    prompt = torch.from_numpy(integers("prompt", [1, PROMPT], VOCAB))
    step = bench.maybe_compile(model.forward_static, dynamic=False) if bench.compiled else None

    @torch.no_grad()
    def generate():
        begin = bench.now()
        logits, past = model(prompt)
        token = logits[:, -1:].argmax(-1)
        tokens = [int(token.item())]
        middle = bench.now()
        if bench.compiled:
            past = [tuple(torch.cat([t, torch.zeros(1, HEADS, LONGEST - PROMPT, HEAD)], 2) for t in kv) for kv in past]
        for position in range(PROMPT, PROMPT + NEW - 1):
            if bench.compiled:
                token = step(token, past, torch.tensor([position]))
            else:
                logits, past = model(token, past, position)
                token = logits.argmax(-1)
            tokens.append(int(token.item()))
        return tokens, (middle - begin, bench.now() - middle)

    measure(bench, generate)
