# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""llama.cpp measured on one model file: one JSON line a metric.

    python llamacpp.py MODEL.gguf [--threads 2] [--reference REF.npz] [--only start,speed,batch,quality]

start     fresh processes, page cache warm: import, load (model and context), start of the process to the
          first token of a 32-token prompt, and the peak resident set after 128 more tokens
speed     prefill of 512 tokens, and greedy decoding of one sequence, 128 tokens after a prompt of 128
batch     greedy decoding of 8 sequences at once (64 steps) and of 32 (32 steps) after 64 tokens each; all
          tokens counted; the cache is unified or not, whichever was faster with 8
quality   perplexity on the fixed text, and against REF.npz (reference.py) the mean KL divergence
          KL(reference || llama.cpp) over the stored positions and the agreement of the best token

The low-level API is used throughout; the choice of the best token (numpy argmax) is part of decoding.
`others` in a record is the share of the processors that other processes used so far in its phase: above
0.03 measure again.
"""

import time

BEGIN = time.perf_counter()

import argparse
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys

import llama_cpp as L
import numpy as np
from measuring import POSITIONS, Others, fixed_text, record, text_hash

IMPORTED = time.perf_counter()
PHASES = ("start", "speed", "batch", "quality")


@ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
def _quiet(level, text, data):
    pass


class Runner:
    def __init__(self, path, threads, context, sequences=1, micro=512, unified=False, repack=True, cache="f16"):
        L.llama_log_set(_quiet, ctypes.c_void_p(0))
        L.llama_backend_init()
        params = L.llama_model_default_params()
        params.use_extra_bufts = repack
        self.model = L.llama_model_load_from_file(path.encode(), params)
        if not self.model:
            raise RuntimeError(f"llama.cpp cannot load {path}")
        self.vocab = L.llama_model_get_vocab(self.model)
        self.pieces = L.llama_vocab_n_tokens(self.vocab)
        params = L.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch, params.n_seq_max = context, max(512, micro), micro, sequences
        params.n_threads = params.n_threads_batch = threads
        params.kv_unified = unified
        if cache == "f32":
            params.type_k = params.type_v = 0
            params.flash_attn_type = 0
        self.context = L.llama_init_from_model(self.model, params)
        if not self.context:
            raise RuntimeError("llama.cpp cannot make a context")
        self.batch = L.llama_batch_init(512, 0, 1)

    def close(self):
        L.llama_batch_free(self.batch)
        L.llama_free(self.context)
        L.llama_model_free(self.model)

    def tokenize(self, text):
        raw = text.encode()
        out = (L.llama_token * (len(raw) + 8))()
        count = L.llama_tokenize(self.vocab, raw, len(raw), out, len(out), True, False)
        return list(out[:count])

    def clear(self):
        L.llama_memory_clear(L.llama_get_memory(self.context), True)

    def decode(self, items):
        """items: (token, position, sequence, whether its logits are wanted)"""
        batch = self.batch
        batch.n_tokens = len(items)
        for i, (token, position, sequence, wanted) in enumerate(items):
            batch.token[i], batch.pos[i], batch.logits[i] = token, position, wanted
            batch.n_seq_id[i], batch.seq_id[i][0] = 1, sequence
        if L.llama_decode(self.context, batch):
            raise RuntimeError("llama_decode failed")

    def feed(self, tokens, first=0, sequence=0, all_logits=False):
        for start in range(0, len(tokens), 512):
            part = tokens[start : start + 512]
            self.decode(
                [
                    (t, first + start + i, sequence, all_logits or start + i == len(tokens) - 1)
                    for i, t in enumerate(part)
                ]
            )

    def logits(self, rows):
        pointer = L.llama_get_logits(self.context)
        return np.ctypeslib.as_array(pointer, shape=(rows, self.pieces))

    def best(self, rows=1):
        return self.logits(rows).argmax(-1).tolist()


def memory():
    """MiB: the peak, and what of the present set is private and what is mapped from files"""
    lines = dict(line.split(":", 1) for line in open("/proc/self/status"))
    return {
        "peak_rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        **{k: int(lines[n].split()[0]) / 1024 for k, n in (("private", "RssAnon"), ("mapped", "RssFile"))},
    }


def fresh_process(options):
    """Runs inside a new process; prints times relative to its own start."""
    runner = Runner(options.model, options.threads, 2048, micro=options.ubatch, repack=not options.no_repack)
    loaded = time.perf_counter()
    tokens = runner.tokenize(fixed_text()[:400])[:32]
    runner.feed(tokens)
    token = runner.best()[0]
    first = time.perf_counter()
    stamp = time.time()
    for i in range(128):
        runner.feed([token], 32 + i)
        token = runner.best()[0]
    print(
        json.dumps(
            {"import": IMPORTED - BEGIN, "load": loaded - IMPORTED, "first": first - loaded, "stamp": stamp, **memory()}
        )
    )


def start(options, emit):
    runs = []
    command = [
        sys.executable,
        os.path.abspath(__file__),
        options.model,
        "--threads",
        str(options.threads),
        "--ubatch",
        str(options.ubatch),
        "--fresh-process",
    ] + ["--no-repack"] * options.no_repack
    for _ in range(options.repeats + 1):
        begin = time.time()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        run = json.loads(done.stdout)
        run["start"] = run["stamp"] - begin
        runs.append(run)
    runs = runs[1:]  # the first one fills the page cache
    for name, key in (
        ("import_time", "import"),
        ("load_time", "load"),
        ("first_token_after_load", "first"),
        ("process_start_to_first_token", "start"),
    ):
        emit(name, "ms", [1e3 * run[key] for run in runs])
    for key in ("peak_rss", "private", "mapped"):
        emit(key if key == "peak_rss" else "rss_" + key, "MiB", [run[key] for run in runs])


def speed(options, emit):
    runner = Runner(options.model, options.threads, 2048, micro=options.ubatch, repack=not options.no_repack)
    text = runner.tokenize(fixed_text())
    rates = []
    for _ in range(options.repeats + 1):
        runner.clear()
        begin = time.perf_counter()
        runner.feed(text[:512])
        runner.logits(1)
        rates.append(512 / (time.perf_counter() - begin))
    emit("prefill_512", "tokens/s", rates[1:])
    steps, totals = [], []
    for _ in range(3):
        runner.clear()
        runner.feed(text[:128])
        token = runner.best()[0]
        opened = time.perf_counter()
        for i in range(128):
            begin = time.perf_counter()
            runner.feed([token], 128 + i)
            token = runner.best()[0]
            steps.append(time.perf_counter() - begin)
        totals.append(128 / (time.perf_counter() - opened))
    emit("decode_1", "tokens/s", totals, median_step_rate=1 / statistics.median(steps))
    runner.close()


def batch_rates(options, count, steps, unified):
    runner = Runner(
        options.model, options.threads, count * 256, count, options.ubatch, unified, repack=not options.no_repack
    )
    text = runner.tokenize(fixed_text())
    rates = []
    for _ in range(3):
        runner.clear()
        tokens = []
        for s in range(count):
            runner.feed(text[64 * s : 64 * s + 64], 0, s)
            tokens += runner.best()
        begin = time.perf_counter()
        for step in range(steps):
            runner.decode([(token, 64 + step, s, True) for s, token in enumerate(tokens)])
            tokens = runner.best(count)
        rates.append(steps * count / (time.perf_counter() - begin))
    runner.close()
    return rates


def batch(options, emit):
    tried = {unified: batch_rates(options, 8, 64, unified) for unified in (False, True)}
    unified = max(tried, key=lambda way: statistics.median(tried[way]))
    emit("decode_8", "tokens/s", tried[unified], unified_cache=unified)
    emit("decode_32", "tokens/s", batch_rates(options, 32, 32, unified), unified_cache=unified)


def log_softmax(logits):
    logits = logits.astype(np.float32)
    logits -= logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True, dtype=np.float64)).astype(np.float32)


def quality(options, emit):
    runner = Runner(
        options.model, options.threads, 4096, micro=options.ubatch, repack=not options.no_repack, cache=options.cache
    )
    stored = np.load(options.reference) if options.reference else None
    count = options.tokens if stored is None else len(stored["tokens"]) - 1
    tokens = runner.tokenize(fixed_text())[: count + 1]
    rows = {}
    if stored is not None:
        if stored["text_hash"] != text_hash():
            raise RuntimeError("the reference was made from another text (another Python)")
        if tokens != stored["tokens"].tolist():
            raise RuntimeError("the reference was made from other tokens")
        rows = {int(p): i for i, p in enumerate(stored["positions"])}
        table = stored["log_probabilities"]
    true, best, divergence, kept = [], [], [], []
    step = options.ubatch
    for begin in range(0, count, step):
        part = tokens[begin : min(begin + step, count)]
        runner.feed(part, begin, all_logits=True)
        logits = runner.logits(len(part))
        for low in range(0, len(part), 50):
            mine = log_softmax(logits[low : low + 50])
            for i, row in enumerate(mine):
                position = begin + low + i
                true.append(row[tokens[position + 1]])
                best.append(int(row.argmax()))
                if options.dump and position % options.every == 0:
                    kept.append(row.astype(np.float16))
                if position in rows:
                    theirs = table[rows[position]].astype(np.float32)
                    theirs -= np.log(np.exp(theirs).sum(dtype=np.float64)).astype(np.float32)
                    divergence.append(float((np.exp(theirs) * (theirs - row)).sum(dtype=np.float64)))
    more = {"positions": count, "text": text_hash(), "cache": options.cache, "ubatch": options.ubatch}
    emit("perplexity", "1", float(np.exp(-np.mean(true, dtype=np.float64))), **more)
    if options.dump:
        np.savez(
            options.dump,
            tokens=np.array(tokens),
            positions=np.arange(0, count, options.every),
            log_probabilities=np.array(kept),
            best=np.array(best),
            true=np.array(true),
            text_hash=text_hash(),
        )
    if stored is not None:
        emit("reference_perplexity", "1", float(np.exp(-stored["true"].mean(dtype=np.float64))), **more)
        emit(
            "kl_mean",
            "nat",
            float(np.mean(divergence)),
            positions=len(divergence),
            text=text_hash(),
            p50=float(np.median(divergence)),
            p99=float(np.quantile(divergence, 0.99)),
            max=float(np.max(divergence)),
        )
        emit("same_best_token", "%", 100 * float(np.mean(np.array(best) == stored["best"])), **more)
    runner.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--reference", metavar="REF.npz")
    parser.add_argument("--only", default=",".join(PHASES))
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--ubatch", type=int, default=512, help="tokens computed together; 1 is the way of decoding")
    parser.add_argument("--cache", choices=("f16", "f32"), default="f16", help="type of keys and values (quality)")
    parser.add_argument("--tokens", type=int, default=POSITIONS, help="positions of the text, without a reference")
    parser.add_argument("--dump", metavar="OUT.npz", help="write what reference.py writes, from llama.cpp (quality)")
    parser.add_argument("--every", type=int, default=4, help="positions whose whole distribution is dumped")
    parser.add_argument("--no-repack", action="store_true", help="keep the weights in the file's layout")
    parser.add_argument("--fresh-process", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fresh_process:
        return fresh_process(options)

    others = None

    def emit(metric, unit, values, **more):
        more["others"] = others.share()
        record(
            metric,
            unit,
            values,
            framework="llama-cpp",
            version=L.__version__,
            threads=options.threads,
            model=os.path.basename(options.model),
            repack=not options.no_repack,
            **more,
        )

    for phase in PHASES:
        if phase in options.only.split(","):
            others = Others()
            globals()[phase](options, emit)


if __name__ == "__main__":
    main()
