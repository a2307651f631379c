# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of attention to keys and values in blocks: 32 heads of 64 numbers, 8 of keys, blocks of 16 tokens."""

import numpy as np

from tests.bench.operators import normal, of, row

HEADS, KV_HEADS, DEPTH, BLOCK = 32, 8, 64, 16
SCALE = DEPTH**-0.5


def shuffled(sequences, length):
    """Blocks of the sequences, all of a cache, in random order."""

    def make(rng, shape):
        return rng.permutation(shape[0] * shape[1]).reshape(shape)

    return of(make, sequences, -(-length // BLOCK), dtype="int32")


def inputs(sequences, length, new):
    blocks = sequences * -(-length // BLOCK)
    return [
        normal(sequences * new, HEADS, DEPTH),
        normal(blocks, 2, KV_HEADS, BLOCK, DEPTH),
        shuffled(sequences, length),
        of(lambda rng, s: np.arange(s[0]) * new, sequences + 1, dtype="int32"),
        of(lambda rng, s: np.full(s, length), sequences, dtype="int32"),
    ]


def ours(o, q, cache, tables, starts, lengths):
    return o.paged_attention(q, cache, tables, starts, lengths, None, SCALE)


def torch_attention(length):
    """The blocks are gathered first: PyTorch has no such operator for CPUs."""

    def call(t, q, cache, tables, starts, lengths):
        sequences = tables.shape[0]
        seen = cache[tables.long()].permute(2, 0, 3, 1, 4, 5).flatten(3, 4)[:, :, :, :length]
        k, v = seen.repeat_interleave(HEADS // KV_HEADS, 2)
        q = q.view(sequences, -1, HEADS, DEPTH).transpose(1, 2)
        out = t.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=q.shape[2] > 1)
        return out.transpose(1, 2).reshape(-1, HEADS, DEPTH)

    return call


def as_bfloat16(o, q, cache, *where):
    return q, o.cast(cache, "bfloat16"), *where


def as_four_bits(o, q, cache, tables, starts, lengths):
    """The same keys and values in a cache of four bits."""
    blocks = cache.shape[0]
    k, v = (o.reshape(o.transpose(cache[:, i], [0, 2, 1, 3]), [-1, KV_HEADS, DEPTH]) for i in range(2))
    empty = o.full([blocks, 2, KV_HEADS, BLOCK, DEPTH // 32 * 18 + 2], 0, "uint8")
    packed = o.paged_cache_write(empty, k, v, o.arange(0, blocks * BLOCK, 1, "int32"))
    return q, packed, tables, starts, lengths


def written(t, cache, k, v, slots):
    out = cache.clone()
    at = slots.long()
    out[at // BLOCK, :, :, at % BLOCK] = t.stack([k, v], 1)
    return out


ROWS = [
    row("paged_attention", inputs(8, 1000, 1), ours, torch_attention(1000)),
    row("paged_attention", inputs(1, 1000, 1), ours, torch_attention(1000), variant="one sequence"),
    row(
        "paged_attention",
        inputs(8, 1000, 1),
        ours,
        torch_attention(1000),
        ours_setup=as_bfloat16,
        checked=False,
        variant="bfloat16 cache",
    ),
    row(
        "paged_attention",
        inputs(8, 1000, 1),
        ours,
        torch_attention(1000),
        ours_setup=as_four_bits,
        checked=False,
        variant="uint8 cache",
    ),
    row("paged_attention", inputs(1, 512, 512), ours, torch_attention(512), variant="prompt of 512"),
    row(
        "paged_cache_write",
        [
            normal(64, 2, KV_HEADS, BLOCK, DEPTH),
            normal(8, KV_HEADS, DEPTH),
            normal(8, KV_HEADS, DEPTH),
            of(lambda rng, s: rng.permutation(64 * BLOCK)[: s[0]], 8, dtype="int32"),
        ],
        lambda o, *x: o.paged_cache_write(*x),
        written,
        note="the cache is copied; the form that writes in place costs what it writes",
    ),
]
