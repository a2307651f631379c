# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Encoders of text (Devlin et al., "BERT", 2018): every token sees every other, and embeddings of whole texts.

Weights have one set of names, whatever the file: embedding, positions, types, embedding_norm, layers.N.{attention.{q, k, v,
o}, attention_norm, mlp.{up, down}, mlp_norm}.
"""

from dataclasses import dataclass

from ... import _core, nn
from ...nn import functional as F
from ...tensor.ranges import arange
from .activations import ACTIVATIONS
from .weights import LayerMaker

ops = _core.ops


@dataclass(frozen=True)
class EncoderConfig:
    """Sizes and rules of an encoder.

    Attributes:
        architecture: Its name in config.json, such as "bert".
        vocab_size, hidden_size, intermediate_size, num_layers, num_heads: Sizes.
        max_positions: The longest sequence.
        types: Number of kinds of tokens, such as those of a first and a second sentence.
        first_position: Row of the first token in the table of positions.
        epsilon: Added to variances by norms.
        activation: "gelu", "gelu_tanh" or "silu".
        pooling: The embedding of a text is the "mean" of its tokens' states, or that of the "first".
        normalized: Embeddings are divided by their length.
        initializer_range: Standard deviation of new weights.
    """

    architecture: str
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_layers: int
    num_heads: int
    max_positions: int = 512
    types: int = 2
    first_position: int = 0
    epsilon: float = 1e-12
    activation: str = "gelu"
    pooling: str = "mean"
    normalized: bool = True
    initializer_range: float = 0.02

    def __post_init__(self):
        for name in (
            "vocab_size",
            "hidden_size",
            "intermediate_size",
            "num_layers",
            "num_heads",
            "max_positions",
            "types",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"EncoderConfig: {name} has the value {getattr(self, name)}; it must be at least 1.")
        if self.hidden_size % self.num_heads:
            raise ValueError(
                f"EncoderConfig: hidden_size is {self.hidden_size} and num_heads {self.num_heads}; the first must be a "
                "multiple of the second."
            )
        if self.activation not in ACTIVATIONS:
            raise ValueError(
                f"EncoderConfig: activation has the value {self.activation!r}; it must be one of {', '.join(ACTIVATIONS)}."
            )
        if self.pooling not in ("mean", "first"):
            raise ValueError(f"EncoderConfig: pooling has the value {self.pooling!r}; it must be mean or first.")


class _Attention(nn.Layer):
    def __init__(self, config, make, name):
        super().__init__()
        hidden, self.heads = config.hidden_size, config.num_heads
        self.q, self.k, self.v, self.o = (make.linear(f"{name}.{part}", hidden, hidden, True) for part in "qkvo")

    def forward(self, x, mask):
        shape = [*x.shape[:-1], self.heads, x.shape[-1] // self.heads]
        q, k, v = (part(x).reshape(shape) for part in (self.q, self.k, self.v))
        return self.o(F.scaled_dot_product_attention(q, k, v, mask).reshape(x.shape))


class _MLP(nn.Layer):
    def __init__(self, config, make, name):
        super().__init__()
        self.up = make.linear(name + ".up", config.hidden_size, config.intermediate_size, True)
        self.down = make.linear(name + ".down", config.intermediate_size, config.hidden_size, True)
        self.activation = ACTIVATIONS[config.activation]

    def forward(self, x):
        return self.down(self.activation(self.up(x)))


class EncoderLayer(nn.Layer):
    """norm(x + attention(x)), then norm(x + mlp(x))."""

    def __init__(self, config, layer, make):
        super().__init__()
        name = f"layers.{layer}"
        self.attention = _Attention(config, make, name + ".attention")
        self.attention_norm = make.layer_norm(name + ".attention_norm", config.hidden_size, config.epsilon)
        self.mlp = _MLP(config, make, name + ".mlp")
        self.mlp_norm = make.layer_norm(name + ".mlp_norm", config.hidden_size, config.epsilon)

    def forward(self, x, mask):
        x = self.attention_norm(x + self.attention(x, mask))
        return self.mlp_norm(x + self.mlp(x))


class Encoder(nn.Layer):
    """Token ids to states that know the whole text, and to one embedding of it.

    Args:
        config: An EncoderConfig.
        weights: None for new weights, or a function of a weight's name that returns a Tensor or a BlockWeight, matrices
            as [outputs, inputs].
        dtype: dtype of computation, and of the weights that are not quantised.

    Raises:
        ValueError: A weight is missing or has another shape.

    Example:
        >>> from paddle.llm.models import Encoder, EncoderConfig
        >>> model = Encoder(EncoderConfig("bert", 32, 16, 24, 2, 4))
        >>> model.embed(paddle.zeros([3, 5], "int64")).shape
        paddle.Size([3, 16])
    """

    def __init__(self, config, weights=None, dtype="float32"):
        super().__init__()
        make = LayerMaker(weights, dtype, config.initializer_range)
        self.config, self.dtype = config, dtype
        hidden, rows = config.hidden_size, config.first_position + config.max_positions
        self.embedding = make.embedding("embedding", config.vocab_size, hidden)
        self.positions = make.embedding("positions", rows, hidden)
        self.types = make.embedding("types", config.types, hidden)
        self.embedding_norm = make.layer_norm("embedding_norm", hidden, config.epsilon)
        self.layers = nn.LayerList([EncoderLayer(config, i, make) for i in range(config.num_layers)])

    def forward(self, ids, mask=None, types=None):
        """The states behind the last layer.

        Args:
            ids: int64 Tensor [batch, length]; shorter texts are padded at their end.
            mask: Tensor [batch, length] of bool or int, true or 1 for tokens and 0 for padding; None where there is none.
            types: int64 Tensor [batch, length], the kind of each token; None: all are of kind 0.

        Returns:
            A Tensor [batch, length, hidden_size]; states of padding mean nothing.

        Raises:
            ValueError: Shapes do not fit, or the texts are too long.
        """
        if ids.ndim != 2:
            raise ValueError(f"Encoder: ids has shape {list(ids.shape)}; texts are [batch, length].")
        for name, given in (("mask", mask), ("types", types)):
            if given is not None and list(given.shape) != list(ids.shape):
                raise ValueError(
                    f"Encoder: {name} has shape {list(given.shape)} and ids {list(ids.shape)}; they must be equal."
                )
        length, first = ids.shape[1], self.config.first_position
        if isinstance(length, int) and length > self.config.max_positions:
            raise ValueError(
                f"Encoder: texts have {length} tokens and the model {self.config.max_positions} positions; cut them."
            )
        kinds = ops.full_like(ids, 0) if types is None else types
        x = self.embedding(ids) + self.types(kinds) + self.positions(arange(first, first + length, dtype="int64"))
        x = self.embedding_norm(x)
        seen = None if mask is None else mask.astype("bool").unsqueeze(1).unsqueeze(1)
        for layer in self.layers:
            x = layer(x, seen)
        return x

    def embed(self, ids, mask=None, types=None):
        """An embedding of each text.

        Args:
            ids, mask, types: See `forward`.

        Returns:
            A Tensor [batch, hidden_size] in float32, of length 1 where the config says so.
        """
        states = self(ids, mask, types).astype("float32")
        if self.config.pooling == "first":
            found = states[:, 0]
        elif mask is None:
            found = states.mean(1)
        else:
            share = mask.astype("float32").unsqueeze(-1)
            found = (states * share).sum(1) / ops.maximum(share.sum(1), ops.full([], 1e-9, "float32"))
        return F.normalize(found, axis=-1) if self.config.normalized else found
