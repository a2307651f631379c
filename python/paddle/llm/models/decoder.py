# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The decoder: one definition of all architectures, for whole sequences (training) and over a cache (generation).

Weights have one set of names, whatever the file:
embedding, layers.N.{attention_norm, attention.{q, k, v, o, q_norm, k_norm}, attention_post_norm, mlp_norm,
mlp.{gate, up, down}, mlp_post_norm}, norm, head. Of a layer with experts, mlp.{router.{scores, selection_bias},
experts.{gate, up, down}, shared.{gate, up, down}, shared_gate}; of latent attention, attention.{q, q_down, q_down_norm,
q_up, kv_down, kv_down_norm, k_up, v_up, o}.
"""

from ... import _core, nn
from ...nn import functional as F
from ...tensor.ranges import arange
from .activations import ACTIVATIONS
from .attention import attend, rotate, rotation_tables
from .experts import ExpertMLP, GatedMLP
from .latent_attention import LatentAttention
from .weights import LayerMaker, unmapped_rows

ops = _core.ops
IGNORED = -100


class Attention(nn.Layer):
    """Attention of a layer, from normalised states to what is added to them."""

    def __init__(self, config, layer, make, name):
        super().__init__()
        self.layer, self.form = layer, config.attention(layer)
        self.heads, self.kv_heads, self.head_dim = config.num_heads, config.num_kv_heads, config.head_dim
        hidden, width, kv_width = config.hidden_size, self.heads * self.head_dim, self.kv_heads * self.head_dim
        self.q = make.linear(name + ".q", hidden, width, config.qkv_bias)
        self.k = make.linear(name + ".k", hidden, kv_width, config.qkv_bias)
        self.v = make.linear(name + ".v", hidden, kv_width, config.qkv_bias)
        self.o = make.linear(name + ".o", width, hidden, config.output_bias)
        self.q_norm = make.norm(name + ".q_norm", self.head_dim, config.epsilon) if config.head_norms else None
        self.k_norm = make.norm(name + ".k_norm", self.head_dim, config.epsilon) if config.head_norms else None

    def forward(self, x, tables, cache):
        lead = list(x.shape[:-1])
        q = self.q(x).reshape([*lead, self.heads, self.head_dim])
        k = self.k(x).reshape([*lead, self.kv_heads, self.head_dim])
        v = self.v(x).reshape([*lead, self.kv_heads, self.head_dim])
        if self.q_norm is not None:
            q, k = self.q_norm(q), self.k_norm(k)
        q, k = rotate(q, tables), rotate(k, tables)
        if cache is None:
            out = attend(q, k, v, self.form)
        else:
            out = cache.write_and_attend(self.layer, q, k, v)
        return self.o(out.reshape([*lead, self.heads * self.head_dim]))


class DecoderLayer(nn.Layer):
    """x + attention(norm(x)), then x + mlp(norm(x)); with post norms, what is added is normalised."""

    def __init__(self, config, layer, make):
        super().__init__()
        name = f"layers.{layer}"

        def norm(which):
            return make.norm(f"{name}.{which}", config.hidden_size, config.epsilon)

        self.attention_norm = norm("attention_norm")
        kind = Attention if config.latent is None else LatentAttention
        self.attention = kind(config, layer, make, name + ".attention")
        self.attention_post_norm = norm("attention_post_norm") if config.post_norms else None
        self.mlp_norm = norm("mlp_norm")
        if config.experts is not None and layer in config.experts.layers:
            self.mlp = ExpertMLP(config, make, name + ".mlp")
        else:
            self.mlp = GatedMLP(config, make, name + ".mlp", config.intermediate_size)
        self.mlp_post_norm = norm("mlp_post_norm") if config.post_norms else None

    def forward(self, x, tables, cache):
        added = self.attention(self.attention_norm(x), tables, cache)
        x = x + (added if self.attention_post_norm is None else self.attention_post_norm(added))
        added = self.mlp(self.mlp_norm(x))
        return x + (added if self.mlp_post_norm is None else self.mlp_post_norm(added))


class Decoder(nn.Layer):
    """A language model: token ids to logits of the next token.

    Args:
        config: A DecoderConfig.
        weights: None for new weights, or a function of a weight's name that returns a Tensor or a BlockWeight, matrices
            as [outputs, inputs].
        dtype: dtype of computation, and of the weights that are not quantised.

    Raises:
        ValueError: A weight is missing or has another shape.

    Example:
        >>> from paddle.llm.models import Decoder, DecoderConfig, Rotary
        >>> config = DecoderConfig("llama", 32, 16, 24, 2, 4, 2, 4, Rotary(4))
        >>> model = Decoder(config)
        >>> model(paddle.zeros([1, 5], "int64")).shape
        paddle.Size([1, 5, 32])
    """

    def __init__(self, config, weights=None, dtype="float32"):
        super().__init__()
        if config.activation not in ACTIVATIONS:
            raise ValueError(
                f"Decoder: activation has the value {config.activation!r}; it must be one of {', '.join(ACTIVATIONS)}."
            )
        make = LayerMaker(weights, dtype, config.initializer_range)
        self.config, self.dtype = config, dtype
        self.embedding = make.embedding("embedding", config.vocab_size, config.hidden_size)
        self.layers = nn.LayerList([DecoderLayer(config, i, make) for i in range(config.num_layers)])
        self.norm = make.norm("norm", config.hidden_size, config.epsilon)
        self.head = None if config.tied else make.linear("head", config.hidden_size, config.vocab_size)

    def states(self, ids, cache=None):
        """The normalised states behind the last layer.

        Args:
            ids: int64 Tensor [batch, length]; with a cache, of the shape of `cache.positions`, or one to which that
                broadcasts.
            cache: None for whole sequences from position 0, each attending to its own past. Otherwise an object with
                `positions` (int64 Tensor of as many dimensions as ids) and `write_and_attend(layer, q, k, v)`, which
                keeps k and v [*ids.shape, kv heads, head_dim] and returns what q [*ids.shape, heads, head_dim] attend to;
                for latent attention, `write_and_attend_latent` (see `ContiguousCache`).

        Returns:
            A Tensor [*ids.shape, hidden_size].
        """
        if cache is None and ids.ndim != 2:
            raise ValueError(f"Decoder: ids has shape {list(ids.shape)}; whole sequences are [batch, length].")
        positions = arange(ids.shape[1], dtype="int64").unsqueeze(0) if cache is None else cache.positions
        x = self.embedding(ids)
        if self.config.embedding_scale != 1.0:
            x = x * self.config.embedding_scale
        tables = {}
        for layer in self.layers:
            rotary = layer.attention.form.rotary
            if rotary not in tables:
                tables[rotary] = rotation_tables(rotary, positions, x.dtype)
            x = layer(x, tables[rotary], cache)
        return self.norm(x)

    def logits(self, states):
        """Logits [..., vocab_size] of states [..., hidden_size]; an engine calls it for the rows that it samples."""
        out = unmapped_rows(self.embedding, states) if self.head is None else self.head(states)
        cap = self.config.logit_cap
        return ops.tanh(out / cap) * cap if cap else out

    def generate(self, prompts, params=None, tokenizer=None, engine_options=None, **keywords):
        """Answers to prompts, by an engine that reads the weights of this layer as they are now, also in the middle of
        training. It is made at the first call and kept (see `release_engine`); keys and values of earlier calls are not used.

        Args:
            prompts: A list of tokens or a list of those; texts where a tokenizer is given; or an int64 Tensor [batch, length].
            params: SamplingParams, or a list with one for each prompt.
            tokenizer: Makes tokens of texts, and the text of answers.
            engine_options: Of paddle.llm.engine.Engine, a dict.
            keywords: In the place of params: max_new_tokens (20), do_sample (False: the likeliest token), temperature, top_k,
                top_p, repetition_penalty, num_return_sequences, eos_token_id, seed, logprobs, ignore_eos.

        Returns:
            As paddle.LLM.generate: an Answer, or a list of them; for a Tensor an int64 Tensor [batch * number of answers,
            longest] of prompts with their answers, filled up with the end token.

        Raises:
            ValueError: A prompt is too long or a value is out of its range.
            TypeError: There is no such keyword, or a text is given without a tokenizer.
        """
        from ..engine.generation import generate

        return generate(self, prompts, params, tokenizer, dict(engine_options or {}), keywords)

    def release_engine(self):
        """Gives back what `generate` holds: the cache of keys and values, and a thread."""
        self._generator().release()

    def _generator(self):
        found = self.__dict__.get("_generator_of_answers")
        if found is None:
            from ..engine.generation import Generator

            found = self.__dict__["_generator_of_answers"] = Generator(self)
        return found

    def forward(self, ids, cache=None, labels=None):
        """Logits of every position, and the loss where there are labels.

        Args:
            ids: int64 Tensor [batch, length]; shorter sequences are padded at their end, where causal attention does not
                look.
            cache: See `states`.
            labels: int64 Tensor of the shape of ids, usually ids itself: position i is compared with label i + 1. -100
                is ignored.

        Returns:
            Logits [*ids.shape, vocab_size]; with labels (loss, logits), the loss a mean over the positions that count.
        """
        logits = self.logits(self.states(ids, cache))
        if labels is None:
            return logits
        if list(labels.shape) != list(ids.shape):
            raise ValueError(
                f"Decoder: labels has shape {list(labels.shape)} and ids {list(ids.shape)}; they must be equal."
            )
        return next_token_loss(logits, labels), logits


def next_token_loss(logits, labels):
    """Mean cross entropy of logits [batch, length, vocab] at i with labels [batch, length] at i + 1; -100 does not count."""
    targets = labels[:, 1:].reshape([-1])
    rows = logits[:, :-1].reshape([-1, logits.shape[-1]]).astype("float32")
    total = F.cross_entropy(rows, targets, ignore_index=IGNORED, reduction="sum")
    count = (targets != IGNORED).astype("float32").sum()
    return total / ops.maximum(count, ops.full([], 1.0, "float32"))
