# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A stack of transformer layers as one call, with caches of keys and values for generation."""

from .... import _core
from ....framework.modes import no_grad
from .generation import PAGED, _turned, paged

__all__ = ["fused_multi_transformer"]

ops = _core.ops
_NAME = "fused_multi_transformer"
_GATED = {"swiglu": "silu", "geglu": "gelu"}


def _one(tensors, layer):
    return None if not tensors else tensors[layer]


def _normalized(x, scale, bias, kind, epsilon):
    from ....nn import functional as F

    if kind == "layernorm":
        return F.layer_norm(x, [x.shape[-1]], scale, bias, epsilon)
    wide = ops.cast(x, _core.float32) if x.dtype.name in ("float16", "bfloat16") else x
    out = ops.cast(wide * ops.rsqrt(ops.mean(wide * wide, [-1], True) + epsilon), x.dtype)
    out = out if scale is None else out * ops.cast(scale, x.dtype)
    return out if bias is None else out + ops.cast(bias, x.dtype)


def _projected(x, weight, bias, transposed, groups):
    """Queries, keys and values of rows x [batch, tokens, size], each [batch, heads, tokens, head size]."""
    batch, tokens, size = x.shape
    shape = list(weight.shape)
    head = shape[-2] if transposed else shape[-1]
    rows = ops.matmul(x, ops.reshape(weight, [-1, size] if transposed else [size, -1]), False, transposed)
    if bias is not None:
        rows = rows + ops.reshape(bias, [-1])
    rows = ops.transpose(ops.reshape(rows, [batch, tokens, -1, head]), [0, 2, 1, 3])
    heads = rows.shape[1] - 2 * groups if groups > 0 else rows.shape[1] // 3
    groups = groups if groups > 0 else heads
    return ops.split(rows, [heads, groups, groups], 1)


def _attended(query, key, value, bias):
    """softmax(query key^T / sqrt(size) + bias) value; a group of heads shares a key."""
    batch, heads, tokens, size = query.shape
    groups, past = key.shape[1:3]
    query = ops.reshape(query, [batch, groups, heads // groups * tokens, size])
    scores = ops.reshape(ops.matmul(query * size**-0.5, key, False, True), [batch, heads, tokens, past])
    if bias is not None:
        scores = scores + ops.cast(bias, scores.dtype)
    weights = ops.reshape(ops.softmax(scores, -1), [batch, groups, -1, past])
    return ops.reshape(ops.matmul(weights, value, False, False), [batch, heads, tokens, size])


def _beyond(lengths, places, dtype):
    """What hides the places from lengths [batch] on, [batch, 1, 1, places]."""
    hidden = ops.unsqueeze(ops.arange(0, places, 1, _core.int64), [0]) >= ops.reshape(lengths, [-1, 1])
    return ops.cast(ops.reshape(hidden, [-1, 1, 1, places]), dtype) * -1e9


def _places(time_step, seq_lens, batch, limit):
    """Where the one new token of each sequence stands."""
    if seq_lens is None:
        at = [int(time_step)] * batch
    else:
        at = [int(n) for n in ops.reshape(seq_lens, [-1]).tolist()]
    if len(at) != batch or not all(0 <= n < limit for n in at):
        raise ValueError(
            f"{_NAME}: the positions of the new tokens are {at}; there must be {batch}, each in [0, {limit})."
        )
    return at


class _Call:
    """What all layers of one call share."""

    def __init__(self, x, attn_mask, seq_lens, time_step, rotary, neox):
        self.mask, self.seq_lens, self.time_step = attn_mask, seq_lens, time_step
        self.rotary, self.neox, self.generates = rotary, neox, time_step is not None
        if self.generates and x.shape[1] != 1:
            raise ValueError(f"{_NAME}: time_step is given and x has {x.shape[1]} tokens; pass one token a sequence.")
        self.lengths = None if seq_lens is None else ops.cast(seq_lens, _core.int64)

    def turned(self, x):
        if self.rotary is None:
            return x
        cos, sin = self.rotary[0], self.rotary[1]
        if self.generates and cos.shape[-2] > 1:
            at = _places(self.time_step, self.seq_lens, x.shape[0], cos.shape[-2])
            cos, sin = (ops.stack([table[b, :, n : n + 1] for b, n in enumerate(at)], 0) for table in (cos, sin))
        return ops.cast(_turned(x, cos, sin, self.neox), x.dtype)

    def attention(self, query, key, value, cache, prefix):
        query, key = self.turned(query), self.turned(key)
        if self.generates:
            if cache is None:
                raise ValueError(f"{_NAME}: time_step is given without cache_kvs; earlier keys and values are needed.")
            return self._next(query, key, value, cache)
        before = 0
        if prefix is not None:
            before = prefix.shape[3]
            key, value = ops.concat([prefix[0], key], 2), ops.concat([prefix[1], value], 2)
        if cache is not None:
            if key.shape[2] > cache.shape[3]:
                raise ValueError(f"{_NAME}: {key.shape[2]} tokens do not fit a cache of {cache.shape[3]} places.")
            with no_grad():
                cache[0, :, :, : key.shape[2]], cache[1, :, :, : key.shape[2]] = key.detach(), value.detach()
        bias = self.mask
        if self.lengths is not None:
            hidden = _beyond(self.lengths + before, key.shape[2], query.dtype)
            bias = hidden if bias is None else ops.cast(bias, query.dtype) + hidden
        return _attended(query, key, value, bias)

    def _next(self, query, key, value, cache):
        batch = query.shape[0]
        at = _places(self.time_step, self.seq_lens, batch, cache.shape[3])
        if self.mask is None and cache.dtype in PAGED and query.dtype in PAGED:
            with no_grad():
                # A sequence is a block.
                rows = ops.concat([query, key, value], 1)[:, :, 0]
                found = paged(rows, (cache[0], cache[1]), [[b] for b in range(batch)], at, [1] * batch)
            return ops.unsqueeze(found, [2])
        with no_grad():
            for b, place in enumerate(at):
                cache[0, b, :, place], cache[1, b, :, place] = key[b, :, 0], value[b, :, 0]
        end = max(at) + 1
        bias = None if self.mask is None else ops.cast(self.mask[:, :, :, :end], query.dtype)
        if min(at) != max(at):
            hidden = _beyond(_core.to_tensor([n + 1 for n in at]), end, query.dtype)
            bias = hidden if bias is None else bias + hidden
        return _attended(query, cache[0, :, :, :end], cache[1, :, :, :end], bias)


def fused_multi_transformer(
    x,
    ln_scales,
    ln_biases,
    qkv_weights,
    qkv_biases,
    linear_weights,
    linear_biases,
    ffn_ln_scales,
    ffn_ln_biases,
    ffn1_weights,
    ffn1_biases,
    ffn2_weights,
    ffn2_biases,
    pre_layer_norm=True,
    epsilon=1e-05,
    residual_alpha=1.0,
    cache_kvs=None,
    beam_offset=None,
    pre_caches=None,
    seq_lens=None,
    rotary_embs=None,
    time_step=None,
    attn_mask=None,
    dropout_rate=0.0,
    rotary_emb_dims=0,
    activation="gelu",
    training=False,
    mode="upscale_in_train",
    trans_qkvw=True,
    ring_id=-1,
    norm_type="layernorm",
    use_neox_rotary_style=False,
    gqa_group_size=-1,
    name=None,
):
    """Layers of attention and feed-forward network, one after another; every list has an entry a layer, or is None.

    Args:
        x: [batch, tokens, size].
        ln_scales, ln_biases: Of the norm of the attention, [size].
        qkv_weights: [3, heads, head size, size], or [size, 3, heads, head size] where not trans_qkvw; with
            gqa_group_size [heads + 2 groups, head size, size].
        qkv_biases: [3, heads, head size].
        linear_weights, linear_biases: Of the projection after the attention, [heads * head size, size] and [size].
        ffn_ln_scales, ffn_ln_biases: Of the norm of the network, [size].
        ffn1_weights, ffn1_biases: Of its first layer, [size, inner] and [inner]; twice as wide for swiglu and geglu.
        ffn2_weights, ffn2_biases: Of its second layer, [inner, size] and [size].
        pre_layer_norm: Whether norms stand before attention and network, or behind the sums.
        residual_alpha: Factor of what goes round attention and network.
        cache_kvs: Keys and values, [2, batch, heads, places, head size] a layer; written.
        beam_offset: Must be None.
        pre_caches: Keys and values of a prefix, [2, batch, heads, tokens, head size] a layer.
        seq_lens: Tokens of each sequence, [batch]: those behind them are not attended to; with time_step the place of
            each new token.
        rotary_embs: Cosines and sines, [2, batch, 1, places, head size].
        time_step: The place of the one new token; None for a prompt.
        attn_mask: Added to the scores, [batch, 1, tokens, tokens seen].
        dropout_rate, training, mode: Dropout before each sum.
        rotary_emb_dims: 1 to turn queries and keys by rotary_embs, 0 not to.
        activation: 'gelu', 'relu', 'swiglu' or 'geglu'.
        norm_type: 'layernorm' or 'rmsnorm'.
        use_neox_rotary_style: Whether the halves of a head are turned, in place of neighbours.
        gqa_group_size: Number of heads of keys and values; -1: that of queries.

    Returns:
        The result, of the shape of x; with cache_kvs (result, cache_kvs).
    """
    from ....nn import functional as F

    if mode not in ("upscale_in_train", "downscale_in_infer"):
        raise ValueError(f"{_NAME}: mode has value {mode!r}; it must be 'upscale_in_train' or 'downscale_in_infer'.")
    if norm_type not in ("layernorm", "rmsnorm"):
        raise ValueError(f"{_NAME}: norm_type has value {norm_type!r}; it must be 'layernorm' or 'rmsnorm'.")
    if activation not in ("gelu", "relu", *_GATED):
        raise ValueError(f"{_NAME}: activation has value {activation!r}; it must be gelu, relu, swiglu or geglu.")
    if beam_offset is not None or rotary_emb_dims not in (0, 1) or ring_id != -1:
        raise NotImplementedError(
            f"{_NAME}: beam_offset must be None, rotary_emb_dims 0 or 1 and ring_id -1 on one processor."
        )
    shared = _Call(x, attn_mask, seq_lens, time_step, rotary_embs if rotary_emb_dims else None, use_neox_rotary_style)

    def added(residual, out):
        return residual * residual_alpha + F.dropout(out, dropout_rate, training=training, mode=mode)

    def network(h, i):
        inner = ops.matmul(h, ffn1_weights[i], False, False)
        if ffn1_biases:
            inner = inner + ffn1_biases[i]
        if activation in _GATED:
            gate, up = ops.split(inner, [inner.shape[-1] // 2] * 2, -1)
            inner = getattr(F, _GATED[activation])(gate) * up
        else:
            inner = getattr(F, activation)(inner)
        inner = ops.matmul(inner, ffn2_weights[i], False, False)
        return inner + ffn2_biases[i] if ffn2_biases else inner

    for i in range(len(qkv_weights)):
        norm = _one(ln_scales, i), _one(ln_biases, i), norm_type, epsilon
        ffn_norm = _one(ffn_ln_scales, i), _one(ffn_ln_biases, i), norm_type, epsilon
        h = _normalized(x, *norm) if pre_layer_norm else x
        parts = _projected(h, qkv_weights[i], _one(qkv_biases, i), trans_qkvw, gqa_group_size)
        found = shared.attention(*parts, _one(cache_kvs, i), _one(pre_caches, i))
        found = ops.reshape(ops.transpose(found, [0, 2, 1, 3]), [*x.shape[:2], -1])
        found = ops.matmul(found, linear_weights[i], False, False)
        x = added(x, found + linear_biases[i] if linear_biases else found)
        x = x if pre_layer_norm else _normalized(x, *norm)
        x = added(x, network(_normalized(x, *ffn_norm) if pre_layer_norm else x, i))
        x = x if pre_layer_norm else _normalized(x, *ffn_norm)
    return x if cache_kvs is None else (x, cache_kvs)
