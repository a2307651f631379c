# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`save_gguf`: a decoder as a GGUF file, in float32, float16 or Q8_0."""

import dataclasses
import os

import numpy

from ... import nn
from ..formats.gguf import TENSOR_TYPES, TYPE_NUMBERS, GGUFFile
from ..formats.gguf_writer import write_gguf
from . import gguf_models
from .gguf_experts import NAMES, experts_metadata, latent_metadata
from .gguf_models import ADJACENT_PAIRS, FUSED, file_name
from .weights import QuantizedEmbedding, QuantizedExpertLinear, QuantizedLinear, rotated_orders

# Architecture in config.json -> in GGUF files, where the names differ.
_NAMES = {
    "mistral": "llama",
    "gemma3_text": "gemma3",
    "mixtral": "llama",
    "deepseek_v2": "deepseek2",
    "deepseek_v3": "deepseek2",
    **{ours: theirs for theirs, ours in NAMES.items()},
}


def save_gguf(model, path, type="Q8_0", metadata=None):
    """Write a decoder as a GGUF file.

    Args:
        model: A Decoder whose weights are not quantised.
        path: The file.
        type: "F32", "F16" or "Q8_0" of matrices; a matrix whose rows are no whole blocks, and everything else, is F32.
        metadata: Further entries, such as those of a tokenizer.

    Raises:
        ValueError: The model has quantised weights, or a rule that such files do not express.
    """
    config = model.config
    architecture = _NAMES.get(config.architecture, config.architecture)
    if any(
        isinstance(layer, (QuantizedLinear, QuantizedExpertLinear, QuantizedEmbedding)) for layer in model.sublayers()
    ):
        raise ValueError("save_gguf: the model has quantised weights; load it with dequantize=True.")
    if type not in ("F32", "F16", "Q8_0"):
        raise ValueError(f"save_gguf: type has the value {type!r}; it must be F32, F16 or Q8_0.")
    if architecture not in gguf_models.ARCHITECTURES:
        raise ValueError(f"save_gguf: a {config.architecture} has no name in GGUF files.")
    tensors = {}
    for name, array in _weights(model, architecture):
        is_matrix = (
            array.ndim >= 2
            and ".ffn_gate_inp" not in name
            and array.shape[-1] % TENSOR_TYPES[TYPE_NUMBERS[type]].weights == 0
        )
        tensors[name] = array, type if is_matrix else "F32"
    if config.rotary.scaling == "llama3" or config.rotary.divisors is not None:
        plain = dataclasses.replace(config.rotary, scaling="none", divisors=None).frequencies()
        tensors["rope_freqs.weight"] = (plain / config.rotary.frequencies()).astype("float32"), "F32"
    write_gguf(path, {**_metadata(config, architecture), **(metadata or {})}, tensors)
    written, wanted = (_comparable(c) for c in (gguf_models.config_of(GGUFFile(path)), config))
    different = [name for name in wanted if written[name] != wanted[name]]
    if different:
        os.unlink(path)
        values = ", ".join(f"{name} is {wanted[name]} and would become {written[name]}" for name in different)
        raise ValueError(f"save_gguf: GGUF files of {architecture} do not express this model: {values}.")


def _weights(model, architecture):
    """(name in the file, array with the contiguous extent last) of every weight."""
    found = {}
    for path, layer in model.named_sublayers():
        for kind, parameter in layer.named_parameters(include_sublayers=False):
            array = parameter.astype("float32").numpy()
            is_linear = isinstance(layer, nn.Linear) and kind == "weight"
            found[f"{path}.{kind}"] = array.T if is_linear else array
        for kind, buffer in layer.named_buffers(include_sublayers=False):
            found[f"{path}.{kind}"] = buffer.astype("float32").numpy()
    orders = rotated_orders(model.config) if architecture in ADJACENT_PAIRS else {}
    for name in list(found):
        which = name.rpartition(".")[0].split(".", 2)[-1]
        if which in orders:
            found[name] = found[name][numpy.argsort(orders[which])]
        if name.endswith(".k_up"):
            found[name] = numpy.swapaxes(found[name], 1, 2)
        if name.endswith(".shared_gate.weight"):
            found[name] = found[name].reshape(-1)
    if architecture == "phi3":
        found = _fused(found)
    return [(file_name(name) if not name.startswith("blk.") else name, array) for name, array in found.items()]


def _fused(weights):
    """Queries, keys and values in one matrix, gate and up in another."""
    found = {}
    for name, array in weights.items():
        stem, which, kind = (name.rsplit(".", 2) + ["", ""])[:3]
        for fused, parts in FUSED.items():
            if which in parts and stem.startswith("layers."):
                if which == parts[0]:
                    whole = numpy.concatenate([weights[f"{stem}.{part}.{kind}"] for part in parts])
                    found[f"blk.{stem.split('.')[1]}.{fused}.{kind}"] = whole
                break
        else:
            found[name] = array
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


def _comparable(config):
    """The rules of a config as a file can hold them: numbers in float32."""

    def rounded(value):
        return float(numpy.float32(value)) if isinstance(value, float) else value

    found = {field.name: rounded(getattr(config, field.name)) for field in dataclasses.fields(config)}
    for name in ("architecture", "initializer_range", "bos_id", "eos_ids"):
        del found[name]
    for name in ("rotary", "local_rotary"):
        rotary = found[name]
        if rotary is not None:
            turns = tuple(float(f"{turn:.5g}") for turn in rotary.frequencies().tolist())
            found[name] = rotary.width, turns, rounded(float(rotary.scale))
    found["attention_scale"] = float(f"{config.attention(0).scale:.6g}")
    if config.experts is not None:
        found["experts"] = tuple(rounded(value) for value in dataclasses.astuple(config.experts))
    found["windows"] = config.windows if any(config.windows) else ()
    return found
