# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Embeddings of texts, by an encoder, or by a decoder from its last states."""

import threading

import numpy

from ... import _core
from ...framework.modes import no_grad

ops = _core.ops
_BATCH_TOKENS = 4096


class Embedder:
    """Vectors for texts.

    Texts of like length are computed together. An encoder says itself how the states of the tokens become one vector; of a
    decoder it is their mean, or the state of the last token where the file says so (pooling "last"). Vectors have the
    length 1 unless an encoder's config says otherwise.

    Args:
        model: An Encoder or a Decoder.
        tokenizer: The Tokenizer that belongs to it.
        pooling: Of a decoder, "mean" or "last".

    Raises:
        ValueError: pooling has another value, or is given for an encoder.
    """

    def __init__(self, model, tokenizer, pooling=None):
        self.model, self.tokenizer, self.is_encoder = model, tokenizer, not hasattr(model, "states")
        if pooling is not None and self.is_encoder:
            raise ValueError("Embedder: an encoder's file says how its embeddings are made; leave pooling out.")
        if pooling not in (None, "mean", "last"):
            raise ValueError(f"Embedder: pooling has the value {pooling!r}; it must be 'mean' or 'last'.")
        self.pooling, self.max_model_len = pooling or "mean", model.config.max_positions
        self._counts, self._lock = {"requests": 0, "prompt_tokens": 0}, threading.Lock()

    def ids(self, text):
        """The tokens of a text (a str, or a list of tokens that is checked), as the model reads it."""
        if isinstance(text, str):
            found = self.tokenizer.encode_whole(text) if self.is_encoder else self.tokenizer.encode(text)
        else:
            found = [int(token) for token in text]
            for token in found:
                if not 0 <= token < self.model.config.vocab_size:
                    raise ValueError(f"embed: there is no token {token}; there are {self.model.config.vocab_size}.")
        if not found:
            raise ValueError("embed: a text has no tokens.")
        if len(found) > self.max_model_len:
            raise ValueError(f"embed: a text has {len(found)} tokens; the model takes {self.max_model_len}.")
        return found

    def embed(self, texts):
        """Vectors of texts.

        Args:
            texts: A str or a list of tokens, or a list of those.

        Returns:
            A float32 array [width], or [number of texts, width] for a list.

        Raises:
            ValueError: A text is too long or has no tokens.
        """
        is_single = isinstance(texts, str) or (len(texts) > 0 and isinstance(texts[0], int))
        all_ids = [self.ids(text) for text in ([texts] if is_single else texts)]
        order = sorted(range(len(all_ids)), key=lambda i: len(all_ids[i]))
        found = numpy.zeros([len(all_ids), self.model.config.hidden_size], numpy.float32)
        while order:
            width = len(all_ids[order[-1]])
            count = max(1, _BATCH_TOKENS // width)
            order, chosen = order[:-count], order[-count:]
            found[chosen] = self._vectors([all_ids[i] for i in chosen], width)
        with self._lock:
            self._counts["requests"] += 1
            self._counts["prompt_tokens"] += sum(map(len, all_ids))
        return found[0] if is_single else found

    def _vectors(self, rows, width):
        ids = numpy.zeros([len(rows), width], numpy.int64)
        mask = numpy.zeros([len(rows), width], numpy.int64)
        for row, (tokens, is_there) in zip(rows, zip(ids, mask, strict=True), strict=True):
            tokens[: len(row)], is_there[: len(row)] = row, 1
        with no_grad():
            if self.is_encoder:
                return self.model.embed(_core.to_tensor(ids), _core.to_tensor(mask)).numpy()
            # Attention is causal, so what fills a row up changes nothing in front of it.
            states = self.model.states(_core.to_tensor(ids)).astype("float32").numpy()
        if self.pooling == "last":
            vectors = numpy.stack([state[len(row) - 1] for state, row in zip(states, rows, strict=True)])
        else:
            vectors = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        return vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=-1, keepdims=True), 1e-12)


class EmbeddingEngine(Embedder):
    """An encoder with the face of an Engine, for a server."""

    max_batch = 1

    def submit(self, ids, params, on_piece):
        """An encoder writes no text.

        Raises:
            ValueError: Always.
        """
        raise ValueError("the model makes embeddings of texts and no text; ask /v1/embeddings.")

    def stats(self):
        """Counts since the start, a dict of numbers: requests, prompt_tokens; waiting and running, which are 0."""
        with self._lock:
            return {"waiting": 0, "running": 0, **self._counts}

    def drain(self, timeout=None):
        """Nothing waits between calls of `embed`; True."""
        return True

    def close(self):
        """Nothing is held."""
