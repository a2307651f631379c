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


CASES = [
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
