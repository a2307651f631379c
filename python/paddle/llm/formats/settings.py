# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""That the values of a config.json have the types that are read."""

_NUMBER = (int, float)
_KINDS = {
    int: (
        "vocab_size hidden_size intermediate_size num_hidden_layers num_attention_heads num_key_value_heads head_dim "
        "max_position_embeddings sliding_window max_window_layers sliding_window_pattern num_local_experts num_experts "
        "num_experts_per_tok moe_intermediate_size shared_expert_intermediate_size decoder_sparse_step moe_num_experts moe_k "
        "moe_num_shared_experts moe_layer_start_index moe_layer_end_index moe_layer_interval first_k_dense_replace "
        "kv_lora_rank q_lora_rank n_routed_experts n_shared_experts qk_nope_head_dim qk_rope_head_dim v_head_dim n_group "
        "topk_group moe_layer_freq bos_token_id original_max_position_embeddings type_vocab_size"
    ),
    _NUMBER: (
        "rms_norm_eps rope_theta rope_local_base_freq partial_rotary_factor query_pre_attn_scalar attn_logit_softcapping "
        "final_logit_softcapping initializer_range routed_scaling_factor moe_norm_min factor low_freq_factor high_freq_factor "
        "beta_slow beta_fast mscale mscale_all_dim attention_factor layer_norm_eps"
    ),
    bool: (
        "tie_word_embeddings attention_bias use_bias mlp_bias qkv_bias use_sliding_window norm_topk_prob rope_interleave"
    ),
    str: "model_type hidden_act hidden_activation topk_method scoring_func rope_type type position_embedding_type",
    dict: "text_config rope_parameters rope_scaling full_attention sliding_attention quantization_config",
    list: "layer_types mlp_only_layers",
}
_KIND_OF = {key: kind for kind, keys in _KINDS.items() for key in keys.split()}
_NAMES = {
    int: "a whole number",
    _NUMBER: "a number",
    bool: "true or false",
    str: "a text",
    dict: "an object",
    list: "a list",
}
# These are left out, or have a value.
_NEVER_NULL = frozenset(
    (
        "model_type num_experts_per_tok moe_intermediate_size moe_num_experts moe_k moe_num_shared_experts moe_layer_start_index "
        "moe_layer_interval first_k_dense_replace n_routed_experts kv_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim "
        "routed_scaling_factor moe_norm_min rope_theta factor low_freq_factor high_freq_factor"
    ).split()
)
# No size is as large.
_MOST = 1 << 40


def checked(settings, file="config.json"):
    """The dict itself.

    Raises:
        ValueError: A value that is read has another type, or is out of range.
    """
    for key, value in settings.items():
        kind = _KIND_OF.get(key)
        if key == "eos_token_id":
            _check_ends(value, file)
        if kind is None or (value is None and key not in _NEVER_NULL):
            continue
        is_fine = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
        if is_fine and kind in (int, _NUMBER):
            is_fine = -_MOST < value < _MOST
        if is_fine and kind is list:
            is_fine = all(isinstance(one, str if key == "layer_types" else int) for one in value)
        if not is_fine:
            raise ValueError(f"{file}: {key!r} is {value!r}; it must be {_NAMES[kind]}.")
        if kind is dict:
            checked(value, file)
    return settings


def _check_ends(value, file):
    ends = value if isinstance(value, list) else [value]
    if not all(end is None or type(end) is int for end in ends):
        raise ValueError(f"{file}: 'eos_token_id' is {value!r}; it must be a token, or a list of tokens.")
