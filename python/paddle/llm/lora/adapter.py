# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What low-rank adaptation has learned, by itself: in memory, and in files of the layout of the package `peft`."""

import json
import math
import os
import re

import numpy

from ... import _core
from ...framework import safetensors_file
from ..models.hugging_face_models import Weights

ops = _core.ops
_CONFIG, _TENSORS = "adapter_config.json", "adapter_model.safetensors"
_MAX_JSON_BYTES = 1 << 20
# Matrices of layers by the decoder's names -> in models of Hugging Face's layout.
_NAMES = {
    "attention.q": "self_attn.q_proj",
    "attention.k": "self_attn.k_proj",
    "attention.v": "self_attn.v_proj",
    "attention.o": "self_attn.o_proj",
    "attention.q_down": "self_attn.q_a_proj",
    "attention.q_up": "self_attn.q_b_proj",
    "attention.kv_down": "self_attn.kv_a_proj_with_mqa",
    "mlp.gate": "mlp.gate_proj",
    "mlp.up": "mlp.up_proj",
    "mlp.down": "mlp.down_proj",
    "mlp.shared.gate": "mlp.shared_experts.gate_proj",
    "mlp.shared.up": "mlp.shared_experts.up_proj",
    "mlp.shared.down": "mlp.shared_experts.down_proj",
}
_OURS = {theirs: ours for ours, theirs in _NAMES.items()}
# Architectures whose files have several of our matrices in one.
_FUSED = {
    "self_attn.qkv_proj": ("attention.q", "attention.k", "attention.v"),
    "mlp.gate_up_proj": ("mlp.gate", "mlp.up"),
}
_KEY = re.compile(r"base_model\.model\.model\.layers\.(\d+)\.(.+)\.lora_(A|B)\.weight")


class Adapter:
    """Pairs of narrow matrices A and B for matrices of a decoder, to which scale * B A is added.

    Args:
        rank: Rows of A, columns of B.
        alpha: The scale is alpha / rank, or alpha / sqrt(rank) (Kalajdzievski 2023, rsLoRA).
        weights: Path of a matrix, such as "layers.0.attention.q" -> (A [rank, inputs], B [outputs, rank]), Tensors.
        use_rslora: Which of these.

    Attributes:
        scale: What B A is multiplied by.
    """

    def __init__(self, rank, alpha, weights, use_rslora=False):
        self.rank, self.alpha, self.weights, self.use_rslora = rank, float(alpha), dict(weights), use_rslora
        self.scale = self.alpha / (math.sqrt(rank) if use_rslora else rank)
        for path, (a, b) in self.weights.items():
            if a.ndim != 2 or b.ndim != 2 or a.shape[0] != rank or b.shape[1] != rank:
                raise ValueError(
                    f"Adapter: the matrices of {path} have shapes {list(a.shape)} and {list(b.shape)}; with rank {rank} they "
                    f"must be [{rank}, inputs] and [outputs, {rank}]."
                )

    def __repr__(self):
        return f"Adapter(rank {self.rank}, alpha {self.alpha}, {len(self.weights)} matrices)"

    @staticmethod
    def load(folder, model):
        """The adapter of a folder.

        Args:
            folder: Path of a folder with adapter_config.json and adapter_model.safetensors.
            model: The Decoder that it belongs to, adapted or not.

        Raises:
            ValueError: A file is damaged, or has something that cannot be read or that the model does not have.
            FileNotFoundError: A file is missing.
        """
        config, place = _config_of(folder), os.path.join(folder, _TENSORS)
        with open(place, "rb") as file:
            try:
                tensors = safetensors_file.decode(file.read())
            except ValueError as error:
                raise ValueError(f"{place}: {error}") from None
        halves = {}
        for key, tensor in tensors.items():
            found = _KEY.fullmatch(key)
            if found is None or (found[2] not in _OURS and found[2] not in _FUSED):
                raise ValueError(
                    f"{place}: there is a tensor {key!r}, which is no part of an adapter that can be read."
                )
            halves.setdefault((found[1], found[2]), {})[found[3]] = tensor.astype("float32")
        weights, orders = {}, _orders(model)
        for (layer, theirs), pair in halves.items():
            if set(pair) != {"A", "B"}:
                raise ValueError(f"{place}: layer {layer} has only one of the two matrices of {theirs}.")
            names = _FUSED.get(theirs) or (_OURS[theirs],)
            outputs = [_outputs(model, f"layers.{layer}.{name}", place) for name in names]
            if pair["B"].shape[0] != sum(outputs):
                raise ValueError(
                    f"{place}: {theirs} of layer {layer} has {pair['B'].shape[0]} outputs; the model has {sum(outputs)}."
                )
            for name, b in zip(names, ops.split(pair["B"], outputs, 0), strict=True):
                if name in orders:
                    b = ops.gather(b, _core.to_tensor(orders[name]), 0)
                weights[f"layers.{layer}.{name}"] = (pair["A"], b)
        return Adapter(config["r"], config["lora_alpha"], weights, bool(config.get("use_rslora")))

    def save(self, folder, model):
        """Writes the adapter; the folder is made where it is missing.

        Args:
            folder: Its path.
            model: The Decoder that it belongs to.

        Raises:
            ValueError: The layout has no name for a matrix of this architecture.
        """
        if model.config.architecture == "phi3":
            raise ValueError(
                "Adapter.save: models of this architecture have queries, keys and values in one matrix in the layout of peft, "
                "which cannot hold separate ones; merge the adapter, and save the model."
            )
        tensors, orders = {}, _orders(model)
        for path, (a, b) in self.weights.items():
            _, layer, name = path.split(".", 2)
            if name not in _NAMES:
                raise ValueError(f"Adapter.save: the layout of peft has no name for {path!r}.")
            if name in orders:
                b = ops.gather(b, _core.to_tensor(numpy.argsort(orders[name])), 0)
            stem = f"base_model.model.model.layers.{layer}.{_NAMES[name]}"
            tensors[f"{stem}.lora_A.weight"], tensors[f"{stem}.lora_B.weight"] = a, b
        config = {
            "peft_type": "LORA",
            "task_type": "CAUSAL_LM",
            "base_model_name_or_path": None,
            "r": self.rank,
            "lora_alpha": self.alpha,
            "use_rslora": self.use_rslora,
            "lora_dropout": 0.0,
            "bias": "none",
            "fan_in_fan_out": False,
            "inference_mode": True,
            "target_modules": sorted({_NAMES[path.split(".", 2)[2]].rpartition(".")[2] for path in self.weights}),
        }
        os.makedirs(folder, exist_ok=True)
        _write(os.path.join(folder, _TENSORS), safetensors_file.encode(tensors))
        _write(os.path.join(folder, _CONFIG), json.dumps(config, indent=2).encode())


def rank_of(folder):
    """The rank of the adapter in a folder, of its adapter_config.json."""
    return _config_of(folder)["r"]


def _write(path, data):
    """The whole file or, when something fails, the one that was there."""
    beside = f"{path}.{os.getpid()}.tmp"
    try:
        with open(beside, "wb") as file:
            file.write(data)
        os.replace(beside, path)
    except BaseException:
        if os.path.exists(beside):
            os.remove(beside)
        raise


def _config_of(folder):
    path = os.path.join(folder, _CONFIG)
    if os.path.getsize(path) > _MAX_JSON_BYTES:
        raise ValueError(f"{path}: the file has {os.path.getsize(path)} bytes; at most {_MAX_JSON_BYTES} are read.")
    try:
        with open(path, encoding="utf-8") as file:
            config = json.load(file)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"{path}: the file is no JSON ({error}).") from None
    if not isinstance(config, dict) or config.get("peft_type") != "LORA":
        raise ValueError(f"{path}: 'peft_type' is not 'LORA'; other adapters cannot be read.")
    for name in ("use_dora", "modules_to_save", "rank_pattern", "alpha_pattern", "fan_in_fan_out", "layer_replication"):
        if config.get(name):
            raise ValueError(f"{path}: {name!r} is set, which cannot be read.")
    if config.get("bias", "none") != "none":
        raise ValueError(f"{path}: 'bias' has the value {config['bias']!r}; only 'none' can be read.")
    rank, alpha = config.get("r"), config.get("lora_alpha")
    if type(rank) is not int or rank < 1 or type(alpha) not in (int, float):
        raise ValueError(
            f"{path}: 'r' is {rank!r} and 'lora_alpha' {alpha!r}; they must be a positive int and a number."
        )
    return config


def _orders(model):
    """How rows of matrices in the files are ordered, where that is not our order: name -> order."""
    return Weights(lambda name: None, model.config).orders


def _outputs(model, path, place):
    from .layers import LoRALinear, extents

    layer = model
    for part in path.split("."):
        layer = (
            getattr(layer, part, None) if not part.isdigit() else (layer[int(part)] if int(part) < len(layer) else None)
        )
        if layer is None:
            raise ValueError(f"{place}: there are matrices for {path}, which the model does not have.")
    return extents(layer.base if isinstance(layer, LoRALinear) else layer)[1]
