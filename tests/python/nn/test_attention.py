# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Forms of attention, and the transformer, against NumPy."""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn.functional import flash_attention as fa
from scipy import special

F = nn.functional
RNG = np.random.RandomState(0)


def t(a):
    return paddle.to_tensor(a)


def random(*shape):
    return RNG.randn(*shape).astype("float32")


def reference(q, k, v, mask=None, scale=None):
    groups = q.shape[2] // k.shape[2]
    k, v = np.repeat(k, groups, 2), np.repeat(v, groups, 2)
    scores = np.einsum("blhd,bmhd->bhlm", q, k) * (scale or q.shape[-1] ** -0.5)
    scores = scores if mask is None else scores + mask
    return np.einsum("bhlm,bmhd->blhd", special.softmax(scores, -1), v)


def hide(allowed):
    return np.where(allowed, 0.0, -np.inf)


def close(ours, theirs):
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("rows, columns", [(3, 5), (5, 3)])
def test_causal_attention_counts_from_the_start(rows, columns):
    q, k, v = random(1, rows, 2, 4), random(1, columns, 2, 4), random(1, columns, 2, 4)
    expected = reference(q, k, v, hide(np.tril(np.ones((rows, columns), bool))))
    close(F.scaled_dot_product_attention(t(q), t(k), t(v), is_causal=True), expected)
    close(fa.flash_attention(t(q), t(k), t(v), causal=True)[0], expected)


@pytest.mark.parametrize(
    "rows, columns, depth, causal",
    [(5, 70, 40, False), (33, 33, 64, True), (130, 300, 80, False), (257, 513, 128, True), (31, 289, 33, False)],
)
def test_long_attention_in_bfloat16(rows, columns, depth, causal):
    q, k, v = (t(random(2, n, heads, depth)).astype("bfloat16") for n, heads in ((rows, 4), (columns, 2), (columns, 2)))
    wide = [x.astype("float32").numpy() for x in (q, k, v)]
    mask = hide(np.tril(np.ones((rows, columns), bool))) if causal else None
    found = F.scaled_dot_product_attention(q, k, v, is_causal=causal).astype("float32").numpy()
    np.testing.assert_allclose(found, reference(*wide, mask), atol=0.02)


def test_values_behind_the_last_query_are_not_read():
    q, k = (paddle.ones([1, n, heads, 32], "bfloat16") for n, heads in ((40, 4), (100, 2)))
    v = np.ones((1, 100, 2, 32), np.float32)
    v[:, 40:] = np.inf
    found = F.scaled_dot_product_attention(q, k, t(v).astype("bfloat16"), is_causal=True)
    assert (found == 1).all()


@pytest.mark.parametrize("kind", ["bool", "float32"])
def test_masks_scales_and_grouped_heads(kind):
    q, k, v = random(2, 3, 4, 8), random(2, 5, 2, 8), random(2, 5, 2, 8)
    allowed = RNG.rand(2, 1, 3, 5) > 0.3
    allowed[..., 0] = True
    mask = allowed if kind == "bool" else np.where(allowed, 0, -1e9).astype("float32")
    out = F.scaled_dot_product_attention(t(q), t(k), t(v), t(mask), scale=0.3)
    close(out, reference(q, k, v, hide(allowed), 0.3))
    with pytest.raises(AssertionError):
        F.scaled_dot_product_attention(t(q), t(k), t(v), enable_gqa=False)


def test_gradients_of_grouped_heads_add_up():
    q, k = t(random(1, 3, 4, 8)), t(random(1, 5, 2, 8))
    wide = k.unsqueeze(3).expand([1, 5, 2, 2, 8]).reshape([1, 5, 4, 8])
    k.stop_gradient = wide.stop_gradient = False
    weights = t(random(1, 3, 4, 8))
    (F.scaled_dot_product_attention(q, k, k) * weights).sum().backward()
    (F.scaled_dot_product_attention(q, wide, wide) * weights).sum().backward()
    np.testing.assert_allclose(k.grad.numpy(), wide.grad.numpy().reshape(1, 5, 2, 2, 8).sum(3), rtol=1e-4, atol=1e-5)


def test_dropout_keeps_the_expectation():
    paddle.seed(3)
    q, k, v = random(1, 4, 1, 8), random(1, 64, 1, 8), np.ones((1, 64, 1, 8), "float32")
    outs = [F.scaled_dot_product_attention(t(q), t(k), t(v), dropout_p=0.5).numpy() for _ in range(50)]
    assert abs(np.mean(outs) - 1) < 0.1 and np.std(outs) > 0
    close(F.scaled_dot_product_attention(t(q), t(k), t(v), dropout_p=0.5, training=False), np.ones((1, 4, 1, 8)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sixteen_bits(dtype):
    q = random(1, 6, 2, 8)
    out = F.scaled_dot_product_attention(*(t(q).astype(dtype) for _ in range(3)), is_causal=True)
    expected = reference(q, q, q, hide(np.tril(np.ones((6, 6), bool))))
    np.testing.assert_allclose(out.astype("float32").numpy(), expected, atol=3e-2)


def test_sequences_one_behind_another():
    q = random(5, 2, 4)
    bounds = t(np.array([0, 2, 5], "int32"))
    out, softmax = fa.flash_attn_unpadded(t(q), t(q), t(q), bounds, bounds, 3, 3, 0.5, causal=True)
    parts = [q[None, :2], q[None, 2:]]
    expected = [reference(p, p, p, hide(np.tril(np.ones((p.shape[1],) * 2, bool))))[0] for p in parts]
    close(out, np.concatenate(expected))
    assert softmax is None


def test_packed_query_key_and_value():
    qkv = random(1, 4, 3, 2, 8)
    q, k, v = (qkv[:, :, i] for i in range(3))
    close(F.flash_attn_qkvpacked(t(qkv))[0], reference(q, k, v))
    padded = random(6, 3, 2, 8)
    out, _ = F.flash_attn_varlen_qkvpacked(t(padded), t(np.array([0, 2, 5], "int32")), None, 3, 3, 0.5)
    first = padded[None, :2]
    close(out[:2], reference(first[:, :, 0], first[:, :, 1], first[:, :, 2], scale=0.5)[0])
    assert (out.numpy()[2] == 0).all()


ROW, COLUMN = np.arange(4)[:, None], np.arange(4)[None]
MASKS = [
    (True, [[2], [2], [3], [4]], lambda a: (ROW < a[0]) & (ROW >= COLUMN)),
    (True, [[1, 2], [2, 3], [4, 4], [4, 4]], lambda a: ((ROW < a[0]) | (ROW >= a[1])) & (ROW >= COLUMN)),
    (False, [[3, 0], [4, 1], [4, 1], [4, 2]], lambda a: (ROW < a[0]) & (ROW >= a[1])),
    (False, [[3, 4, 0, 0], [4, 4, 0, 1], [4, 4, 0, 0], [3, 4, 1, 2]],
     lambda a: ((ROW < a[0]) | (ROW >= a[1])) & ((ROW < a[2]) | (ROW >= a[3]))),
]  # fmt: skip


@pytest.mark.parametrize("causal, indices, allowed", MASKS)
def test_masks_by_ranges_of_rows(causal, indices, allowed):
    q = random(1, 4, 2, 8)
    indices = np.array(indices, "int32")
    mask = allowed(indices.T[:, None])
    out = F.flashmask_attention(t(q), t(q), t(q), t(indices[None, None]), causal=causal)
    with np.errstate(invalid="ignore"):
        expected = reference(q, q, q, hide(mask))
    expected[:, ~mask.any(1)] = 0
    close(out, expected)


def test_windows():
    q = random(1, 4, 2, 8)
    out = F.flashmask_attention(t(q), t(q), t(q), window_size=1, causal=True)
    close(out, reference(q, q, q, hide((ROW >= COLUMN) & (ROW - COLUMN <= 1))))


def layer_norm(x, layer):
    centre = x - x.mean(-1, keepdims=True)
    return centre / np.sqrt((centre**2).mean(-1, keepdims=True) + 1e-5) * layer.weight.numpy() + layer.bias.numpy()


def linear(x, layer):
    return x @ layer.weight.numpy() + layer.bias.numpy()


def heads(layer, x, other, mask=None):
    def split(y):
        return y.reshape(*y.shape[:2], layer.num_heads, -1)

    parts = split(linear(x, layer.q_proj)), split(linear(other, layer.k_proj)), split(linear(other, layer.v_proj))
    return linear(reference(*parts, mask).reshape(x.shape), layer.out_proj)


@pytest.mark.parametrize("before", [False, True])
def test_decoder_layer_equals_its_parts(before):
    layer = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0, normalize_before=before)
    x, memory = random(2, 3, 8), random(2, 5, 8)
    causal = hide(np.tril(np.ones((3, 3), bool)))

    def branch(x, norm, inner):
        return x + inner(layer_norm(x, norm)) if before else layer_norm(x + inner(x), norm)

    y = branch(x, layer.norm1, lambda x: heads(layer.self_attn, x, x, causal))
    y = branch(y, layer.norm2, lambda x: heads(layer.cross_attn, x, memory))
    y = branch(y, layer.norm3, lambda x: linear(np.maximum(linear(x, layer.linear1), 0), layer.linear2))
    mask = nn.Transformer.generate_square_subsequent_mask(None, 3)
    close(layer(t(x), t(memory), mask), y)


def test_steps_with_a_cache_equal_the_whole():
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), 2)
    x, memory = t(random(2, 4, 8)), t(random(2, 5, 8))
    whole = decoder(x, memory, nn.Transformer.generate_square_subsequent_mask(None, 4))
    cache, outs = decoder.gen_cache(memory), []
    for i in range(4):
        out, cache = decoder(x[:, i : i + 1], memory, cache=cache)
        outs.append(out)
    close(paddle.concat(outs, 1), whole.numpy())
    incremental, static = cache[0]
    assert isinstance(incremental, nn.MultiHeadAttention.Cache) and incremental.k.shape == [2, 2, 4, 4]
    assert isinstance(static, nn.MultiHeadAttention.StaticCache) and static.k.shape == [2, 2, 5, 4]
    assert len(decoder.gen_cache(memory, do_zip=True)) == 2


def test_need_weights_gives_the_same_result():
    layer = nn.MultiHeadAttention(8, 2, need_weights=True)
    plain = nn.MultiHeadAttention(8, 2)
    plain.set_state_dict(layer.state_dict())
    x = t(random(2, 3, 8))
    out, weights = layer(x)
    close(out, plain(x).numpy())
    close(weights.sum(-1), np.ones((2, 2, 3)))


def test_transformer_trains():
    model = nn.Transformer(8, 2, 1, 1, 16, dropout=0.1)
    out = model(paddle.randn([2, 3, 8]), paddle.randn([2, 4, 8]))
    out.sum().backward()
    assert out.shape == [2, 4, 8] and all(p.grad is not None for p in model.parameters())


def test_caches_are_named_tuples():
    attention = nn.MultiHeadAttention(8, 2)
    memory = paddle.rand([2, 5, 8])
    for kind in (attention.Cache, attention.StaticCache):
        cache = attention.gen_cache(memory, memory if kind is attention.StaticCache else None, kind)
        rows = paddle.utils.map_structure(
            lambda t: paddle.index_select(t, paddle.to_tensor([1, 1, 0])), [(cache, 3 * memory)]
        )
        assert type(rows[0][0]) is kind and kind._fields == ("k", "v") and rows[0][0].k.shape[0] == 3
    assert not isinstance(attention.gen_cache(memory, memory, attention.StaticCache), attention.Cache)


class Turned(nn.MultiHeadAttention):
    """Negates the keys, which lie in [batch, heads, length, size]."""

    def _prepare_qkv(self, query, key, value, cache=None):
        q, k, *rest = super()._prepare_qkv(query, key, value, cache)
        assert q.shape[1] == k.shape[1] == self.num_heads
        return (q, -k, *rest)


@pytest.mark.parametrize("need_weights", [False, True])
def test_subclasses_prepare_query_keys_and_values(need_weights):
    paddle.seed(0)
    plain = nn.MultiHeadAttention(8, 2, need_weights=need_weights)
    turned = Turned(8, 2, need_weights=need_weights)
    turned.set_state_dict(plain.state_dict())
    x = paddle.rand([2, 5, 8])
    before = plain(x)
    with paddle.no_grad():
        for parameter in (plain.k_proj.weight, plain.k_proj.bias):
            parameter.set_value(-parameter)
    for a, b, c in zip(*(o if need_weights else [o] for o in (turned(x), plain(x), before)), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-6)
        assert abs(a - c).max() > 1e-4


def test_an_object_projects_keys_and_values_its_own_way():
    attention = nn.MultiHeadAttention(8, 2)
    x = paddle.rand([2, 5, 8])
    wanted = attention(x, x, 2 * x)
    attention.compute_kv = lambda key, value: nn.MultiHeadAttention.compute_kv(attention, key, 2 * value)
    np.testing.assert_allclose(attention(x).numpy(), wanted.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("keys", [40, 600])  # one tile of keys, and several
def test_gradients_at_large_scores(keys):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((1, n, 2, 16)) * s for n, s in ((40, 30.0), (keys, 30.0), (keys, 1.0))]

    def gradients(dtype):
        leaves = [paddle.to_tensor(a.astype("float32").astype(dtype), stop_gradient=False) for a in arrays]
        out = F.scaled_dot_product_attention(*leaves)
        (out * paddle.cos(paddle.arange(out.size, dtype=dtype).reshape(out.shape))).sum().backward()
        return leaves[2].grad.numpy()

    exact = gradients("float64")
    assert np.abs(gradients("float32") - exact).max() < 2e-5 * np.abs(exact).max()


def test_attention_drops_what_its_mask_says():
    rng = np.random.default_rng(0)
    q, k, v = (t(rng.standard_normal([2, n, 3, 8])) for n in (5, 100, 100))
    for x in (q, k, v):
        x.stop_gradient = False
    out, _, _, seed = paddle._C_ops.flash_attn(q, k, v, None, None, 0.3, False, False, False, "")
    mask = paddle._C_ops.attn_dropout_mask(seed, [2, 3, 5, 100], 0.3).cast(q.dtype)
    scores = paddle.einsum("blhd,bmhd->bhlm", q, k) / 8**0.5
    expected = paddle.einsum("bhlm,bmhd->blhd", F.softmax(scores, -1) * mask, v)
    close(out, expected)
    weight = paddle.cos(paddle.arange(out.size, dtype=out.dtype)).reshape(out.shape)
    for got, wanted in zip(*(paddle.grad((o * weight).sum(), [q, k, v]) for o in (out, expected)), strict=True):
        close(got, wanted)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_layers_in_16_bits_take_masks_of_every_kind(dtype):
    layer = paddle.nn.MultiHeadAttention(8, 2)
    x, seen = paddle.rand([1, 3, 8]), np.tril(np.ones((3, 3), bool))
    masks = [paddle.to_tensor(m) for m in (seen, seen.astype("int64"), np.where(seen, 0, -np.inf).astype("float32"))]
    expected = layer(x, x, x, masks[0]).numpy()
    layer.to(dtype=dtype)
    x = x.astype(dtype)
    for mask in masks:
        np.testing.assert_allclose(layer(x, x, x, mask).astype("float32").numpy(), expected, atol=0.05)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("rows", [1, 3, 140])  # a step of decoding, and a prompt of more than one tile
def test_long_sequences(rows, dtype):
    q, k, v = (t(random(1, n, h, 40)).astype(dtype) for n, h in ((rows, 4), (300, 2), (300, 2)))
    mask = t(np.where(RNG.rand(1, 1, rows, 300) > 0.3, 0, -1e4).astype("float32")).astype(dtype)
    wide = [x.astype("float64").numpy() for x in (q, k, v, mask)]
    error = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}[dtype]
    out = F.scaled_dot_product_attention(q, k, v, mask)
    np.testing.assert_allclose(out.astype("float64").numpy(), reference(*wide), rtol=error, atol=error / 2)
    causal = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    seen = hide(np.tril(np.ones((rows, 300), bool)))
    np.testing.assert_allclose(causal.astype("float64").numpy(), reference(*wide[:3], seen), rtol=error, atol=error / 2)


@pytest.mark.parametrize("shape", [(2, 1, 1, 1), (1, 3, 5, 1), (1, 1, 1, 7)])
def test_masks_of_few_elements(shape):
    q, k, v = random(2, 5, 3, 8), random(2, 7, 3, 8), random(2, 7, 3, 8)
    seen = np.ones(shape, bool)
    if shape[3] > 1:
        seen[..., 2:4] = False
    added = random(*shape)
    close(F.scaled_dot_product_attention(t(q), t(k), t(v), t(seen)), reference(q, k, v, hide(seen)))
    close(F.scaled_dot_product_attention(t(q), t(k), t(v), t(added)), reference(q, k, v, added))


def test_queries_that_see_nothing_give_zeros():
    q = t(random(1, 6, 2, 8))
    seen = paddle.ones([1, 1, 6, 1], "bool")
    seen[0, 0, 3] = False
    out = F.scaled_dot_product_attention(q, q, q, seen)
    assert bool((out[0, 3] == 0).all()) and bool((out[0, 2] != 0).all())
