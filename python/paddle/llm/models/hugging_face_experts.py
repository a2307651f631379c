# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Experts and latent attention of folders in Hugging Face's layout: rules from config.json, and names of their weights."""

import math

from .config import Experts, Latent
from .weights import BlockWeight, head_matrices, stacked

# Matrices of an expert in files.
_MATRICES = {"gate": "gate_proj", "up": "up_proj", "down": "down_proj"}
_MIXTRAL_MATRICES = {"gate": "w1", "up": "w3", "down": "w2"}
# A layer's other weights, by the decoder's names without `layers.N.`.
_NAMES = {
    "mlp.router.scores.weight": ("mlp.gate.weight", "block_sparse_moe.gate.weight"),
    "mlp.router.selection_bias": ("mlp.gate.e_score_correction_bias", "mlp.moe_statics.e_score_correction_bias"),
    "mlp.shared_gate.weight": ("mlp.shared_expert_gate.weight",),
    **{
        f"mlp.shared.{which}.{kind}": (f"mlp.shared_experts.{name}.{kind}", f"mlp.shared_expert.{name}.{kind}")
        for which, name in _MATRICES.items()
        for kind in ("weight", "bias")
    },
    **{
        f"attention.{which}.{kind}": (f"self_attn.{name}.{kind}",)
        for which, name in (
            ("q_down", "q_a_proj"),
            ("q_down_norm", "q_a_layernorm"),
            ("q_up", "q_b_proj"),
            ("kv_down", "kv_a_proj_with_mqa"),
            ("kv_down_norm", "kv_a_layernorm"),
        )
        for kind in ("weight", "bias")
    },
}
_DEEPSEEK = dict(moe_layer_freq=1, topk_method="greedy", scoring_func="softmax", norm_topk_prob=False)
# What config.json may leave out.
DEFAULTS = {
    "mixtral": {
        "num_key_value_heads": 8,
        "rms_norm_eps": 1e-5,
        "rope_theta": 1e6,
        "num_local_experts": 8,
        "num_experts_per_tok": 2,
    },
    "qwen2_moe": {
        "num_key_value_heads": 16,
        "sliding_window": 4096,
        "max_window_layers": 28,
        "qkv_bias": True,
        "num_experts": 60,
        "num_experts_per_tok": 4,
        "moe_intermediate_size": 1408,
        "shared_expert_intermediate_size": 5632,
    },
    "qwen3_moe": {
        "num_key_value_heads": 4,
        "sliding_window": 4096,
        "num_experts": 128,
        "num_experts_per_tok": 8,
        "moe_intermediate_size": 768,
    },
    "ernie4_5_moe": {
        "num_key_value_heads": 4,
        "rms_norm_eps": 1e-5,
        "rope_theta": 5e5,
        "tie_word_embeddings": True,
        "moe_num_experts": 64,
        "moe_k": 6,
        "moe_intermediate_size": 1536,
        "moe_num_shared_experts": 2,
        "moe_layer_start_index": 1,
        "moe_layer_interval": 1,
        "moe_norm_min": 1e-12,
    },
    "deepseek_v2": {
        **_DEEPSEEK,
        "first_k_dense_replace": 0,
        "kv_lora_rank": 512,
        "q_lora_rank": 1536,
        "n_routed_experts": 64,
        "n_shared_experts": 2,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "routed_scaling_factor": 1.0,
        "moe_intermediate_size": 1407,
    },
    "deepseek_v3": {
        **_DEEPSEEK,
        "scoring_func": "sigmoid",
        "topk_method": "noaux_tc",
        "norm_topk_prob": True,
        "first_k_dense_replace": 3,
        "kv_lora_rank": 512,
        "q_lora_rank": 1536,
        "n_routed_experts": 256,
        "n_shared_experts": 1,
        "qk_nope_head_dim": 128,
        "qk_rope_head_dim": 64,
        "v_head_dim": 128,
        "n_group": 8,
        "topk_group": 4,
        "num_experts_per_tok": 8,
        "routed_scaling_factor": 2.5,
        "moe_intermediate_size": 2048,
        "rope_interleave": True,
    },
}


def experts_of(kind, settings, layers):
    """The Experts of a config.json with the defaults above, or None."""
    if kind == "mixtral":
        return Experts(
            count=settings["num_local_experts"],
            chosen=settings["num_experts_per_tok"],
            width=settings["intermediate_size"],
            layers=tuple(range(layers)),
        )
    if kind in ("qwen2_moe", "qwen3_moe"):
        step, plain = settings.get("decoder_sparse_step") or 1, settings.get("mlp_only_layers") or ()
        count = settings.get("num_local_experts") or settings["num_experts"]
        is_shared = kind == "qwen2_moe"
        return Experts(
            count=count,
            chosen=settings["num_experts_per_tok"],
            width=settings["moe_intermediate_size"],
            layers=tuple(i for i in range(layers) if i not in plain and (i + 1) % step == 0),
            shared_width=settings["shared_expert_intermediate_size"] if is_shared else 0,
            shared_gate=is_shared,
            normalized=bool(settings.get("norm_topk_prob", False)),
        )
    if kind == "ernie4_5_moe":
        first, last = settings["moe_layer_start_index"], settings.get("moe_layer_end_index", -1)
        between = range(first, (layers - 1 if last == -1 else min(last, layers - 1)) + 1)
        return Experts(
            count=settings["moe_num_experts"],
            chosen=settings["moe_k"],
            width=settings["moe_intermediate_size"],
            layers=tuple(i for i in between if (i + 1) % settings["moe_layer_interval"] == 0),
            shared_width=settings["moe_intermediate_size"] * settings["moe_num_shared_experts"],
            selection_bias=True,
            floor=settings["moe_norm_min"],
        )
    if kind in ("deepseek_v2", "deepseek_v3"):
        return _deepseek_experts(kind, settings, layers)
    return None


def _deepseek_experts(kind, settings, layers):
    is_third = kind == "deepseek_v3"
    methods = ("noaux_tc",) if is_third else ("greedy", "group_limited_greedy")
    for key, known in (
        ("topk_method", methods),
        ("scoring_func", ("sigmoid",) if is_third else ("softmax",)),
        ("moe_layer_freq", (1,)),
        ("norm_topk_prob", (True, False) if is_third else (False, None)),
    ):
        if settings[key] not in known:
            raise ValueError(
                f"config.json: {key!r} is {settings[key]!r}; of a {kind} these can be read: {', '.join(map(str, known))}."
            )
    has_groups = settings["topk_method"] != "greedy"
    return Experts(
        count=settings["n_routed_experts"],
        chosen=settings["num_experts_per_tok"],
        width=settings["moe_intermediate_size"],
        layers=tuple(range(settings["first_k_dense_replace"], layers)),
        shared_width=settings["moe_intermediate_size"] * (settings["n_shared_experts"] or 0),
        score="sigmoid" if is_third else "softmax",
        selection_bias=is_third,
        normalized=bool(settings["norm_topk_prob"]),
        scale=float(settings["routed_scaling_factor"]),
        groups=settings["n_group"] if has_groups else 1,
        chosen_groups=settings["topk_group"] if has_groups else 1,
        best_of_group=2 if is_third else 1,
    )


def latent_of(kind, settings):
    """The Latent of a config.json with the defaults above, or None."""
    if kind not in ("deepseek_v2", "deepseek_v3"):
        return None
    return Latent(settings["kv_lora_rank"], settings["q_lora_rank"] or 0, settings["v_head_dim"])


def latent_scale(settings, rotation):
    """The factor of scores: rotations that are scaled by YaRN make it larger."""
    scale = (settings["qk_nope_head_dim"] + settings["qk_rope_head_dim"]) ** -0.5
    kind, share = rotation.get("rope_type", rotation.get("type", "default")), rotation.get("mscale_all_dim")
    if kind in (None, "default") or not share:
        return scale
    grown = 0.1 * share * math.log(max(rotation["factor"], 1.0)) + 1.0
    return scale * grown * grown


def file_names(name, architecture):
    """The name behind `model.layers.N.` of a weight in folders of an architecture, with %d for the number of an expert.

    Args:
        name: The decoder's name without `layers.N.`.
        architecture: The name in config.json.
    """
    is_mixtral = architecture == "mixtral"
    if name.startswith("mlp.experts."):
        which = name.split(".")[2]
        if is_mixtral:
            return f"block_sparse_moe.experts.%d.{_MIXTRAL_MATRICES[which]}.weight"
        return f"mlp.experts.%d.{_MATRICES[which]}.weight"
    spelled = _NAMES[name]
    other = {"mlp.router.scores.weight": is_mixtral, "mlp.router.selection_bias": architecture == "ernie4_5_moe"}
    is_second = other.get(name, name.startswith("mlp.shared.") and architecture == "qwen2_moe")
    return spelled[1 if is_second and len(spelled) > 1 else 0]


def layer_weight(name, config, tensor):
    """A weight of experts or of latent attention.

    Args:
        name: The decoder's name without `layers.N.`.
        config: The DecoderConfig.
        tensor: A function of a name behind `model.layers.N.` that returns a Tensor, or None.

    Returns:
        The Tensor, or None where `name` is no such weight or the file has none.
    """
    for spelled in _NAMES.get(name, ()):
        found = tensor(spelled)
        if found is not None:
            is_bias = name == "mlp.router.selection_bias"
            return found.reshape([config.experts.count]) if is_bias else found
    if name.startswith("mlp.experts."):
        return _stacked(name.split(".")[2], config.experts.count, tensor)
    if name in ("attention.k_up", "attention.v_up"):
        both = tensor("self_attn.kv_b_proj.weight")
        if isinstance(both, BlockWeight):
            both = both.dequantize()
        return None if both is None else head_matrices(both, config)[name == "attention.v_up"]
    return None


def _stacked(which, count, tensor):
    for pattern in (
        f"mlp.experts.%d.{_MATRICES[which]}.weight",
        f"block_sparse_moe.experts.%d.{_MIXTRAL_MATRICES[which]}.weight",
    ):
        if tensor(pattern % 0) is None:
            continue
        parts = [tensor(pattern % i) for i in range(count)]
        for i, part in enumerate(parts):
            if part is None:
                raise ValueError(f"{pattern % i!r} is missing; the model has {count} experts.")
        return stacked(parts)
    return None
