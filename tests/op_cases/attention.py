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
)
