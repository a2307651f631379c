# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Joined functions and layers of incubate.nn against their parts in NumPy."""

import numpy as np
import paddle
import pytest
from paddle.incubate import nn as inn
from scipy import special

I = inn.functional
RNG = np.random.RandomState(0)
X, R = (RNG.randn(2, 3, 8).astype("float32") for _ in range(2))
W, B = (RNG.rand(8).astype("float32") for _ in range(2))


def t(a):
    return paddle.to_tensor(a)


def norm(x, w, b):
    centre = x - x.mean(-1, keepdims=True)
    return centre / np.sqrt((centre**2).mean(-1, keepdims=True) + 1e-5) * w + b


def close(ours, theirs):
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-4, atol=1e-5)


def test_rms_norm_of_a_sum():
    out, kept = I.fused_rms_norm(t(X), t(W), None, 1e-5, 2, residual=t(R), bias=t(B))
    total = X + B + R
    close(kept, total)
    close(out, total / np.sqrt((total**2).mean(-1, keepdims=True) + 1e-5) * W)
    assert I.fused_rms_norm(t(X), t(W), None, 1e-5, 2)[1].size == 0
    out, inverse = I.fused_rms_norm_ext(t(X), t(W))
    close(inverse, 1 / np.sqrt((X**2).mean(-1) + 1e-5))


def test_layer_norm_of_a_sum():
    out, kept, mean, inverse = I.fused_layer_norm(t(X), t(W), t(B), 1e-5, 0.5, 2, None, t(R))
    total = X + 0.5 * R
    close(kept, total)
    close(out, norm(total, W, B))
    close(mean, total.mean(-1))
    close(inverse, 1 / np.sqrt(total.var(-1) + 1e-5))


@pytest.mark.parametrize("transpose", [False, True])
def test_linear(transpose):
    weight = RNG.randn(8, 4).astype("float32")
    given = weight.T.copy() if transpose else weight
    close(I.fused_linear(t(X), t(given), t(B[:4]), transpose), X @ weight + B[:4])
    close(
        I.fused_linear_activation(t(X), t(given), t(B[:4]), False, transpose, "relu"), np.maximum(X @ weight + B[:4], 0)
    )
    layer = inn.FusedLinear(8, 4, transpose_weight=transpose)
    w = layer.weight.numpy()
    close(layer(t(X)), X @ (w.T if transpose else w) + layer.bias.numpy())


def test_bias_and_activation():
    close(I.fused_bias_act(t(X), t(B), act_method="gelu"), (X + B) * special.ndtr(X + B))
    first, second = np.split(X, 2, -1)
    close(I.fused_bias_act(t(X), act_method="swiglu"), first * special.expit(first) * second)
    close(I.swiglu(t(X)), first * special.expit(first) * second)
    close(I.fused_bias_act(t(X), act_method="relu", shift=t(B), smooth=t(W)), (np.maximum(X, 0) + B) * W)
    with pytest.raises(ValueError):
        I.fused_bias_act(t(X), act_method="sin")


def test_rotary_tables_are_computed_when_absent():
    q = RNG.randn(1, 3, 2, 4).astype("float32")
    angle = np.arange(3)[:, None] * 10000.0 ** (-np.arange(0, 4, 2) / 4)
    turned = (q[..., 0::2] + 1j * q[..., 1::2]) * np.exp(1j * angle)[None, :, None]
    expected = np.stack([turned.real, turned.imag], -1).reshape(q.shape)
    out, k, v = I.fused_rotary_position_embedding(t(q))
    close(out, expected)
    assert k is None and v is None


def attention(q, k, v):
    p = special.softmax(np.einsum("blhd,bmhd->bhlm", q, k) / np.sqrt(q.shape[-1]), -1)
    return np.einsum("bhlm,bmhd->blhd", p, v)


def test_encoder_layer_equals_its_parts():
    layer = inn.FusedTransformerEncoderLayer(8, 2, 16, dropout_rate=0.0)
    a, f = layer.fused_attn, layer.ffn
    qkv = np.einsum("bls,thds->tblhd", X, a.qkv_weight.numpy()) + a.qkv_bias.numpy()[:, None, None]
    heads = attention(*qkv).reshape(2, 3, 8)
    y = norm(X + heads @ a.linear_weight.numpy() + a.linear_bias.numpy(), a.ln_scale.numpy(), a.ln_bias.numpy())
    inner = np.maximum(y @ f._linear1_weight.numpy() + f._linear1_bias.numpy(), 0)
    out = norm(
        y + inner @ f._linear2_weight.numpy() + f._linear2_bias.numpy(), f._ln2_scale.numpy(), f._ln2_bias.numpy()
    )
    close(layer(t(X)), out)


def test_attention_with_lengths():
    q = RNG.randn(2, 2, 3, 4).astype("float32")
    lengths = paddle.to_tensor([[2], [3]])
    out = I.variable_length_memory_efficient_attention(t(q), t(q), t(q), lengths, lengths).numpy()
    short = q[:1, :, :2].transpose(0, 2, 1, 3)
    np.testing.assert_allclose(
        out[:1, :, :2], attention(short, short, short).transpose(0, 2, 1, 3), rtol=1e-4, atol=1e-5
    )
    assert (out[0, :, 2] == 0).all()


def test_masked_softmax():
    x = RNG.randn(1, 1, 3, 3).astype("float32")
    hidden = np.where(np.tril(np.ones((3, 3))) > 0, x, -np.inf)
    close(paddle.incubate.softmax_mask_fuse_upper_triangle(t(x)), special.softmax(hidden, -1))
    close(paddle.incubate.softmax_mask_fuse(t(x), t(x)), special.softmax(2 * x, -1))
    assert paddle.incubate.identity_loss(t(x), "sum").item() == pytest.approx(x.sum(), abs=1e-4)


def test_counts_of_integers():
    counts = I.int_bincount(paddle.to_tensor([1, 2, 2, 5]), 0, 4)
    assert counts.tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize("method, shape", [("1x128", (128, 1)), ("128x128", (1, 1))])
def test_blocks_of_8_bit_floats_come_back(method, shape):
    x = RNG.randn(128, 128).astype("float32")
    out, scale = I.fp8_quant_blockwise(t(x), quant_method=method, output_scale_transpose=False)
    assert out.dtype == paddle.float8_e4m3fn and scale.shape == list(shape)
    back = out.astype("float32").numpy() * scale.numpy()
    np.testing.assert_allclose(back, x, rtol=0.07, atol=0.01)
    assert (np.log2(scale.numpy()) % 1 == 0).all()
