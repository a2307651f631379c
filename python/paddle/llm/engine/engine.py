# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine for Python: requests in, pieces of answers out."""

import atexit
import math
import threading
import warnings
import weakref
from typing import NamedTuple

from ... import _core
from ..models.key_balance import measure_key_balance
from .adapters import AdapterSlots
from .constraints import Constraints
from .embedding import Embedder
from .step import CACHE_DTYPES, BlockCache, capture_step

BLOCK_SIZE = 16
# Reader threads -> cores. A thread must not meet the end of the interpreter.
_READERS = {}


@atexit.register
def _close_all():
    for thread, core in list(_READERS.items()):
        core.close()
        thread.join()


_DEFAULT_CACHE_BYTES = 1 << 30
_POLL_SECONDS = 0.5
_BALANCE_TOKENS = 2048


class QueueFull(RuntimeError):
    """As many requests wait as the engine keeps."""


class TokenLogProb(NamedTuple):
    """The log-probability of a token, and the best tokens in its place.

    Attributes:
        token: The token.
        log_prob: Logarithm of its probability before temperature, penalties and filters.
        best: (token, log-probability) of the best ones, the best first.
    """

    token: int
    log_prob: float
    best: tuple = ()


class Piece(NamedTuple):
    """A part of an answer; the last one has a `finish`.

    Attributes:
        index: Which of the `n` answers.
        text: Whole characters that belong to no stop text.
        tokens: What the model chose.
        log_probs: A TokenLogProb for each token, or None where none were asked for.
        finish: None, "stop", "length", "cancelled" or "error".
        error: What went wrong, where `finish` is "error".
    """

    index: int
    text: str
    tokens: tuple
    log_probs: tuple | None
    finish: str | None
    error: str | None


class Request:
    """A request that the engine answers.

    Attributes:
        prompt_tokens: Number of tokens of the prompt.
        cached_tokens: How many of them an earlier request had left in the cache; None before the first piece.
    """

    def __init__(self, engine, prompt_tokens, params, on_piece):
        self.prompt_tokens, self.cached_tokens = prompt_tokens, None
        self._engine, self._params, self._on_piece = engine, params, on_piece
        self._id, self._open, self._constraint = 0, params.n, None
        self._adapter = None

    def cancel(self):
        """Ends the answers that are not finished; their last pieces have `finish` "cancelled"."""
        if self._open:
            self._engine._core.cancel(self._id)


def weight_bytes(model):
    """Bytes of the weights of a layer."""
    tensors = [*model.parameters(), *model.buffers()]
    return sum(tensor.numel().item() * tensor.element_size() for tensor in tensors)


class Engine:
    """A language model that answers many requests at once, in a thread of its own.

    Prompts with the same beginning share its keys and values. The weights are those of the model, not copies: training that
    changes them in place changes what the engine answers, once `forget_prefixes` has been called.

    Args:
        model: A Decoder.
        tokenizer: The Tokenizer that belongs to it.
        max_batch: Answers that are written at once.
        max_queue: Requests that wait at most.
        max_step_tokens: Tokens of one step; longer prompts take several.
        max_model_len: The most tokens of a prompt with its answer; None: as many as the model is made for and the cache
            holds.
        cache_bytes: Memory for keys and values; None: 1 GiB, or less where `max_batch` answers need less.
        cache_dtype: "float32", "float16", "bfloat16", "int8" or "int4".
        key_balance: What makes keys fit for a cache of few bits: the list that `measure_key_balance` gives, or False. None: for
            "int4" it is measured on 2,048 tokens of Python's documentation, where the tokenizer reads texts.
        draft_tokens: So many tokens are guessed ahead, from what was said before (prompt lookup decoding) or by draft_model;
            answers are the same with any number. None: 4 with a draft_model, otherwise 0.
        draft_model: A smaller Decoder of the same vocabulary.
        max_adapters: Adapters of low rank that may be loaded at once (see `load_adapter`).
        max_adapter_rank: Their highest rank.

    Raises:
        ValueError: The cache does not hold one request of max_model_len tokens, or an argument is out of its range.
    """

    def __init__(
        self,
        model,
        tokenizer,
        max_batch=32,
        max_queue=256,
        max_step_tokens=512,
        max_model_len=None,
        cache_bytes=None,
        cache_dtype="float32",
        key_balance=None,
        draft_tokens=None,
        draft_model=None,
        max_adapters=0,
        max_adapter_rank=16,
    ):
        config = getattr(model, "config", None)
        if not hasattr(model, "states") or not hasattr(config, "attention"):
            raise TypeError(f"Engine: model is a {type(model).__name__}; it must be a Decoder.")
        if cache_dtype not in CACHE_DTYPES:
            raise ValueError(
                f"Engine: cache_dtype has the value {cache_dtype!r}; it must be one of {', '.join(CACHE_DTYPES)}."
            )
        for name, value in (("max_batch", max_batch), ("max_queue", max_queue), ("max_step_tokens", max_step_tokens)):
            if value < 1:
                raise ValueError(f"Engine: {name} has the value {value}; it must be at least 1.")
        if draft_tokens is None:
            draft_tokens = 0 if draft_model is None else 4
        if draft_tokens < (draft_model is not None):
            raise ValueError(
                f"Engine: draft_tokens has the value {draft_tokens}; it must be at least {int(draft_model is not None)}."
            )
        self.model, self.tokenizer, self.max_batch = model, tokenizer, max_batch
        block_bytes = BlockCache.bytes_of_block(config, BLOCK_SIZE, cache_dtype)
        blocks, self.max_model_len = _sizes(config, block_bytes, max_batch, max_model_len, cache_bytes)
        balance = _balance(model, tokenizer, key_balance, cache_dtype)
        self._cache = BlockCache(config, blocks, BLOCK_SIZE, cache_dtype, balance)
        options = _core.engine.Options(
            max_batch=max_batch,
            max_step_tokens=max(max_step_tokens, max_batch),
            max_length=self.max_model_len,
            draft_tokens=draft_tokens,
            max_queue=max_queue,
            block_size=BLOCK_SIZE,
        )
        ends = list(tokenizer.eos_ids or config.eos_ids)
        vocabulary = _vocabulary(tokenizer, config, ends)
        self._constraints = Constraints(tokenizer, config.vocab_size, ends)
        self._adapters = AdapterSlots(model, max_adapters, max_adapter_rank) if max_adapters else None
        self._core = _core.engine.Engine(
            capture_step(model, self._cache),
            self._cache.tensors,
            vocabulary,
            options,
            self._constraints.make_masks,
            None if self._adapters is None else capture_step(model, self._cache, self._adapters),
            *self._draft(draft_model, max_batch),
        )
        self._weight_bytes, self._embedder = weight_bytes(model), Embedder(model, tokenizer)
        self._requests, self._changed = {}, threading.Condition()
        self._is_draining = False
        # The thread keeps the core alive and not this object: an engine that nobody holds any more ends.
        self._reader = threading.Thread(
            target=_read, args=(weakref.ref(self), self._core), name="paddle.llm.Engine", daemon=True
        )
        _READERS[self._reader] = self._core
        self._reader.start()

    def _draft(self, model, max_batch):
        """The program and the cache of a draft model."""
        if model is None:
            return None, []
        config = getattr(model, "config", None)
        if not hasattr(model, "states") or not hasattr(config, "attention"):
            raise TypeError(f"Engine: draft_model is a {type(model).__name__}; it must be a Decoder.")
        if config.vocab_size != self.model.config.vocab_size:
            raise ValueError(
                f"Engine: draft_model has {config.vocab_size} tokens and the model {self.model.config.vocab_size}; their "
                "vocabularies must be the same."
            )
        if config.max_positions < self.max_model_len:
            raise ValueError(
                f"Engine: draft_model is made for {config.max_positions} positions; give a max_model_len of at most that."
            )
        block_bytes = BlockCache.bytes_of_block(config, BLOCK_SIZE, "float32")
        blocks, _ = _sizes(config, block_bytes, max_batch, self.max_model_len, None)
        cache = BlockCache(config, blocks, BLOCK_SIZE, "float32")
        return capture_step(model, cache), cache.tensors

    @property
    def adapters(self):
        """Names of the adapters that are loaded."""
        return () if self._adapters is None else self._adapters.names

    def load_adapter(self, name, adapter):
        """Makes an adapter of low rank known; requests may run meanwhile.

        Args:
            name: What `submit` calls it.
            adapter: A paddle.llm.lora.Adapter, or the path of its folder in the layout of the package peft.

        Raises:
            ValueError: The engine was made without max_adapters, the name is taken, all places are, or it does not fit.
        """
        self._slots("load_adapter").load(name, adapter)

    def unload_adapter(self, name):
        """Frees the place of an adapter.

        Raises:
            ValueError: There is no such adapter, or a request still uses it.
        """
        self._slots("unload_adapter").unload(name)

    def _slots(self, what):
        if self._adapters is None:
            raise ValueError(f"{what}: the engine has no places for adapters; give it max_adapters.")
        return self._adapters

    def submit(self, ids, params, on_piece, adapter=None):
        """Asks for answers to a prompt.

        Args:
            ids: The tokens of the prompt, a list of int.
            params: SamplingParams.
            on_piece: Called with every Piece, on a thread of the engine, in order for each answer.
            adapter: Name of the adapter that the answers are written with; None: the model by itself.

        Returns:
            A Request.

        Raises:
            ValueError: The prompt is empty or too long, a token is out of range, or the form of the answer cannot be used.
            ImportError: An answer of a form needs a package that is missing.
            QueueFull: Too many requests wait.
            RuntimeError: The engine is closed, or takes no new requests.
        """
        ids = [int(token) for token in ids]
        request, asked = Request(self, len(ids), params, on_piece), params.request(ids, self.max_model_len)
        if params.form is not None:
            request._constraint = self._constraints.open(params.form, params.n)
            asked.constrain(request._constraint)
        try:
            if adapter is not None:
                asked.adapter_slot, asked.adapter = self._slots("submit").take(adapter)
                request._adapter = adapter
            with self._changed:
                if self._is_draining:
                    raise RuntimeError("Engine: it takes no new requests.")
                request._id = self._core.submit(asked)
                if not request._id:
                    raise QueueFull(
                        "Engine: as many requests wait as it keeps; try again later, or give a larger max_queue."
                    )
                self._requests[request._id] = request
        except BaseException:
            self._end(request)
            raise
        return request

    def _end(self, request):
        self._constraints.close(request._constraint)
        if request._adapter is not None:
            self._adapters.give_back(request._adapter)

    def _deliver(self, pieces):
        for number, index, text, tokens, log_probs, finish, error, cached in pieces:
            # Holds until submit() has entered the request.
            with self._changed:
                request = self._requests[number]
            request.cached_tokens = cached
            probs = None
            if request._params.logprobs is not None:
                probs = tuple(TokenLogProb(*one) for one in log_probs)
            try:
                request._on_piece(Piece(index, text, tokens, probs, finish, error or None))
            except Exception as failed:
                warnings.warn(f"Engine: on_piece failed ({type(failed).__name__}: {failed}); the request is cancelled.")
                request.cancel()
            if finish is not None:
                request._open -= 1
                if not request._open:
                    self._end(request)
                    with self._changed:
                        del self._requests[number]
                        self._changed.notify_all()

    def embed(self, texts):
        """Vectors of texts; see Embedder. They are computed on the calling thread, beside the answers."""
        return self._embedder.embed(texts)

    def stats(self):
        """Counts since the start, a dict of numbers.

        Returns:
            waiting and running answers; requests, prompt_tokens, cached_prompt_tokens (found in the cache),
            generated_tokens; steps, step_tokens, step_seconds; preemptions; drafts, accepted_drafts; cache_blocks,
            cache_blocks_used, cache_blocks_shared; weight_bytes.
        """
        return self._core.stats() | {"weight_bytes": self._weight_bytes}

    def forget_prefixes(self):
        """Keys and values of answered prompts are not used again; for weights that were changed while no request ran."""
        self._core.forget()

    def drain(self, timeout=None):
        """Takes no new requests, and waits until all are answered.

        Args:
            timeout: Seconds; None: any time.

        Returns:
            Whether all are answered.
        """
        with self._changed:
            self._is_draining = True
            return self._changed.wait_for(lambda: not self._requests, timeout)

    def close(self):
        """Cancels what is not finished and ends the thread."""
        with self._changed:
            self._is_draining = True
        self._core.close()
        if threading.current_thread() is not self._reader:
            self._reader.join()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _balance(model, tokenizer, given, cache_dtype):
    """KeyBalance of each layer, or None."""
    layers, is_latent = model.config.num_layers, model.config.latent is not None
    if given is None:
        if cache_dtype != "int4" or is_latent:
            return None
        from pydoc_data.topics import topics

        try:
            ids = tokenizer.encode("\n".join(topics[name] for name in sorted(topics))[:30_000])
        except TypeError:  # prompts are tokens alone
            return None
        ids = ids[: min(_BALANCE_TOKENS, model.config.max_positions)]
        return measure_key_balance(model, _core.to_tensor(ids).astype("int64"))
    if given is False:
        return None
    if is_latent or len(given) != layers:
        what = "has latent attention" if is_latent else f"has {layers} layers"
        raise ValueError(f"Engine: key_balance is for {len(given)} layers; the model {what}.")
    return list(given)


def _read(reference, core):
    """Hands pieces of answers on, until the engine is closed or nobody holds it."""
    try:
        while True:
            pieces = core.poll(_POLL_SECONDS)
            engine = reference()
            if engine is None:
                core.close()
                return
            engine._deliver(pieces)
            if not pieces and core.is_closed:
                return
            del engine
    finally:
        del _READERS[threading.current_thread()]


def _sizes(config, block_bytes, max_batch, max_model_len, cache_bytes):
    """(blocks of the cache, max_model_len)."""
    length = config.max_positions if max_model_len is None else max_model_len
    if length < 2:
        raise ValueError(f"Engine: max_model_len has the value {length}; it must be at least 2.")
    if max_model_len is not None and max_model_len > config.max_positions:
        raise ValueError(
            f"Engine: max_model_len has the value {max_model_len}; the model is made for {config.max_positions} positions."
        )
    wanted = math.ceil(length / BLOCK_SIZE)
    if cache_bytes is None:
        room = max(_DEFAULT_CACHE_BYTES // block_bytes, 1 if max_model_len is None else wanted)
        blocks = min(wanted * max_batch, room)
    else:
        blocks = int(cache_bytes) // block_bytes
    if blocks < wanted:
        if max_model_len is not None or blocks == 0:
            raise ValueError(
                f"Engine: cache_bytes is {cache_bytes}, room for {blocks * BLOCK_SIZE} tokens; a request of {length} tokens "
                f"takes {wanted * block_bytes} bytes. Give more, or a smaller max_model_len."
            )
        length = blocks * BLOCK_SIZE
    return blocks, length


def _vocabulary(tokenizer, config, ends):
    """The bytes of every token of the model, and the tokens that end an answer."""
    tokens = tokenizer.all_bytes(config.vocab_size)
    return _core.engine.Vocabulary(tokens, ends, getattr(tokenizer, "strips_first_space", False))
