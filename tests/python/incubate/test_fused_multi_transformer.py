# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`fused_multi_transformer` against NumPy, and generation with caches against the whole sequence at once."""

import math

import numpy as np
import paddle
import pytest
from paddle.incubate.nn import FusedMultiTransformer
from paddle.incubate.nn import functional as F

HEADS, HEAD, SIZE, INNER = 2, 4, 8, 12
_erf = np.vectorize(math.erf)


def _norm(x, scale, bias):
    spread = np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return (x - x.mean(-1, keepdims=True)) / spread * scale + bias


def _attention(h, weight, bias, mask):
    q, k, v = np.einsum("bts,ghds->gbhtd", h, weight) + bias[:, None, :, None, :]
    scores = np.einsum("bhtd,bhsd->bhts", q, k) / math.sqrt(HEAD) + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("bhts,bhsd->bthd", weights, v).reshape(h.shape)


def _reference(x, layer, mask, before):
    """Two sums a layer, each of a branch and what goes round it."""
    array = {name: [p.numpy().astype("float64") for p in ps] for name, ps in vars(layer).items() if _is_list(ps)}
    for i in range(len(array["qkv_weights"])):
        get = {name: values[i] for name, values in array.items()}
        h = _norm(x, get["ln_scales"], get["ln_biases"]) if before else x
        x = x + _attention(h, get["qkv_weights"], get["qkv_biases"], mask) @ get["linear_weights"]
        x = x if before else _norm(x, get["ln_scales"], get["ln_biases"])
        h = _norm(x, get["ffn_ln_scales"], get["ffn_ln_biases"]) if before else x
        h = h @ get["ffn1_weights"] + get["ffn1_biases"]
        h = h * 0.5 * (1 + _erf(h / math.sqrt(2)))
        x = x + h @ get["ffn2_weights"]
        x = x if before else _norm(x, get["ffn_ln_scales"], get["ffn_ln_biases"])
    return x


def _is_list(value):
    return isinstance(value, list) and value and isinstance(value[0], paddle.Tensor)


def _layer(**settings):
    paddle.seed(7)
    normal = paddle.ParamAttr(initializer=paddle.nn.initializer.Normal(0.0, 0.5))
    names = ("ln_scale", "ln_bias", "qkv_weight", "qkv_bias", "ffn_ln_scale", "ffn_ln_bias", "ffn1_bias")
    return FusedMultiTransformer(
        SIZE, HEADS, INNER, num_layers=2, **{f"{name}_attrs": normal for name in names}, **settings
    )


def _causal(tokens):
    return np.triu(np.full((tokens, tokens), -1e9), 1)[None, None]


@pytest.mark.parametrize("before", [True, False])
def test_layers_are_attention_and_network(before):
    layer = _layer(normalize_before=before)
    x, mask = np.random.default_rng(0).normal(size=(2, 5, SIZE)), _causal(5)
    got = layer(paddle.to_tensor(x.astype("float32")), paddle.to_tensor(mask.astype("float32")))
    np.testing.assert_allclose(got.numpy(), _reference(x, layer, mask, before), rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("settings", [{}, {"gqa_group_size": 1}, {"norm_type": "rmsnorm", "activation": "swiglu"}])
def test_tokens_one_by_one_give_what_the_whole_sequence_gives(settings):
    layer = _layer(**settings)
    groups = settings.get("gqa_group_size", HEADS)
    x = paddle.randn([2, 4, SIZE])
    angles = paddle.arange(6, dtype="float32").reshape([1, 1, 6, 1]) * paddle.ones([2, 1, 6, HEAD])
    table = paddle.stack([paddle.cos(angles), paddle.sin(angles)])
    whole = layer(x, paddle.to_tensor(_causal(4).astype("float32")), rotary_embs=table[:, :, :, :4], rotary_emb_dims=1)
    caches = [paddle.zeros([2, 2, groups, 6, HEAD]) for _ in range(2)]
    mask = paddle.to_tensor(_causal(2).astype("float32"))
    first, _ = layer(x[:, :2], mask, caches, rotary_embs=table[:, :, :, :2], rotary_emb_dims=1)
    parts = [first]
    for at in (2, 3):
        step = paddle.to_tensor([at], dtype="int32")
        out, _ = layer(x[:, at : at + 1], None, caches, rotary_embs=table, rotary_emb_dims=1, time_step=step)
        parts.append(out)
    np.testing.assert_allclose(paddle.concat(parts, 1).numpy(), whole.numpy(), rtol=1e-4, atol=1e-5)


def test_sequences_of_their_own_lengths_stand_in_one_batch():
    layer = _layer()
    x = paddle.randn([2, 3, SIZE])
    alone = layer(x[1:, :2])
    together = layer(x, seq_lens=paddle.to_tensor([3, 2]))
    np.testing.assert_allclose(together.numpy()[1, :2], alone.numpy()[0], rtol=1e-4, atol=1e-5)


def test_a_prefix_is_attended_to():
    layer = _layer()
    prefixes = [paddle.randn([2, 1, HEADS, 2, HEAD]) for _ in range(2)]
    x = paddle.randn([1, 3, SIZE])
    hidden = paddle.concat([paddle.full([1, 1, 3, 2], -1e9), paddle.zeros([1, 1, 3, 3])], -1)
    np.testing.assert_allclose(layer(x, hidden, pre_caches=prefixes).numpy(), layer(x).numpy(), rtol=1e-4, atol=1e-5)
    assert abs(layer(x, pre_caches=prefixes).numpy() - layer(x).numpy()).max() > 1e-3


def test_parameters_have_the_names_of_the_lists_and_gradients():
    layer = FusedMultiTransformer(SIZE, HEADS, INNER, num_layers=1, trans_qkvw=False)
    assert [list(p.shape) for p in layer.parameters()] == [
        [SIZE],
        [SIZE, 3, HEADS, HEAD],
        [SIZE, SIZE],
        [SIZE],
        [SIZE, INNER],
        [INNER, SIZE],
    ]
    assert list(layer.state_dict()) == [p.name for p in layer.parameters()]
    layer(paddle.randn([1, 2, SIZE])).sum().backward()
    assert all(p.grad is not None for p in layer.parameters())


def test_what_does_not_fit_is_refused():
    layer = _layer()
    x = paddle.ones([1, 3, SIZE])
    with pytest.raises(AssertionError, match="multiple"):
        FusedMultiTransformer(8, 3, 16, num_layers=1)
    with pytest.raises(AssertionError, match="num_layers"):
        FusedMultiTransformer(8, 2, 16)
    with pytest.raises(AssertionError, match="caches"):
        layer(x, caches=[])
    with pytest.raises(ValueError, match="places"):
        layer(x, caches=[paddle.zeros([2, 1, HEADS, 2, HEAD])] * 2)
    with pytest.raises(ValueError, match="time_step"):
        layer(x, time_step=paddle.to_tensor([1]))
    with pytest.raises(ValueError, match="positions of the new tokens"):
        layer(x[:, :1], caches=[paddle.zeros([2, 1, HEADS, 2, HEAD])] * 2, time_step=paddle.to_tensor([5]))
    lists = [[p] for p in layer.parameters()[:6]]
    with pytest.raises(ValueError, match="mode"):
        F.fused_multi_transformer(x, *lists, *lists, mode="zz")
