# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention over the operator flash_attn."""

from ... import _core

ops = _core.ops

__all__ = ["scaled_dot_product_attention", "flash_attention"]


def scaled_dot_product_attention(
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    training=True,
    backend=None,
    scale=None,
    enable_gqa=True,
    name=None,
):
    """softmax(query @ key^T * scale + mask) @ value, for [batch, length, heads, size].

    Args:
        attn_mask: True where attention is allowed, or what is added to the scores.
        dropout_p: Probability that a weight is dropped while training.
        is_causal: Positions attend only to earlier ones.
        scale: 1 / sqrt(size) by default.
        enable_gqa: Fewer heads of key and value serve groups of query heads.
    """
    if attn_mask is not None and is_causal:
        raise ValueError("scaled_dot_product_attention: attn_mask is given and is_causal is True; pass one of them.")
    heads = query.shape[2]
    if key.shape[2] != heads:
        if not enable_gqa or heads % key.shape[2]:
            raise ValueError(
                f"scaled_dot_product_attention: query has {heads} heads and key {key.shape[2]}; "
                f"they must be equal, or a multiple with enable_gqa=True."
            )
        key, value = (_spread_heads(t, heads // key.shape[2]) for t in (key, value))
    if scale is not None:
        query = query * (scale * query.shape[3] ** 0.5)
    if attn_mask is not None and attn_mask.dtype.name == "bool":
        none = ops.full_like(ops.cast(attn_mask, query.dtype), 0.0)
        low = ops.full_like(none, float("-inf"))
        attn_mask = ops.where(attn_mask, none, low)
    drop = float(dropout_p) if training else 0.0
    return ops.flash_attn(query, key, value, None, attn_mask, drop, is_causal, False, not training, "")[0]


def _spread_heads(x, times):
    batch, length, heads, size = x.shape
    wide = ops.expand(ops.unsqueeze(x, [3]), [batch, length, heads, times, size])
    return ops.reshape(wide, [batch, length, heads * times, size])


def flash_attention(
    query,
    key,
    value,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    *,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
):
    """Attention for [batch, length, heads, size]; returns the result and None or the softmax."""
    if return_softmax:
        raise NotImplementedError(
            "flash_attention: return_softmax=True is not available; compute the softmax with matmul and softmax."
        )
    out = scaled_dot_product_attention(query, key, value, None, dropout, causal, training)
    return out, None
