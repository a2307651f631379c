# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention with a bias: a tensor or one of the objects of `attn_bias`."""

from ...nn import functional as F
from .attn_bias import (
    AttentionBias,
    BlockDiagonalCausalMask,
    BlockDiagonalCausalWithOffsetPaddedKeysMask,
    BlockDiagonalMask,
    LowerTriangularMask,
    LowerTriangularMaskWithTensorBias,
)

__all__ = [
    "BlockDiagonalCausalMask",
    "BlockDiagonalCausalWithOffsetPaddedKeysMask",
    "BlockDiagonalMask",
    "LowerTriangularMask",
    "LowerTriangularMaskWithTensorBias",
    "memory_efficient_attention",
]


def memory_efficient_attention(query, key, value, attn_bias=None, p=0.0, scale=None, training=True):
    """Attention for [batch, length, heads, size].

    Args:
        attn_bias: None, an AttentionBias, or a tensor that is added to the scores.
        p: Probability that a weight is dropped while training.
        scale: 1 / sqrt(size) by default.
    """
    causal = type(attn_bias) is LowerTriangularMask
    bias = None if causal else attn_bias
    if isinstance(bias, AttentionBias):
        bias = bias.materialize([query.shape[0], query.shape[2], query.shape[1], key.shape[1]], query.dtype)
    return F.scaled_dot_product_attention(query, key, value, bias, p, causal, training, scale=scale)
