# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The model of `llama_small_train`, batch 1: prompt of 128 tokens, 128 greedy tokens with a key/value cache.

Eager: the cache grows by concatenation.  Compiled: a cache of fixed size and a mask.  paddle-engine: the engine of
language models.  llama-cpp: the same weights in a GGUF file, which this library writes, so PYTHONPATH names it beside
llama_cpp.
"""

import os
import tempfile
import time

import numpy as np
from harness import fill_paddle, fill_torch, integers, uniform
from models.llama import DIM, EPSILON, FFN, HEAD, HEADS, LAYERS, LONGEST, VOCAB, paddle_llama, torch_llama

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


def decoder():
    """The same model as a decoder of paddle.llm."""
    import paddle
    from paddle.llm.models import Decoder, DecoderConfig, Rotary

    sizes = dict(max_positions=LONGEST, epsilon=EPSILON, tied=False)
    config = DecoderConfig("llama", VOCAB, DIM, FFN, LAYERS, HEADS, HEADS, HEAD, Rotary(HEAD), **sizes)

    def weight(name):
        if name == "embedding.weight":
            return paddle.to_tensor(uniform("embed.weight", (VOCAB, DIM), DIM))
        if "norm" in name:
            return paddle.ones([DIM])
        *layer, part = name.removesuffix(".weight").split(".")
        place = ".".join([*layer[:2], part])
        inputs, outputs = {"gate": (DIM, FFN), "up": (DIM, FFN), "down": (FFN, DIM), "head": (DIM, VOCAB)}.get(
            part, (DIM, DIM)
        )
        return paddle.to_tensor(np.ascontiguousarray(uniform(place + ".weight", (inputs, outputs), inputs).T))

    return Decoder(config, weight)


class Tokens:
    """A tokenizer for prompts of tokens."""

    eos_ids, bos_id = (), None

    def all_bytes(self, count):
        return [b"t%d" % i for i in range(count)]


def run_paddle_engine(bench):
    paddle = bench.paddle()
    llm = paddle.LLM(decoder(), Tokens(), max_batch=1)
    prompt = integers("prompt", [PROMPT], VOCAB).tolist()

    def answer(count):
        llm.engine.forget_prefixes()
        begin = bench.now()
        params = paddle.llm.SamplingParams(max_tokens=count, temperature=0, ignore_eos=True)
        return llm.generate(prompt, params).tokens, bench.now() - begin

    def generate():
        _, first = answer(1)
        tokens, whole = answer(NEW)
        return tokens, (first, whole - first)

    measure(bench, generate)


def write_gguf(path):
    """The weights as llama.cpp reads them; written by this library in a process of its own."""
    from paddle.llm.models import save_gguf

    kinds = np.array([2, 3, 3] + [1] * (VOCAB - 3), "i4")
    tokens = ["<unk>", "<s>", "</s>"] + [f"t{i}" for i in range(3, VOCAB)]
    vocabulary = {"model": "llama", "tokens": tokens, "scores": np.zeros(VOCAB, "f4"), "token_type": kinds}
    save_gguf(decoder(), path, "F32", {"tokenizer.ggml." + key: value for key, value in vocabulary.items()})


def run_llama_cpp(bench):
    import llama_cpp

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.gguf")
        write_gguf(path)
        model = llama_cpp.Llama(
            path,
            n_ctx=LONGEST,
            n_threads=bench.threads,
            n_batch=PROMPT,
            n_threads_batch=bench.threads,
            verbose=False,
            type_k=llama_cpp.GGML_TYPE_F32,
            type_v=llama_cpp.GGML_TYPE_F32,
        )
        prompt = integers("prompt", [PROMPT], VOCAB).tolist()

        def best():
            logits = llama_cpp.llama_get_logits_ith(model.ctx, -1)
            return int(np.ctypeslib.as_array(logits, (VOCAB,)).argmax())

        def generate():
            model.reset()
            begin = bench.now()
            model.eval(prompt)
            tokens = [best()]
            middle = bench.now()
            for _ in range(NEW - 1):
                model.eval(tokens[-1:])
                tokens.append(best())
            return tokens, (middle - begin, bench.now() - middle)

        measure(bench, generate)
