# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a model costs: bytes, perplexity, and tokens per second."""

import math
import os
import time
from dataclasses import dataclass

import numpy

from ... import _core
from ...framework.modes import no_grad
from ...nn import functional as F
from ...tensor.ranges import arange
from ..engine.sampling import SamplingParams
from ..engine.step import CACHE_DTYPES, BlockCache

WINDOW = 1024
_BLOCK, _ROWS = 16, 128


@dataclass(frozen=True)
class Figures:
    """What was measured.

    Attributes:
        bytes: Of the file, or of the files of the folder.
        perplexity: On the text.
        decode: Tokens per second of one sequence.
        prefill: Tokens per second of a prompt.
    """

    bytes: int
    perplexity: float
    decode: float
    prefill: float


def bytes_of_path(path):
    """Bytes of a file, or of the files of a folder."""
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file())


def perplexity(model, ids, cache_of=None):
    """exp of the mean negative log-likelihood of tokens, in windows of WINDOW that do not see each other.

    Args:
        model: A Decoder.
        ids: The tokens, at least two.
        cache_of: None, or a function of a length that gives the cache through which a window is read.
    """
    window = min(WINDOW, model.config.max_positions)
    total, count = 0.0, 0
    with no_grad():
        for begin in range(0, len(ids), window):
            own = numpy.asarray(ids[begin : begin + window], "int64")
            if len(own) < 2:
                continue
            cache = None if cache_of is None else cache_of(len(own))
            states = model.states(_core.to_tensor(own[None]), cache)[0]
            for at in range(0, len(own) - 1, _ROWS):
                end = min(at + _ROWS, len(own) - 1)
                true = _core.to_tensor(own[at + 1 : end + 1])
                logits = model.logits(states[at:end]).astype("float32")
                total += float(F.cross_entropy(logits, true, reduction="sum"))
            count += len(own) - 1
    if not count:
        raise ValueError("perplexity: the text has fewer than two tokens.")
    return math.exp(min(total / count, 700.0))


class _OneSequence(BlockCache):
    """A cache in blocks of one sequence that is read at once, with keys that are balanced or not."""

    def __init__(self, config, length, dtype, balance=None):
        blocks = -(-length // _BLOCK)
        super().__init__(config, blocks, _BLOCK, dtype)
        numbers = [numpy.arange(length), [numpy.arange(blocks)], [0, length], [length]]
        slots, *where = (_core.to_tensor(numpy.asarray(one, "int32")) for one in numbers)
        self.begin(arange(length, dtype="int64"), slots, *where)
        self.positions = self.positions.unsqueeze(0)
        self.balance = balance

    def write_and_attend(self, layer, q, k, v):
        """See ContiguousCache."""
        if self.balance is not None:
            q, k = self.balance[layer].apply(q, k)
        return super().write_and_attend(layer, q[0], k[0], v[0]).unsqueeze(0)

    def write_and_attend_latent(self, layer, q_latent, q_rope, latent, k_rope):
        """See ContiguousCache."""
        rows = (tensor[0] for tensor in (q_latent, q_rope, latent, k_rope))
        return super().write_and_attend_latent(layer, *rows).unsqueeze(0)


def cache_perplexity(model, ids, cache_dtype, balance=None):
    """The same through a cache.

    Args:
        model: A Decoder.
        ids: The tokens.
        cache_dtype: One of the engine's: "float32", "bfloat16", "float16", "int8" or "int4".
        balance: What `measure_key_balance` gives, or None.
    """
    if cache_dtype not in CACHE_DTYPES:
        raise ValueError(
            f"cache_perplexity: cache_dtype is {cache_dtype!r}; it must be one of {', '.join(CACHE_DTYPES)}."
        )
    return perplexity(model, ids, lambda length: _OneSequence(model.config, length, cache_dtype, balance))


def cache_bytes_per_token(config, cache_dtype):
    """Bytes of keys and values of a token in all layers."""
    return BlockCache.bytes_of_block(config, _BLOCK, cache_dtype) / _BLOCK


def speeds(model, tokenizer, ids, prompt=512, answer=64):
    """(decode, prefill) in tokens per second, of the engine with one request: the best of three."""
    from ..engine import LLM

    prompt = max(1, min(prompt, len(ids) // 4, model.config.max_positions - answer - 1))
    greedy = {"temperature": 0.0, "ignore_eos": True}
    with LLM(model, tokenizer, max_batch=1, max_model_len=prompt + answer + 1) as llm:
        # Of a first request the engine learns how fast it is; every prompt is another one.
        times = [[], []]
        for i in range(4):
            own = list(ids[i * prompt // 2 :][:prompt])
            begin = time.perf_counter()
            llm.generate(own, SamplingParams(max_tokens=1, **greedy))
            first = time.perf_counter()
            llm.engine.forget_prefixes()
            llm.generate(own[:16], SamplingParams(max_tokens=1, **greedy))
            short = time.perf_counter()
            llm.engine.forget_prefixes()
            llm.generate(own[:16], SamplingParams(max_tokens=1 + answer, **greedy))
            end = time.perf_counter()
            llm.engine.forget_prefixes()
            if i:
                times[0].append(max(end - short - (short - first), 1e-9) / answer)
                times[1].append((first - begin) / len(own))
    return 1 / min(times[0]), 1 / min(times[1])


def measure(path, text, tokens):
    """The Figures of a model.

    Args:
        path: A file or folder that `load_model` reads.
        text: A text.
        tokens: So many of its tokens count.
    """
    from ..models import load_model
    from ..tokenizers import load_tokenizer
    from .writing import open_source

    source = open_source(path)
    tokenizer, model = load_tokenizer(source), load_model(source)
    ids = tokens_of(text, tokenizer, tokens, model.config.vocab_size)
    return Figures(bytes_of_path(path), perplexity(model, ids), *speeds(model, tokenizer, ids))


def tokens_of(text, tokenizer, tokens, vocab_size):
    """The first tokens of a text."""
    # A token is at most some dozen characters; the rest of a long text is not looked at.
    ids = tokenizer.encode(text[: 64 * tokens])[:tokens]
    if len(ids) < 2:
        raise ValueError(f"the text has {len(ids)} tokens; at least 2 are needed.")
    if max(ids) >= vocab_size:
        raise ValueError(f"the tokenizer makes the token {max(ids)}; the model has {vocab_size}.")
    return ids


def sample_text():
    """The text that is read where none is given: Python's language reference."""
    from pydoc_data.topics import topics

    return "\n".join(topics.values())
