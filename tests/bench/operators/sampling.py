# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of sampling from four rows of logits of a large vocabulary."""

import numpy as np

from tests.bench.operators import between, integers, of, row

COUNT, VOCAB = 4, 262_144
LOGITS = of(lambda rng, s: 3 * rng.standard_normal(s, dtype=np.float32), COUNT, VOCAB)
TEMPERATURE = 0.8


def same(value, dtype="float32"):
    return of(lambda rng, s: np.full(s, value), COUNT, dtype=dtype)


def settings(temperature, top_k=0, top_p=1.0):
    numbers = [same(temperature), same(top_k, "int32"), same(top_p), same(0.0)]
    return [LOGITS, *numbers, integers(0, 2**40, COUNT), integers(0, 1000, COUNT)]


def drawn(t, logits):
    return t.multinomial(t.softmax(logits, -1), 1)


def torch_top_k(t, logits, *_):
    values, ids = t.topk(logits / TEMPERATURE, 40)
    return ids.gather(-1, drawn(t, values))


def torch_top_p(t, logits, *_):
    values, ids = t.sort(logits / TEMPERATURE, -1, descending=True)
    shares = t.softmax(values, -1)
    return ids.gather(-1, drawn(t, values.masked_fill(shares.cumsum(-1) - shares > 0.95, -t.inf)))


def sampling(inputs, torch, variant):
    return row(
        "sample_logits",
        inputs,
        lambda o, *x: o.sample_logits(*x, want_log_probs=False),
        torch,
        checked=False,
        variant=variant,
    )


def torch_adjust(t, logits, rows, ids, counts, biases, presence, frequency, repetition, allowed):
    """A mask of words is widened first."""
    rows, ids = rows.long(), ids.long()
    seen = logits[rows, ids]
    seen = t.where(seen > 0, seen / repetition[rows], seen * repetition[rows])
    out = logits.clone()
    out[rows, ids] = seen - presence[rows] - frequency[rows] * counts + biases
    bits = allowed[:, :, None] >> t.arange(32, dtype=t.int32) & 1
    return out.masked_fill_(bits.view(COUNT, -1) == 0, -t.inf)


def distinct(rng, shape):
    return np.concatenate([rng.permutation(VOCAB)[: shape[0] // COUNT] for _ in range(COUNT)])


ENTRIES = COUNT * 500
ADJUSTED = [
    LOGITS,
    of(lambda rng, s: np.arange(s[0]) * COUNT // s[0], ENTRIES, dtype="int32"),
    of(distinct, ENTRIES, dtype="int32"),
    integers(1, 5, ENTRIES, dtype="int32"),
    between(-1, 1, ENTRIES),
    between(0, 1, COUNT),
    between(0, 1, COUNT),
    between(1, 2, COUNT),
    integers(-(2**31), 2**31, COUNT, VOCAB // 32, dtype="int32"),
]

ROWS = [
    sampling(settings(0.0), lambda t, logits, *_: t.argmax(logits, -1), "greedy"),
    sampling(settings(TEMPERATURE), lambda t, logits, *_: drawn(t, logits / TEMPERATURE), "temperature"),
    sampling(settings(TEMPERATURE, top_k=40), torch_top_k, "top_k"),
    sampling(settings(TEMPERATURE, top_p=0.95), torch_top_p, "top_p"),
    row("adjust_logits", ADJUSTED, lambda o, *x: o.adjust_logits(*x), torch_adjust),
]
