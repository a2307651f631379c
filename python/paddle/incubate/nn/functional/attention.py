# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention joined with its projections, and attention of several lengths."""

from .... import _core
from ....nn import functional as F

ops = _core.ops

__all__ = [
    "fused_dot_product_attention",
    "variable_length_memory_efficient_attention",
    "fused_multi_head_attention",
]


def fused_dot_product_attention(
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    scaling_factor=None,
    training=True,
    name=None,
):
    """scaled_dot_product_attention with a factor of one's own, for [batch, length, heads, size]."""
    return F.scaled_dot_product_attention(
        query, key, value, attn_mask, dropout_p, is_causal, training, scale=scaling_factor
    )


def variable_length_memory_efficient_attention(
    query,
    key,
    value,
    seq_lens,
    kv_seq_lens,
    mask=None,
    scale=None,
    causal=False,
    pre_cache_length=0,
):
    """Attention in which each sample has lengths of its own.

    Args:
        query: [batch, heads, length, size].
        key: [batch, key heads, key length, size].
        value: As key.
        seq_lens: Lengths of the queries, [batch, 1].
        kv_seq_lens: Lengths of the keys, [batch, 1].
        mask: What is added to the scores, [batch, 1, length, key length].
        scale: 1 / sqrt(size) by default.
        causal: Positions attend only to earlier ones, pre_cache_length keys standing before them.

    Returns:
        [batch, heads, length, size]; 0 behind the end of a sample.
    """
    rows, columns = query.shape[2], key.shape[2]

    def below(lengths, count, shape):
        positions = ops.reshape(ops.arange(0, count, 1, _core.int64), shape)
        return positions < ops.reshape(ops.cast(lengths, _core.int64), [-1, 1, 1, 1])

    real = below(seq_lens, rows, [1, 1, rows, 1])
    allowed = below(kv_seq_lens, columns, [1, 1, 1, columns])
    if causal:
        row = ops.reshape(ops.arange(0, rows, 1, _core.int64), [1, 1, rows, 1])
        column = ops.reshape(ops.arange(0, columns, 1, _core.int64), [1, 1, 1, columns])
        allowed = ops.logical_and(allowed, column <= row + pre_cache_length)
    # Rows that see nothing attend to everything, and are cleared afterwards.
    visible = ops.logical_and(ops.any(allowed, [3], True), real)
    allowed = ops.logical_or(allowed, ops.logical_not(visible))
    low = ops.where(allowed, ops.full([], 0.0, query.dtype), ops.full([], float("-inf"), query.dtype))
    scores = low if mask is None else low + mask
    q, k, v = (ops.transpose(t, [0, 2, 1, 3]) for t in (query, key, value))
    out = F.scaled_dot_product_attention(q, k, v, scores, scale=scale, training=False)
    return ops.where(visible, ops.transpose(out, [0, 2, 1, 3]), ops.full([], 0.0, query.dtype))


def _project(x, qkv_weight, qkv_bias, num_heads, transposed):
    """Query, key and value, [batch, length, heads, size] each."""
    size = x.shape[-1]
    if transposed:
        if num_heads <= 0:
            raise ValueError(
                f"fused_multi_head_attention: num_heads is {num_heads}; with transpose_qkv_wb=True it must be given."
            )
        heads, each = num_heads, qkv_weight.shape[1] // (3 * num_heads)
        qkv = ops.matmul(x, qkv_weight)
    else:
        heads, each = qkv_weight.shape[1], qkv_weight.shape[2]
        qkv = ops.matmul(x, ops.reshape(qkv_weight, [3 * heads * each, size]), False, True)
    if qkv_bias is not None:
        qkv = qkv + ops.reshape(qkv_bias, [-1])
    return ops.unbind(ops.reshape(qkv, [x.shape[0], x.shape[1], 3, heads, each]), 2)


def fused_multi_head_attention(
    x,
    qkv_weight,
    linear_weight,
    pre_layer_norm=False,
    pre_ln_scale=None,
    pre_ln_bias=None,
    ln_scale=None,
    ln_bias=None,
    pre_ln_epsilon=1e-05,
    qkv_bias=None,
    linear_bias=None,
    cache_kv=None,
    attn_mask=None,
    dropout_rate=0.5,
    attn_dropout_rate=0.5,
    ln_epsilon=1e-05,
    training=True,
    mode="upscale_in_train",
    ring_id=-1,
    add_residual=True,
    num_heads=-1,
    transpose_qkv_wb=False,
    name=None,
):
    """x + dropout(linear(attention(x))), with a layer norm before or behind.

    Args:
        x: [batch, length, size].
        qkv_weight: [3, heads, head size, size], or [size, 3 * size] with transpose_qkv_wb.
        linear_weight: [heads * head size, size].
        qkv_bias: [3, heads, head size], or [3 * size] with transpose_qkv_wb.
        cache_kv: Earlier keys and values, [2, batch, heads, length, head size].
        attn_mask: What is added to the scores, or a bool that is True where attention is allowed.
        pre_layer_norm: Normalise the input by pre_ln; else the result by ln.

    Returns:
        The result, of the shape of x; with cache_kv also the longer cache.
    """
    size = x.shape[-1:]
    inner = F.layer_norm(x, size, pre_ln_scale, pre_ln_bias, pre_ln_epsilon) if pre_layer_norm else x
    q, k, v = _project(inner, qkv_weight, qkv_bias, num_heads, transpose_qkv_wb)
    if cache_kv is not None:
        k, v = (ops.transpose(t, [0, 2, 1, 3]) for t in (k, v))
        old = ops.unbind(cache_kv, 0)
        cache_kv = ops.stack([ops.concat([old[0], k], 2), ops.concat([old[1], v], 2)], 0)
        k, v = (ops.transpose(t, [0, 2, 1, 3]) for t in ops.unbind(cache_kv, 0))
    if mode != "upscale_in_train" and attn_dropout_rate:
        raise NotImplementedError(
            f"fused_multi_head_attention: mode is {mode!r}; attention dropout knows 'upscale_in_train' only."
        )
    out = F.scaled_dot_product_attention(q, k, v, attn_mask, attn_dropout_rate, False, training)
    out = F.linear(ops.reshape(out, [*x.shape[:2], -1]), linear_weight, linear_bias)
    out = F.dropout(out, dropout_rate, training=training, mode=mode)
    out = x + out if add_residual else out
    out = out if pre_layer_norm else F.layer_norm(out, size, ln_scale, ln_bias, ln_epsilon)
    return out if cache_kv is None else (out, cache_kv)
