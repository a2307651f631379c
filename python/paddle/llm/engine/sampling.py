# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""How the tokens of an answer are chosen, and where it ends."""

import math
import secrets
from dataclasses import dataclass

from ... import _core
from .constraints import form_of

_SEEDS = 1 << 62


@dataclass(frozen=True)
class SamplingParams:
    """How the tokens of an answer are chosen, and where it ends.

    Attributes:
        max_tokens: The most tokens of an answer; None: as many as the engine's max_model_len leaves.
        temperature: Logits are divided by it; 0 chooses the best token always.
        top_k: Only so many of the best tokens are drawn from; 0: all.
        top_p: Only the best tokens whose probabilities sum up to this (Holtzman et al. 2019, nucleus sampling).
        min_p: Only tokens whose probability is at least this part of the best one's (Nguyen et al. 2024).
        presence_penalty: Taken from the logit of every token that the answer has.
        frequency_penalty: Taken from it once for each time.
        repetition_penalty: Positive logits of tokens of prompt and answer are divided by it, negative ones multiplied
            (Keskar et al. 2019).
        logit_bias: Token -> what is added to its logit.
        seed: Draws depend on it and on the position in the answer alone; answer i has seed + i. None: another one for
            every request.
        stop: A text, or several, that end an answer and are not part of it.
        stop_token_ids: Tokens that end an answer, beside those of the model.
        ignore_eos: The model's end tokens end no answer.
        logprobs: The log-probability of each token, and of so many of the best; None: none.
        n: Number of answers.
        json_schema: Answers are JSON of this schema, a dict or its text; {} is any JSON.
        regex: Answers match this regular expression, in the syntax of Rust's crate `regex`.
        grammar: Answers follow this context-free grammar, in the syntax of Lark.

    Raises:
        ValueError: A value is out of its range.
    """

    max_tokens: int | None = None
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    repetition_penalty: float = 1.0
    logit_bias: dict | None = None
    seed: int | None = None
    stop: tuple = ()
    stop_token_ids: tuple = ()
    ignore_eos: bool = False
    logprobs: int | None = None
    n: int = 1
    json_schema: dict | str | None = None
    regex: str | None = None
    grammar: str | None = None

    def __post_init__(self):
        object.__setattr__(self, "stop", (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ()))
        object.__setattr__(self, "stop_token_ids", tuple(self.stop_token_ids or ()))
        self._require("max_tokens", self.max_tokens is None or self.max_tokens >= 1, "None or at least 1")
        self._require("temperature", 0 <= self.temperature < math.inf, "at least 0")
        self._require("top_k", 0 <= self.top_k < 1 << 31, "at least 0")
        self._require("top_p", 0 < self.top_p <= 1, "in (0, 1]")
        self._require("min_p", 0 <= self.min_p <= 1, "in [0, 1]")
        for name in ("presence_penalty", "frequency_penalty"):
            self._require(name, math.isfinite(getattr(self, name)), "finite")
        self._require("repetition_penalty", 0 < self.repetition_penalty < math.inf, "positive")
        self._require("seed", self.seed is None or -(1 << 63) <= self.seed < 1 << 63, "None or an int of 64 bits")
        self._require("stop", all(isinstance(text, str) and text for text in self.stop), "texts that are not empty")
        self._require("logprobs", self.logprobs is None or 0 <= self.logprobs <= 100, "None or in [0, 100]")
        self._require("n", 1 <= self.n <= 1024, "in [1, 1024]")
        if self.form is not None:
            self._require("ignore_eos", not self.ignore_eos, "False where answers have a form, which ends them")

    @property
    def form(self):
        """(kind, text) of json_schema, regex or grammar; None where answers have any form."""
        return form_of(self.json_schema, self.regex, self.grammar)

    def _require(self, name, holds, rule):
        if not holds:
            raise ValueError(f"SamplingParams: {name} has the value {getattr(self, name)!r}; it must be {rule}.")

    def request(self, prompt, max_model_len):
        """The core's request for a prompt (a list of tokens)."""
        sampling = _core.engine.Sampling()
        for name in (
            "temperature",
            "top_k",
            "top_p",
            "min_p",
            "presence_penalty",
            "frequency_penalty",
            "repetition_penalty",
        ):
            setattr(sampling, name, getattr(self, name))
        sampling.logit_bias = [(int(token), float(bias)) for token, bias in (self.logit_bias or {}).items()]
        sampling.seed = secrets.randbelow(_SEEDS) if self.seed is None else self.seed
        sampling.log_probs = -1 if self.logprobs is None else self.logprobs
        request = _core.engine.Request()
        request.prompt, request.sampling, request.answers = prompt, sampling, self.n
        request.max_tokens = max_model_len if self.max_tokens is None else self.max_tokens
        request.stop, request.stop_tokens = list(self.stop), list(self.stop_token_ids)
        request.ignore_end = self.ignore_eos
        return request
