# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Penalties and masks on logits, and tokens that are drawn from them, against NumPy in float64."""

import os
import subprocess
import sys

import numpy as np
import paddle
import paddle.incubate.nn.functional as F
import pytest
from scipy import special, stats


def uniform(seed, position):
    """What Philox4x32-10 gives for a key and a counter (Salmon et al. 2011), in [0, 1)."""
    seed, position = int(seed) % 2**64, int(position) % 2**64
    low = 2**32 - 1
    counter, key = [position & low, position >> 32, 0, 0], [seed & low, seed >> 32]
    for _ in range(10):
        p0, p1 = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(p1 >> 32) ^ counter[1] ^ key[0], p1 & low, (p0 >> 32) ^ counter[3] ^ key[1], p0 & low]
        key = [(key[0] + 0x9E3779B9) & low, (key[1] + 0xBB67AE85) & low]
    return ((counter[1] << 32 | counter[0]) >> 11) / 2.0**53


def kept(logits, temperature, top_k=0, top_p=1.0, min_p=0.0):
    """The tokens that are not cut off and their probabilities, in rising order."""
    weights = np.exp((logits - logits.max()) / temperature)
    order = np.argsort(-logits, kind="stable")
    if top_k:
        order = order[:top_k]
    if top_p < 1:
        order = order[: np.searchsorted(np.cumsum(weights[order]), np.float32(top_p) * weights[order].sum()) + 1]
    order = np.sort(order[weights[order] >= np.float32(min_p)])
    return order, weights[order] / weights[order].sum()


def sample(logits, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, seeds=0, positions=0, **more):
    rows = logits.shape[0]
    logits = logits if paddle.is_tensor(logits) else paddle.to_tensor(logits)

    def each(value, dtype):
        return paddle.to_tensor(np.broadcast_to(np.asarray(value, dtype), [rows]).copy())

    cuts = each(top_k, "int32"), each(top_p, "float32"), each(min_p, "float32")
    where = each(seeds, "int64"), each(positions, "int64")
    out = F.sample_logits(logits, each(temperature, "float32"), *cuts, *where, **more)
    return [t.numpy() for t in out]


def check(logits, tokens, seeds, positions, temperature, **cuts):
    """Each token is the one that the row's number falls on, or beside its bound by a rounding."""
    for row, token, seed, position in zip(logits.astype("float64"), tokens, seeds, positions, strict=True):
        ids, shares = kept(row, temperature, **cuts)
        assert token in ids
        at = int(np.searchsorted(ids, token))
        end = np.cumsum(shares)[at]
        u = uniform(seed, position)
        assert end - shares[at] - 1e-5 <= u <= end + 1e-5


@pytest.mark.parametrize("vocab", [1, 7, 300, 5000, 40_000])
@pytest.mark.parametrize(
    "cuts",
    [
        {},
        {"top_k": 1},
        {"top_k": 40},
        {"top_k": 3000},
        {"top_p": 0.9},
        {"top_p": 0.2},
        {"top_p": 0.999},
        {"min_p": 0.1},
        {"top_k": 500, "top_p": 0.7},
        {"top_k": 500, "top_p": 0.8, "min_p": 0.02},
    ],
    ids=str,
)
@pytest.mark.parametrize("spread", [0.1, 1.0, 6.0])
def test_a_token_is_the_one_that_the_number_of_its_row_falls_on(vocab, cuts, spread):
    rng = np.random.default_rng(vocab)
    logits = (rng.standard_normal([12, vocab]) * spread).astype("float32")
    seeds, positions = rng.integers(-(2**62), 2**62, 12), rng.integers(0, 2**40, 12)
    for temperature in (0.7, 1.0):
        tokens = sample(logits, temperature, seeds=seeds, positions=positions, **cuts)[0]
        check(logits, tokens, seeds, positions, np.float32(temperature), **cuts)


def test_equal_logits_are_kept_by_rising_token():
    logits = np.zeros([64, 9000], "float32")
    at = np.arange(64)
    for cuts, count in (({"top_k": 300}, 300), ({"top_p": 0.5}, 4500), ({"top_k": 1000, "top_p": 0.25}, 250)):
        tokens = sample(logits, seeds=3, positions=at, **cuts)[0]
        np.testing.assert_array_equal(tokens, [int(uniform(3, i) * count) for i in at])
    few = np.random.default_rng(0).integers(0, 3, [64, 9000]).astype("float32")
    for cuts in ({"top_k": 4000}, {"top_p": 0.8}, {"top_p": 0.3}, {"min_p": 0.3}):
        tokens = sample(few, seeds=np.full(64, 5), positions=at, **cuts)[0]
        check(few, tokens, [5] * 64, at, 1.0, **cuts)


@pytest.mark.parametrize("cuts", [{}, {"top_k": 6}, {"top_p": 0.8}, {"min_p": 0.2}], ids=str)
def test_tokens_are_drawn_with_their_probabilities(cuts):
    """Chi-square over 20,000 positions of one seed, and over as many seeds."""
    row = np.random.default_rng(1).standard_normal(12).astype("float32")
    ids, shares = kept(row.astype("float64"), 1.5, **cuts)
    n = 20_000
    for where in ({"seeds": 17, "positions": np.arange(n)}, {"seeds": np.arange(n), "positions": 4}):
        counts = np.bincount(sample(np.tile(row, [n, 1]), 1.5, **cuts, **where)[0], minlength=12)
        assert counts.sum() == counts[ids].sum() == n
        assert stats.chisquare(counts[ids], shares * n).pvalue > 1e-4


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_greedy_and_log_probabilities(dtype):
    rng = np.random.default_rng(2)
    logits = paddle.to_tensor((rng.standard_normal([5, 6001]) * 4).astype("float32")).astype(dtype)
    exact = logits.astype("float32").numpy().astype("float64")
    wanted = special.log_softmax(exact, -1)
    each = {"seeds": 0, "positions": 0}
    tokens, log_probs, best, best_log_probs = sample(logits, 0.0, top_k=5, num_best=20, **each)
    order = np.argsort(-exact, -1, kind="stable")[:, :20]
    np.testing.assert_array_equal(tokens, order[:, 0])
    np.testing.assert_array_equal(best, order)
    np.testing.assert_allclose(log_probs, wanted[range(5), tokens], rtol=1e-5)
    np.testing.assert_allclose(best_log_probs, np.take_along_axis(wanted, order, -1), rtol=1e-5)
    drawn, log_probs, _, _ = sample(logits, 2.0, top_p=0.9, **each)
    np.testing.assert_allclose(log_probs, wanted[range(5), drawn], rtol=1e-5)
    bare = sample(logits, 2.0, top_p=0.9, want_log_probs=False, **each)
    np.testing.assert_array_equal(bare[0], drawn)
    assert [t.shape for t in bare[1:]] == [(0,), (5, 0), (5, 0)]
    all_best = sample(logits, num_best=6001)[2]
    np.testing.assert_array_equal(all_best, np.argsort(-exact, -1, kind="stable"))


def test_the_lowest_of_equal_tokens_is_the_greedy_one():
    logits = np.zeros([3, 5000], "float32")
    logits[1, [4000, 2100, 4999]] = 2
    logits[2] = -np.inf
    logits[2, 4999] = -3
    assert sample(logits, 0.0)[0].tolist() == [0, 2100, 4999]
    assert sample(logits, 1e-6)[0].tolist() == [0, 2100, 4999]


def test_hidden_tokens_are_not_drawn():
    logits = np.full([50, 3000], -np.inf, "float32")
    logits[:, [5, 1700, 2999]] = [1.0, 1.5, 0.5]
    for cuts in ({}, {"top_k": 10}, {"top_k": 600}, {"top_p": 0.999}, {"min_p": 0.01}, {"top_k": 2}, {"top_p": 0.5}):
        tokens = sample(logits, 0.9, seeds=1, positions=np.arange(50), **cuts)[0]
        check(logits, tokens, [1] * 50, range(50), np.float32(0.9), **cuts)


@pytest.mark.parametrize("settings", [{"temperature": 0.0}, {}, {"top_k": 3}, {"top_p": 0.5}, {"min_p": 0.5}], ids=str)
def test_rows_without_a_distribution_are_reported(settings):
    logits = np.zeros([4, 4100], "float32")
    logits[0, 4000] = np.nan
    logits[1] = -np.inf
    logits[2, 3] = np.inf
    tokens, log_probs, best, best_log_probs = sample(logits, num_best=2, **settings)
    assert tokens[:3].tolist() == [-1, -1, -1] and tokens[3] >= 0
    assert np.isnan(log_probs[:3]).all() and (best[:3] == -1).all() and np.isnan(best_log_probs[:3]).all()
    assert np.isfinite(log_probs[3]) and best[3].tolist() == [0, 1]


def test_a_row_depends_on_itself_alone():
    rng = np.random.default_rng(3)
    logits = (rng.standard_normal([9, 30_000]) * 3).astype("float32")
    settings = {
        "temperature": np.array([0, 1, 0.5, 0.8, 1, 2, 1, 1, 0.3]),
        "top_k": np.array([0, 0, 50, 0, 700, 0, 0, 9000, 0]),
        "top_p": np.array([1, 1, 0.9, 0.95, 1, 0.6, 1, 0.99, 1]),
        "min_p": np.array([0, 0, 0, 0.05, 0, 0, 0.1, 0, 0]),
        "seeds": rng.integers(0, 2**60, 9),
        "positions": rng.integers(0, 9999, 9),
    }
    together = sample(logits, num_best=4, **settings)
    for i in range(9):
        alone = sample(logits[i : i + 1], num_best=4, **{k: v[i : i + 1] for k, v in settings.items()})
        for a, b in zip(alone, together, strict=True):
            np.testing.assert_array_equal(a[0], b[i])
    threads = paddle.get_num_threads()
    paddle.set_num_threads(1)
    try:
        for a, b in zip(sample(logits, num_best=4, **settings), together, strict=True):
            np.testing.assert_array_equal(a, b)
    finally:
        paddle.set_num_threads(threads)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"temperature": -1.0}, "temperature holds -1 for row 0"),
        ({"temperature": np.nan}, "temperature"),
        ({"top_k": -1}, "top_k holds -1"),
        ({"top_p": 0.0}, r"must lie in \(0, 1\]"),
        ({"min_p": 1.5}, "min_p"),
        ({"num_best": 9}, r"must lie in \[0, 8\]"),
    ],
)
def test_sample_logits_refuses(settings, message):
    with pytest.raises(ValueError, match=message):
        sample(np.zeros([2, 8], "float32"), **settings)


def adjusted(logits, entries, presence, frequency, repetition, allowed=None):
    out = logits.astype("float64")
    for row, token, count, bias in entries:
        x = out[row, token]
        if count >= 0:
            x = x / repetition[row] if x > 0 else x * repetition[row]
        if count > 0:
            x -= presence[row] + frequency[row] * count
        out[row, token] = x + bias
    return out if allowed is None else np.where(allowed, out, -np.inf)


def packed(allowed):
    """The words of a mask: bit i % 32 of word i // 32."""
    rows, vocab = allowed.shape
    padded = np.zeros([rows, -(-vocab // 32) * 32], bool)
    padded[:, :vocab] = allowed
    return np.packbits(padded, axis=-1, bitorder="little").view("int32")


@pytest.mark.parametrize(("rows", "vocab", "n"), [(3, 100, 40), (4, 20_000, 9000), (2, 16_385, 0)])
@pytest.mark.parametrize("ordered", [True, False])
def test_adjust_logits(rows, vocab, n, ordered):
    rng = np.random.default_rng(4)
    logits = rng.standard_normal([rows, vocab]).astype("float32")
    where = np.stack([rng.integers(0, rows, n), rng.integers(0, vocab, n)])
    where = where[:, np.argsort(where[0], kind="stable")] if ordered else where
    where, counts = where.astype("int32"), rng.integers(-1, 4, n).astype("int32")
    biases = rng.standard_normal(n).astype("float32")
    penalties = [rng.uniform(*ends, rows).astype("float32") for ends in ((-1, 1), (0, 0.5), (0.7, 1.6))]
    allowed = rng.random([rows, vocab]) < 0.6
    allowed[0] = True
    tensors = [paddle.to_tensor(t) for t in (*where, counts, biases, *penalties)]
    wanted = adjusted(logits, list(zip(*where, counts, biases, strict=True)), *penalties)
    held = paddle.to_tensor(logits)
    np.testing.assert_allclose(F.adjust_logits(held, *tensors).numpy(), wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(held.numpy(), logits)
    assert F.adjust_logits_(held, *tensors, paddle.to_tensor(packed(allowed))) is held
    np.testing.assert_allclose(held.numpy(), np.where(allowed, wanted, -np.inf), rtol=1e-5, atol=1e-5)


def test_adjust_logits_refuses():
    def ints(*x):
        return paddle.to_tensor(x, "int32")

    one = paddle.ones([2])
    logits = paddle.zeros([2, 40])
    for bad in ((ints(2), ints(0)), (ints(0), ints(40)), (ints(-1), ints(0))):
        with pytest.raises(IndexError, match="must lie in"):
            F.adjust_logits_(logits, *bad, ints(0), paddle.zeros([1]), one, one, one)
    none = ints(0), ints(0), ints(0), paddle.zeros([1])
    with pytest.raises(ValueError, match="repetition holds 0 for row 0"):
        F.adjust_logits_(logits, *none, one, one, one * 0)
    with pytest.raises(ValueError, match=r"\[2, 2\]"):
        F.adjust_logits_(logits, *none, one, one, one, paddle.zeros([2, 40], "int32"))
    np.testing.assert_array_equal(logits.numpy(), 0)


@pytest.mark.skipif(os.environ.get("PADDLE_CPU_ISA") == "avx2", reason="this process has them already")
def test_with_the_loops_of_avx2():
    selected = "falls_on or equal or hidden or adjust or reported"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__, "-k", selected],
        env=os.environ | {"PADDLE_CPU_ISA": "avx2"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-3000:]
