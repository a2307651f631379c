# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A small Llama-style decoder in paddle and torch with the same weights.

forward(tokens, past, start): past is None (whole sequence, causal), or per layer (keys, values):
growing caches that are concatenated (eager), see Static for fixed-size caches (compiled).
"""

import numpy as np

DIM, LAYERS, HEADS, FFN, VOCAB, LONGEST = 512, 8, 8, 1376, 8192, 256
HEAD = DIM // HEADS
EPSILON = 1e-5


def rotary_tables():
    """cos and sin of shape [LONGEST, HEAD], the two halves alike."""
    frequency = 10000.0 ** (-np.arange(0, HEAD, 2, dtype=np.float64) / HEAD)
    angle = np.outer(np.arange(LONGEST), frequency)
    angle = np.concatenate([angle, angle], -1)
    return np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)


def paddle_llama():
    import paddle
    from paddle import nn
    from paddle.nn import functional as F

    cos, sin = (paddle.to_tensor(t).reshape([1, LONGEST, 1, HEAD]) for t in rotary_tables())

    class RMSNorm(nn.Layer):
        def __init__(self):
            super().__init__()
            self.scale = self.create_parameter([DIM], default_initializer=nn.initializer.Constant(1.0))

        def forward(self, x):
            return x * paddle.rsqrt((x * x).mean(-1, keepdim=True) + EPSILON) * self.scale

    def rotate(x, cos, sin):
        left, right = paddle.chunk(x, 2, axis=-1)
        return x * cos + paddle.concat([-right, left], axis=-1) * sin

    class Layer(nn.Layer):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = RMSNorm(), RMSNorm()
            self.q, self.k, self.v, self.o = (nn.Linear(DIM, DIM, bias_attr=False) for _ in range(4))
            self.gate, self.up = (nn.Linear(DIM, FFN, bias_attr=False) for _ in range(2))
            self.down = nn.Linear(FFN, DIM, bias_attr=False)

        def attend(self, x, cos, sin, past=None, position=None, mask=None):
            batch, length = x.shape[0], x.shape[1]
            q, k, v = (f(x).reshape([batch, length, HEADS, HEAD]) for f in (self.q, self.k, self.v))
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
            if position is not None:  # a cache of fixed size, written in place
                past[0][:, position], past[1][:, position] = k, v
                k, v = past
            elif past is not None:  # growing cache
                k, v = paddle.concat([past[0], k], 1), paddle.concat([past[1], v], 1)
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None and length > 1)
            return self.o(y.reshape([batch, length, DIM])), (k, v)

        def forward(self, x, *rest):
            y, past = self.attend(self.norm1(x), *rest)
            x = x + y
            h = self.norm2(x)
            return x + self.down(F.silu(self.gate(h)) * self.up(h)), past

    class Llama(nn.Layer):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(VOCAB, DIM)
            self.layers = nn.LayerList([Layer() for _ in range(LAYERS)])
            self.norm = RMSNorm()
            self.head = nn.Linear(DIM, VOCAB, bias_attr=False)

        def forward(self, tokens, past=None, start=0):
            x = self.embed(tokens)
            here = slice(start, start + tokens.shape[1])
            kept = []
            for i, layer in enumerate(self.layers):
                x, kv = layer(x, cos[:, here], sin[:, here], past[i] if past else None)
                kept.append(kv)
            return self.head(self.norm(x)), kept

        def forward_static(self, token, past, position):
            """One token; past: per layer [1, LONGEST, HEADS, HEAD] pairs, written in place; position: [1]."""
            places = paddle.arange(LONGEST)
            mask = paddle.where(places <= position, paddle.zeros([LONGEST]), paddle.full([LONGEST], -1e30)).reshape(
                [1, 1, 1, LONGEST]
            )
            c, s = paddle.gather(cos, position, axis=1), paddle.gather(sin, position, axis=1)
            x = self.embed(token)
            for i, layer in enumerate(self.layers):
                x, _ = layer(x, c, s, past[i], position, mask)
            return self.head(self.norm(x)).argmax(-1)

    return Llama()


def torch_llama():
    import torch
    from torch import nn
    from torch.nn import functional as F

    cos, sin = (torch.from_numpy(t) for t in rotary_tables())

    class RMSNorm(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(DIM))

        def forward(self, x):
            return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPSILON) * self.scale

    def rotate(x, cos, sin):
        left, right = x.chunk(2, -1)
        return x * cos + torch.cat([-right, left], -1) * sin

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = RMSNorm(), RMSNorm()
            self.q, self.k, self.v, self.o = (nn.Linear(DIM, DIM, bias=False) for _ in range(4))
            self.gate, self.up = (nn.Linear(DIM, FFN, bias=False) for _ in range(2))
            self.down = nn.Linear(FFN, DIM, bias=False)

        def attend(self, x, cos, sin, past=None, write=None, mask=None):
            batch, length, _ = x.shape
            q, k, v = (f(x).view(batch, length, HEADS, HEAD).transpose(1, 2) for f in (self.q, self.k, self.v))
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
            if write is not None:  # fixed-size cache, written in place at the position
                k, v = past[0].index_copy_(2, write, k), past[1].index_copy_(2, write, v)
            elif past is not None:  # growing cache
                k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None and length > 1)
            return self.o(y.transpose(1, 2).reshape(batch, length, DIM)), (k, v)

        def forward(self, x, *rest):
            y, past = self.attend(self.norm1(x), *rest)
            x = x + y
            h = self.norm2(x)
            return x + self.down(F.silu(self.gate(h)) * self.up(h)), past

    class Llama(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(VOCAB, DIM)
            self.layers = nn.ModuleList([Layer() for _ in range(LAYERS)])
            self.norm = RMSNorm()
            self.head = nn.Linear(DIM, VOCAB, bias=False)

        def forward(self, tokens, past=None, start=0):
            x = self.embed(tokens)
            here = slice(start, start + tokens.shape[1])
            kept = []
            for i, layer in enumerate(self.layers):
                x, kv = layer(x, cos[here], sin[here], past[i] if past else None)
                kept.append(kv)
            return self.head(self.norm(x)), kept

        def forward_static(self, token, past, position):
            """One token; past: per layer [1, HEADS, LONGEST, HEAD] pairs, written in place."""
            mask = (torch.arange(LONGEST) <= position).view(1, 1, 1, LONGEST)
            x = self.embed(token)
            for i, layer in enumerate(self.layers):
                x, _ = layer(x, cos[position], sin[position], past[i], position, mask)
            return self.head(self.norm(x)).argmax(-1)

    return Llama()
