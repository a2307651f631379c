# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Low-rank adaptation (Hu et al., "LoRA", 2021): matrices of a frozen model, quantised or not, with a trainable product of two
narrow ones beside them."""

import math

from ... import nn
from ...framework.modes import no_grad
from ...nn import functional as F
from ...nn import initializer
from ..models.weights import QuantizedLinear
from .adapter import Adapter

# Of every architecture, by the decoder's names (see paddle.llm.models.decoder); the head and routers are not among them.
TARGETS = ("q", "k", "v", "o", "gate", "up", "down", "q_down", "q_up", "kv_down")


class LoRALinear(nn.Layer):
    """base(x) + scale * (x A^T) B^T. B is 0 at first, so that the model begins as it was.

    Args:
        base: A Linear or a QuantizedLinear, which is frozen.
        rank: Rows of A, columns of B.
        scale: What the product is multiplied by.
        dropout: Probability with which an element of x does not reach A while training.
    """

    def __init__(self, base, rank, scale, dropout=0.0):
        super().__init__()
        inputs, outputs = extents(base)
        bound = math.sqrt(1.0 / inputs)  # as a Linear of these inputs begins
        self.base, self.rank, self.scale, self.dropout = base, rank, scale, dropout
        self.a = self.create_parameter([rank, inputs], default_initializer=initializer.Uniform(-bound, bound))
        self.b = self.create_parameter([outputs, rank], default_initializer=initializer.Constant(0.0))

    def forward(self, x):
        out = self.base(x)
        narrow = F.dropout(x, self.dropout, training=self.training) if self.dropout else x
        narrow = F.linear(narrow.astype("float32"), self.a.t())
        return out + (F.linear(narrow, self.b.t()) * self.scale).astype(out.dtype)

    def product(self):
        """scale * B A, [outputs, inputs]: what the layer adds to its matrix."""
        return self.b.matmul(self.a) * self.scale

    def extra_repr(self):
        return f"rank {self.rank}, scale {self.scale}"


def extents(layer):
    """(inputs, outputs) of a Linear or a QuantizedLinear."""
    if isinstance(layer, QuantizedLinear):
        return layer.columns, layer.rows
    return layer.weight.shape[0], layer.weight.shape[1]


def places(model):
    """(path, layer that owns it, name in it) of every matrix that can be adapted, in order."""
    for path, owner in model.named_sublayers():
        if not path.startswith("layers."):
            continue
        for name, layer in owner.named_children():
            inner = layer.base if isinstance(layer, LoRALinear) else layer
            if name in TARGETS and isinstance(inner, (nn.Linear, QuantizedLinear)):
                yield f"{path}.{name}", owner, name


def adapted(model):
    """Path -> LoRALinear of a model's adapted matrices."""
    return {path: layer for path, owner, name in places(model) if isinstance(layer := getattr(owner, name), LoRALinear)}


def apply(model, rank=8, alpha=16.0, targets=("q", "k", "v", "o"), dropout=0.0, adapter=None):
    """Puts trainable matrices beside those of a decoder and freezes everything else, in place.

    Args:
        model: A Decoder; its weights may be quantised (Dettmers et al., "QLoRA", 2023).
        rank: Rank of what is added.
        alpha: What is added is multiplied by alpha / rank.
        targets: Names of matrices, of TARGETS, or "all".
        dropout: See LoRALinear.
        adapter: An Adapter whose matrices, rank and targets are taken.

    Returns:
        The model.

    Raises:
        ValueError: The model is adapted already, an argument is out of its range, or no matrix has such a name.
    """
    if adapted(model):
        raise ValueError("lora.apply: the model is adapted already; call lora.merge or lora.unload first.")
    if adapter is not None:
        rank = adapter.rank
    elif rank < 1:
        raise ValueError(f"lora.apply: rank has the value {rank}; it must be at least 1.")
    if not 0 <= dropout < 1:
        raise ValueError(f"lora.apply: dropout has the value {dropout}; it must be in [0, 1).")
    chosen = TARGETS if targets == "all" else (targets,) if isinstance(targets, str) else tuple(targets)
    unknown = [name for name in chosen if name not in TARGETS]
    if unknown:
        raise ValueError(
            f"lora.apply: {unknown[0]!r} is none of the matrices; these are: {', '.join(TARGETS)}, or 'all'."
        )
    found = list(places(model))
    if adapter is not None:
        missing = sorted(set(adapter.weights) - {path for path, _, _ in found})
        if missing:
            raise ValueError(f"lora.apply: the adapter has matrices for {missing[0]!r}, which the model does not have.")
        found = [place for place in found if place[0] in adapter.weights]
    else:
        found = [place for place in found if place[2] in chosen]
    if not found:
        raise ValueError(f"lora.apply: the model has no matrices {', '.join(chosen)}.")
    for parameter in model.parameters():
        parameter.stop_gradient = True
    for path, owner, name in found:
        layer = LoRALinear(getattr(owner, name), rank, alpha / rank if adapter is None else adapter.scale, dropout)
        if adapter is not None:
            _take(layer, path, *adapter.weights[path])
        layer.training = owner.training
        setattr(owner, name, layer)
    return model


def _take(layer, path, a, b):
    for parameter, given, name in ((layer.a, a, "A"), (layer.b, b, "B")):
        if list(given.shape) != list(parameter.shape):
            raise ValueError(
                f"lora.apply: matrix {name} of {path} has shape {list(given.shape)}; it must be {list(parameter.shape)}."
            )
        parameter.set_value(given.astype("float32"))


def parameters(model):
    """The trainable matrices of an adapted model."""
    return [parameter for layer in adapted(model).values() for parameter in (layer.a, layer.b)]


def unload(model):
    """Takes the trainable matrices away again; the model is what it was, frozen.

    Returns:
        The model.
    """
    for _, owner, name in list(places(model)):
        layer = getattr(owner, name)
        if isinstance(layer, LoRALinear):
            setattr(owner, name, layer.base)
    return model


@no_grad()
def merge(model):
    """Adds what was learned to the matrices themselves. A quantised one becomes a Linear in float32.

    Returns:
        The model.
    """
    for _, owner, name in list(places(model)):
        layer = getattr(owner, name)
        if not isinstance(layer, LoRALinear):
            continue
        base = layer.base
        if isinstance(base, QuantizedLinear):
            merged = nn.Linear(layer.a.shape[1], layer.b.shape[0], bias_attr=False)
            merged.weight.set_value((base.quantized.dequantize() + layer.product()).t())
            merged.weight.stop_gradient = True
            if base.bias is not None:
                merged.bias = base.bias
        else:
            merged = base
            merged.weight.set_value(base.weight + layer.product().t().astype(base.weight.dtype))
        merged.training = owner.training
        setattr(owner, name, merged)
    return model


def adapter(model):
    """What an adapted model has learned, as an Adapter.

    Raises:
        ValueError: The model is not adapted.
    """
    found = adapted(model)
    if not found:
        raise ValueError("lora.adapter: the model is not adapted; call lora.apply first.")
    first = next(iter(found.values()))
    weights = {path: (layer.a.detach().clone(), layer.b.detach().clone()) for path, layer in found.items()}
    return Adapter(first.rank, first.scale * first.rank, weights)
