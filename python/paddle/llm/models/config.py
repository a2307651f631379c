# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What distinguishes one decoder from another: sizes, and a switch for each rule in which architectures differ."""

import dataclasses
import math
from dataclasses import dataclass, field

import numpy


@dataclass(frozen=True)
class Rotary:
    """Rotation of pairs (i, i + width / 2) of a head by the position (Su et al., "RoFormer", 2021).

    Attributes:
        width: So many elements of a head are rotated, the first ones.
        base: Element i turns by position * base^(-2 i / width).
        scaling: "none"; "linear" divides every frequency by `factor`; "llama3" only the low ones, with a smooth
            transition; "yarn" (Peng et al. 2023) those that turn less than `low` times in the original length, and
            it scales cosine and sine.
        factor: How many times longer the context became.
        original_positions: The context length before that.
        low: llama3: its low_freq_factor; yarn: beta_slow.
        high: llama3: its high_freq_factor; yarn: beta_fast.
        magnitude: Factor of cosine and sine; None: by the rule of the scaling.
        divisors: Divides each frequency, as files hold it (width / 2 numbers).
    """

    width: int
    base: float = 10_000.0
    scaling: str = "none"
    factor: float = 1.0
    original_positions: int = 0
    low: float = 1.0
    high: float = 4.0
    magnitude: float | None = None
    divisors: tuple | None = None

    def frequencies(self):
        """Radians a position of every pair, float64 [width / 2]."""
        exponents = numpy.arange(0, self.width, 2, dtype=numpy.float64) / self.width
        found = self.base**-exponents
        if self.divisors is not None:
            found = found / numpy.asarray(self.divisors, numpy.float64)
        if self.scaling == "none":
            return found
        if self.scaling == "linear":
            return found / self.factor
        if self.scaling == "llama3":
            turns = self.original_positions * found / (2 * math.pi)
            kept = numpy.clip((turns - self.low) / (self.high - self.low), 0, 1)
            return kept * found + (1 - kept) * found / self.factor
        if self.scaling == "yarn":
            return self._yarn(found)
        raise ValueError(f"Rotary: scaling has the value {self.scaling!r}; it must be none, linear, llama3 or yarn.")

    def _yarn(self, found):
        def pair_of(turns):
            """The (fractional) pair that turns so often in the original length."""
            return self.width * math.log(self.original_positions / (turns * 2 * math.pi)) / (2 * math.log(self.base))

        first = max(math.floor(pair_of(self.high)), 0)
        last = min(math.ceil(pair_of(self.low)), self.width - 1)
        slow = numpy.clip((numpy.arange(self.width // 2) - first) / max(last - first, 0.001), 0, 1)
        return (1 - slow) * found + slow * found / self.factor

    @property
    def scale(self):
        """Factor of cosine and sine."""
        if self.magnitude is not None:
            return self.magnitude
        return 0.1 * math.log(self.factor) + 1.0 if self.scaling == "yarn" and self.factor > 1 else 1.0


@dataclass(frozen=True)
class AttentionForm:
    """The rules of attention in one layer.

    Attributes:
        scale: Factor of the scores.
        window: A key is visible while query position - key position < window; 0: always.
        cap: Scores become cap tanh(score / cap); 0: as they are.
        rotary: The rotation of queries and keys.
    """

    scale: float
    window: int
    cap: float
    rotary: Rotary


@dataclass(frozen=True)
class Experts:
    """The MLPs of a layer of which a router chooses some for each token.

    The score of an expert is a softmax or sigmoid of the router's logits. Those with the highest score plus selection bias
    are chosen, the score is their weight.

    Attributes:
        count: Number of experts.
        chosen: So many for each token.
        width: Their intermediate size.
        layers: Indices of the layers that have experts; the others have one MLP of `intermediate_size`.
        shared_width: Intermediate size of an MLP that all tokens go through as well; 0 for none.
        shared_gate: The result of that is times the sigmoid of a further number of the router.
        score: "softmax" or "sigmoid".
        selection_bias: There is one, which is not trained by gradients.
        normalized: Weights are divided by their sum, at least `floor`.
        floor: See there.
        scale: Factor of weights.
        groups: Experts are chosen from `chosen_groups` of so many groups of neighbours (DeepSeek-AI 2024, "DeepSeek-V2").
        chosen_groups: See there.
        best_of_group: The score of a group is the sum of its so many best ones.
    """

    count: int
    chosen: int
    width: int
    layers: tuple
    shared_width: int = 0
    shared_gate: bool = False
    score: str = "softmax"
    selection_bias: bool = False
    normalized: bool = True
    floor: float = 1e-20
    scale: float = 1.0
    groups: int = 1
    chosen_groups: int = 1
    best_of_group: int = 1

    def __post_init__(self):
        if self.score not in ("softmax", "sigmoid"):
            raise ValueError(f"Experts: score has the value {self.score!r}; it must be softmax or sigmoid.")
        sizes = self.count, self.chosen, self.width, self.groups
        if not all(isinstance(size, int) for size in sizes) or min(sizes) < 1 or self.count % self.groups:
            raise ValueError(
                f"Experts: count is {self.count}, chosen {self.chosen}, width {self.width} and groups {self.groups}; all must "
                "be at least 1, and count a multiple of groups."
            )
        members = self.count // self.groups
        if not 1 <= self.chosen_groups <= self.groups or self.chosen > self.chosen_groups * members:
            raise ValueError(
                f"Experts: {self.chosen} experts are chosen from {self.chosen_groups} of {self.groups} groups of {members}; "
                "there are not as many."
            )
        if not 1 <= self.best_of_group <= members:
            raise ValueError(f"Experts: best_of_group is {self.best_of_group}; a group has {members} experts.")
        if self.shared_gate and not self.shared_width:
            raise ValueError("Experts: shared_gate is of an MLP that all tokens go through; shared_width is 0.")


@dataclass(frozen=True)
class Latent:
    """Keys and values as products of a short vector of each token, the only one that a cache holds, beside the rotated part
    of keys, which all heads share (multi-head latent attention, DeepSeek-AI 2024, "DeepSeek-V2").

    Attributes:
        width: Of that vector.
        query_width: Of the one that queries are made of; 0: of the states themselves.
        value_width: Of values of a head.
        epsilon: Of the norms of both vectors.
    """

    width: int
    query_width: int
    value_width: int
    epsilon: float = 1e-6


@dataclass(frozen=True)
class DecoderConfig:
    """Sizes and rules of a decoder; `architectures` makes it of a config.json or of the metadata of a GGUF file.

    Attributes:
        architecture: Its name in config.json, such as "llama".
        vocab_size, hidden_size, intermediate_size, num_layers, num_heads, num_kv_heads, head_dim: Sizes.
        max_positions: The longest sequence for which the model is made.
        epsilon: Added to mean squares by norms.
        activation: Of the gate: "silu", "gelu_tanh" or "gelu".
        rotary: Of layers without a window, and of all where `local_rotary` is None.
        local_rotary: Of layers with a window.
        windows: The window of each layer, 0 for none.
        attention_scale: Factor of scores; None: 1 / sqrt(head_dim).
        attention_cap, logit_cap: Soft caps, 0 for none.
        embedding_scale: Factor of embeddings.
        tied: The embedding table is the head.
        qkv_bias, output_bias, mlp_bias: Linear layers that have a bias.
        head_norms: Queries and keys are normalised per head before the rotation.
        post_norms: What attention and the MLP add is normalised, too.
        experts: Experts of some layers, or None.
        latent: The Latent of attention, or None. The first head_dim - rotary.width elements of a query are not rotated.
        initializer_range: Standard deviation of new weights.
        bos_id: Token in front of texts, None for none.
        eos_ids: Tokens that end an answer.
    """

    architecture: str
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_layers: int
    num_heads: int
    num_kv_heads: int
    head_dim: int
    rotary: Rotary
    max_positions: int = 2048
    epsilon: float = 1e-6
    activation: str = "silu"
    local_rotary: Rotary | None = None
    windows: tuple = field(default=())
    attention_scale: float | None = None
    attention_cap: float = 0.0
    logit_cap: float = 0.0
    embedding_scale: float = 1.0
    tied: bool = False
    qkv_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    head_norms: bool = False
    post_norms: bool = False
    experts: Experts | None = None
    latent: Latent | None = None
    initializer_range: float = 0.02
    bos_id: int | None = None
    eos_ids: tuple = ()

    def __post_init__(self):
        for name in (
            "vocab_size",
            "hidden_size",
            "intermediate_size",
            "num_layers",
            "num_heads",
            "num_kv_heads",
            "head_dim",
        ):
            if getattr(self, name) < 1:
                raise ValueError(f"DecoderConfig: {name} has the value {getattr(self, name)}; it must be at least 1.")
        if self.num_heads % self.num_kv_heads:
            raise ValueError(
                f"DecoderConfig: num_heads is {self.num_heads} and num_kv_heads {self.num_kv_heads}; the first must be a "
                "multiple of the second."
            )
        for rotary in (self.rotary, self.local_rotary):
            if rotary is not None and (rotary.width % 2 or not 0 < rotary.width <= self.head_dim):
                raise ValueError(
                    f"DecoderConfig: {rotary.width} elements of a head are rotated and head_dim is {self.head_dim}; it must "
                    "be an even number of at most all elements."
                )
        if self.experts is not None and not all(0 <= layer < self.num_layers for layer in self.experts.layers):
            raise ValueError(
                f"DecoderConfig: layers {list(self.experts.layers)} have experts; there are {self.num_layers}, from 0."
            )
        if self.latent is not None:
            self._check_latent()
        if self.windows and len(self.windows) != self.num_layers:
            raise ValueError(f"DecoderConfig: windows has {len(self.windows)} values for {self.num_layers} layers.")

    def _check_latent(self):
        latent = self.latent
        if latent.width < 1 or latent.query_width < 0 or not 0 < latent.value_width <= self.head_dim:
            raise ValueError(
                f"DecoderConfig: the latent vector has width {latent.width}, that of queries {latent.query_width}, values "
                f"{latent.value_width} and keys {self.head_dim}; values must not be wider than keys."
            )
        if any(self.windows) or self.attention_cap or self.head_norms or self.local_rotary is not None:
            raise ValueError("DecoderConfig: latent attention has no windows, cap, norms of heads or local rotation.")
        if self.num_kv_heads != self.num_heads:
            raise ValueError(
                f"DecoderConfig: num_kv_heads is {self.num_kv_heads} and num_heads {self.num_heads}; every head of latent "
                "attention has its own keys."
            )

    def attention(self, layer):
        """The AttentionForm of a layer."""
        window = self.windows[layer] if self.windows else 0
        rotary = self.local_rotary if window and self.local_rotary is not None else self.rotary
        scale = self.head_dim**-0.5 if self.attention_scale is None else self.attention_scale
        return AttentionForm(scale, window, self.attention_cap, rotary)


def comparable(config):
    """The rules of a DecoderConfig as a file can hold them, by name: numbers in float32."""

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
