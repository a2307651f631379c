# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of attention."""

import numpy as np
from scipy import special

from tests.op_cases import Case

FLOATS = ("float32", "float64")


def _attention(q, k, v, causal=False):
    groups = q.shape[2] // k.shape[2]
    k, v = np.repeat(k, groups, 2), np.repeat(v, groups, 2)
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    if causal:
        scores = np.where(np.tri(q.shape[1], k.shape[1], dtype=bool), scores, -np.inf)
    return np.einsum("bhqk,bkhd->bqhd", special.softmax(scores, -1), v)


def _flash_grad_arguments(rng):
    q, k, v, g = rng.standard_normal((4, 2, 5, 2, 8))
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(8)
    return dict(
        q=q,
        k=k,
        v=v,
        out=_attention(q, k, v),
        softmax_lse=special.logsumexp(scores, -1),
        seed_offset=np.zeros(2, "int64"),
        out_grad=g,
    )


def _flash_grad(q, k, v, out_grad, **_):
    p = special.softmax(np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(8), -1)
    dp = np.einsum("bqhd,bkhd->bhqk", out_grad, v)
    ds = p * (dp - (dp * p).sum(-1, keepdims=True)) / np.sqrt(8)
    return (
        np.einsum("bhqk,bkhd->bqhd", ds, k),
        np.einsum("bhqk,bqhd->bkhd", ds, q),
        np.einsum("bhqk,bqhd->bkhd", p, out_grad),
    )


def _rotary(q, sin, cos, k=None, use_neox_rotary_style=True):
    def turn(x):
        if use_neox_rotary_style:
            other = np.stack([-x[..., 1::2], x[..., ::2]], -1).reshape(x.shape)
        else:
            half = x.shape[-1] // 2
            other = np.concatenate([-x[..., half:], x[..., :half]], -1)
        return x * cos[:, None] + other * sin[:, None]

    return (turn(q),) if k is None else (turn(q), turn(k))


def _rotary_arguments(rng, adjacent, key):
    angle = np.outer(np.arange(5), 10.0 ** -np.arange(4))
    angle = np.repeat(angle, 2, -1) if adjacent else np.concatenate([angle, angle], -1)
    more = dict(k=rng.standard_normal((2, 5, 1, 8))) if key else {}
    return dict(
        q=rng.standard_normal((2, 5, 3, 8)),
        sin=np.sin(angle),
        cos=np.cos(angle),
        use_neox_rotary_style=adjacent,
        **more,
    )


def _rotated_halves(x, cos, sin, inverse=False):
    def partner(t):
        half = t.shape[-1] // 2
        return np.concatenate([-t[..., half:], t[..., :half]], -1)

    return x * cos - partner(x * sin) if inverse else x * cos + partner(x) * sin


def _paged_arguments(rng, **options):
    """Sequences of 5, 9 and 4 keys in blocks of 4, of which 3, 1 and 0 are new; two rows belong to none."""
    return dict(
        q=rng.standard_normal((6, 4, 8)),
        cache=rng.standard_normal((7, 2, 2, 4, 8)),
        tables=np.array([[5, 0, -1], [2, 6, 1], [3, -1, -1]], "int32"),
        starts=np.array([0, 3, 4, 4], "int32"),
        lengths=np.array([5, 9, 4], "int32"),
        scale=0.4,
        **options,
    )


def _paged(q, cache, tables, starts, lengths, scale, sinks=None, window=0, soft_cap=0.0, value_cache=None):
    if value_cache is not None:
        cache = np.stack([cache, value_cache], 1)
    out = np.zeros_like(q)
    for s, length in enumerate(lengths):
        rows = slice(starts[s], starts[s + 1])
        n = rows.stop - rows.start
        places = np.arange(length)
        k, v = np.repeat(cache[tables[s, places // 4], :, :, places % 4], q.shape[1] // cache.shape[2], 2).swapaxes(
            0, 1
        )
        scores = np.einsum("qhd,khd->hqk", q[rows], k) * scale
        if soft_cap:
            scores = np.tanh(scores / soft_cap) * soft_cap
        distance = length - n + np.arange(n)[:, None] - places
        scores = np.where((distance < 0) | ((distance >= window) if window else False), -np.inf, scores)
        sink = np.full((q.shape[1], n, 1), -np.inf) if sinks is None else np.tile(sinks[:, None, None], (1, n, 1))
        shares = special.softmax(np.concatenate([scores, sink], -1), -1)[..., :-1]
        out[rows] = np.einsum("hqk,khd->qhd", shares, v)
    return out


def _written(cache, k, v, slots):
    out = np.array(cache)
    for i, slot in enumerate(slots):
        if slot >= 0:
            out[slot // 4, :, :, slot % 4] = k[i], v[i]
    return out


CASES = (
    [
        Case(
            op="rotate_halves",
            args=lambda rng, inverse=inverse, table=table: dict(
                x=rng.standard_normal((2, 5, 3, 8)),
                cos=rng.standard_normal(table),
                sin=rng.standard_normal(table),
                inverse=inverse,
            ),
            ref=_rotated_halves,
            dtypes=FLOATS,
            grad=("x", "cos", "sin"),
            id=f"{'inverse' if inverse else 'forward'}, tables of {table}",
        )
        for inverse in (False, True)
        for table in ((1, 5, 1, 8), (2, 1, 3, 8), (2, 5, 3, 8))
    ]
    + [
        Case(op="flash_attn_grad", args=_flash_grad_arguments, ref=_flash_grad, dtypes=FLOATS),
        Case(
            op="fused_rotary_position_embedding",
            args=lambda rng: _rotary_arguments(rng, True, False),
            ref=_rotary,
            dtypes=FLOATS,
            grad=("q",),
            id="adjacent pairs",
        ),
        Case(
            op="fused_rotary_position_embedding",
            args=lambda rng: _rotary_arguments(rng, False, True),
            ref=_rotary,
            dtypes=FLOATS,
            grad=("q", "k"),
            id="halves",
        ),
    ]
    + [
        Case(
            op="flash_attn",
            args=lambda rng, causal=causal: dict(
                q=rng.standard_normal((2, 5, 4, 8)),
                k=rng.standard_normal((2, 5, 2, 8)),
                v=rng.standard_normal((2, 5, 2, 8)),
                causal=causal,
            ),
            ref=_attention,
            dtypes=FLOATS,
            grad=("q", "k", "v"),
            id="causal" if causal else "full",
        )
        for causal in (False, True)
    ]
    + [
        Case(
            op="paged_attention",
            args=lambda rng, options=options: _paged_arguments(rng, **options(rng)),
            ref=_paged,
            id=name,
        )
        for name, options in {
            "causal": lambda rng: {},
            "window": lambda rng: dict(window=3),
            "cap and sinks": lambda rng: dict(soft_cap=0.8, sinks=rng.standard_normal(4)),
        }.items()
    ]
    + [
        Case(
            op="paged_attention",
            args=lambda rng: (
                _paged_arguments(rng) | {n: rng.standard_normal((7, 2, 4, 8)) for n in ("cache", "value_cache")}
            ),
            ref=_paged,
            id="a cache each",
        ),
        Case(
            op="paged_cache_write",
            args=lambda rng: dict(
                cache=rng.standard_normal((3, 2, 2, 4, 5)),
                k=rng.standard_normal((4, 2, 5)),
                v=rng.standard_normal((4, 2, 5)),
                slots=np.array([7, -1, 0, 11], "int32"),
            ),
            ref=_written,
        ),
    ]
)
