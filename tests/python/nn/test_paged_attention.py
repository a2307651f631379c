# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention to keys and values in blocks of a cache, and the write of new ones into it."""

import os
import subprocess
import sys

import numpy as np
import paddle
import paddle.incubate.nn.functional as F
import pytest
from paddle import _core
from scipy import linalg

ops = paddle._C_ops
TOLERANCE = {"float32": 2e-5, "bfloat16": 2e-2, "float16": 2e-3}


def ints(values):
    return paddle.to_tensor(np.asarray(values, "int32"))


def numbers(rng, shape, dtype="float32"):
    return paddle.to_tensor(rng.standard_normal(shape).astype("float32")).astype(dtype)


def exact(x):
    return x.astype("float32").numpy().astype("float64")


class Batch:
    """Sequences in a cache whose blocks lie in random order; keys and values also in one piece."""

    def __init__(self, lengths, rows, heads=4, kv_heads=2, depth=16, block=8, dtype="float32", query=None, seed=0):
        rng = np.random.default_rng(seed)
        self.lengths, self.rows, self.block = lengths, rows, block
        counts = [-(-n // block) for n in lengths]
        blocks = sum(counts) + 3
        order = iter(rng.permutation(blocks))
        tables = [[next(order) for _ in range(n)] for n in counts]
        most = max([*counts, 1]) + 1
        self.tables = np.array([[*t, *[-1] * (most - len(t))] for t in tables], "int32").reshape(len(lengths), most)
        self.starts = np.concatenate([[0], np.cumsum(rows)]).astype("int32")
        self.q = numbers(rng, (sum(rows), heads, depth), query or dtype)
        self.keys = [numbers(rng, (n, kv_heads, depth), dtype) for n in lengths]
        self.values = [numbers(rng, (n, kv_heads, depth), dtype) for n in lengths]
        # What no sequence holds is not a number: whoever reads it shows it.
        self.cache = paddle.full([blocks, 2, kv_heads, block, depth], float("nan"), dtype)
        for k, v, table in zip(self.keys, self.values, tables, strict=True):
            slots = [table[i // block] * block + i % block for i in range(k.shape[0])]
            F.paged_cache_write_(self.cache, k, v, ints(slots))

    def run(self, scale=0.3, sinks=None, window=0, soft_cap=0.0, **other):
        tables, starts, lengths = ints(self.tables), ints(self.starts), ints(self.lengths)
        given = {"q": self.q, "cache": self.cache, "tables": tables, "starts": starts, "lengths": lengths, **other}
        return F.paged_attention(**given, sinks=sinks, scale=scale, window=window, soft_cap=soft_cap)

    def reference(self, scale=0.3, sinks=None, window=0, soft_cap=0.0):
        q, out = exact(self.q), np.zeros(self.q.shape)
        for s, (length, rows) in enumerate(zip(self.lengths, self.rows, strict=True)):
            k, v = exact(self.keys[s]), exact(self.values[s])
            for i in range(rows):
                token, position = self.starts[s] + i, length - rows + i
                first = max(0, position + 1 - window) if window else 0
                for h in range(q.shape[1]):
                    own = h // (q.shape[1] // k.shape[1])
                    scores = k[first : position + 1, own] @ q[token, h] * scale
                    if soft_cap:
                        scores = soft_cap * np.tanh(scores / soft_cap)
                    top = max(scores.max(), -np.inf if sinks is None else sinks[h])
                    shares = np.exp(scores - top)
                    total = shares.sum() + (0 if sinks is None else np.exp(sinks[h] - top))
                    out[token, h] = shares @ v[first : position + 1, own] / total
        return out


CASES = {
    "decode": {"lengths": [1, 7, 8, 9, 300], "rows": [1, 1, 1, 1, 1]},
    "prefill": {"lengths": [5, 37], "rows": [5, 37]},
    "many rows": {"lengths": [530, 70], "rows": [300, 70]},
    "mixed": {"lengths": [20, 261, 3], "rows": [3, 1, 3]},
    "no rows of one": {"lengths": [4, 9, 6], "rows": [2, 0, 1]},
    "one head": {"lengths": [19, 2], "rows": [4, 2], "heads": 1, "kv_heads": 1},
    "groups of three": {"lengths": [19, 290], "rows": [4, 2], "heads": 6, "kv_heads": 2},
    "groups of seven": {"lengths": [19, 290], "rows": [4, 1], "heads": 7, "kv_heads": 1},
    "a head each": {"lengths": [33, 5], "rows": [7, 5], "heads": 3, "kv_heads": 3},
    "depth 64": {"lengths": [40, 9], "rows": [1, 9], "depth": 64},
    "depth 80": {"lengths": [40, 9], "rows": [3, 9], "depth": 80},
    "depth 5": {"lengths": [40, 9], "rows": [3, 9], "depth": 5},
    "depth 37": {"lengths": [40, 9], "rows": [3, 9], "depth": 37},
    "blocks of one": {"lengths": [40, 9], "rows": [3, 9], "block": 1},
    "blocks of 7": {"lengths": [300, 9], "rows": [3, 9], "block": 7},
}


@pytest.mark.parametrize("dtype,query", [("float32", None), ("bfloat16", None), ("bfloat16", "float32"),
                                         ("float16", None), ("float32", "bfloat16")])  # fmt: skip
@pytest.mark.parametrize("case", CASES)
def test_rows_see_the_keys_up_to_their_own(case, dtype, query):
    batch = Batch(**CASES[case], dtype=dtype, query=query)
    out = batch.run()
    assert out.dtype == batch.q.dtype
    tolerance = TOLERANCE[query or dtype]
    np.testing.assert_allclose(exact(out), batch.reference(), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("options", [
    {"window": 1}, {"window": 5}, {"window": 260}, {"soft_cap": 0.7}, {"sinks": [0.5, -2.0, 3.0, 40.0]},
    {"window": 13, "soft_cap": 2.0, "sinks": [0.5, -2.0, 3.0, 0.0], "scale": 1.5},
], ids=str)  # fmt: skip
def test_windows_caps_and_sinks(options, dtype):
    batch = Batch([3, 40, 700, 291], [3, 40, 1, 6], dtype=dtype, query="float32")
    sinks = options.get("sinks")
    out = batch.run(**{**options, "sinks": None if sinks is None else paddle.to_tensor(sinks)})
    np.testing.assert_allclose(exact(out), batch.reference(**options), rtol=2e-5, atol=2e-5)


def test_blocks_that_a_window_has_left_are_not_read():
    batch = Batch([100], [2], block=8)
    whole = batch.run(window=10)
    batch.tables[0, :11] = -1
    np.testing.assert_array_equal(batch.run(window=10).numpy(), whole.numpy())
    with pytest.raises(IndexError, match="tables holds -1 for block 10 of sequence 0"):
        batch.run(window=12)


def test_no_tokens_and_no_sequences():
    batch = Batch([5, 9], [0, 0])
    assert batch.run().shape == [0, 4, 16]
    out = batch.run(q=paddle.ones([3, 4, 16]))  # rows that belong to no sequence
    np.testing.assert_array_equal(out.numpy(), np.zeros((3, 4, 16)))
    out = batch.run(q=paddle.ones([2, 4, 16]), tables=ints(np.zeros((0, 4))), starts=ints([0]), lengths=ints([]))
    np.testing.assert_array_equal(out.numpy(), np.zeros((2, 4, 16)))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("depth", [64, 24])
def test_a_row_does_not_depend_on_what_it_does_not_see(dtype, depth):
    """On other sequences, other rows of its own sequence, later keys, not even where these are not finite."""
    batch = Batch([530, 300, 8], [500, 1, 8], depth=depth, dtype=dtype, query="float32")
    whole = batch.run().numpy()
    alone = batch.run(q=batch.q[500:501], tables=ints(batch.tables[1:2]), starts=ints([0, 1]), lengths=ints([300]))
    np.testing.assert_array_equal(alone.numpy(), whole[500:501])
    for row in (0, 1, 40, 213, 498):  # one row, and so one tile, in the place of 500
        shorter = batch.run(
            q=batch.q[row : row + 1], tables=ints(batch.tables[:1]), starts=ints([0, 1]), lengths=ints([31 + row])
        )
        np.testing.assert_array_equal(shorter.numpy(), whole[row : row + 1])
    last = int(batch.tables[0, 529 // 8]) * 8 + 529 % 8
    bad = paddle.full([1, 2, depth], float("inf"))
    batch.cache = F.paged_cache_write(batch.cache, bad, bad, ints([last]))
    changed, others = batch.run().numpy(), np.arange(509) != 499
    if dtype == "bfloat16":  # which way it is computed may depend on that
        np.testing.assert_allclose(changed[others], whole[others], rtol=2e-5, atol=2e-6)
    else:
        np.testing.assert_array_equal(changed[others], whole[others])
    assert not np.isfinite(changed[499]).any()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("lengths,rows", [([2000], [1]), ([1000], [513]), ([70, 1200, 3], [1, 1, 3])])
def test_threads_do_not_change_the_bits(lengths, rows, dtype):
    batch = Batch(lengths, rows, heads=4, kv_heads=1, dtype=dtype)
    before = paddle.get_num_threads()
    try:
        results = []
        for threads in (1, 2, 3):
            paddle.set_num_threads(threads)
            results.append(batch.run(window=900).astype("float32").numpy())
    finally:
        paddle.set_num_threads(before)
    np.testing.assert_array_equal(results[1], results[0])
    np.testing.assert_array_equal(results[2], results[0])


def test_operands_of_any_strides():
    batch = Batch([40, 9], [3, 9])
    whole = batch.run().numpy()
    joint = paddle.concat([batch.q, batch.q], 1)
    turned = batch.cache.transpose([1, 3, 0, 2, 4]).contiguous().transpose([2, 0, 3, 1, 4])
    assert not turned.is_contiguous()
    gaps = paddle.stack([batch.cache, batch.cache], -1)[..., 0]
    for cache in (turned, gaps):
        np.testing.assert_array_equal(batch.run(q=joint[:, :4], cache=cache).numpy(), whole)
    keys, values = batch.cache[:, 0], batch.cache[:, 1].contiguous()
    np.testing.assert_array_equal(batch.run(cache=keys, value_cache=values).numpy(), whole)


def test_bad_operands_are_refused():
    batch = Batch([40, 9], [3, 9])
    with pytest.raises(IndexError, match="lengths holds 49 for sequence 0, which has 3 rows and a table of 6"):
        batch.run(lengths=ints([49, 9]))
    with pytest.raises(IndexError, match="lengths holds 8 for sequence 1"):
        batch.run(lengths=ints([40, 8]))
    with pytest.raises(IndexError, match="starts goes from 1 to 12"):
        batch.run(starts=ints([1, 3, 12]))
    with pytest.raises(IndexError, match="starts goes from 0 to 13 and q has 12 rows"):
        batch.run(starts=ints([0, 3, 13]))
    with pytest.raises(IndexError, match="must not fall"):
        batch.run(starts=ints([0, 13, 12]))
    with pytest.raises(IndexError, match="lengths holds -1"):
        batch.run(starts=ints([0, 0, 9]), lengths=ints([-1, 9]))
    for bad in (-1, 10, 2**31 - 1):
        tables = batch.tables.copy()
        tables[1, 1] = bad
        with pytest.raises(IndexError, match=f"tables holds {bad} for block 1 of sequence 1"):
            batch.run(tables=ints(tables))
    with pytest.raises(TypeError, match="tables has dtype int64"):
        batch.run(tables=paddle.to_tensor(batch.tables.astype("int64")))
    with pytest.raises(ValueError, match="heads of q must be a multiple"):
        batch.run(q=batch.q[:, :3])
    with pytest.raises(ValueError, match="head_dim of q must be 16"):
        batch.run(q=batch.q[:, :, :8])
    with pytest.raises(ValueError, match="window has value -1"):
        batch.run(window=-1)
    with pytest.raises(ValueError, match="soft_cap has value -1"):
        batch.run(soft_cap=-1.0)
    with pytest.raises(ValueError, match=r"cache has shape \[11, 2, 8, 16\]|must be \[blocks, 2, kv_heads"):
        batch.run(cache=batch.cache[:, 0])


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
def test_a_write_puts_rows_into_their_slots(dtype):
    rng = np.random.default_rng(3)
    cache = numbers(rng, (5, 2, 3, 4, 6), dtype)
    k, v = numbers(rng, (6, 3, 6)), numbers(rng, (6, 3, 6))
    slots = [7, -1, 0, 19, 7, -1]
    wanted = exact(cache)
    for i, slot in enumerate(slots):
        if slot >= 0:
            for part, x in enumerate((k, v)):
                wanted[slot // 4, part, :, slot % 4] = exact(x.astype(dtype))[i]
    before = exact(cache)
    out = F.paged_cache_write(cache, k, v, ints(slots))
    assert out.dtype == cache.dtype
    np.testing.assert_array_equal(exact(out), wanted)
    np.testing.assert_array_equal(exact(cache), before)
    address = cache.data_ptr()
    assert F.paged_cache_write_(cache, k, v, ints(slots)) is cache
    assert cache.data_ptr() == address
    np.testing.assert_array_equal(exact(cache), wanted)
    keys = F.paged_cache_write(out[:, 0], k, None, ints(slots))
    np.testing.assert_array_equal(exact(keys), wanted[:, 0])


def test_a_write_takes_operands_of_any_strides():
    rng = np.random.default_rng(3)
    layers = paddle.zeros([3, 5, 2, 3, 4, 6])
    joint, slots = numbers(rng, (2, 9, 6)), ints([7, 12])
    F.paged_cache_write_(layers[1], joint[:, 3:6], joint[:, 6:], slots)
    wanted = F.paged_cache_write(layers[0], joint[:, 3:6].contiguous(), joint[:, 6:].contiguous(), slots)
    np.testing.assert_array_equal(layers[1].numpy(), wanted.numpy())
    assert not layers[0].numpy().any() and not layers[2].numpy().any()
    behind = paddle.zeros([5, 2, 3, 4, 3, 6])
    F.paged_cache_write_(behind[:, :, :, :, 2], joint[:, 3:6], joint[:, 6:], slots)
    np.testing.assert_array_equal(behind[:, :, :, :, 2].numpy(), wanted.numpy())
    gaps = paddle.zeros([5, 2, 3, 4, 6, 2])
    F.paged_cache_write_(gaps[..., 1], joint[:, 3:6], joint[:, 6:], slots)
    np.testing.assert_array_equal(gaps[..., 1].numpy(), wanted.numpy())
    assert not gaps[..., 0].numpy().any()


def test_a_write_of_nothing_and_out_of_the_cache():
    cache, k = paddle.zeros([5, 2, 3, 4, 6]), paddle.ones([2, 3, 6])
    none = F.paged_cache_write(cache, k[:0], k[:0], ints([]))
    np.testing.assert_array_equal(none.numpy(), cache.numpy())
    for bad in (20, -2, 2**31 - 1):
        with pytest.raises(IndexError, match=f"slots holds {bad} at position 1; the cache has 20 slots"):
            F.paged_cache_write_(cache, k, k, ints([3, bad]))
        assert not cache.numpy().any()
    with pytest.raises(ValueError, match=r"k must be \[tokens, kv_heads, head_dim\]"):
        F.paged_cache_write(cache, k[:, :2], k[:, :2], ints([3, 4]))
    with pytest.raises(TypeError, match="slots has dtype int64"):
        F.paged_cache_write(cache, k, k, paddle.to_tensor([3, 4]))


def peak_of(step):
    for _ in range(4):
        step()
    host = paddle.CPUPlace()
    before = _core.memory_stats(host)[0]
    _core.reset_peak_memory(host)
    step()
    return _core.memory_stats(host)[1] - before


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "uint8"])
def test_a_captured_step_writes_what_it_brings(dtype):
    """The cache of 4 MiB or more stays where it is, and no copy of it is made."""
    width = WIDTHS[dtype](64) if dtype in WIDTHS else 64
    cache = paddle.zeros([256, 2, 8, 16, width], dtype)
    whole = cache.numel().item() * {"float32": 4, "bfloat16": 2, "int8": 1, "uint8": 1}[dtype]
    rng = np.random.default_rng(0)
    qkv = numbers(rng, (2, 32, 64))
    tables, starts = ints([[3, 9], [200, 7]]), ints([0, 1, 2])

    def write_and_attend(qkv, slots, lengths):
        F.paged_cache_write_(cache, qkv[:, 16:24], qkv[:, 24:], slots)
        return F.paged_attention(qkv[:, :16], cache, tables, starts, lengths, None, 0.125)

    step = paddle.jit.to_static(write_and_attend, full_graph=True)
    address = cache.data_ptr()
    slots = [ints([3 * 16 + i, 200 * 16 + i]) for i in range(16)]
    with paddle.no_grad():
        taken = iter([*range(16)])

        def one():
            i = next(taken)
            return step(qkv * (i + 1.0), slots[i], ints([i + 1, i + 1]))

        assert peak_of(one) < whole / 8
        got = one()
        assert cache.data_ptr() == address
        left = cache.clone()
        cache.zero_()
        for i in range(6):
            wanted = write_and_attend(qkv * (i + 1.0), slots[i], ints([i + 1, i + 1]))
    np.testing.assert_array_equal(got.numpy(), wanted.numpy())
    np.testing.assert_array_equal(left.astype("float32").numpy(), cache.astype("float32").numpy())


def rotated(x):
    """Rows times the orthogonal Walsh-Hadamard matrix, in blocks of the largest power of two up to 128."""
    depth = x.shape[-1]
    block = min(depth & -depth, 128)
    blocks = x.reshape(*x.shape[:-1], depth // block, block)
    return (blocks @ (linalg.hadamard(block) / np.sqrt(block))).reshape(x.shape)


LEVELS = np.array(
    """-1 -0.8046480 -0.6468183 -0.5133548 -0.3934485 -0.2835553 -0.1802672 -0.0796003
    0.0192959 0.1185561 0.2203427 0.3273118 0.4418422 0.5683776 0.7140064 0.8883283""".split(),
    "float64",
)
WIDTHS = {"int8": lambda depth: depth + 2, "uint8": lambda depth: -(-depth // 32) * 18 + 2}


def held_rows(cache, depth):
    """The numbers of rows [..., width] of a quantised cache, as they were before the rotation."""
    bytes_ = cache.numpy()
    scales = bytes_[..., -2:].copy().view("float16").astype("float64")
    if bytes_.dtype == np.int8:
        return rotated(bytes_[..., :depth] * scales)
    units = -(-depth // 32)
    codes = bytes_[..., : units * 16].reshape(*bytes_.shape[:-1], units, 1, 16)
    numbers = LEVELS[np.concatenate([codes & 15, codes >> 4], -2)]
    groups = bytes_[..., units * 16 : -2].view("int8").reshape(*bytes_.shape[:-1], units, 2, 1)
    return rotated((numbers * groups).reshape(*bytes_.shape[:-1], units * 32)[..., :depth] * scales)


def test_rows_of_8_bits_are_multiples_of_their_scale():
    rng = np.random.default_rng(0)
    k, v = numbers(rng, (9, 2, 32)) * 3, numbers(rng, (9, 2, 32), "bfloat16")
    v[3] = 0
    cache = paddle.zeros([4, 2, 2, 4, 34], "int8")
    F.paged_cache_write_(cache, k, v.astype("float32"), ints(range(2, 11)))
    rows = cache.numpy().swapaxes(2, 3).reshape(4, 2, 4, 2, 34).swapaxes(1, 2).reshape(16, 2, 2, 34)[2:11]
    scales = rows[..., 32:].copy().view("float16").astype("float64")
    for part, x in enumerate((k, v)):
        turned = rotated(exact(x))
        wanted = np.abs(turned).max(-1, keepdims=True) / 127
        np.testing.assert_allclose(scales[:, part], wanted, rtol=2**-10)
        error = np.abs(rows[:, part, :, :32] * scales[:, part] - turned)
        assert (error <= 0.57 * scales[:, part]).all()
    again = F.paged_cache_write(cache, k.astype("bfloat16"), v, ints(range(2, 11)))
    np.testing.assert_array_equal(again.numpy()[:, 1], cache.numpy()[:, 1])


@pytest.mark.parametrize("depth", [32, 80, 37, 256, 1, 5])
@pytest.mark.parametrize("dtype,error", [("int8", 0.01), ("uint8", 0.08)])
def test_rows_of_quantised_caches_are_near_what_was_written(dtype, error, depth):
    rng = np.random.default_rng(1)
    k = numbers(rng, (40, 3, depth))
    if depth % 16 == 0:
        k[:, :, 0] *= 20  # a number that stands out costs the others little
    k[7] = 0
    k[8, 1] *= 1e-3
    cache = paddle.zeros([11, 3, 4, WIDTHS[dtype](depth)], dtype)
    F.paged_cache_write_(cache, k, None, ints(range(3, 43)))
    held = held_rows(cache, depth).swapaxes(1, 2).reshape(44, 3, depth)[3:43]
    wanted = exact(k)
    distance = np.linalg.norm(held - wanted, axis=-1)
    assert (distance <= 1.5 * error * np.linalg.norm(wanted, axis=-1)).all()
    assert np.linalg.norm(distance) <= error * np.linalg.norm(wanted)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("depth", [37, 64, 80, 256])
@pytest.mark.parametrize("rows", [[1, 1], [70, 3]])
def test_attention_to_rows_of_quantised_caches(rows, depth, dtype):
    batch = Batch([300, 11], rows, heads=6, kv_heads=2, depth=depth)
    blocks, _, kv_heads, block, _ = batch.cache.shape
    cache = paddle.full([blocks, 2, kv_heads, block, WIDTHS[dtype](depth)], 127, dtype)
    for s, length in enumerate(batch.lengths):
        slots = [int(batch.tables[s, i // block]) * block + i % block for i in range(length)]
        F.paged_cache_write_(cache, batch.keys[s], batch.values[s], ints(slots))
        kept = held_rows(cache, depth)
        for part, target in enumerate((batch.keys, batch.values)):
            taken = np.stack([kept[i // block, part, :, i % block] for i in slots])
            target[s] = paddle.to_tensor(taken.astype("float32"))
    for options in ({"window": 280, "soft_cap": 3.0}, {"sinks": np.arange(6.0)}):
        given = {k: paddle.to_tensor(v.astype("float32")) if k == "sinks" else v for k, v in options.items()}
        wanted = batch.reference(**options)
        np.testing.assert_allclose(exact(batch.run(cache=cache, **given)), wanted, rtol=2e-5, atol=2e-5)
    parts = cache[:, 0], cache[:, 1].contiguous()
    alone = batch.run(cache=parts[0], value_cache=parts[1])
    np.testing.assert_array_equal(alone.numpy(), batch.run(cache=cache).numpy())
    halves = batch.run(cache=cache, q=batch.q.astype("bfloat16"))
    np.testing.assert_allclose(exact(halves), batch.reference(), rtol=3e-2, atol=3e-2)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_a_row_of_a_quantised_cache_does_not_depend_on_the_others(dtype):
    batch = Batch([530, 300], [500, 1], depth=64)
    batch.cache = paddle.full([*batch.cache.shape[:4], WIDTHS[dtype](64)], 127, dtype)
    for s, length in enumerate(batch.lengths):
        slots = [int(batch.tables[s, i // 8]) * 8 + i % 8 for i in range(length)]
        F.paged_cache_write_(batch.cache, batch.keys[s], batch.values[s], ints(slots))
    whole = batch.run().numpy()
    for row in (0, 40, 498):
        alone = batch.run(
            q=batch.q[row : row + 1], tables=ints(batch.tables[:1]), starts=ints([0, 1]), lengths=ints([31 + row])
        )
        if dtype == "uint8":
            np.testing.assert_array_equal(alone.numpy(), whole[row : row + 1])
        else:
            np.testing.assert_allclose(alone.numpy(), whole[row : row + 1], rtol=2e-6, atol=2e-6)
    before = paddle.get_num_threads()
    paddle.set_num_threads(1)
    try:
        np.testing.assert_array_equal(batch.run().numpy(), whole)
    finally:
        paddle.set_num_threads(before)


def test_the_width_of_quantised_rows_is_checked():
    q = paddle.ones([1, 2, 48])
    for dtype, width in (("int8", 50), ("uint8", 38)):
        cache = paddle.zeros([2, 2, 2, 4, width + 1], dtype)
        with pytest.raises(ValueError, match=f"rows of {width} bytes hold head_dim 48 in {dtype}"):
            F.paged_cache_write(cache, q, q, ints([0]))
        with pytest.raises(ValueError, match=f"rows of {width} bytes hold head_dim 48 in {dtype}"):
            F.paged_attention(q, cache, ints([[0]]), ints([0, 1]), ints([1]), None, 1.0)


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_a_quantised_row_that_is_not_finite_stays_so(dtype):
    cache = paddle.zeros([1, 2, 1, 4, WIDTHS[dtype](8)], dtype)
    k = paddle.ones([3, 1, 8])
    k[1, 0, 3] = float("inf")
    F.paged_cache_write_(cache, paddle.ones([3, 1, 8]), k, ints([0, 1, 2]))
    out = F.paged_attention(paddle.ones([3, 1, 8]), cache, ints([[0]]), ints([0, 3]), ints([3]), None, 1.0).numpy()
    assert np.isfinite(out[0]).all() and np.isnan(out[1:]).all()


@pytest.mark.skipif("PADDLE_CPU_ISA" in os.environ, reason="runs itself")
@pytest.mark.parametrize("isa", ["avx2", "avx512"])
def test_other_instruction_sets_give_the_same(isa):
    """avx512 leaves out matrix tiles."""
    if isa not in open("/proc/cpuinfo").read():
        pytest.skip(f"the processor has no {isa}")
    here = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", __file__]
    chosen = "rows_see or windows_caps or threads or does_not_see or 8_bits or quantised or a_write"
    environment = {**os.environ, "PADDLE_CPU_ISA": isa}
    done = subprocess.run([*here, "-k", chosen], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
