# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`save_gguf`: a decoder as a GGUF file, in float32, float16 or quantised in blocks."""

import dataclasses

import numpy

from ..formats.gguf import TENSOR_TYPES, TYPE_NUMBERS, GGUFFile
from ..formats.gguf_writer import write_gguf
from ..formats.stored import rows_joined, written_whole
from . import gguf_models
from .config import comparable
from .gguf_experts import NAMES, experts_metadata, latent_metadata
from .gguf_models import ADJACENT_PAIRS, FUSED, file_name
from .stored import stored_weights
from .weights import rotated_orders

# Architecture in config.json -> in GGUF files, where the names differ.
_NAMES = {
    "mistral": "llama",
    "gemma3_text": "gemma3",
    "mixtral": "llama",
    "deepseek_v2": "deepseek2",
    "deepseek_v3": "deepseek2",
    **{ours: theirs for theirs, ours in NAMES.items()},
}


TYPES = ("F32", "F16", "Q8_0", "Q4_K_M")


def save_gguf(model, path, type="Q8_0", metadata=None, progress=None):
    """Write a decoder as a GGUF file. A quantised weight is written from the numbers it stands for.

    Args:
        model: A Decoder.
        path: The file.
        type: "F32", "F16", "Q8_0" or "Q4_K_M" of matrices. Q4_K_M is the mix of that name: Q4_K, and Q6_K for the head, and for
            values and the last matrix of MLPs in half of the layers; rows that are no multiple of 256 are Q5_0 and Q8_0. A
            matrix whose rows are no whole blocks, and everything else, is F32.
        metadata: Further entries, such as those of a tokenizer.
        progress: Called with (tensors that are written, their number).

    Raises:
        ValueError: The model has a rule that such files do not express.
    """
    config = model.config
    architecture = _NAMES.get(config.architecture, config.architecture)
    if type not in TYPES:
        raise ValueError(f"save_gguf: type has the value {type!r}; it must be one of {', '.join(TYPES)}.")
    if architecture not in gguf_models.ARCHITECTURES:
        raise ValueError(f"save_gguf: a {config.architecture} has no name in GGUF files.")
    tensors = {
        name: (weight, _type_of(name, weight.shape, type, config))
        for name, weight in gguf_weights(model, architecture).items()
    }
    if config.rotary.scaling == "llama3" or config.rotary.divisors is not None:
        plain = dataclasses.replace(config.rotary, scaling="none", divisors=None).frequencies()
        tensors["rope_freqs.weight"] = (plain / config.rotary.frequencies()).astype("float32"), "F32"
    with written_whole(path) as beside:
        write_gguf(beside, {**_metadata(config, architecture), **(metadata or {})}, tensors, progress)
        written, wanted = (comparable(c) for c in (gguf_models.config_of(GGUFFile(beside)), config))
        different = [name for name in wanted if written[name] != wanted[name]]
        if different:
            values = ", ".join(f"{name} is {wanted[name]} and would become {written[name]}" for name in different)
            raise ValueError(f"save_gguf: GGUF files of {architecture} do not express this model: {values}.")


def _type_of(name, shape, type, config):
    """The type of a tensor in a file whose matrices are to be of a type."""
    if len(shape) < 2 or ".ffn_gate_inp" in name:
        return "F32"
    if type == "Q4_K_M":
        type = "Q6_K" if _is_precious(name, config) else "Q4_K"
        if shape[-1] % 256:
            type = "Q8_0" if type == "Q6_K" else "Q5_0"
    return type if shape[-1] % TENSOR_TYPES[TYPE_NUMBERS[type]].weights == 0 else "F32"


def _is_precious(name, config):
    """Of Q4_K_M: the head, and of the first and the last eighth of the layers and of every third between them what makes
    values, and what MLPs end with."""
    if name == ("token_embd.weight" if config.tied else "output.weight"):
        return True
    _, layer, which = (name.split(".") + ["", ""])[:3]
    if which not in ("attn_v", "ffn_down", "ffn_down_exps"):
        return False
    i, layers = int(layer), config.num_layers
    eighth = layers // 8
    return i < eighth or i >= 7 * layers // 8 or (i - eighth) % 3 == 2


def gguf_weights(model, architecture):
    """StoredWeight of every tensor of the file, by its name there."""
    found = stored_weights(model)
    orders = rotated_orders(model.config) if architecture in ADJACENT_PAIRS else {}
    for name, weight in found.items():
        which = name.rpartition(".")[0].split(".", 2)[-1]
        if which in orders:
            back = numpy.argsort(orders[which])
            found[name] = weight.map(lambda array, back=back: array[back])
        if name.endswith(".k_up"):
            heads, rows, width = weight.shape
            found[name] = weight.map(lambda array: numpy.swapaxes(array, 1, 2), (heads, width, rows))
        if name.endswith(".shared_gate.weight"):
            found[name] = weight.map(lambda array: array.reshape(-1), (weight.shape[-1],))
    if architecture == "phi3":
        found = _fused(found)
    return {file_name(name) if not name.startswith("blk.") else name: weight for name, weight in found.items()}


def _fused(weights):
    """Queries, keys and values in one matrix, gate and up in another."""
    found = {}
    for name, weight in weights.items():
        stem, which, kind = (name.rsplit(".", 2) + ["", ""])[:3]
        for fused, parts in FUSED.items():
            if which in parts and stem.startswith("layers."):
                if which == parts[0]:
                    whole = rows_joined([weights[f"{stem}.{part}.{kind}"] for part in parts])
                    found[f"blk.{stem.split('.')[1]}.{fused}.{kind}"] = whole
                break
        else:
            found[name] = weight
    return found


def _metadata(config, architecture):
    found = {
        "context_length": config.max_positions,
        "embedding_length": config.hidden_size,
        "block_count": config.num_layers,
        "feed_forward_length": config.intermediate_size,
        "attention.head_count": config.num_heads,
        "attention.head_count_kv": config.num_kv_heads,
        "attention.key_length": config.head_dim,
        "attention.value_length": config.head_dim,
        "attention.layer_norm_rms_epsilon": float(config.epsilon),
        "rope.dimension_count": config.rotary.width,
        "rope.freq_base": float(config.rotary.base),
        "vocab_size": config.vocab_size,
    }
    if any(config.windows):
        found["attention.sliding_window"] = max(config.windows)
    if config.attention_cap:
        found["attn_logit_softcapping"] = float(config.attention_cap)
    if config.logit_cap:
        found["final_logit_softcapping"] = float(config.logit_cap)
    if config.local_rotary is not None:
        found["rope.freq_base_swa"] = float(config.local_rotary.base)
    if config.rotary.scaling in ("linear", "yarn"):
        found["rope.scaling.type"] = config.rotary.scaling
        found["rope.scaling.factor"] = float(config.rotary.factor)
        found["rope.scaling.original_context_length"] = config.rotary.original_positions or config.max_positions
    found |= experts_metadata(config, architecture) | latent_metadata(config)
    head = {"general.architecture": architecture}
    ends = {"bos_token_id": config.bos_id, "eos_token_id": next(iter(config.eos_ids), None)}
    tokens = {f"tokenizer.ggml.{key}": value for key, value in ends.items() if value is not None}
    return head | {f"{architecture}.{key}": value for key, value in found.items()} | tokens
