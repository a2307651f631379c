# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of what is done with the logits of a step; tests/python/incubate/test_sampling.py checks what is drawn."""

import numpy as np
from scipy import special

from tests.op_cases import Case

ROWS, VOCAB = 3, 70


def _entries(rng):
    """Tokens of the answers, of the prompts alone, and of neither; one of them twice."""
    return dict(
        entry_rows=np.array([0, 0, 1, 2, 2, 2], "int32"),
        entry_ids=np.array([4, 69, 0, 33, 34, 33], "int32"),
        entry_counts=np.array([2, 0, -1, 1, 3, 1], "int32"),
        entry_biases=rng.standard_normal(6),
        presence=np.array([0.5, 0.0, -0.25]),
        frequency=np.array([0.0, 1.0, 0.125]),
        repetition=np.array([2.0, 1.0, 0.5]),
    )


def _adjusted(logits, entry_rows, entry_ids, entry_counts, entry_biases, presence, frequency, repetition, allowed=None):
    out = np.array(logits)
    for row, token, count, bias in zip(entry_rows, entry_ids, entry_counts, entry_biases, strict=True):
        x = out[row, token]
        if count >= 0:
            x *= 1 / repetition[row] if x > 0 else repetition[row]
        out[row, token] = x - (presence[row] + frequency[row] * count if count > 0 else 0) + bias
    if allowed is None:
        return out
    bits = np.unpackbits(allowed.view("uint8"), axis=-1, bitorder="little")[:, :VOCAB]
    return np.where(bits == 1, out, -np.inf)


def _settings(temperature, **cuts):
    each = {"top_k": 0, "top_p": 1.0, "min_p": 0.0} | cuts
    return dict(
        temperature=np.full(ROWS, temperature),
        top_k=np.full(ROWS, each["top_k"], "int32"),
        top_p=np.full(ROWS, each["top_p"]),
        min_p=np.full(ROWS, each["min_p"]),
        seeds=np.arange(ROWS),
        positions=np.arange(ROWS) * 5,
        num_best=3,
    )


def _greedy(logits, **_):
    best = np.argsort(-logits, -1, kind="stable")[:, :3]
    shares = np.take_along_axis(special.log_softmax(logits, -1), best, -1)
    return best[:, 0], shares[:, 0], best, shares


CASES = [
    Case(
        op="adjust_logits",
        args=lambda rng, mask=mask: (
            dict(logits=rng.standard_normal((ROWS, VOCAB)), **_entries(rng))
            | (dict(allowed=rng.integers(-(2**31), 2**31, (ROWS, 3)).astype("int32")) if mask else {})
        ),
        ref=_adjusted,
        id="mask" if mask else "entries",
    )
    for mask in (False, True)
] + [
    Case(
        op="sample_logits",
        args=lambda rng, settings=settings: dict(logits=rng.standard_normal((ROWS, VOCAB)), **_settings(**settings)),
        ref=_greedy,
        id=name,
    )
    for name, settings in {
        "greedy": dict(temperature=0.0),
        "one token": dict(temperature=1.0, top_k=1),
        "little mass": dict(temperature=1.0, top_p=1e-6),
        "the likeliest": dict(temperature=1.0, min_p=1.0),
    }.items()
]
