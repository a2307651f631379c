# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Experts and latent attention of GGUF files: rules from the metadata, and the other way."""

import math

from .config import Experts, Latent

# Architecture of files -> in config.json, where the names differ; of `llama` and `deepseek2` see `architecture_of`.
NAMES = {"qwen2moe": "qwen2_moe", "qwen3moe": "qwen3_moe", "ernie4_5-moe": "ernie4_5_moe"}
# Those that have experts in files.
WITH_EXPERTS = ("llama", "deepseek2", *NAMES)
LAYER_NAMES = {
    "mlp.router.scores": "ffn_gate_inp",
    "mlp.experts.gate": "ffn_gate_exps",
    "mlp.experts.up": "ffn_up_exps",
    "mlp.experts.down": "ffn_down_exps",
    "mlp.shared.gate": "ffn_gate_shexp",
    "mlp.shared.up": "ffn_up_shexp",
    "mlp.shared.down": "ffn_down_shexp",
    "mlp.shared_gate": "ffn_gate_inp_shexp",
    "attention.q_down": "attn_q_a",
    "attention.q_down_norm": "attn_q_a_norm",
    "attention.q_up": "attn_q_b",
    "attention.kv_down": "attn_kv_a_mqa",
    "attention.kv_down_norm": "attn_kv_a_norm",
    "attention.kv_up": "attn_kv_b",  # keys and values in one
}
# Names without `.weight` behind them.
WHOLE_NAMES = {
    "mlp.router.selection_bias": "exp_probs_b.bias",
    "attention.k_up": "attn_k_b.weight",
    "attention.v_up": "attn_v_b.weight",
}
_SOFTMAX, _SIGMOID = 1, 2


def architecture_of(architecture, experts):
    """The name in config.json."""
    if architecture == "deepseek2":
        return "deepseek_v3" if experts is not None and experts.score == "sigmoid" else "deepseek_v2"
    if architecture == "llama" and experts is not None:
        return "mixtral"
    return NAMES.get(architecture, architecture)


def experts_of(file, architecture, value, layers):
    """The Experts of a GGUFFile, or None. Widths are those of the tensors."""
    count = value("expert_count", int, 0)
    if count < 1:
        return None
    if architecture not in WITH_EXPERTS:
        raise ValueError(f"{file.path}: a {architecture} with {count} experts cannot be read.")
    found = tuple(i for i in range(layers) if f"blk.{i}.ffn_gate_inp.weight" in file.tensors)
    if not found:
        raise ValueError(f"{file.path}: it has {count} experts, and no layer has a router (ffn_gate_inp.weight).")

    def width(name):
        tensor = file.tensors.get(f"blk.{found[0]}.{name}.weight")
        return 0 if tensor is None else tensor.shape[-2]

    if not width("ffn_gate_exps"):
        raise ValueError(
            f"{file.path}: there is no blk.{found[0]}.ffn_gate_exps.weight; experts are read in one tensor."
        )
    gating = value("expert_gating_func", int, 0) or _SOFTMAX
    if gating not in (_SOFTMAX, _SIGMOID):
        raise ValueError(
            f"{file.path}: scores of experts are of kind {gating}; softmax (1) and sigmoid (2) can be read."
        )
    is_deepseek = architecture == "deepseek2"
    return Experts(
        count=count,
        chosen=value("expert_used_count"),
        width=width("ffn_gate_exps"),
        layers=found,
        shared_width=width("ffn_gate_shexp"),
        shared_gate=f"blk.{found[0]}.ffn_gate_inp_shexp.weight" in file.tensors,
        score="sigmoid" if gating == _SIGMOID else "softmax",
        selection_bias=f"blk.{found[0]}.exp_probs_b.bias" in file.tensors,
        normalized=value("expert_weights_norm", bool, False) if is_deepseek else architecture != "qwen2moe",
        floor=1e-12 if architecture == "ernie4_5-moe" else 1e-20,
        scale=value("expert_weights_scale", float, 1.0) or 1.0,
        groups=max(value("expert_group_count", int, 1), 1),
        chosen_groups=max(value("expert_group_used_count", int, 1), 1),
        best_of_group=2 if gating == _SIGMOID and value("expert_group_count", int, 1) > 1 else 1,
    )


def latent_of(value):
    """The Latent of a file of deepseek2, and the width of keys."""
    keys, values = value("attention.key_length_mla", int, 0), value("attention.value_length_mla", int, 0)
    if not keys or not values:  # files without these keys have the widths of a head here
        keys, values = value("attention.key_length"), value("attention.value_length")
    return Latent(value("attention.kv_lora_rank"), value("attention.q_lora_rank", int, 0), values), keys


def latent_scale(value, keys):
    """The factor of scores; None where YaRN does not change it."""
    share, factor = value("rope.scaling.yarn_log_multiplier", float, 0.0), value("rope.scaling.factor", float, 1.0)
    if not share or factor <= 1.0:
        return None
    return keys**-0.5 * (share * math.log(factor) + 1.0) ** 2


def experts_metadata(config, architecture):
    """What a file of the architecture says of experts, without the architecture's name in front."""
    experts = config.experts
    if experts is None:
        return {}
    first = min(experts.layers, default=config.num_layers)
    leads = architecture in ("deepseek2", "ernie4_5-moe")
    if architecture not in WITH_EXPERTS or experts.layers != tuple(range(first if leads else 0, config.num_layers)):
        raise ValueError(
            f"save_gguf: GGUF files of {architecture} do not express experts in the layers {list(experts.layers)} of "
            f"{config.num_layers}."
        )
    found = {"expert_count": experts.count, "expert_used_count": experts.chosen}
    if architecture != "llama":
        found["expert_feed_forward_length"] = experts.width
    if experts.shared_width:
        found["expert_shared_feed_forward_length"] = experts.shared_width
    if leads:
        found["leading_dense_block_count"] = first
    if architecture == "ernie4_5-moe":
        found["interleave_moe_layer_step"] = 1
    if leads and experts.shared_width:
        found["expert_shared_count"] = max(experts.shared_width // experts.width, 1)
    if architecture == "deepseek2":
        found["expert_gating_func"] = _SIGMOID if experts.score == "sigmoid" else _SOFTMAX
        found["expert_weights_norm"] = experts.normalized
        found["expert_weights_scale"] = float(experts.scale)
        if experts.groups > 1:
            found["expert_group_count"], found["expert_group_used_count"] = experts.groups, experts.chosen_groups
    return found


def latent_metadata(config):
    """The same of latent attention; it replaces what is said of heads."""
    latent = config.latent
    if latent is None:
        return {}
    found = {
        "attention.head_count_kv": 1,
        "attention.kv_lora_rank": latent.width,
        "attention.key_length": latent.width + config.rotary.width,
        "attention.value_length": latent.width,
        "attention.key_length_mla": config.head_dim,
        "attention.value_length_mla": latent.value_width,
    }
    if latent.query_width:
        found["attention.q_lora_rank"] = latent.query_width
    grown = math.sqrt(config.attention(0).scale * math.sqrt(config.head_dim)) - 1.0
    if config.rotary.scaling == "yarn" and grown > 1e-6:
        found["rope.scaling.yarn_log_multiplier"] = grown / math.log(config.rotary.factor)
    return found
