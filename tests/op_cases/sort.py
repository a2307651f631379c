# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cases of sorting."""

import itertools

import numpy as np

from tests.op_cases import Case


def _argsort(x, axis, descending=False):
    order = np.argsort(-x if descending else x, axis=axis, kind="stable")
    return np.take_along_axis(x, order, axis), order


def _topk(x, k, axis=-1):
    order = np.take(np.argsort(-x, axis=axis, kind="stable"), range(k), axis=axis)
    return np.take_along_axis(x, order, axis), order


def _viterbi(potentials, transition_params, lengths, include_bos_eos_tag=True):
    """By trying every sequence."""
    tags = potentials.shape[2]
    scores, paths = np.zeros(len(lengths), potentials.dtype), np.zeros((len(lengths), max(lengths)), np.int64)
    for b, steps in enumerate(lengths):
        best = None
        for path in itertools.product(range(tags), repeat=int(steps)):
            score = sum(potentials[b, t, tag] for t, tag in enumerate(path))
            score += sum(transition_params[i, j] for i, j in itertools.pairwise(path))
            if include_bos_eos_tag:
                score += transition_params[-1, path[0]] + transition_params[-2, path[-1]]
            if best is None or score > best:
                best, paths[b, : len(path)] = score, path
        scores[b] = best
    return scores, paths


CASES = [
    Case(
        op="argsort",
        args=lambda rng, down=down: dict(x=rng.permutation(np.arange(24.0)).reshape(2, 4, 3), axis=1, descending=down),
        ref=_argsort,
        dtypes=("float32", "float64", "int64"),
        grad=("x",),
        id="descending" if down else "ascending",
    )
    for down in (False, True)
] + [
    Case(
        op="topk",
        args=lambda rng: dict(x=rng.permutation(np.arange(30.0)).reshape(5, 6), k=3),
        ref=_topk,
        dtypes=("float32", "float64", "int64"),
        grad=("x",),
    )
]

CASES += [
    Case(
        op="viterbi_decode",
        args=lambda rng, bounded=bounded: dict(
            potentials=rng.normal(size=(3, 4, 3)),
            transition_params=rng.normal(size=(3, 3)),
            lengths=np.array([4, 1, 3]),
            include_bos_eos_tag=bounded,
        ),
        ref=_viterbi,
        dtypes=("float32", "float64"),
        id="bounded" if bounded else "open",
    )
    for bounded in (False, True)
]
