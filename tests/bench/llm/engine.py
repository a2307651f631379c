# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine measured on one model file: one JSON line a metric.

    python engine.py MODEL.gguf [--threads 2] [--reference REF.npz] [--only start,speed,batch,prefix,quality]

start     fresh processes, page cache warm: start of the process to the first token of a 32-token prompt, and the
          peak and present resident set after 128 more tokens, with the bytes of weights and cache
speed     prefill of 512 tokens, and greedy decoding of one sequence, 128 tokens after a prompt of 128
batch     greedy decoding of 8 sequences at once (64 steps) and of 32 (32 steps) after 64 tokens each; all tokens
          counted
prefix    16 requests one after the other with the same 1,000 tokens in front: time to the first token of the first,
          and of the others
quality   perplexity on the fixed text, and against REF.npz (reference.py) the mean KL divergence, as in llamacpp.py
`checksum` in a record is the sum of (i + 1) * token i of an answer; equal weights and programs give equal ones.
"""

import time

BEGIN = time.perf_counter()

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys

import numpy as np
from measuring import POSITIONS, Others, fixed_text, record, text_hash

PHASES = ("start", "speed", "batch", "prefix", "quality")


class Runner:
    def __init__(self, path, threads, **options):
        os.environ["OMP_NUM_THREADS"] = str(threads)
        import paddle

        self.params = paddle.llm.SamplingParams
        self.llm = paddle.LLM(path, **options)
        self.engine, self.tokenizer = self.llm.engine, self.llm.tokenizer

    def tokens(self, text):
        return self.tokenizer.encode(text)

    def answers(self, prompts, count):
        """Tokens of the greedy answers, and the seconds until all are there."""
        begin = time.perf_counter()
        found = self.llm.generate(prompts, self.params(max_tokens=count, temperature=0, ignore_eos=True))
        return [a.tokens for a in found], time.perf_counter() - begin

    def first_token(self, prompt):
        """Seconds to the first token."""
        begin = time.perf_counter()
        pieces = self.llm.stream(prompt, self.params(max_tokens=1, temperature=0, ignore_eos=True))
        next(piece for piece in pieces if piece.tokens)
        seconds = time.perf_counter() - begin
        pieces.close()
        return seconds

    def steps(self):
        found = self.engine.stats()
        return found["steps"], found["step_seconds"]


def checksum(tokens):
    return sum((i + 1) * token for i, token in enumerate(tokens))


def memory():
    """MiB: the peak, and what of the present set is private and what is mapped from files."""
    with open("/proc/self/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return {
        "peak_rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        **{k: int(lines[n].split()[0]) / 1024 for k, n in (("private", "RssAnon"), ("mapped", "RssFile"))},
    }


def fresh_process(options):
    """Runs inside a new process; prints times relative to its own start."""
    runner = Runner(options.model, options.threads, max_batch=1, max_model_len=2048)
    prompt = runner.tokens(fixed_text()[:400])[:32]
    runner.first_token(prompt)
    stamp = time.time()
    runner.answers([prompt], 128)
    found = runner.engine.stats()
    cache = sum(t.numel().item() * t.element_size() for t in runner.engine._cache.tensors)
    weights = found["weight_bytes"]
    print(json.dumps({"stamp": stamp, "weights": weights / 2**20, "cache": cache / 2**20, **memory()}))


def start(options, emit):
    runs = []
    command = [sys.executable, os.path.abspath(__file__), options.model, "--threads", str(options.threads)]
    for _ in range(options.repeats + 1):
        begin = time.time()
        done = subprocess.run([*command, "--fresh-process"], capture_output=True, text=True, check=True)
        run = json.loads(done.stdout)
        run["start"] = run["stamp"] - begin
        runs.append(run)
    runs = runs[1:]  # the first one fills the page cache
    emit("process_start_to_first_token", "ms", [1e3 * run["start"] for run in runs])
    for key in ("peak_rss", "private", "mapped", "weights", "cache"):
        emit(key if key == "peak_rss" else "rss_" + key, "MiB", [run[key] for run in runs])


def speed(options, emit):
    runner = Runner(options.model, options.threads, max_batch=1, max_model_len=2048)
    text, rates = runner.tokens(fixed_text()), []
    for _ in range(options.repeats + 1):
        runner.engine.forget_prefixes()
        _, seconds = runner.answers([text[:512]], 1)
        rates.append(512 / seconds)
    emit("prefill_512", "tokens/s", rates[1:])
    rates = []
    for _ in range(4):
        runner.engine.forget_prefixes()
        _, first = runner.answers([text[:128]], 1)
        steps, before = runner.steps()
        (answer,), seconds = runner.answers([text[:128]], 129)
        more, after = runner.steps()
        # The first token comes with what the cache did not have of the prompt.
        rates.append((more - steps - 1) / (seconds - (seconds / (more - steps))))
    emit("decode_1", "tokens/s", rates[1:], checksum=checksum(answer))
    runner.llm.close()


def batch(options, emit):
    for count, steps in ((8, 64), (32, 32)):
        runner = Runner(options.model, options.threads, max_batch=count, max_model_len=256)
        text, rates = runner.tokens(fixed_text()), []
        prompts = [text[64 * s : 64 * s + 64] for s in range(count)]
        for _ in range(4):
            _, warm = runner.answers(prompts, 1)  # the prompts are in the cache now
            _, first = runner.answers(prompts, 1)
            answers, seconds = runner.answers(prompts, steps + 1)
            rates.append(steps * count / (seconds - first))
        emit(f"decode_{count}", "tokens/s", rates[1:], checksum=sum(map(checksum, answers)))
        runner.llm.close()


def prefix(options, emit):
    runner = Runner(options.model, options.threads, max_batch=16, max_model_len=2048)
    text = runner.tokens(fixed_text())
    runner.first_token(text[3000:3050])
    firsts, others = [], []
    for _ in range(options.repeats):
        runner.engine.forget_prefixes()
        times = [runner.first_token(text[:1000] + text[1000 + 20 * i : 1020 + 20 * i]) for i in range(16)]
        firsts.append(times[0])
        others.append(statistics.median(times[1:]))
    emit("first_token_of_first", "ms", [1e3 * t for t in firsts])
    emit("first_token_of_others", "ms", [1e3 * t for t in others])
    emit("prefix_ratio", "1", [b / a for a, b in zip(firsts, others, strict=True)])
    runner.llm.close()


def log_softmax(logits):
    logits = logits.astype(np.float32)
    logits -= logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True, dtype=np.float64)).astype(np.float32)


def quality(options, emit):
    import paddle
    from paddle.llm.models.attention import ContiguousCache

    model, tokenizer = paddle.llm.load_model(options.model), paddle.llm.load_tokenizer(options.model)
    stored = np.load(options.reference) if options.reference else None
    count = options.tokens if stored is None else len(stored["tokens"]) - 1
    tokens = tokenizer.encode(fixed_text())[: count + 1]
    if stored is not None and (stored["text_hash"] != text_hash() or tokens != stored["tokens"].tolist()):
        raise RuntimeError("the reference was made from another text or other tokens")
    rows = {} if stored is None else {int(p): i for i, p in enumerate(stored["positions"])}
    cache, true, divergence = ContiguousCache(model.config, 1, count), [], []
    with paddle.no_grad():
        for begin in range(0, count, options.step):
            part = tokens[begin : min(begin + options.step, count)]
            cache.extend(len(part))
            states = model.states(paddle.to_tensor([part]), cache)
            # Logits of few rows at a time, as many as take the way of the products that is measured.
            for low in range(0, len(part), 64):
                mine = log_softmax(model.logits(states[0, low : low + 64]).numpy())
                for i, row in enumerate(mine):
                    position = begin + low + i
                    true.append(row[tokens[position + 1]])
                    if position in rows:
                        theirs = stored["log_probabilities"][rows[position]].astype(np.float32)
                        theirs -= np.log(np.exp(theirs).sum(dtype=np.float64)).astype(np.float32)
                        divergence.append(float((np.exp(theirs) * (theirs - row)).sum(dtype=np.float64)))
    more = {"positions": count, "text": text_hash(), "step": options.step}
    emit("perplexity", "1", float(np.exp(-np.mean(true, dtype=np.float64))), **more)
    if divergence:
        emit("kl_mean", "nat", float(np.mean(divergence)), max=float(np.max(divergence)), **more)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reference", metavar="REF.npz")
    parser.add_argument("--only", default=",".join(PHASES))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--tokens", type=int, default=POSITIONS, help="positions of the text, without a reference")
    parser.add_argument("--step", type=int, default=512, help="tokens computed together (quality)")
    parser.add_argument("--fresh-process", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fresh_process:
        return fresh_process(options)
    others = None

    def emit(metric, unit, values, **more):
        more["others"] = others.share()
        model = os.path.basename(options.model)
        record(metric, unit, values, framework="paddle", threads=options.threads, model=model, **more)

    for phase in PHASES:
        if phase in options.only.split(","):
            others = Others()
            globals()[phase](options, emit)


if __name__ == "__main__":
    main()
