# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Decoders of GGUF files: the config from the metadata, and the weights by the decoder's names.

Rules that an architecture has and the metadata does not say (patterns of windows, scales) stand here.
"""

import math
import re

from ... import _core
from .config import DecoderConfig, Rotary
from .gguf_experts import LAYER_NAMES, WHOLE_NAMES, architecture_of, experts_of, latent_of, latent_scale
from .weights import (
    BlockWeight,
    head_matrices,
    numpy_tensor,
    packed_for,
    rotated_orders,
    rows_in_order,
    split_rows,
)

# Queries and keys of these are stored for pairs (2 i, 2 i + 1); the decoder has pairs (i, i + width / 2).
ADJACENT_PAIRS = {"llama", "ernie4_5", "ernie4_5-moe", "deepseek2"}
# These have queries, keys and values, and gate and up, in one matrix.
FUSED_WEIGHTS = {"phi3"}
ARCHITECTURES = (
    "llama",
    "qwen2",
    "qwen3",
    "gemma2",
    "gemma3",
    "phi3",
    "qwen2moe",
    "qwen3moe",
    "deepseek2",
    "ernie4_5",
    "ernie4_5-moe",
)

_NAMES = {"embedding": "token_embd", "norm": "output_norm", "head": "output"}
_LAYER_NAMES = {
    "attention_norm": "attn_norm",
    "attention.q": "attn_q",
    "attention.k": "attn_k",
    "attention.v": "attn_v",
    "attention.o": "attn_output",
    "attention.q_norm": "attn_q_norm",
    "attention.k_norm": "attn_k_norm",
    "attention_post_norm": "post_attention_norm",
    "mlp_norm": "ffn_norm",
    "mlp.gate": "ffn_gate",
    "mlp.up": "ffn_up",
    "mlp.down": "ffn_down",
    "mlp_post_norm": "post_ffw_norm",
    **LAYER_NAMES,
}
_LAYER = re.compile(r"layers\.(\d+)\.(.+)")
_FLOATS = {"F32": ("<f4", "float32"), "F16": ("<f2", "float16"), "BF16": ("<u2", "bfloat16")}


# What some files hold in one matrix, and the decoder in several.
FUSED = {"attn_qkv": ("q", "k", "v"), "ffn_up": ("gate", "up")}


def file_name(name):
    """The name in GGUF files of a weight of the decoder."""
    whole = _LAYER.fullmatch(name)
    if whole is not None and whole[2] in WHOLE_NAMES:
        return f"blk.{whole[1]}.{WHOLE_NAMES[whole[2]]}"
    stem, _, kind = name.rpartition(".")
    found = _LAYER.fullmatch(stem)
    if found is None:
        return f"{_NAMES[stem]}.{kind}"
    return f"blk.{found[1]}.{_LAYER_NAMES[found[2]]}.{kind}"


def config_of(file):
    """The DecoderConfig of a GGUFFile.

    Raises:
        ValueError: The architecture is another, or the metadata lacks what it needs.
    """
    architecture = file.value("general.architecture", str)
    if architecture not in ARCHITECTURES:
        raise ValueError(
            f"{file.path}: the architecture is {architecture!r}; these can be read: {', '.join(ARCHITECTURES)}."
        )
    if file.value("split.count", int, 0) > 1:
        raise ValueError(f"{file.path}: 'split.count' is {file.metadata['split.count']}; split files cannot be read.")

    def value(key, kind=int, default=None):
        return file.value(f"{architecture}.{key}", kind, default)

    hidden, heads, layers = value("embedding_length"), value("attention.head_count"), value("block_count")
    if min(hidden, heads, layers) < 1 or "token_embd.weight" not in file.tensors:
        raise ValueError(
            f"{file.path}: it has {layers} layers, {heads} heads and {hidden} channels, or no token_embd.weight."
        )
    latent, scale = None, None
    head_dim = value("attention.key_length", int, hidden // heads)
    if architecture == "deepseek2":
        latent, head_dim = latent_of(value)
        scale = latent_scale(value, head_dim)
    elif value("attention.value_length", int, head_dim) != head_dim:
        raise ValueError(f"{file.path}: values have another width than keys ({head_dim}); that cannot be read.")
    tensors = file.tensors
    rotary = _rotary(file, architecture, value, head_dim, None if scale is None else 1.0)
    common = dict(
        vocab_size=tensors["token_embd.weight"].shape[0],
        hidden_size=hidden,
        intermediate_size=value("feed_forward_length"),
        num_layers=layers,
        num_heads=heads,
        num_kv_heads=heads if latent is not None else value("attention.head_count_kv", int, heads),
        head_dim=head_dim,
        rotary=rotary,
        max_positions=value("context_length"),
        epsilon=value("attention.layer_norm_rms_epsilon", float),
        tied="output.weight" not in tensors,
        qkv_bias="blk.0.attn_q.bias" in tensors or "blk.0.attn_qkv.bias" in tensors,
        output_bias="blk.0.attn_output.bias" in tensors,
        mlp_bias="blk.0.ffn_down.bias" in tensors,
        head_norms="blk.0.attn_q_norm.weight" in tensors,
        experts=experts_of(file, architecture, value, layers),
        latent=latent,
        bos_id=file.metadata.get("tokenizer.ggml.bos_token_id"),
        eos_ids=_ends(file),
    )
    window = value("attention.sliding_window", int, 0)
    if architecture == "gemma2":
        return DecoderConfig(
            architecture="gemma2",
            activation="gelu_tanh",
            windows=tuple(window * (i % 2 == 0) for i in range(layers)),
            attention_scale=_gemma_scale(hidden, heads, head_dim, layers == 46),
            attention_cap=value("attn_logit_softcapping", float, 50.0),
            logit_cap=value("final_logit_softcapping", float, 30.0),
            embedding_scale=math.sqrt(hidden),
            post_norms=True,
            **common,
        )
    if architecture == "gemma3":
        return DecoderConfig(
            architecture="gemma3_text",
            activation="gelu_tanh",
            windows=tuple(window * ((i + 1) % 6 != 0) for i in range(layers)),
            local_rotary=Rotary(rotary.width, value("rope.freq_base_swa", float, 10_000.0)),
            attention_scale=_gemma_scale(hidden, heads, head_dim, layers == 62),
            logit_cap=value("final_logit_softcapping", float, 0.0),
            embedding_scale=math.sqrt(hidden),
            post_norms=True,
            **common,
        )
    return DecoderConfig(
        architecture=architecture_of(architecture, common["experts"]),
        windows=(window,) * layers if window else (),
        attention_scale=scale,
        **common,
    )


def _gemma_scale(hidden, heads, head_dim, is_27b):
    """The models of 27 B parameters scale by the channels a head, not by the width of a head."""
    return (hidden // heads if is_27b else head_dim) ** -0.5


def _ends(file):
    keys = ("eos_token_id", "eot_token_id", "eom_token_id")
    found = [file.metadata.get(f"tokenizer.ggml.{key}") for key in keys]
    return tuple(dict.fromkeys(number for number in found if isinstance(number, int)))


def _rotary(file, architecture, value, head_dim, magnitude=None):
    for name in ("rope_factors_long.weight", "rope_factors_short.weight"):
        if name in file.tensors:
            raise ValueError(
                f"{file.path}: {name!r} scales the rotation by the length of the text; that cannot be read."
            )
    scaling = value("rope.scaling.type", str, "none")
    if scaling not in ("none", "linear", "yarn"):
        raise ValueError(f"{file.path}: the rotation is scaled by {scaling!r}; none, linear and yarn can be read.")
    factor = value("rope.scaling.factor", float, 1.0)
    divisors = file.tensors.get("rope_freqs.weight")
    return Rotary(
        width=value("rope.dimension_count", int, head_dim),
        base=value("rope.freq_base", float, 10_000.0),
        scaling=scaling if factor != 1.0 else "none",
        factor=factor,
        original_positions=value("rope.scaling.original_context_length", int, value("context_length")),
        low=1.0,
        high=32.0 if scaling == "yarn" else 4.0,
        magnitude=magnitude,
        divisors=None if divisors is None else tuple(_numbers(divisors).tolist()),
    )


def _numbers(tensor):
    """The array of a tensor that is not quantised; of bfloat16 the bits."""
    return tensor.data.reshape(-1).view(_FLOATS[tensor.type.name][0]).reshape(tensor.shape)


def tensor_of(file, name):
    """A Tensor, or an unpacked BlockWeight over the mapped bytes; None where the file has no such tensor."""
    tensor = file.tensors.get(name)
    if tensor is None:
        return None
    if not tensor.type.is_quantized:
        return numpy_tensor(_numbers(tensor), _FLOATS[tensor.type.name][1])
    rows, columns = tensor.data.shape[0], tensor.shape[-1]
    return BlockWeight(_core.from_dlpack(tensor.data), tensor.type.name, rows, columns)


class Weights:
    """The weights of a GGUFFile by the decoder's names, as the decoder takes them.

    Args:
        file: The GGUFFile.
        config: Its DecoderConfig.
        dequantize: Quantised weights become Tensors of that dtype; None keeps their blocks.
        pack: Whether these are packed.
    """

    def __init__(self, file, config, dequantize=None, pack=True):
        self.pack = pack
        self.file, self.config, self.dequantize = file, config, dequantize
        architecture = file.metadata["general.architecture"]
        self.is_fused = architecture in FUSED_WEIGHTS
        self.orders = rotated_orders(config) if architecture in ADJACENT_PAIRS else {}

    def __call__(self, name):
        found = self._part(name) if self.is_fused else None
        if found is None:
            found = self._tensor(file_name(name))
        if name.endswith((".k_up", ".v_up")):
            return self._head_matrices(name, found)
        if found is None:
            return None
        if name.endswith(".shared_gate.weight") and not isinstance(found, BlockWeight):
            found = found.reshape([1, -1])
        stem = _LAYER.fullmatch(name.rpartition(".")[0])
        if stem is not None and stem[2] in self.orders:
            found = self._reordered(name, found, self.orders[stem[2]])
        if not isinstance(found, BlockWeight):
            return found
        if self.dequantize is not None:
            return self._shaped(name, found.dequantize(self.dequantize))
        if not self.pack:
            return found
        packed, place = packed_for(name, found, self.config), file_name(name)
        if packed is not found and place in self.file.tensors:
            self.file.release(place)
        return packed

    def _tensor(self, name):
        return tensor_of(self.file, name)

    def _part(self, name):
        """Of a file that has queries, keys and values, or gate and up, in one tensor."""
        c = self.config
        heads = [n * c.head_dim for n in (c.num_heads, c.num_kv_heads, c.num_kv_heads)]
        counts_of = {"attn_qkv": heads, "ffn_up": [c.intermediate_size] * 2}
        for fused, parts in FUSED.items():
            found = re.fullmatch(rf"layers\.(\d+)\.(?:attention|mlp)\.({'|'.join(parts)})\.(\w+)", name)
            whole = found and self._tensor(f"blk.{found[1]}.{fused}.{found[3]}")
            if whole is None:
                continue
            counts = counts_of[fused]
            rows = whole.rows if isinstance(whole, BlockWeight) else whole.shape[0]
            if rows != sum(counts):
                raise ValueError(
                    f"{self.file.path}: blk.{found[1]}.{fused} has {rows} rows; it must have {sum(counts)}."
                )
            return split_rows(whole, counts)[parts.index(found[2])]
        return None

    def _shaped(self, name, numbers):
        """Matrices of experts, which lie one below the other, apart."""
        if ".experts." not in name:
            return numbers
        return numbers.reshape([self.config.experts.count, -1, numbers.shape[-1]])

    def _head_matrices(self, name, found):
        """Those that make keys or values of latent vectors, by head; files hold them so, or both in one matrix."""
        heads, width = self.config.num_heads, self.config.latent.width
        if found is None:
            both = self._tensor(file_name(name.rpartition(".")[0] + ".kv_up.weight"))
            return None if both is None else head_matrices(self._numbers(both), self.config)[name.endswith(".v_up")]
        found = self._numbers(found)
        if name.endswith(".v_up"):
            return found.reshape([heads, -1, width])
        return _core.ops.transpose(found.reshape([heads, width, -1]), [0, 2, 1])

    def _numbers(self, weight):
        return weight.dequantize("float32") if isinstance(weight, BlockWeight) else weight

    def _reordered(self, name, weight, order):
        rows = weight.rows if isinstance(weight, BlockWeight) else weight.shape[0]
        if rows != len(order):
            raise ValueError(f"{self.file.path}: {name!r} has {rows} rows; the model needs {len(order)}.")
        return rows_in_order(weight, order)
