# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Multi-head attention, encoder and decoder of the transformer (Vaswani et al. 2017)."""

import collections
import copy

from ... import _core
from ...framework.checked_numbers import check_whole
from ...framework.param_attr import ParamAttr
from .. import functional as F
from .common import Dropout, Linear
from .container import LayerList, check_layer_count
from .layers import Layer
from .norm import LayerNorm

ops = _core.ops


def _convert_attention_mask(attn_mask, dtype):
    """What is added to scores of `dtype`: a mask of bool or int in their place, one of floats as it is."""
    if attn_mask is None or attn_mask.dtype == dtype:
        return attn_mask
    if attn_mask.dtype.name.startswith(("float", "bfloat")):
        return ops.cast(attn_mask, dtype)
    return ops.cast((ops.cast(attn_mask, _core.float32) - 1.0) * 1e9, dtype)  # 0 * 1e9 in float16 is NaN


def _convert_param_attr_to_list(param_attr, n):
    """The attributes of n parts: a list as it is, else n copies, a name among them with the part's number."""
    if isinstance(param_attr, (list, tuple)):
        if len(param_attr) != n:
            raise AssertionError(f"param_attr has {len(param_attr)} entries; a list must have {n}.")
        return ParamAttr._to_attr(param_attr)
    attr = ParamAttr._to_attr(param_attr)
    copies = [copy.copy(attr) for _ in range(n)]
    if attr and attr.name:
        for i, one in enumerate(copies):
            one.name = f"{attr.name}_{i}"
    return copies


class MultiHeadAttention(Layer):
    """Attention of several heads.

    Args:
        embed_dim: Size of query and output.
        num_heads: Number of heads; divides embed_dim.
        dropout: Probability that an attention weight is dropped.
        kdim: Size of the key, embed_dim by default.
        vdim: Size of the value, embed_dim by default.
        need_weights: Return the attention weights too.
        weight_attr: ParamAttr of the four matrices.
        bias_attr: ParamAttr of their shifts; False for none.

    Shape:
        query [batch, length, embed_dim], key [batch, places, kdim], value [batch, places, vdim] to
        [batch, length, embed_dim]; key and value are the query where they are left out. A mask broadcasts to
        [batch, num_heads, length, places].

    Raises:
        AssertionError: num_heads does not divide embed_dim.

    Example:
        >>> attention = paddle.nn.MultiHeadAttention(8, 2)
        >>> attention(paddle.ones([2, 3, 8]), paddle.ones([2, 5, 8]), paddle.ones([2, 5, 8])).shape
        paddle.Size([2, 3, 8])
    """

    Cache = collections.namedtuple("Cache", ["k", "v"])  # keys and values of earlier steps
    StaticCache = collections.namedtuple("StaticCache", ["k", "v"])  # of a memory, computed once

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
        check_whole("MultiHeadAttention", embed_dim=embed_dim, num_heads=num_heads)
        if embed_dim <= 0 or num_heads <= 0:
            raise AssertionError(
                f"MultiHeadAttention: embed_dim has value {embed_dim} and num_heads {num_heads}; they must be positive."
            )
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

    def compute_kv(self, key, value):
        """Projected keys and values, [batch, heads, length, size]."""
        return tuple(
            ops.transpose(self._heads(p(t)), [0, 2, 1, 3]) for p, t in ((self.k_proj, key), (self.v_proj, value))
        )

    def gen_cache(self, key, value=None, type=Cache):
        """An empty cache, or one that holds the given memory.

        Args:
            key: The memory (or what tells the batch size).
            value: The memory of values.
            type: MultiHeadAttention.Cache or StaticCache.
        """
        if type is MultiHeadAttention.StaticCache:
            return type(*self.compute_kv(key, key if value is None else value))
        if value is not None:
            return type(key, value)
        shape = [key.shape[0], self.num_heads, 0, self.head_dim]
        return type(*(ops.full(shape, 0, key.dtype) for _ in range(2)))

    def _keys_and_values(self, key, value, cache):
        """[batch, heads, length, size] each, and the cache that holds them."""
        if isinstance(cache, MultiHeadAttention.StaticCache):
            return cache.k, cache.v, cache
        k, v = self.compute_kv(key, value)
        if hasattr(cache, "k"):  # what is no cache is handed on, as PaddlePaddle does
            k, v = ops.concat([cache.k, k], 2), ops.concat([cache.v, v], 2)
            cache = MultiHeadAttention.Cache(k, v)
        return k, v, cache

    def _prepare_qkv(self, query, key, value, cache=None):
        """Query, keys and values, [batch, heads, length, size] each, and the cache where one is given."""
        q = ops.transpose(self._heads(self.q_proj(query)), [0, 2, 1, 3])
        k, v, kept = self._keys_and_values(key, value, cache)
        return (q, k, v) if cache is None else (q, k, v, kept)

    def _is_overridden(self):
        """Whether a subclass or the object prepares query, keys and values in a way of its own."""
        own = vars(MultiHeadAttention)
        return any(getattr(getattr(self, n), "__func__", None) is not own[n] for n in ("_prepare_qkv", "compute_kv"))

    def _projected(self, query, key, value, cache):
        """Query, keys and values, [batch, length, heads, size] each, and the cache that holds them."""
        if cache is None and not self._is_overridden():
            return self._heads(self.q_proj(query)), self._heads(self.k_proj(key)), self._heads(self.v_proj(value)), None
        *parts, kept = (*self._prepare_qkv(query, key, value, cache), None)[:4]
        return (*(ops.transpose(t, [0, 2, 1, 3]) for t in parts), kept)

    def _with_weights(self, q, k, v, mask):
        q, k, v = (ops.transpose(t, [0, 2, 1, 3]) for t in (q, k, v))
        scores = ops.matmul(q * self.head_dim**-0.5, k, False, True)
        weights = F.softmax(scores if mask is None else scores + mask)
        if self.dropout:
            weights = F.dropout(weights, self.dropout, training=self.training)
        return ops.transpose(ops.matmul(weights, v), [0, 2, 1, 3]), weights

    def forward(self, query, key=None, value=None, attn_mask=None, cache=None):
        key = query if key is None else key
        value = key if value is None else value
        q, k, v, cache = self._projected(query, key, value, cache)
        mask = _convert_attention_mask(attn_mask, q.dtype)
        weights = None
        if self.need_weights:
            out, weights = self._with_weights(q, k, v, mask)
        else:
            out = F.scaled_dot_product_attention(q, k, v, mask, self.dropout, False, self.training)
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
        weight_attr: ParamAttr of the matrices, or a list of two: of the attention, of the network behind it.
        bias_attr: The same of the shifts; False for none.
        layer_norm_eps: Added to the variance in the normalisations.

    Shape:
        [batch, length, d_model] to the same; a mask broadcasts to [batch, nhead, length, length].

    Raises:
        AssertionError: nhead does not divide d_model.

    Example:
        >>> layer = paddle.nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> layer(paddle.ones([4, 5, 8])).shape
        paddle.Size([4, 5, 8])
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
        weights, biases = (_convert_param_attr_to_list(a, 2) for a in (weight_attr, bias_attr))
        self.self_attn = MultiHeadAttention(
            d_model,
            nhead,
            attn_dropout,
            weight_attr=weights[0],
            bias_attr=biases[0],
        )
        self.linear1 = Linear(d_model, dim_feedforward, weights[1], biases[1])
        self.dropout = Dropout(act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, weights[1], biases[1])
        self.norm1 = LayerNorm(d_model, layer_norm_eps)
        self.norm2 = LayerNorm(d_model, layer_norm_eps)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)
        self.activation = getattr(F, activation)

    def forward(self, src, src_mask=None, cache=None):
        residual = src
        src = self.norm1(src) if self.normalize_before else src
        if cache is None:
            attended = self.self_attn(src, src, src, src_mask)
        else:
            attended, cache = self.self_attn(src, src, src, src_mask, cache)
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
    """A stack of encoder layers (Vaswani et al. 2017).

    Args:
        encoder_layer: The first layer; the others are new ones of the same configuration.
        num_layers: Their number.
        norm: A layer behind the last one, or None.

    Shape:
        [batch, length, d_model] to the same shape.

    Example:
        >>> layer = paddle.nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16)
        >>> paddle.nn.TransformerEncoder(layer, 2)(paddle.ones([1, 5, 8])).shape
        paddle.Size([1, 5, 8])
    """

    def __init__(self, encoder_layer, num_layers, norm=None):
        super().__init__()
        check_layer_count("TransformerEncoder", num_layers)
        self.layers = LayerList([encoder_layer if i == 0 else _again(encoder_layer) for i in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src, src_mask=None, cache=None):
        caches = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                src = layer(src, src_mask=src_mask)
            else:
                src, new = layer(src, src_mask=src_mask, cache=cache[i])
                caches.append(new)
        src = src if self.norm is None else self.norm(src)
        return src if cache is None else (src, caches)

    def gen_cache(self, src):
        """Empty caches, one per layer."""
        return [layer.gen_cache(src) for layer in self.layers]


class TransformerDecoderLayer(Layer):
    """Self-attention, attention to the memory and a two-layer network, each with residual and
    normalisation.

    Args:
        d_model: Size of input and output.
        nhead: Number of heads.
        dim_feedforward: Size between the two layers.
        dropout: Probability for the residual branches.
        activation: Name of the function between the two layers.
        attn_dropout: Probability for attention weights, `dropout` by default.
        act_dropout: Probability behind the activation, `dropout` by default.
        normalize_before: Normalise the input of a branch instead of the sum.
        weight_attr: ParamAttr, or one each for self-attention, attention to the memory and network.
        bias_attr: As weight_attr; False for no bias.
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
        weights, biases = (_convert_param_attr_to_list(a, 3) for a in (weight_attr, bias_attr))
        self.self_attn = MultiHeadAttention(d_model, nhead, attn_dropout, weight_attr=weights[0], bias_attr=biases[0])
        self.cross_attn = MultiHeadAttention(d_model, nhead, attn_dropout, weight_attr=weights[1], bias_attr=biases[1])
        self.linear1 = Linear(d_model, dim_feedforward, weights[2], biases[2])
        self.dropout = Dropout(act_dropout)
        self.linear2 = Linear(dim_feedforward, d_model, weights[2], biases[2])
        self.norm1 = LayerNorm(d_model, layer_norm_eps)
        self.norm2 = LayerNorm(d_model, layer_norm_eps)
        self.norm3 = LayerNorm(d_model, layer_norm_eps)
        self.dropout1, self.dropout2, self.dropout3 = Dropout(dropout), Dropout(dropout), Dropout(dropout)
        self.activation = getattr(F, activation)

    def _branch(self, x, norm, dropout, inner):
        """x + dropout(inner(x)) with the normalisation before or behind."""
        y = x + dropout(inner(norm(x) if self.normalize_before else x))
        return y if self.normalize_before else norm(y)

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, cache=None):
        caches = [None, None] if cache is None else list(cache)

        def attend(layer, which, x, other, mask):
            if caches[which] is None:
                return layer(x, other, other, mask, None)
            # The projected memory stays as it is; the cache of the target grows.
            out, new = layer(x, other, other, mask, caches[which])
            if which == 0:
                caches[which] = new
            return out

        tgt = self._branch(tgt, self.norm1, self.dropout1, lambda x: attend(self.self_attn, 0, x, x, tgt_mask))
        tgt = self._branch(tgt, self.norm2, self.dropout2, lambda x: attend(self.cross_attn, 1, x, memory, memory_mask))
        tgt = self._branch(
            tgt, self.norm3, self.dropout3, lambda x: self.linear2(self.dropout(self.activation(self.linear1(x))))
        )
        return tgt if cache is None else (tgt, tuple(caches))

    def gen_cache(self, memory):
        """An empty cache of the target and the projected memory."""
        return (
            self.self_attn.gen_cache(memory, type=MultiHeadAttention.Cache),
            self.cross_attn.gen_cache(memory, memory, type=MultiHeadAttention.StaticCache),
        )


class TransformerDecoder(Layer):
    """A stack of decoder layers.

    Args:
        decoder_layer: The first layer; the others are new ones of the same configuration.
        num_layers: Their number.
        norm: A layer behind the last one, or None.

    Shape:
        tgt [batch, targets, d_model] and memory [batch, sources, d_model] to the shape of tgt.

    Example:
        >>> decoder = paddle.nn.TransformerDecoder(paddle.nn.TransformerDecoderLayer(8, 2, 16), num_layers=2)
        >>> decoder(paddle.ones([1, 3, 8]), paddle.ones([1, 5, 8])).shape
        paddle.Size([1, 3, 8])
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__()
        check_layer_count("TransformerDecoder", num_layers)
        self.layers = LayerList([decoder_layer if i == 0 else _again(decoder_layer) for i in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, cache=None):
        caches = []
        for i, layer in enumerate(self.layers):
            if cache is None:
                tgt = layer(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, cache=None)
            else:
                tgt, new = layer(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask, cache=cache[i])
                caches.append(new)
        tgt = tgt if self.norm is None else self.norm(tgt)
        return tgt if cache is None else (tgt, caches)

    def gen_cache(self, memory, do_zip=False):
        """Caches, one pair per layer; with do_zip one tuple of the targets' and one of the memories'."""
        caches = [layer.gen_cache(memory) for layer in self.layers]
        return list(zip(*caches, strict=True)) if do_zip else caches


class Transformer(Layer):
    """Encoder and decoder.

    Args:
        d_model: Size of input and output.
        nhead: Number of heads.
        num_encoder_layers: Number of encoder layers.
        num_decoder_layers: Number of decoder layers.
        dim_feedforward: Size between the two layers of the networks.
        dropout: Probability for the residual branches.
        activation: Name of the function in the networks.
        attn_dropout: Probability for attention weights, `dropout` by default.
        act_dropout: Probability behind the activation, `dropout` by default.
        normalize_before: Normalise the inputs of branches instead of the sums.
        weight_attr: ParamAttr; or two or three for attention and network.
        bias_attr: As weight_attr; False for no bias.
        custom_encoder: Used instead of the encoder.
        custom_decoder: Used instead of the decoder.
    """

    def __init__(
        self,
        d_model=512,
        nhead=8,
        num_encoder_layers=6,
        num_decoder_layers=6,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        attn_dropout=None,
        act_dropout=None,
        normalize_before=False,
        weight_attr=None,
        bias_attr=None,
        custom_encoder=None,
        custom_decoder=None,
    ):
        super().__init__()
        shared = (d_model, nhead, dim_feedforward, dropout, activation, attn_dropout, act_dropout, normalize_before)
        self.d_model, self.nhead = d_model, nhead
        self.encoder, self.decoder = custom_encoder, custom_decoder
        if custom_encoder is None:
            ends = [(_three(a)[0], _three(a)[2]) for a in (weight_attr, bias_attr)]
            layer = TransformerEncoderLayer(*shared, *ends)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model))
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*shared, _three(weight_attr), _three(bias_attr))
            self.decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(d_model))

    def forward(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None):
        memory = self.encoder(src, src_mask=src_mask)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)

    def generate_square_subsequent_mask(self, length):
        """A mask that hides later positions.

        Args:
            length: Number of positions.

        Returns:
            A float32 Tensor [length, length]: 0 where a row may look, minus infinity behind it.

        Example:
            >>> paddle.nn.Transformer(4, 2, 1, 1, 8).generate_square_subsequent_mask(2).tolist()
            [[0.0, -inf], [0.0, 0.0]]
        """
        length = int(length)
        zeros = ops.full([length, length], 0.0, _core.float32)
        return ops.causal_fill(zeros, float("-inf"))


def _three(attrs):
    """Attributes of self-attention, attention to the memory and network."""
    if not isinstance(attrs, (list, tuple)):
        return [attrs] * 3
    if len(attrs) not in (1, 2, 3):
        raise ValueError(f"Transformer: weight_attr or bias_attr has {len(attrs)} entries; it must have 1, 2 or 3.")
    return [attrs[0], attrs[0] if len(attrs) < 3 else attrs[1], attrs[-1]]


def _again(layer):
    config = getattr(layer, "_config", None)
    return copy.deepcopy(layer) if config is None else type(layer)(**config)
