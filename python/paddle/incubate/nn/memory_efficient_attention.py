# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention with a bias, and the bias of causal attention."""

from ...nn import functional as F

__all__ = ["LowerTriangularMask", "memory_efficient_attention"]


class LowerTriangularMask:
    """Positions attend only to earlier ones."""


def memory_efficient_attention(query, key, value, attn_bias=None, p=0.0, scale=None, training=True):
    """Attention for [batch, length, heads, size].

    Args:
        attn_bias: None, a LowerTriangularMask, or a tensor that is added to the scores.
        p: Probability that a weight is dropped while training.
        scale: 1 / sqrt(size) by default.
    """
    causal = isinstance(attn_bias, LowerTriangularMask)
    bias = None if causal else attn_bias
    return F.scaled_dot_product_attention(query, key, value, bias, p, causal, training, scale=scale)
