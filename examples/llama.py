# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A small Llama: RMSNorm, rotary embedding, SwiGLU, causal attention (Touvron et al., 2023)."""

import paddle
from paddle import nn
from paddle.nn import functional as F


class Attention(nn.Layer):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim, bias_attr=False) for _ in range(4))

    def forward(self, x, cos, sin):
        batch, length, dim = x.shape
        q, k, v = (f(x).reshape([batch, length, self.heads, self.head_dim]) for f in (self.q, self.k, self.v))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(y.reshape([batch, length, dim]))


class FeedForward(nn.Layer):
    def __init__(self, dim, hidden):
        super().__init__()
        self.gate, self.up = (nn.Linear(dim, hidden, bias_attr=False) for _ in range(2))
        self.down = nn.Linear(hidden, dim, bias_attr=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Layer):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(dim), nn.RMSNorm(dim)
        self.attention, self.feed_forward = Attention(dim, heads), FeedForward(dim, dim * 8 // 3)

    def forward(self, x, cos, sin):
        x = x + self.attention(self.norm1(x), cos, sin)
        return x + self.feed_forward(self.norm2(x))


class Llama(nn.Layer):
    """tokens [batch, length] int64 -> logits [batch, length, vocabulary]."""

    def __init__(self, vocabulary=256, dim=192, layers=4, heads=6, longest=128):
        super().__init__()
        self.longest = longest
        self.embed = nn.Embedding(vocabulary, dim)
        self.blocks = nn.LayerList([Block(dim, heads) for _ in range(layers)])
        self.norm = nn.RMSNorm(dim)
        self.head = nn.Linear(dim, vocabulary, bias_attr=False)
        cos, sin = rotary_tables(longest, dim // heads)
        self.register_buffer("cos", cos, persistable=False)
        self.register_buffer("sin", sin, persistable=False)

    def forward(self, tokens):
        length = tokens.shape[1]
        cos, sin = self.cos[:, :length], self.sin[:, :length]
        x = self.embed(tokens)
        for block in self.blocks:
            x = block(x, cos, sin)
        return self.head(self.norm(x))


def rotary_tables(length, head_dim):
    """cos and sin [1, length, 1, head_dim] of the rotary embedding (Su et al., 2021)."""
    frequency = 10000.0 ** (-paddle.arange(0, head_dim, 2, dtype="float32") / head_dim)
    angle = paddle.outer(paddle.arange(length, dtype="float32"), frequency)
    angle = paddle.concat([angle, angle], axis=-1).reshape([1, length, 1, head_dim])
    return paddle.cos(angle), paddle.sin(angle)


def rotate(x, cos, sin):
    left, right = paddle.chunk(x, 2, axis=-1)
    return x * cos + paddle.concat([-right, left], axis=-1) * sin
