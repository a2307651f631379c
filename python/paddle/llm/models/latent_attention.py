# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Multi-head latent attention (DeepSeek-AI 2024, "DeepSeek-V2"): keys and values are made of one short vector a token."""

from ... import _core, nn
from .attention import attend, rotate

ops = _core.ops


class LatentAttention(nn.Layer):
    """Attention of a layer, from normalised states to what is added to them.

    Whole sequences make keys and values of every head. Over a cache, the matrices that make them are multiplied with queries
    and results instead, so that the cache holds, and attention reads, the short vectors alone.
    """

    def __init__(self, config, layer, make, name):
        super().__init__()
        self.layer, self.form, latent = layer, config.attention(layer), config.latent
        self.heads, self.turned, self.width = config.num_heads, config.rotary.width, latent.width
        self.plain, self.value_width = config.head_dim - self.turned, latent.value_width
        hidden, bias = config.hidden_size, config.qkv_bias
        inner = latent.query_width
        self.q_down = make.linear(name + ".q_down", hidden, inner, bias) if inner else None
        self.q_down_norm = make.norm(name + ".q_down_norm", inner, latent.epsilon) if inner else None
        which = ".q_up" if inner else ".q"
        queries = make.linear(name + which, inner or hidden, self.heads * config.head_dim)
        self.q, self.q_up = (None, queries) if inner else (queries, None)
        self.kv_down = make.linear(name + ".kv_down", hidden, self.width + self.turned, bias)
        self.kv_down_norm = make.norm(name + ".kv_down_norm", self.width, latent.epsilon)
        # Of each head, [outputs, latent width].
        self.k_up = make.parameter(name + ".k_up", (self.heads, self.plain, self.width))
        self.v_up = make.parameter(name + ".v_up", (self.heads, self.value_width, self.width))
        self.o = make.linear(name + ".o", self.heads * self.value_width, hidden, config.output_bias)

    def forward(self, x, tables, cache):
        lead = list(x.shape[:-1])
        q = self.q(x) if self.q is not None else self.q_up(self.q_down_norm(self.q_down(x)))
        q = q.reshape([*lead, self.heads, self.plain + self.turned])
        q_plain, q_rope = ops.split(q, [self.plain, self.turned], -1)
        latent, k_rope = ops.split(self.kv_down(x), [self.width, self.turned], -1)
        latent, q_rope = self.kv_down_norm(latent), rotate(q_rope, tables)
        k_rope = rotate(k_rope.unsqueeze(-2), tables)
        if cache is None:
            out = self._whole(q_plain, q_rope, latent, k_rope, lead)
        else:
            q_latent = self._by_head(q_plain, self.k_up, False)
            seen = cache.write_and_attend_latent(self.layer, q_latent, q_rope, latent, k_rope.squeeze(-2))
            out = self._by_head(seen, self.v_up, True)
        return self.o(out.reshape([*lead, self.heads * self.value_width]))

    def _whole(self, q_plain, q_rope, latent, k_rope, lead):
        """Keys and values of every head; values are filled up to the width of keys."""

        def made(matrices, width):
            flat = matrices.reshape([self.heads * width, self.width])
            return ops.matmul(latent, flat, False, True).reshape([*lead, self.heads, width])

        shared = ops.expand(k_rope, [*lead, self.heads, self.turned])
        k = ops.concat([made(self.k_up, self.plain), shared], -1)
        v, missing = made(self.v_up, self.value_width), self.plain + self.turned - self.value_width
        if missing:
            v = ops.concat([v, ops.full([*lead, self.heads, missing], 0.0, v.dtype)], -1)
        return attend(ops.concat([q_plain, q_rope], -1), k, v, self.form)[..., : self.value_width]

    def _by_head(self, x, matrices, transposed):
        """x [..., heads, in] times the matrix of each head -> [..., heads, out]."""
        lead = list(x.shape[:-2])
        rows = ops.transpose(x.reshape([-1, *x.shape[-2:]]), [1, 0, 2])
        out = ops.transpose(ops.matmul(rows, matrices, False, transposed), [1, 0, 2])
        return out.reshape([*lead, self.heads, out.shape[-1]])
