# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`FusedMultiTransformer`: a stack of transformer layers whose parameters are lists."""

from ....nn.initializer import Constant
from ....nn.layer.container import check_layer_count
from ....nn.layer.layers import Layer
from .. import functional as F

__all__ = ["FusedMultiTransformer"]


class FusedMultiTransformer(Layer):
    """Layers of attention and feed-forward network; see `fused_multi_transformer`.

    Args:
        embed_dim: Size of input and output.
        num_heads: Number of heads; divides embed_dim.
        dim_feedforward: Inner size of the network.
        dropout_rate: Probability before each sum.
        activation: 'gelu', 'relu', 'swiglu' or 'geglu'.
        normalize_before: Whether norms stand before attention and network.
        ln_scale_attrs: ParamAttr of each layer as a list, or one (None) for all; so are the other attributes. A bias
            whose attribute is False, or None for all layers, is left out.
        num_layers: Number of layers; -1: as many as qkv_weight_attrs has.
        nranks: Must be 1.
        trans_qkvw: Whether the weight of query, key and value is [3, heads, head size, embed_dim].
        norm_type: 'layernorm' or 'rmsnorm'.
        gqa_group_size: Number of heads of keys and values; -1: that of queries.

    Example:
        >>> import paddle
        >>> layer = paddle.incubate.nn.FusedMultiTransformer(8, 2, 16, num_layers=2)
        >>> layer(paddle.ones([1, 3, 8])).shape
        paddle.Size([1, 3, 8])
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        dim_feedforward,
        dropout_rate=0.0,
        activation="gelu",
        normalize_before=True,
        ln_scale_attrs=None,
        ln_bias_attrs=None,
        qkv_weight_attrs=None,
        qkv_bias_attrs=None,
        linear_weight_attrs=None,
        linear_bias_attrs=None,
        ffn_ln_scale_attrs=None,
        ffn_ln_bias_attrs=None,
        ffn1_weight_attrs=None,
        ffn1_bias_attrs=None,
        ffn2_weight_attrs=None,
        ffn2_bias_attrs=None,
        epsilon=1e-05,
        residual_alpha=1.0,
        num_layers=-1,
        nranks=1,
        trans_qkvw=True,
        ring_id=-1,
        norm_type="layernorm",
        use_neox_rotary_style=False,
        gqa_group_size=-1,
        name=None,
    ):
        super().__init__()
        for argument, size in (
            ("embed_dim", embed_dim),
            ("num_heads", num_heads),
            ("dim_feedforward", dim_feedforward),
        ):
            assert size > 0, f"FusedMultiTransformer: {argument} has value {size}; it must be positive."
        assert embed_dim % num_heads == 0, (
            f"FusedMultiTransformer: embed_dim has value {embed_dim} and num_heads {num_heads}; it must be a multiple."
        )
        if nranks != 1:
            raise NotImplementedError(f"FusedMultiTransformer: nranks has value {nranks}; paddle has one process.")
        if isinstance(qkv_weight_attrs, (list, tuple)):
            num_layers = len(qkv_weight_attrs) if num_layers == -1 else num_layers
        check_layer_count("FusedMultiTransformer", num_layers)
        assert num_layers > 0, f"FusedMultiTransformer: num_layers has value {num_layers}; it must be positive."
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.normalize_before, self.activation, self.dropout_rate = normalize_before, activation, dropout_rate
        self._epsilon, self._residual_alpha, self._trans_qkvw = epsilon, residual_alpha, trans_qkvw
        self._norm_type, self._use_neox_rotary_style = norm_type, use_neox_rotary_style
        self._gqa_group_size, self.name = gqa_group_size, name
        heads = [num_heads + 2 * gqa_group_size] if gqa_group_size > 0 else [3, num_heads]
        qkv = [*heads, self.head_dim, embed_dim] if trans_qkvw else [embed_dim, *heads, self.head_dim]
        inner = dim_feedforward * (2 if activation in ("swiglu", "geglu") else 1)
        one = Constant(1.0)
        rows = (  # where it is kept, attributes, shape, first values, whether it is a bias
            ("ln_scales", ln_scale_attrs, [embed_dim], one, False),
            ("ln_biases", ln_bias_attrs, [embed_dim], None, True),
            ("qkv_weights", qkv_weight_attrs, qkv, None, False),
            ("qkv_biases", qkv_bias_attrs, [*heads, self.head_dim], None, True),
            ("linear_weights", linear_weight_attrs, [embed_dim, embed_dim], None, False),
            ("linear_biases", linear_bias_attrs, [embed_dim], None, True),
            ("ffn_ln_scales", ffn_ln_scale_attrs, [embed_dim], one, False),
            ("ffn_ln_biases", ffn_ln_bias_attrs, [embed_dim], None, True),
            ("ffn1_weights", ffn1_weight_attrs, [embed_dim, inner], None, False),
            ("ffn1_biases", ffn1_bias_attrs, [inner], None, True),
            ("ffn2_weights", ffn2_weight_attrs, [dim_feedforward, embed_dim], None, False),
            ("ffn2_biases", ffn2_bias_attrs, [embed_dim], None, True),
        )
        for kept, attrs, *_, is_bias in rows:
            setattr(self, kept, None if is_bias and attrs in (None, False) else [])
        for i in range(num_layers):
            for kept, attrs, shape, first, is_bias in rows:
                if getattr(self, kept) is not None:
                    self._make(kept, attrs[i] if isinstance(attrs, (list, tuple)) else attrs, shape, first, is_bias)

    def _make(self, kept, attr, shape, first, is_bias):
        made = self.create_parameter(shape, attr, is_bias=is_bias, default_initializer=first)
        self._parameters[made.name] = made  # state files know them by these names
        getattr(self, kept).append(made)

    def forward(
        self,
        src,
        attn_mask=None,
        caches=None,
        pre_caches=None,
        rotary_embs=None,
        rotary_emb_dims=0,
        beam_offset=None,
        seq_lens=None,
        time_step=None,
    ):
        """The result of all layers; with caches (result, caches)."""
        if caches is not None and len(caches) != len(self.qkv_weights):
            raise AssertionError(
                f"FusedMultiTransformer: {len(caches)} caches for {len(self.qkv_weights)} layers; pass one a layer."
            )
        return F.fused_multi_transformer(
            src,
            self.ln_scales,
            self.ln_biases,
            self.qkv_weights,
            self.qkv_biases,
            self.linear_weights,
            self.linear_biases,
            self.ffn_ln_scales,
            self.ffn_ln_biases,
            self.ffn1_weights,
            self.ffn1_biases,
            self.ffn2_weights,
            self.ffn2_biases,
            self.normalize_before,
            self._epsilon,
            self._residual_alpha,
            caches,
            beam_offset,
            pre_caches,
            seq_lens,
            rotary_embs,
            time_step,
            attn_mask,
            self.dropout_rate,
            rotary_emb_dims,
            self.activation,
            self.training,
            trans_qkvw=self._trans_qkvw,
            norm_type=self._norm_type,
            use_neox_rotary_style=self._use_neox_rotary_style,
            gqa_group_size=self._gqa_group_size,
        )
