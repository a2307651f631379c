# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.LLM`: a language model for programs and notebooks."""

import os
import queue
from dataclasses import dataclass, field

from .engine import Engine
from .sampling import SamplingParams


@dataclass
class Answer:
    """An answer to a prompt.

    Attributes:
        text: Its text.
        tokens: What the model chose, an end token among it.
        log_probs: A TokenLogProb for each token, or None where none were asked for.
        finish: "stop", "length" or "cancelled".
        prompt_tokens: Number of tokens of the prompt.
        cached_tokens: How many of them were in the cache.
    """

    text: str = ""
    tokens: list = field(default_factory=list)
    log_probs: list | None = None
    finish: str | None = None
    prompt_tokens: int = 0
    cached_tokens: int = 0

    def add(self, piece):
        """Takes a piece in."""
        self.text += piece.text
        self.tokens.extend(piece.tokens)
        if piece.log_probs is not None:
            self.log_probs = [*(self.log_probs or ()), *piece.log_probs]
        self.finish = piece.finish
        if piece.finish == "error":
            raise RuntimeError(f"LLM: {piece.error}")


class LLM:
    """A language model with its engine.

    Args:
        model: Path of a GGUF file or of a folder in Hugging Face's layout; or a Decoder.
        tokenizer: Its Tokenizer; None: that of the path.
        chat_template: Text of a template, or the name of a built-in one; None: that of the model.
        options: Of Engine.

    Raises:
        ValueError: A Decoder is given without a tokenizer, or a file is damaged.

    Example:
        >>> llm = paddle.LLM("model.gguf")  # doctest: +SKIP
        >>> llm.generate("The capital of France is", paddle.llm.SamplingParams(max_tokens=8)).text  # doctest: +SKIP
    """

    def __init__(self, model, tokenizer=None, chat_template=None, **options):
        self._source, self._chat_template = None, chat_template
        if isinstance(model, (str, os.PathLike)):
            from ..formats import Folder, GGUFFile
            from ..models import load_model
            from ..tokenizers import load_tokenizer

            self._source = Folder(model) if os.path.isdir(model) else GGUFFile(model)
            tokenizer = load_tokenizer(self._source) if tokenizer is None else tokenizer
            model = load_model(self._source)
        elif tokenizer is None:
            raise ValueError("LLM: a model that is no path needs its tokenizer; give `tokenizer`.")
        self.model, self.tokenizer = model, tokenizer
        self.engine = Engine(model, tokenizer, **options)

    def _ids(self, prompt):
        return self.tokenizer.encode(prompt) if isinstance(prompt, str) else list(prompt)

    def generate(self, prompts, params=None):
        """Answers to prompts, all at once.

        Args:
            prompts: A str or a list of tokens, or a list of those.
            params: SamplingParams, or a list with one for each prompt.

        Returns:
            An Answer for a single prompt, a list of them for a list; with `n` above 1 a list of n in the place of each.
        """
        is_single = isinstance(prompts, str) or (len(prompts) > 0 and isinstance(prompts[0], int))
        prompts = [prompts] if is_single else list(prompts)
        if not isinstance(params, (list, tuple)):
            params = [params or SamplingParams()] * len(prompts)
        if len(params) != len(prompts):
            raise ValueError(f"generate: there are {len(prompts)} prompts and {len(params)} SamplingParams.")
        pieces, jobs, answers = queue.SimpleQueue(), list(zip(map(self._ids, prompts), params, strict=True)), []
        requests, open_answers = [], 0

        def take():
            nonlocal open_answers
            number, piece = pieces.get()
            answer = answers[number][piece.index]
            open_answers -= piece.finish is not None
            answer.add(piece)
            answer.cached_tokens = requests[number].cached_tokens

        try:
            # No more than fill the engine wait in its queue, which others use, too.
            for number, (ids, one) in enumerate(jobs):
                while open_answers >= 4 * self.engine.max_batch:
                    take()
                requests.append(self.engine.submit(ids, one, lambda piece, number=number: pieces.put((number, piece))))
                answers.append([Answer(prompt_tokens=len(ids)) for _ in range(one.n)])
                open_answers += one.n
            while open_answers:
                take()
        except BaseException:
            for request in requests:
                request.cancel()
            raise
        found = [many if one.n > 1 else many[0] for many, one in zip(answers, params, strict=True)]
        return found[0] if is_single else found

    def stream(self, prompt, params=None):
        """The pieces of the answer to a prompt, as they come.

        Args:
            prompt: A str or a list of tokens.
            params: SamplingParams.

        Returns:
            An iterator of Piece; the request is cancelled when it is closed early.
        """
        params = params or SamplingParams()
        pieces, left = queue.SimpleQueue(), params.n
        request = self.engine.submit(self._ids(prompt), params, pieces.put)
        try:
            while left:
                piece = pieces.get()
                left -= piece.finish is not None
                if piece.finish == "error":
                    raise RuntimeError(f"stream: {piece.error}")
                yield piece
        finally:
            request.cancel()

    def close(self):
        """Ends the engine."""
        self.engine.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
