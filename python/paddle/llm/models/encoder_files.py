# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Encoders of folders in Hugging Face's layout, as the package sentence-transformers writes them or plain, and of GGUF files:
the config, and the weights by the encoder's names."""

import re

from .activations import activation_of
from .encoder import EncoderConfig
from .gguf_models import tensor_of
from .weights import BlockWeight

# Name in config.json -> prefix of weights in models with a head.
FOLDERS = {"bert": "bert.", "roberta": "roberta.", "xlm-roberta": "roberta."}
GGUF_ARCHITECTURES = ("bert",)

_LAYER = re.compile(r"layers\.(\d+)\.(.+)")
_FOLDER_NAMES = {
    "embedding": "embeddings.word_embeddings",
    "positions": "embeddings.position_embeddings",
    "types": "embeddings.token_type_embeddings",
    "embedding_norm": "embeddings.LayerNorm",
    "attention.q": "attention.self.query",
    "attention.k": "attention.self.key",
    "attention.v": "attention.self.value",
    "attention.o": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "mlp.up": "intermediate.dense",
    "mlp.down": "output.dense",
    "mlp_norm": "output.LayerNorm",
}
_GGUF_NAMES = {
    "embedding": "token_embd",
    "positions": "position_embd",
    "types": "token_types",
    "embedding_norm": "token_embd_norm",
    "attention.q": "attn_q",
    "attention.k": "attn_k",
    "attention.v": "attn_v",
    "attention.o": "attn_output",
    "attention_norm": "attn_output_norm",
    "mlp.up": "ffn_up",
    "mlp.down": "ffn_down",
    "mlp_norm": "layer_output_norm",
}
# Old files have these names of a norm's weights.
_OLD_KINDS = {"weight": "gamma", "bias": "beta"}
_GGUF_POOLING = {1: "mean", 2: "first"}


def folder_config(folder):
    """The EncoderConfig of a Folder. Without files of sentence-transformers, embeddings are means of length 1.

    Raises:
        ValueError: A rule is not there.
    """
    settings = folder.config

    def need(key):
        if settings.get(key) is None:
            raise ValueError(f"config.json: {key!r} is missing; a {settings['model_type']} needs it.")
        return settings[key]

    kind = settings.get("position_embedding_type") or "absolute"
    if kind != "absolute" or settings.get("is_decoder"):
        raise ValueError(
            f"config.json: positions are {kind!r}, or it is a decoder; only absolute positions can be read."
        )
    # The tables of these begin with the rows of padding.
    first = 0 if settings["model_type"] == "bert" else settings.get("pad_token_id", 1) + 1
    pooling, normalized = _pooling(folder)
    return EncoderConfig(
        architecture=settings["model_type"],
        vocab_size=need("vocab_size"),
        hidden_size=need("hidden_size"),
        intermediate_size=need("intermediate_size"),
        num_layers=need("num_hidden_layers"),
        num_heads=need("num_attention_heads"),
        max_positions=settings.get("max_position_embeddings", 512) - first,
        types=settings.get("type_vocab_size", 2),
        first_position=first,
        epsilon=settings.get("layer_norm_eps", 1e-12),
        activation=activation_of(settings.get("hidden_act", "gelu")),
        pooling=pooling,
        normalized=normalized,
        initializer_range=settings.get("initializer_range", 0.02),
    )


def _pooling(folder):
    if not folder.has("modules.json"):
        return "mean", True
    parts = folder.json_list("modules.json")
    kinds = [str(part.get("type", "")).rpartition(".")[2] for part in parts]
    unknown = [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]
    if unknown or "Pooling" not in kinds:
        raise ValueError(
            f"{folder.file('modules.json')}: it lists {', '.join(kinds)}; Transformer, Pooling and Normalize can be read."
        )
    place = str(parts[kinds.index("Pooling")].get("path", ""))
    if not re.fullmatch(r"\w+", place):
        raise ValueError(
            f"{folder.file('modules.json')}: the module Pooling lies in {place!r}; it must be a folder beside it."
        )
    modes = folder.json(f"{place}/config.json")
    chosen = [mode for mode, is_on in modes.items() if mode.startswith("pooling_mode_") and is_on is True]
    known = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "first"}
    if len(chosen) != 1 or chosen[0] not in known:
        raise ValueError(
            f"{folder.path}: embeddings are made by {', '.join(chosen)}; one of {', '.join(known)} can be read."
        )
    return known[chosen[0]], "Normalize" in kinds


def folder_weights(folder):
    """The weights of a Folder by the encoder's names, as the encoder takes them."""
    prefix = FOLDERS[folder.config["model_type"]]

    def weight(name):
        stem, _, kind = name.rpartition(".")
        layer = _LAYER.fullmatch(stem)
        inner = f"encoder.layer.{layer[1]}.{_FOLDER_NAMES[layer[2]]}" if layer else _FOLDER_NAMES[stem]
        for spelled in (f"{inner}.{kind}", f"{inner}.{_OLD_KINDS[kind]}"):
            for whole in (spelled, prefix + spelled):
                found = folder.tensor(whole)
                if found is not None:
                    return found
        return None

    return weight


def gguf_config(file):
    """The EncoderConfig of a GGUFFile. Embeddings have length 1.

    Raises:
        ValueError: The metadata lacks what it needs, or a rule is not there.
    """

    def value(key, kind=int, default=None):
        return file.value(f"bert.{key}", kind, default)

    tables = [file.tensors.get(f"{_GGUF_NAMES[name]}.weight") for name in ("embedding", "positions", "types")]
    if any(table is None for table in tables):
        raise ValueError(
            f"{file.path}: it has no tables of tokens, positions and types; other encoders cannot be read."
        )
    pooling = value("pooling_type", int, 1)
    if pooling not in _GGUF_POOLING:
        raise ValueError(f"{file.path}: 'bert.pooling_type' is {pooling}; the mean (1) and the first (2) can be read.")
    if value("attention.causal", bool, False):
        raise ValueError(f"{file.path}: 'bert.attention.causal' is true; tokens of an encoder see all others.")
    return EncoderConfig(
        architecture="bert",
        vocab_size=tables[0].shape[0],
        hidden_size=value("embedding_length"),
        intermediate_size=value("feed_forward_length"),
        num_layers=value("block_count"),
        num_heads=value("attention.head_count"),
        max_positions=tables[1].shape[0],
        types=tables[2].shape[0],
        epsilon=value("attention.layer_norm_epsilon", float),
        pooling=_GGUF_POOLING[pooling],
    )


def gguf_weights(file, dequantize=None):
    """The weights of a GGUFFile; quantised ones become Tensors of the dtype `dequantize`, or stay so where it is None."""

    def weight(name):
        stem, _, kind = name.rpartition(".")
        layer = _LAYER.fullmatch(stem)
        inner = f"blk.{layer[1]}.{_GGUF_NAMES[layer[2]]}" if layer else _GGUF_NAMES[stem]
        found = tensor_of(file, f"{inner}.{kind}")
        if not isinstance(found, BlockWeight):
            return found
        return found.pack() if dequantize is None else found.dequantize(dequantize)

    return weight
