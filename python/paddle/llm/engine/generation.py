# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Answers of a model that is being trained, by an engine that reads its live weights."""

import secrets

from ... import _core
from .language_model import LLM
from .sampling import SamplingParams


class TokensOnly:
    """The tokenizer of a model whose prompts and answers are tokens; their text is empty.

    Args:
        eos_ids: Tokens that end an answer.
    """

    bos_id, specials, strips_first_space = None, {}, False

    def __init__(self, eos_ids):
        self.eos_ids = tuple(eos_ids)

    def all_bytes(self, count):
        """No bytes for any token."""
        return [b""] * count

    def encode(self, text, **_):
        """There is no text.

        Raises:
            TypeError: Always.
        """
        raise TypeError("generate: prompts are lists of tokens; give `tokenizer` for texts.")


class Generator:
    """The engine of a layer. It is made anew when the layer has other weights, not only other numbers in them.

    Args:
        model: A Decoder.
    """

    def __init__(self, model):
        self._model, self._llm, self._made_of = model, None, None

    def __getstate__(self):
        # A copy of the model has no engine yet.
        return {"_model": self._model, "_llm": None, "_made_of": None}

    def llm(self, tokenizer, options):
        """The LLM for these options, which holds what was made before as long as it fits."""
        made_of = (tokenizer, options, [id(t) for t in (*self._model.parameters(), *self._model.buffers())])
        if self._llm is None or made_of != self._made_of:
            self.release()
            found = TokensOnly(self._model.config.eos_ids) if tokenizer is None else tokenizer
            self._llm, self._made_of = LLM(self._model, found, progress=False, **options), made_of
        return self._llm

    def release(self):
        """Ends the engine and gives its memory back."""
        if self._llm is not None:
            self._llm.close()
        self._llm = self._made_of = None


def generate(model, prompts, params, tokenizer, options, keywords):
    """See Decoder.generate."""
    if params is not None and keywords:
        raise ValueError(f"generate: {next(iter(keywords))} is a field of params; give one or the other.")
    tensor = prompts if isinstance(prompts, _core.Tensor) else None
    if tensor is not None:
        if tensor.ndim != 2:
            raise ValueError(f"generate: prompts has shape {list(tensor.shape)}; it must be [batch, length].")
        prompts = tensor.tolist()
    params = params_of(keywords) if params is None else params
    llm = model._generator().llm(tokenizer, options)
    # What earlier answers left in the cache may come from other numbers in the weights.
    llm.engine.forget_prefixes()
    found = llm.generate(prompts, params)
    return found if tensor is None else padded(tensor, found, model.config.eos_ids)


def params_of(keywords):
    """SamplingParams of the keywords that libraries for models in Hugging Face's layout use."""
    known = {
        "max_new_tokens": "max_tokens",
        "temperature": "temperature",
        "top_k": "top_k",
        "top_p": "top_p",
        "repetition_penalty": "repetition_penalty",
        "num_return_sequences": "n",
        "seed": "seed",
        "logprobs": "logprobs",
        "ignore_eos": "ignore_eos",
    }
    values, samples, ends = {}, keywords.pop("do_sample", False), keywords.pop("eos_token_id", None)
    for name, value in keywords.items():
        if name not in known:
            raise TypeError(
                f"generate: there is no argument {name!r}; these are: {', '.join(known)}, do_sample, eos_token_id."
            )
        if value is not None:
            values[known[name]] = value
    values.setdefault("max_tokens", 20)
    if not samples:
        values["temperature"] = 0.0
    elif "seed" not in values:
        values["seed"] = secrets.randbelow(1 << 62)
    if ends is not None:
        values["stop_token_ids"] = tuple(ends) if isinstance(ends, (list, tuple)) else (ends,)
    return SamplingParams(**values)


def padded(prompts, answers, ends):
    """Prompts with their answers, int64 [batch * n, longest]; short ones end with the model's end token, or 0."""
    rows = []
    for prompt, many in zip(prompts.tolist(), answers, strict=True):
        rows += [prompt + answer.tokens for answer in (many if isinstance(many, list) else [many])]
    longest, fill = max(map(len, rows)), ends[0] if ends else 0
    return _core.to_tensor([row + [fill] * (longest - len(row)) for row in rows]).astype("int64")
