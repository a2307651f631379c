# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Decoders of folders in Hugging Face's layout: the config from config.json, and the weights by the decoder's names."""

import math
import re

from ..formats.settings import checked
from .activations import activation_of
from .config import DecoderConfig, Rotary
from .hugging_face_experts import DEFAULTS, experts_of, latent_of, latent_scale, layer_weight
from .hugging_face_quantized import quantized_tensors
from .weights import BlockWeight, packed_for, rotated_orders, rows_in_order, split_rows

NAMES = {"embedding": "model.embed_tokens", "norm": "model.norm", "head": "lm_head"}
_LAYER_NAMES = {
    "attention_norm": "input_layernorm",
    "attention.q": "self_attn.q_proj",
    "attention.k": "self_attn.k_proj",
    "attention.v": "self_attn.v_proj",
    "attention.o": "self_attn.o_proj",
    "attention.q_norm": "self_attn.q_norm",
    "attention.k_norm": "self_attn.k_norm",
    "mlp_norm": "post_attention_layernorm",
    "mlp.gate": "mlp.gate_proj",
    "mlp.up": "mlp.up_proj",
    "mlp.down": "mlp.down_proj",
}
# Of architectures that normalise what attention and the MLP add.
_POST_NORM_NAMES = {
    "attention_post_norm": "post_attention_layernorm",
    "mlp_norm": "pre_feedforward_layernorm",
    "mlp_post_norm": "post_feedforward_layernorm",
}
# Rotated pairs of these are (2 i, 2 i + 1).
_ADJACENT = ("ernie4_5", "ernie4_5_moe")
LAYER = re.compile(r"layers\.(\d+)\.(.+)")
# What config.json may leave out, where it is not the value of most.
_DEFAULTS = {
    "llama": {},
    "mistral": {"num_key_value_heads": 8, "sliding_window": 4096, "intermediate_size": 14336},
    "qwen2": {"sliding_window": 4096, "max_window_layers": 28},
    "qwen3": {"sliding_window": 4096, "max_window_layers": 28, "head_dim": 128},
    "phi3": {"rms_norm_eps": 1e-5},
    "ernie4_5": {
        "head_dim": 128,
        "num_key_value_heads": 2,
        "rms_norm_eps": 1e-5,
        "rope_theta": 5e5,
        "tie_word_embeddings": True,
    },
    "gemma2": {
        "head_dim": 256,
        "query_pre_attn_scalar": 256,
        "sliding_window": 4096,
        "attn_logit_softcapping": 50.0,
        "final_logit_softcapping": 30.0,
        "hidden_activation": "gelu_pytorch_tanh",
        "tie_word_embeddings": True,
    },
    "gemma3_text": {
        "head_dim": 256,
        "query_pre_attn_scalar": 256,
        "sliding_window": 4096,
        "rope_theta": 1e6,
        "hidden_activation": "gelu_pytorch_tanh",
        "tie_word_embeddings": True,
    },
    **DEFAULTS,
}


def config_of(settings, generation=None):
    """The DecoderConfig of a config.json.

    Args:
        settings: The dict of config.json.
        generation: The dict of generation_config.json, whose end tokens count as well.

    Raises:
        ValueError: The architecture or one of its rules is not there.
    """
    checked(settings)
    checked(generation or {}, "generation_config.json")
    kind = settings.get("model_type")
    if kind == "gemma3" and "text_config" in settings:
        outer, settings = settings, settings["text_config"]
        kind = settings.get("model_type", "gemma3_text")
        settings = {**{k: outer[k] for k in ("bos_token_id", "eos_token_id") if k in outer}, **settings}
    if kind not in _DEFAULTS:
        raise ValueError(f"config.json: model_type is {kind!r}; these can be read: {', '.join(_DEFAULTS)}.")
    settings = {**_DEFAULTS[kind], **settings}

    def need(key):
        if settings.get(key) is None:
            raise ValueError(f"config.json: {key!r} is missing; a {kind} needs it.")
        return settings[key]

    hidden, heads, layers = need("hidden_size"), need("num_attention_heads"), need("num_hidden_layers")
    head_dim = settings.get("head_dim") or hidden // heads
    latent = latent_of(kind, settings)
    if latent is not None:
        head_dim = settings["qk_nope_head_dim"] + settings["qk_rope_head_dim"]
    if kind == "ernie4_5_moe" and settings.get("use_bias"):
        raise ValueError(
            "config.json: 'use_bias' is true; the head of an ernie4_5_moe has a bias then, which cannot be read."
        )
    is_gemma = kind in ("gemma2", "gemma3_text")
    activation = settings.get("hidden_activation") or settings.get("hidden_act", "silu")
    windows = _windows(kind, settings, layers)
    has_bias = bool(settings.get("attention_bias", False) or settings.get("use_bias", False))
    has_qkv_bias = bool(settings.get("qkv_bias", False)) if kind == "qwen2_moe" else kind == "qwen2" or has_bias
    ends = [settings.get("eos_token_id"), (generation or {}).get("eos_token_id")]
    return DecoderConfig(
        architecture=kind,
        vocab_size=need("vocab_size"),
        hidden_size=hidden,
        intermediate_size=need("intermediate_size"),
        num_layers=layers,
        num_heads=heads,
        num_kv_heads=heads if latent is not None else settings.get("num_key_value_heads") or heads,
        head_dim=head_dim,
        rotary=_rotary(settings, head_dim if latent is None else settings["qk_rope_head_dim"], "full_attention"),
        local_rotary=_rotary(settings, head_dim, "sliding_attention") if kind == "gemma3_text" else None,
        max_positions=settings.get("max_position_embeddings", 2048),
        epsilon=settings.get("rms_norm_eps", 1e-6),
        activation=activation_of(activation),
        windows=windows,
        attention_scale=_attention_scale(settings, is_gemma, latent),
        attention_cap=(settings.get("attn_logit_softcapping") or 0.0) if is_gemma else 0.0,
        logit_cap=(settings.get("final_logit_softcapping") or 0.0) if is_gemma else 0.0,
        embedding_scale=math.sqrt(hidden) if is_gemma else 1.0,
        tied=bool(settings.get("tie_word_embeddings", False)),
        qkv_bias=has_qkv_bias,
        output_bias=has_bias and kind not in ("qwen2", "qwen2_moe"),
        mlp_bias=bool(settings.get("mlp_bias", False) or settings.get("use_bias", False)),
        head_norms=kind in ("qwen3", "qwen3_moe", "gemma3_text"),
        post_norms=is_gemma,
        experts=experts_of(kind, settings, layers),
        latent=latent,
        initializer_range=settings.get("initializer_range", 0.02),
        bos_id=settings.get("bos_token_id"),
        eos_ids=tuple(
            dict.fromkeys(n for end in ends for n in (end if isinstance(end, list) else [end]) if n is not None)
        ),
    )


def _attention_scale(settings, is_gemma, latent):
    if is_gemma:
        return settings["query_pre_attn_scalar"] ** -0.5
    rotation = settings.get("rope_parameters") or settings.get("rope_scaling") or {}
    return None if latent is None else latent_scale(settings, rotation)


def _windows(kind, settings, layers):
    window = settings.get("sliding_window") or 0
    if kind.startswith("qwen") and not settings.get("use_sliding_window", False):
        window = 0
    if kind in ("llama", "ernie4_5", "ernie4_5_moe", "deepseek_v2", "deepseek_v3") or not window:
        return ()
    kinds = settings.get("layer_types")
    if kinds is not None:
        return tuple(window * (layer == "sliding_attention") for layer in kinds)
    if kind == "qwen2_moe":
        return tuple(window * (i % 2 == 0 and i < settings["max_window_layers"]) for i in range(layers))
    if kind in ("qwen2", "qwen3"):
        return tuple(window * (i >= settings["max_window_layers"]) for i in range(layers))
    pattern = {"gemma2": 2, "gemma3_text": settings.get("sliding_window_pattern", 6)}.get(kind)
    return tuple(window if pattern is None or (i + 1) % pattern else 0 for i in range(layers))


def _rotary(settings, head_dim, layer_kind):
    """From `rope_parameters`, of each kind of layer or of all, or from `rope_theta` and `rope_scaling` before it."""
    found = settings.get("rope_parameters")
    if found is None:
        is_local = layer_kind == "sliding_attention"
        base = settings.get("rope_local_base_freq", 10_000.0) if is_local else settings.get("rope_theta", 10_000.0)
        found = {"rope_theta": base, **((not is_local and settings.get("rope_scaling")) or {})}
    elif layer_kind in found:
        found = found[layer_kind]
    share = found.get("partial_rotary_factor", settings.get("partial_rotary_factor", 1.0))
    kind = found.get("rope_type", found.get("type", "default"))
    rotary = dict(width=int(head_dim * share), base=float(found.get("rope_theta", 10_000.0)))
    if kind in (None, "default"):
        return Rotary(**rotary)
    if kind not in ("linear", "llama3", "yarn"):
        raise ValueError(
            f"config.json: the rotation is scaled by {kind!r}; default, linear, llama3 and yarn can be read."
        )
    rotary.update(scaling=kind, factor=float(found["factor"]))
    longest = settings.get("max_position_embeddings", 2048)
    if kind == "llama3":
        low, high = found["low_freq_factor"], found["high_freq_factor"]
        rotary.update(low=low, high=high, original_positions=found["original_max_position_embeddings"])
    if kind == "yarn":
        low, high = found.get("beta_slow") or 1, found.get("beta_fast") or 32
        rotary.update(low=low, high=high, original_positions=found.get("original_max_position_embeddings") or longest)
        rotary.update(magnitude=_yarn_magnitude(found))
    return Rotary(**rotary)


def _yarn_magnitude(found):
    if found.get("attention_factor") is not None:
        return found["attention_factor"]
    one, all_dims = found.get("mscale"), found.get("mscale_all_dim")
    if not one or not all_dims:
        return None
    grown = 0.1 * math.log(max(found["factor"], 1.0))
    return (one * grown + 1) / (all_dims * grown + 1)


def names_of(config):
    """The names in a layer of what most architectures have, by the decoder's."""
    return {**_LAYER_NAMES, **(_POST_NORM_NAMES if config.post_norms else {})}


def is_offset(config):
    """Whether weights of norms are what is added to one."""
    return config.architecture in ("gemma2", "gemma3_text")


def is_adjacent(config, settings):
    """Whether rotated pairs are (2 i, 2 i + 1) in a folder whose config.json has these settings."""
    if config.latent is not None:
        return (settings or {}).get("rope_interleave", True)
    return config.architecture in _ADJACENT


class Weights:
    """The weights of a folder by the decoder's names.

    Args:
        tensors: A function of a name that returns a Tensor, or None.
        config: The DecoderConfig.
        settings: The dict of config.json.
        dequantize: Quantised weights become Tensors of that dtype; None keeps their blocks.
        pack: Whether these are packed.
    """

    def __init__(self, tensors, config, settings=None, dequantize=None, pack=True):
        self.pack = pack
        self.tensors, self.config = quantized_tensors(tensors, settings or {}, dequantize), config
        self.orders = rotated_orders(config) if is_adjacent(config, settings) else {}
        self.names, self.is_offset = names_of(config), is_offset(config)

    def __call__(self, name):
        stem, _, kind = name.rpartition(".")
        layer = LAYER.fullmatch(stem)
        if layer is None:
            found = self._tensor(f"{NAMES[stem]}.{kind}")
        else:
            found = self._layer_weight(layer[1], layer[2], kind)
            if found is not None and layer[2] in self.orders:
                found = rows_in_order(found, self.orders[layer[2]])
        if found is not None and self.is_offset and stem.endswith("norm"):
            found = found.astype("float32") + 1.0  # these files hold what is added to one
        is_packed = self.pack and isinstance(found, BlockWeight)
        return packed_for(name, found, self.config) if is_packed else found

    def _layer_weight(self, layer, which, kind):
        found = None
        if which in self.names:
            found = self._tensor(f"model.layers.{layer}.{self.names[which]}.{kind}")
        if found is None:
            found = self._part(layer, which, kind)
        if found is None:
            name = f"{which}.{kind}"
            found = layer_weight(name, self.config, lambda behind: self._tensor(f"model.layers.{layer}.{behind}"))
        return found

    def _tensor(self, name):
        """Text models inside of others have a prefix."""
        inner = name.removeprefix("model.")
        for spelled in (name, f"language_model.{name}", f"model.language_model.{inner}"):
            found = self.tensors(spelled)
            if found is not None:
                return found
        return None

    def _part(self, layer, which, kind):
        """Of a file that has queries, keys and values, or gate and up, in one tensor."""
        c = self.config
        for fused, parts, counts in (
            (
                "self_attn.qkv_proj",
                ("attention.q", "attention.k", "attention.v"),
                (c.num_heads, c.num_kv_heads, c.num_kv_heads),
            ),
            ("mlp.gate_up_proj", ("mlp.gate", "mlp.up"), None),
        ):
            if which in parts:
                whole = self._tensor(f"model.layers.{layer}.{fused}.{kind}")
                sizes = [n * c.head_dim for n in counts] if counts else [c.intermediate_size] * 2
                if whole is not None and whole.shape[0] == sum(sizes):
                    return split_rows(whole, sizes)[parts.index(which)]
        return None
