# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention with caches in one piece and in blocks, gated attention, and steps of expert layers."""

import numpy as np
import paddle
import paddle.incubate.nn.functional as F
import pytest

T = paddle.to_tensor


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def attend(q, k, v, bias=0.0):
    """[heads, tokens, size] queries; keys and values of as many heads or a divisor of it."""
    k, v = (np.repeat(t, q.shape[0] // t.shape[0], 0) for t in (k, v))
    return softmax(q @ k.swapaxes(1, 2) / np.sqrt(q.shape[-1]) + bias) @ v


def turn(x, cos, sin):
    """Neighbours (a, b) of [..., size] as (a cos - b sin, a sin + b cos)."""
    out = np.empty_like(x)
    a, b = x[..., 0::2], x[..., 1::2]
    out[..., 0::2], out[..., 1::2] = a * cos - b * sin, a * sin + b * cos
    return out


@pytest.mark.parametrize("key_heads", [4, 2])
def test_one_token_attends_to_a_cache(key_heads):
    r = np.random.RandomState(0)
    batch, heads, size, places = 2, 4, 6, 9
    x = r.randn(batch, (heads + 2 * key_heads) * size)
    cache, bias = r.randn(2, batch, key_heads, places, size), r.randn(heads + 2 * key_heads, size)
    lengths, mask = [3, 5], r.randn(batch, 1, 1, 6)
    held = T(cache)
    out, returned = F.masked_multihead_attention(
        T(x), held, T(bias), T(mask), sequence_lengths=T(np.array(lengths)[:, None].astype("int32"))
    )
    assert returned is held
    rows = x.reshape(batch, -1, size) + bias
    for b, n in enumerate(lengths):
        q, k, v = np.split(rows[b], [heads, heads + key_heads])
        cache[0, b, :, n], cache[1, b, :, n] = k, v
        want = attend(q[:, None], cache[0, b, :, : n + 1], cache[1, b, :, : n + 1], mask[b, :, :, : n + 1])
        np.testing.assert_allclose(out.numpy()[b], want.reshape(-1), rtol=1e-9)
    np.testing.assert_array_equal(held.numpy(), cache)


def test_the_mask_tells_the_place_and_results_are_turned_and_quantized():
    r = np.random.RandomState(1)
    x, cache = r.randn(1, 3 * 2 * 4), r.randn(2, 1, 2, 5, 4)
    angle = r.randn(2)
    table = np.stack([np.repeat(np.cos(angle), 2), np.repeat(np.sin(angle), 2)]).reshape(2, 1, 1, 1, 4)
    arguments = {"src_mask": T(np.zeros((1, 1, 1, 5))), "rotary_tensor": T(table), "rotary_emb_dims": 1}
    out, _ = F.masked_multihead_attention(T(x), T(cache), **arguments)
    q, k, v = x.reshape(3, 2, 4)
    q, k = (turn(t, np.cos(angle), np.sin(angle)) for t in (q, k))
    cache[0, 0, :, 4], cache[1, 0, :, 4] = k, v
    want = attend(q[:, None], cache[0, 0], cache[1, 0]).reshape(-1)
    np.testing.assert_allclose(out.numpy()[0], want, rtol=1e-9)
    out, _ = F.masked_multihead_attention(T(x), T(cache), out_scale=0.5, **arguments)
    assert out.dtype == paddle.int8
    np.testing.assert_array_equal(out.numpy()[0], np.clip(np.round(want * 0.5 * 127), -127, 127))


def test_a_cache_without_place_is_refused():
    x, cache = paddle.zeros([1, 12]), paddle.zeros([2, 1, 1, 3, 4])
    with pytest.raises(ValueError, match="positions of the tokens are"):
        F.masked_multihead_attention(x, cache, sequence_lengths=T([[3]]))
    with pytest.raises(ValueError, match="sequence_lengths or src_mask"):
        F.masked_multihead_attention(x, cache)
    with pytest.raises(NotImplementedError, match="beams"):
        F.masked_multihead_attention(x, cache, beam_cache_offset=x)


@pytest.mark.parametrize("key_heads", [4, 2])
def test_prompts_and_later_tokens_share_caches_of_blocks(key_heads):
    r = np.random.RandomState(2)
    heads, size, block_size, width = 4, 6, 4, 4 + 2 * key_heads
    caches = [paddle.zeros([7, key_heads, block_size, size], "float64") for _ in range(2)]
    tables = np.array([[5, 0, 3], [2, 6, 1]], "int32")
    angles = r.randn(12, size // 2)
    rope = np.stack([np.cos(angles), np.sin(angles)])[:, None, :, None]
    bias = r.randn(width * size)
    past = [np.zeros((0, width, size))] * 2

    def step(prompts, before, new):
        qkv = r.randn(sum(new), width * size)
        kept, start = T(qkv), 0
        lengths = [T(np.array(n, "int32")[:, None]) for n in (prompts, before, new)]
        out, returned, *_ = F.block_multihead_attention(
            kept, *caches, *lengths, None, None, None, None, T(tables),
            qkv_bias=T(bias), rope_emb=T(rope), block_size=block_size,
        )  # fmt: skip
        assert returned is kept
        for b, n in ((b, n) for b, n in enumerate(new) if n):
            rows = (qkv[start : start + n] + bias).reshape(n, width, size)
            places = slice(len(past[b]), len(past[b]) + n)
            turned = rows[:, : heads + key_heads]
            turned[:] = turn(turned, np.cos(angles[places])[:, None], np.sin(angles[places])[:, None])
            past[b] = np.concatenate([past[b], rows])
            q, k, v = np.split(past[b].swapaxes(0, 1), [heads, heads + key_heads])
            total = len(past[b])
            hidden = np.triu(np.full((total, total), -np.inf), 1)
            want = attend(q, k, v, hidden)[:, total - n :].swapaxes(0, 1).reshape(n, -1)
            np.testing.assert_allclose(out.numpy()[start : start + n], want, rtol=1e-9)
            np.testing.assert_allclose(kept.numpy()[start : start + n], rows.reshape(n, -1), rtol=1e-12)
            start += n

    step([6, 3], [0, 0], [6, 3])
    step([0, 0], [6, 3], [1, 1])
    step([0, 4], [7, 4], [1, 4])  # one sequence goes on, the other gets a second part of its prompt
    step([0, 0], [8, 8], [0, 1])


@pytest.mark.parametrize("neox", [False, True])
@pytest.mark.parametrize("dtype,tolerance", [("float32", 2e-5), ("float16", 1e-2), ("bfloat16", 6e-2)])
def test_caches_of_fewer_bits_give_the_results_of_float64(dtype, tolerance, neox):
    r = np.random.RandomState(9)
    heads, key_heads, size, block_size = 4, 2, 6, 4
    width = (heads + 2 * key_heads) * size
    tables = T(np.array([[5, 0, 3], [2, 6, 1], [4, -1, -1]], "int32"))
    angles = r.randn(2, 3, 12, 1, size // 2)
    bias, cache = r.randn(width), r.randn(2, 3, key_heads, 9, size)
    kept = {d: [paddle.zeros([7, key_heads, block_size, size], d) for _ in range(2)] for d in (dtype, "float64")}

    def both(call):
        results = [[t.astype("float64").numpy() for t in call(d)] for d in (dtype, "float64")]
        for got, want in zip(*results, strict=True):
            assert got.shape == want.shape
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)

    def in_blocks(prompts, past, new):
        qkv = r.randn(sum(new), width)
        lengths = [T(np.array(n, "int32")[:, None]) for n in (prompts, past, new)]
        both(
            lambda d: F.block_multihead_attention(
                T(qkv.astype("float64")).astype(d), *kept[d], *lengths, *[None] * 4, tables,
                qkv_bias=T(bias).astype(d), rope_emb=T(angles).astype(d), block_size=block_size, use_neox_style=neox,
            )
        )  # fmt: skip

    in_blocks([6, 3, 1], [0, 0, 0], [6, 3, 1])
    in_blocks([0, 4, 0], [6, 3, 1], [1, 4, 0])
    x = r.randn(3, width)
    arguments = {"sequence_lengths": T(np.array([[3], [0], [8]], "int32")), "use_neox_rotary_style": neox}
    for places in (9, 1):
        table = r.randn(2, 3, 1, places, size)
        both(
            lambda d, table=table: F.masked_multihead_attention(
                T(x).astype(d), T(cache).astype(d), rotary_tensor=T(table).astype(d), rotary_emb_dims=1, **arguments
            )
        )


def test_masks_of_prompts_and_of_later_tokens():
    r = np.random.RandomState(3)
    caches = [paddle.zeros([2, 1, 4, 4], "float64") for _ in range(2)]
    qkv, mask = r.randn(3, 12), r.randn(1, 1, 5, 5)
    one = T(np.array([[1]], "int32"))
    lengths = [one * 3, one * 0, one * 3]
    table, four = T(np.array([[0, 1]], "int32")), {"block_size": 4}
    out = F.block_multihead_attention(T(qkv), *caches, *lengths, *[None] * 4, table, mask=T(mask), **four)[0]
    q, k, v = qkv.reshape(3, 3, 4).swapaxes(0, 1)
    np.testing.assert_allclose(out.numpy(), attend(q[None], k[None], v[None], mask[0, 0, :3, :3])[0], rtol=1e-9)
    last, later = r.randn(1, 12), r.randn(1, 1, 1, 5)
    lengths = [one * 0, one * 3, one]
    out = F.block_multihead_attention(T(last), *caches, *lengths, *[None] * 4, table, tgt_mask=T(later), **four)[0]
    k, v = np.concatenate([k, last[:, 4:8]]), np.concatenate([v, last[:, 8:]])
    want = attend(last[None, :, :4], k[None], v[None], later[0, 0, :, :4])[0]
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-9)


def test_sequences_without_blocks_are_refused():
    caches = [paddle.zeros([2, 1, 4, 4]) for _ in range(2)]
    one = T(np.array([[1]], "int32"))

    def call(past, block, rows=1):
        lengths = [one * 0, one * past, one]
        table = T(np.array([[0, block]], "int32"))
        return F.block_multihead_attention(
            paddle.zeros([rows, 12]), *caches, *lengths, *[None] * 4, table, block_size=4
        )

    call(4, 1)
    with pytest.raises(ValueError, match="blocks"):
        call(4, 2)
    with pytest.raises(ValueError, match="blocks"):
        call(8, 1)
    with pytest.raises(ValueError, match="2 rows"):
        call(4, 1, rows=2)


def test_longest_lengths():
    longest = F.blha_get_max_len(T([3, 0, 5]), T([0, 7, 0]), paddle.ones([3]))
    assert [t.numpy().tolist() for t in longest] == [[5], [7]]
    assert all(t.dtype == paddle.int32 for t in longest)


@pytest.mark.parametrize("merged", [True, False])
def test_gated_attention(merged):
    r = np.random.RandomState(4)
    n, b, q, a, h, c = 2, 3, 4, 5, 2, 3
    x, y = r.randn(n, b, q, a), r.randn(n, b, 6, 7)
    ws = [r.randn(a, h, c), r.randn(a if merged else 7, h, c), r.randn(a if merged else 7, h, c)]
    gate, gate_bias, out, out_bias = r.randn(a, h, c), r.randn(h, c), r.randn(h, c, a), r.randn(a)
    keys = x if merged else y
    bias, mask = r.randn(n, 1, h, q, keys.shape[2]), r.randn(n, b, 1, 1, keys.shape[2])
    query, key, value = (np.einsum("nbka,ahc->nbkhc", t, w) for t, w in zip((x, keys, keys), ws, strict=True))
    weights = softmax(np.einsum("nbqhc,nbkhc->nbhqk", query * c**-0.5, key) + mask + bias)
    want = np.einsum("nbhqk,nbkhc->nbqhc", weights, value)
    want = want / (1 + np.exp(-(np.einsum("nbqa,ahc->nbqhc", x, gate) + gate_bias)))
    want = np.einsum("nbqhc,hco->nbqo", want, out) + out_bias
    if merged:
        own = {"qkv_weight": T(np.stack([w.transpose(1, 2, 0) for w in ws]))}
    else:
        names = ("query_weight", "key_weight", "value_weight")
        own = {"key": T(y), **{name: T(w) for name, w in zip(names, ws, strict=True)}}
    query = T(x, stop_gradient=False)
    found = F.fused_gate_attention(
        query,
        **own,
        gate_linear_weight=T(gate),
        gate_linear_bias=T(gate_bias),
        out_linear_weight=T(out),
        out_linear_bias=T(out_bias),
        nonbatched_bias=T(bias),
        attn_mask=T(mask),
        merge_qkv=merged,
    )
    np.testing.assert_allclose(found.numpy(), want, rtol=1e-8, atol=1e-10)
    found.sum().backward()
    assert query.grad.shape == [n, b, q, a]
    with pytest.raises(ValueError, match="gate_linear_bias"):
        F.fused_gate_attention(query, **own, gate_linear_weight=T(gate), out_linear_weight=T(out), merge_qkv=merged)


def test_the_end_of_heads_is_turned():
    r = np.random.RandomState(5)
    x, angles = r.randn(2, 3, 2, 7), r.randn(3, 2)
    table = np.concatenate([angles, angles], -1)[None, :, None]
    found = F.fused_partial_rope(T(x), T(np.cos(table)), T(np.sin(table))).numpy()
    want = turn(x[..., 3:], np.cos(angles)[:, None], np.sin(angles)[:, None])
    np.testing.assert_array_equal(found[..., :3], x[..., :3])
    np.testing.assert_allclose(found[..., 3:5], want[..., 0::2], rtol=1e-12)
    np.testing.assert_allclose(found[..., 5:], want[..., 1::2], rtol=1e-12)


def test_sums_of_experts():
    r = np.random.RandomState(6)
    x, weights, index = r.randn(6, 4), r.randn(3, 2), r.randint(0, 6, (3, 2)).astype("int32")
    held = T(x, stop_gradient=False)
    found = F.moe_combine(held, T(weights), T(index))
    np.testing.assert_allclose(found.numpy(), np.einsum("sk,skd->sd", weights, x[index]), rtol=1e-12)
    found.sum().backward()
    want = np.zeros((6, 4))
    np.add.at(want, index, np.repeat(weights[..., None], 4, -1))
    np.testing.assert_allclose(held.grad.numpy(), want, rtol=1e-12)


def test_products_of_groups_of_rows():
    r = np.random.RandomState(7)
    a, b, sizes = r.randn(5, 3), r.randn(2, 3, 4), [2, 3]
    want = np.concatenate([a[:2] @ b[0], a[2:] @ b[1]])
    np.testing.assert_allclose(F.batched_gemm(T(a), T(b), sizes).numpy(), want, rtol=1e-12)
    turned = T(np.ascontiguousarray(b.swapaxes(1, 2)))
    np.testing.assert_allclose(F.batched_gemm(T(a), turned, sizes, trans_rhs=True).numpy(), want, rtol=1e-12)
    other = r.randn(5, 4)
    want = np.stack([a[:2].T @ other[:2], a[2:].T @ other[2:]])
    np.testing.assert_allclose(F.batched_gemm(T(a), T(other), sizes, trans_lhs=True).numpy(), want, rtol=1e-12)
    with pytest.raises(ValueError, match="batch_sizes"):
        F.batched_gemm(T(a), T(b), [2, 2])


def test_gradients_of_rows_are_added_to_that_of_the_table():
    table, rows = paddle.ones([4, 2]), paddle.to_tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert F.embedding_grad_add_to_(T(np.array([1, 3, 1], "int32")), table, rows) is table
    np.testing.assert_array_equal(table.numpy(), [[1, 1], [7, 9], [1, 1], [4, 5]])


def test_gradients_of_the_weighted_gate_are_those_of_autograd():
    r = np.random.RandomState(8)
    x, weight = T(r.randn(5, 8), stop_gradient=False), T(r.rand(5, 1), stop_gradient=False)
    gradient = T(r.randn(5, 4))
    out = F.swiglu(x) * weight
    out.backward(gradient)
    from_x, from_weight, result = F.fused_swiglu_weighted_bwd(x, gradient, weight)
    np.testing.assert_allclose(from_x.numpy(), x.grad.numpy(), rtol=1e-9)
    np.testing.assert_allclose(from_weight.numpy(), weight.grad.numpy(), rtol=1e-9)
    np.testing.assert_allclose(result.numpy(), out.numpy(), rtol=1e-9)
