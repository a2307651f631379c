# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Multi-head attention and the transformer encoder (Vaswani et al. 2017)."""

import copy

from ... import _core
from .. import functional as F
from .common import Dropout, Linear
from .container import LayerList
from .layers import Layer
from .norm import LayerNorm

ops = _core.ops


def _attention_mask(mask, dtype):
    """A mask of bool or int as what is added to the scores."""
    if mask is None or mask.dtype.name.startswith(("float", "bfloat")):
        return mask
    if mask.dtype.name == "bool":
        return (ops.cast(mask, dtype) - 1.0) * 1e9
    return (ops.cast(mask, dtype) - 1.0) * 1e9


def _attr(attrs, i):
    return attrs[i] if isinstance(attrs, (list, tuple)) else attrs


class MultiHeadAttention(Layer):
    """Attention of several heads.

    Args:
        embed_dim: Size of query and output.
        num_heads: Number of heads; divides embed_dim.
        dropout: Probability that an attention weight is dropped.
        kdim: Size of the key, embed_dim by default.
        vdim: Size of the value, embed_dim by default.
        need_weights: Return the attention weights too.
    """

    class Cache(tuple):
        """Keys and values of earlier steps."""

        __slots__ = ()

        def __new__(cls, k, v):
            return tuple.__new__(cls, (k, v))

        k = property(lambda self: self[0])
        v = property(lambda self: self[1])

    class StaticCache(Cache):
        """Keys and values of a memory, computed once."""

    def __init__(
        self,
        embed_dim,
        num_heads,
        dropout=0.0,
        kdim=None,
        vdim=None,
        need_weights=False,
        weight_attr=None,
        bias_attr=None,
    ):
        super().__init__()
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError(
                f"MultiHeadAttention: embed_dim has value {embed_dim} and num_heads {num_heads}; "
                f"embed_dim must be a multiple."
            )
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self.need_weights = need_weights
        self.q_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)
        self.k_proj = Linear(self.kdim, embed_dim, weight_attr, bias_attr)
        self.v_proj = Linear(self.vdim, embed_dim, weight_attr, bias_attr)
        self.out_proj = Linear(embed_dim, embed_dim, weight_attr, bias_attr)

    def _heads(self, x):
        return ops.reshape(x, [x.shape[0], x.shape[1], self.num_heads, self.head_dim])

    def gen_cache(self, key, value=None, type=Cache):
        """An empty cache, or one that holds the given memory.

        Args:
            key: The memory (or what tells the batch size).
            value: The memory of values.
            type: MultiHeadAttention.Cache or StaticCache.
        """
        if type is MultiHeadAttention.StaticCache:
            value = key if value is None else value
            return type(
                *(ops.transpose(self._heads(p(t)), [0, 2, 1, 3]) for p, t in ((self.k_proj, key), (self.v_proj, value)))
            )
        if value is not None:
            return type(key, value)
        shape = [key.shape[0], self.num_heads, 0, self.head_dim]
        return type(*(ops.full(shape, 0, key.dtype) for _ in range(2)))

    def forward(self, query, key=None, value=None, attn_mask=None, cache=None):
        key = query if key is None else key
        value = key if value is None else value
        q = ops.transpose(self._heads(self.q_proj(query)), [0, 2, 1, 3])
        if isinstance(cache, MultiHeadAttention.StaticCache):
            k, v = cache
        else:
            k = ops.transpose(self._heads(self.k_proj(key)), [0, 2, 1, 3])
            v = ops.transpose(self._heads(self.v_proj(value)), [0, 2, 1, 3])
            if cache is not None:
                k, v = ops.concat([cache.k, k], 2), ops.concat([cache.v, v], 2)
                cache = MultiHeadAttention.Cache(k, v)
        scores = ops.matmul(q * self.head_dim**-0.5, k, False, True)
        mask = _attention_mask(attn_mask, scores.dtype)
        weights = F.softmax(scores if mask is None else scores + mask)
        if self.dropout:
            weights = F.dropout(weights, self.dropout, training=self.training)
        out = ops.transpose(ops.matmul(weights, v), [0, 2, 1, 3])
        out = self.out_proj(ops.reshape(out, [out.shape[0], out.shape[1], self.embed_dim]))
        results = [out]
        if self.need_weights:
            results.append(weights)
        if cache is not None:
            results.append(cache)
        return out if len(results) == 1 else tuple(results)


class TransformerEncoderLayer(Layer):
    """Self-attention and a two-layer network, each with residual and normalisation.

    Args:
        d_model: Size of input and output.
        nhead: Number of heads.
        dim_feedforward: Size between the two layers.
        dropout: Probability for both residual branches.
        activation: Name of the function between the two layers.
        attn_dropout: Probability for attention weights, `dropout` by default.
        act_dropout: Probability behind the activation, `dropout` by default.
        normalize_before: Normalise the input of a branch instead of the sum.
    """

    def __init__(
        self,
        d_model,
        nhead,
        dim_feedforward,
        dropout=0.1,
        activation="relu",
        attn_dropout=None,
        act_dropout=None,
        normalize_before=False,
        weight_attr=None,
        bias_attr=None,
        layer_norm_eps=1e-05,
    ):
        self._config = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        super().__init__()
        attn_dropout = dropout if attn_dropout is None else attn_dropout
        act_dropout = dropout if act_dropout is None else act_dropout
        self.normalize_before = normalize_before
        self.self_attn = MultiHeadAttention(
            d_model,
            nhead,
            attn_dropout,
            weight_attr=_attr(weight_attr, 0),
            bias_attr=_attr(bias_attr, 0),
        )
        w, b = _attr(weight_attr, -1), _attr(bias_attr, -1)
        self.linear1 = Linear(d_model, dim_feedforward, w, b)
        self.dropout = Dropout(act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, w, b)
        self.norm1 = LayerNorm(d_model, layer_norm_eps)
        self.norm2 = LayerNorm(d_model, layer_norm_eps)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        self.activation = getattr(F, activation)

    def forward(self, src, src_mask=None, cache=None):
        residual = src
        src = self.norm1(src) if self.normalize_before else src
        attended = self.self_attn(src, src, src, src_mask, cache)
        if cache is not None:
            attended, cache = attended
        src = residual + self.dropout1(attended)
        src = src if self.normalize_before else self.norm1(src)
        residual = src
        src = self.norm2(src) if self.normalize_before else src
        src = self.linear2(self.dropout(self.activation(self.linear1(src))))
        src = residual + self.dropout2(src)
        src = src if self.normalize_before else self.norm2(src)
        return src if cache is None else (src, cache)

    def gen_cache(self, src):
        """An empty cache for step-by-step decoding."""
        return self.self_attn.gen_cache(src)


class TransformerEncoder(Layer):
    """A stack of encoder layers.

    Args:
        encoder_layer: The first layer; the others are new ones of the same configuration.
        num_layers: Their number.
        norm: A layer behind the last one, or None.
    """

    def __init__(self, encoder_layer, num_layers, norm=None):
        super().__init__()
        self.layers = LayerList([encoder_layer if i == 0 else _again(encoder_layer) for i in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src, src_mask=None, cache=None):
        caches = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                src = layer(src, src_mask)
            else:
                src, new = layer(src, src_mask, cache[i])
                caches.append(new)
        src = src if self.norm is None else self.norm(src)
        return src if cache is None else (src, caches)

    def gen_cache(self, src):
        """Empty caches, one per layer."""
        return [layer.gen_cache(src) for layer in self.layers]


def _again(layer):
    config = getattr(layer, "_config", None)
    return copy.deepcopy(layer) if config is None else type(layer)(**config)
