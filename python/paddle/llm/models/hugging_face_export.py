# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`save_folder`: a decoder as a folder in Hugging Face's layout, plain or quantised."""

import functools
import math

import numpy

from ..formats.folder_writer import write_folder
from ..formats.stored import StoredWeight, rows_joined
from . import hugging_face_models, weight_encoding
from .config import comparable
from .hugging_face_experts import file_names
from .stored import stored_weights
from .weights import rotated_orders

CLASSES = {
    "llama": "Llama",
    "mistral": "Mistral",
    "qwen2": "Qwen2",
    "qwen3": "Qwen3",
    "phi3": "Phi3",
    "gemma2": "Gemma2",
    "gemma3_text": "Gemma3",
    "ernie4_5": "Ernie4_5",
    "mixtral": "Mixtral",
    "qwen2_moe": "Qwen2Moe",
    "qwen3_moe": "Qwen3Moe",
    "ernie4_5_moe": "Ernie4_5_Moe",
    "deepseek_v2": "DeepseekV2",
    "deepseek_v3": "DeepseekV3",
}
SCHEMES = ("wint4", "wint8", "fp8")
_HEAD_BITS = 8
_FUSED = {
    "self_attn.qkv_proj": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "mlp.gate_up_proj": ("mlp.gate_proj", "mlp.up_proj"),
}
_ACTIVATIONS = {"gelu_tanh": "gelu_pytorch_tanh"}


def save_folder(
    model,
    path,
    scheme=None,
    group_size=128,
    zero_points=False,
    keep_head=False,
    dtype="bfloat16",
    settings=None,
    calibration=None,
    write_others=lambda folder: None,
    progress=None,
):
    """Write a decoder as a folder with config.json and safetensors files.

    Args:
        model: A Decoder; of quantised weights the numbers they stand for are written.
        path: The folder, which must not be there yet.
        scheme: None; "wint4" or "wint8", GPTQ's form with codes of 4 or 8 bits; "fp8", 8-bit floats in blocks of 128 by 128.
        group_size: Inputs with one scale, 64 or 128, of wint4 and wint8.
        zero_points: Whether groups have a zero of their own (wint4).
        keep_head: Whether embedding and head stay plain. Otherwise they have 8 bits, which other programs may not read.
        dtype: "float32", "float16" or "bfloat16" of matrices that are not quantised; vectors are float32, or of this dtype
            where there is no scheme.
        settings: The dict of a config.json that the model has been read from; None: it is made.
        calibration: None, or a Calibration of this model, from which wint4 finds codes that make the least error in products.
        write_others: Called with the folder, to write what belongs to the tokenizer.
        progress: Called with (tensors that are written, their number).

    Returns:
        Names of the matrices of layers that do not fit the scheme and stay plain.

    Raises:
        ValueError: An argument is out of its range, such folders do not express the model, or no matrix fits the scheme.
        FileExistsError: There is something of that name.
    """
    _check(scheme, group_size, zero_points, dtype)
    settings = settings_of(model.config) if settings is None else dict(settings)
    _require_equal(settings, model.config)
    settings |= {"torch_dtype": dtype}
    for inner in (settings, settings.get("text_config") or {}):
        inner.pop("quantization_config", None)
    bits = {"wint4": 4, "wint8": 8}.get(scheme)
    tensors, plain, is_any = {}, [], False
    paths = _paths(model.config) if bits == 4 and calibration is not None else {}
    for name, weight in folder_weights(model).items():
        is_head = name in ("model.embed_tokens.weight", "lm_head.weight")
        own_bits = _HEAD_BITS if bits and is_head else bits
        wanted = scheme is not None and name.endswith(
            ("proj.weight", "proj_with_mqa.weight", ".w1.weight", ".w2.weight", ".w3.weight")
        )
        wanted = wanted or (scheme is not None and is_head and not keep_head)
        fits = (
            weight_encoding.float8_fits(weight.shape)
            if scheme == "fp8"
            else bool(bits) and weight_encoding.gptq_fits(weight.shape, own_bits, group_size)
        )
        if wanted and fits:
            is_any = True
            if scheme == "fp8":
                tensors |= weight_encoding.float8_tensors(name, weight)
            else:
                own_zeros, less = zero_points and not is_head, 0 if zero_points else 1
                moments = functools.partial(calibration.moments, paths[name]) if name in paths else None
                tensors |= weight_encoding.gptq_tensors(name, weight, own_bits, group_size, own_zeros, less, moments)
            continue
        if wanted:
            plain.append(name)
        tensors[name] = weight_encoding.plain_tensor(
            weight, dtype if len(weight.shape) > 1 or scheme is None else "float32"
        )
    if scheme is not None and not is_any:
        raise ValueError(
            f"save_folder: no matrix fits {scheme}: inputs must be a multiple of {128 if scheme == 'fp8' else group_size}."
        )
    if scheme == "fp8":
        settings["quantization_config"] = weight_encoding.float8_rules()
    elif scheme is not None:
        head_bits = None if keep_head else _HEAD_BITS
        settings["quantization_config"] = weight_encoding.gptq_rules(bits, group_size, zero_points, head_bits)
    write_folder(path, settings, tensors, write_others, progress)
    return plain


def _check(scheme, group_size, zero_points, dtype):
    if scheme is not None and scheme not in SCHEMES:
        raise ValueError(
            f"save_folder: scheme has the value {scheme!r}; it must be None or one of {', '.join(SCHEMES)}."
        )
    if group_size not in (64, 128):
        raise ValueError(f"save_folder: group_size has the value {group_size!r}; it must be 64 or 128.")
    if zero_points and scheme != "wint4":
        raise ValueError(f"save_folder: zero_points is true; the scheme {scheme!r} has none, wint4 does.")
    if dtype not in ("float32", "float16", "bfloat16"):
        raise ValueError(f"save_folder: dtype has the value {dtype!r}; it must be float32, float16 or bfloat16.")


def _require_equal(settings, config):
    written, wanted = comparable(hugging_face_models.config_of(settings)), comparable(config)
    different = [name for name in wanted if written[name] != wanted[name]]
    if different:
        values = ", ".join(f"{name} is {wanted[name]} and would become {written[name]}" for name in different)
        raise ValueError(f"save_folder: a config.json of {config.architecture} does not express this model: {values}.")


def _paths(config):
    """The names of files -> the decoder's paths of the linear layers, or of one with the same inputs."""
    names, found = hugging_face_models.names_of(config), {}
    for layer in range(config.num_layers):
        prefix = f"model.layers.{layer}."
        for which, name in names.items():
            if which.startswith(("attention.", "mlp.")) and not which.endswith("norm"):
                found[f"{prefix}{name}.weight"] = f"layers.{layer}.{which}"
        if config.architecture == "phi3":
            found[prefix + "self_attn.qkv_proj.weight"] = f"layers.{layer}.attention.q"
            found[prefix + "mlp.gate_up_proj.weight"] = f"layers.{layer}.mlp.gate"
    return found


def folder_weights(model):
    """StoredWeight of every tensor of a folder of a Decoder, by its name there."""
    config, found = model.config, {}
    stored = stored_weights(model)
    orders = rotated_orders(config) if hugging_face_models.is_adjacent(config, None) else {}
    names = hugging_face_models.names_of(config)
    for name, weight in stored.items():
        stem, _, kind = name.rpartition(".")
        layer = hugging_face_models.LAYER.fullmatch(stem)
        which = layer[2] if layer else stem
        if hugging_face_models.is_offset(config) and which.endswith("norm"):
            weight = weight.map(lambda array: array - 1.0)
        if layer is None:
            found[f"{hugging_face_models.NAMES[stem]}.{kind}"] = weight
            continue
        if which in orders:
            back = numpy.argsort(orders[which])
            weight = weight.map(lambda array, back=back: array[back])
        prefix = f"model.layers.{layer[1]}."
        if which in names:
            found[f"{prefix}{names[which]}.{kind}"] = weight
        elif which.startswith("mlp.experts."):
            for i, one in enumerate(_apart(weight)):
                found[prefix + file_names(f"{which}.{kind}", config.architecture) % i] = one
        elif name.endswith(".k_up"):
            both = _joined_heads(weight, stored[name.removesuffix("k_up") + "v_up"])
            found[prefix + "self_attn.kv_b_proj.weight"] = both
        elif not name.endswith(".v_up"):
            found[prefix + file_names(f"{which}.{kind}" if which else kind, config.architecture)] = weight
    return _fused(found) if config.architecture == "phi3" else found


def _apart(weight):
    """The matrices of experts, which are read together once."""
    count, rows, columns = weight.shape
    together = functools.lru_cache(1)(weight.read)

    def one(i):
        array = together()[i]
        if i == count - 1:
            together.cache_clear()
        return array

    return [StoredWeight((rows, columns), functools.partial(one, i)) for i in range(count)]


def _joined_heads(keys, values):
    heads, rows, width = keys.shape
    more = values.shape[1]
    return StoredWeight(
        (heads * (rows + more), width),
        lambda: numpy.concatenate([keys.read(), values.read()], 1).reshape(-1, width),
    )


def _fused(weights):
    found = {}
    for name, weight in weights.items():
        for fused, parts in _FUSED.items():
            part = next((part for part in parts if f".{part}." in name), None)
            if part is not None:
                if part == parts[0]:
                    whole = rows_joined([weights[name.replace(part, other)] for other in parts])
                    found[name.replace(part, fused)] = whole
                break
        else:
            found[name] = weight
    return found


def settings_of(config):
    """The dict of a config.json of a DecoderConfig.

    Raises:
        ValueError: Its architecture has no such form.
    """
    kind, rotary, experts, latent = config.architecture, config.rotary, config.experts, config.latent
    if kind not in CLASSES:
        raise ValueError(f"save_folder: a {kind} has no config.json; {', '.join(CLASSES)} have.")
    found = {
        "architectures": [f"{CLASSES[kind]}ForCausalLM"],
        "model_type": kind,
        "vocab_size": config.vocab_size,
        "hidden_size": config.hidden_size,
        "intermediate_size": config.intermediate_size,
        "num_hidden_layers": config.num_layers,
        "num_attention_heads": config.num_heads,
        "num_key_value_heads": config.num_kv_heads,
        "head_dim": config.head_dim,
        "max_position_embeddings": config.max_positions,
        "rms_norm_eps": config.epsilon,
        "tie_word_embeddings": config.tied,
        "initializer_range": config.initializer_range,
        "rope_theta": rotary.base,
        "rope_scaling": _scaling(rotary),
        "sliding_window": max(config.windows, default=0) or None,
        "pad_token_id": None,
        "bos_token_id": config.bos_id,
        "eos_token_id": list(config.eos_ids) if len(config.eos_ids) > 1 else next(iter(config.eos_ids), None),
    }
    activation = _ACTIVATIONS.get(config.activation, config.activation)
    found["hidden_activation" if kind.startswith("gemma") else "hidden_act"] = activation
    if rotary.width != config.head_dim and latent is None:
        found["partial_rotary_factor"] = rotary.width / config.head_dim
    if kind in ("ernie4_5", "ernie4_5_moe"):
        found["use_bias"] = config.qkv_bias
    elif kind == "qwen2_moe":
        found["qkv_bias"] = config.qkv_bias
    elif kind != "qwen2":
        found["attention_bias"] = config.qkv_bias
    if kind not in ("ernie4_5", "ernie4_5_moe"):
        found["mlp_bias"] = config.mlp_bias
    if kind.startswith("qwen"):
        found["use_sliding_window"] = any(config.windows)
        if any(config.windows):
            found["max_window_layers"] = next(i for i, window in enumerate(config.windows) if window)
    if kind.startswith("gemma"):
        found |= {
            "query_pre_attn_scalar": _whole(config.attention(0).scale ** -2),
            "attn_logit_softcapping": config.attention_cap or None,
            "final_logit_softcapping": config.logit_cap or None,
            "layer_types": ["sliding_attention" if window else "full_attention" for window in config.windows],
        }
    if config.local_rotary is not None:
        found["rope_local_base_freq"] = config.local_rotary.base
    if experts is not None:
        found |= _experts(kind, experts, config.num_layers)
    if latent is not None:
        found |= {
            "kv_lora_rank": latent.width,
            "q_lora_rank": latent.query_width or None,
            "v_head_dim": latent.value_width,
            "qk_nope_head_dim": config.head_dim - rotary.width,
            "qk_rope_head_dim": rotary.width,
        }
        del found["head_dim"]
    return found


def _whole(value):
    """An int where a float is nearly one."""
    return round(value) if abs(value - round(value)) < 1e-6 * value else value


def _scaling(rotary):
    if rotary.divisors is not None:
        raise ValueError(
            "save_folder: each frequency of the rotation has a divisor of its own, as the model's file holds them; a config.json "
            "has no place for these numbers. Start from the model's original folder."
        )
    if rotary.scaling == "none":
        return None
    found = {"rope_type": rotary.scaling, "factor": rotary.factor}
    if rotary.scaling == "llama3":
        found |= {
            "low_freq_factor": rotary.low,
            "high_freq_factor": rotary.high,
            "original_max_position_embeddings": rotary.original_positions,
        }
    if rotary.scaling == "yarn":
        found |= {
            "beta_slow": rotary.low,
            "beta_fast": rotary.high,
            "original_max_position_embeddings": rotary.original_positions,
        }
        if rotary.magnitude is not None:
            found["attention_factor"] = rotary.magnitude
    return found


def _experts(kind, experts, layers):
    if kind == "mixtral":
        return {
            "num_local_experts": experts.count,
            "num_experts_per_tok": experts.chosen,
            "intermediate_size": experts.width,
        }
    if kind == "ernie4_5_moe":
        return {
            "moe_num_experts": experts.count,
            "moe_k": experts.chosen,
            "moe_intermediate_size": experts.width,
            "moe_num_shared_experts": experts.shared_width // experts.width,
            "moe_layer_start_index": min(experts.layers),
            "moe_layer_end_index": max(experts.layers),
            "moe_norm_min": experts.floor,
        }
    found = {"num_experts_per_tok": experts.chosen, "moe_intermediate_size": experts.width}
    if kind in ("qwen2_moe", "qwen3_moe"):
        plain = [i for i in range(layers) if i not in experts.layers]
        found |= {"num_experts": experts.count, "norm_topk_prob": experts.normalized, "mlp_only_layers": plain}
        return found | ({"shared_expert_intermediate_size": experts.shared_width} if kind == "qwen2_moe" else {})
    is_third = kind == "deepseek_v3"
    return found | {
        "n_routed_experts": experts.count,
        "n_shared_experts": math.ceil(experts.shared_width / experts.width),
        "first_k_dense_replace": min(experts.layers),
        "norm_topk_prob": experts.normalized,
        "routed_scaling_factor": experts.scale,
        "n_group": experts.groups,
        "topk_group": experts.chosen_groups,
        "topk_method": "noaux_tc" if is_third else "group_limited_greedy" if experts.groups > 1 else "greedy",
        "scoring_func": experts.score,
    }
