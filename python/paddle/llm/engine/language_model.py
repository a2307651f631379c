# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.LLM`: a language model for programs and notebooks."""

import dataclasses
import functools
import os
import queue
import sys
from dataclasses import dataclass, field

from ..progress import Progress
from .embedding import EmbeddingEngine
from .engine import Engine, QueueFull
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
        tool_calls: Of a chat with tools, the calls in the text, each with `name` and `arguments` (the text of a JSON object).
    """

    text: str = ""
    tokens: list = field(default_factory=list)
    log_probs: list | None = None
    finish: str | None = None
    prompt_tokens: int = 0
    cached_tokens: int = 0
    tool_calls: list = field(default_factory=list)

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
        model: Path of a GGUF file or of a folder in Hugging Face's layout; or a Decoder, or an Encoder for `embed` alone.
        tokenizer: Its Tokenizer; None: that of the path.
        chat_template: Text of a template, or the name of a built-in one; None: that of the model.
        progress: Whether bars on the standard error show how far reading and answering are; None: where that is a
            terminal.
        options: Of Engine.

    Raises:
        ValueError: A model is given without a tokenizer, a file is damaged, or options of Engine are given for an encoder.

    Example:
        >>> llm = paddle.LLM("model.gguf")  # doctest: +SKIP
        >>> llm.generate("The capital of France is", paddle.llm.SamplingParams(max_tokens=8)).text  # doctest: +SKIP
    """

    def __init__(self, model, tokenizer=None, chat_template=None, progress=None, **options):
        self._source, self._chat_template = None, chat_template
        self._shows = sys.stderr.isatty() if progress is None else bool(progress)
        if isinstance(model, (str, os.PathLike)):
            from ..formats import Folder, GGUFFile
            from ..models import load_model
            from ..tokenizers import load_tokenizer

            self._source = Folder(model) if os.path.isdir(model) else GGUFFile(model)
            tokenizer = load_tokenizer(self._source) if tokenizer is None else tokenizer
            with Progress("reading", self._shows) as bar:
                model = load_model(self._source, progress=bar.update)
        elif tokenizer is None:
            raise ValueError("LLM: a model that is no path needs its tokenizer; give `tokenizer`.")
        self.model, self.tokenizer = model, tokenizer
        if not hasattr(model, "states") and hasattr(model, "embed"):
            if options:
                raise ValueError(f"LLM: {next(iter(options))} is for models that write text; this one is an encoder.")
            self.engine = EmbeddingEngine(model, tokenizer)
        else:
            self.engine = Engine(model, tokenizer, **options)

    @functools.cached_property
    def _templates(self):
        from ..chat import find_template

        return find_template(self._source, self.tokenizer, self._chat_template)

    def _ids(self, prompt):
        return self.tokenizer.encode(prompt) if isinstance(prompt, str) else list(prompt)

    def generate(self, prompts, params=None, adapter=None):
        """Answers to prompts, all at once.

        Args:
            prompts: A str or a list of tokens, or a list of those.
            params: SamplingParams, or a list with one for each prompt.
            adapter: Name of an adapter of the engine, or a list with one (or None) for each prompt.

        Returns:
            An Answer for a single prompt, a list of them for a list; with `n` above 1 a list of n in the place of each.
        """
        is_single = isinstance(prompts, str) or (len(prompts) > 0 and isinstance(prompts[0], int))
        prompts = [prompts] if is_single else list(prompts)
        if not isinstance(params, (list, tuple)):
            params = [params or SamplingParams()] * len(prompts)
        if len(params) != len(prompts):
            raise ValueError(f"generate: there are {len(prompts)} prompts and {len(params)} SamplingParams.")
        found = self._answers(list(zip(map(self._ids, prompts), params, strict=True)), adapter)
        return found[0] if is_single else found

    def _answers(self, jobs, adapter=None):
        """An Answer, or a list of n, for each (tokens, SamplingParams)."""
        adapters = list(adapter) if isinstance(adapter, (list, tuple)) else [adapter] * len(jobs)
        if len(adapters) != len(jobs):
            raise ValueError(f"LLM: there are {len(jobs)} prompts and {len(adapters)} adapters.")
        pieces, answers = queue.SimpleQueue(), []
        requests, open_answers, bar = [], 0, Progress("answers", self._shows and len(jobs) > 1)
        done, total = 0, sum(one.n for _, one in jobs)

        def take():
            nonlocal open_answers, done
            number, piece = pieces.get()
            answer = answers[number][piece.index]
            if piece.finish is not None:
                open_answers, done = open_answers - 1, done + 1
                bar.update(done, total)
            answer.add(piece)
            answer.cached_tokens = requests[number].cached_tokens

        try:
            # No more than fill the engine wait in its queue, which others use, too.
            for number, (ids, one) in enumerate(jobs):
                while open_answers >= 4 * self.engine.max_batch:
                    take()
                answers.append([Answer(prompt_tokens=len(ids)) for _ in range(one.n)])
                while len(requests) == number:
                    try:
                        receive = functools.partial(lambda number, piece: pieces.put((number, piece)), number)
                        more = {} if adapters[number] is None else {"adapter": adapters[number]}
                        requests.append(self.engine.submit(ids, one, receive, **more))
                    except QueueFull:
                        if not open_answers:  # others fill it
                            raise
                        take()
                open_answers += one.n
            while open_answers:
                take()
        except BaseException:
            for request in requests:
                request.cancel()
            raise
        finally:
            bar.close()
        return [many if one.n > 1 else many[0] for many, (_, one) in zip(answers, jobs, strict=True)]

    def chat(self, messages, params=None, tools=None, adapter=None, **template_options):
        """The next answer of conversations, in the form of the model's chat template.

        Args:
            messages: A conversation, a list of {"role": ..., "content": ...} as for OpenAI's interface; or a list of those.
            params: SamplingParams, or a list with one for each conversation.
            tools: Functions that the model may call, in OpenAI's form.
            adapter: As of `generate`.
            template_options: What the template sees beside the messages.

        Returns:
            An Answer for a single conversation, a list of them for a list, as `generate` does; with tools their
            `tool_calls`.

        Raises:
            ValueError: A message or a tool has a wrong form, or the template does not take it.
            NoTemplate: The model has no chat template.
        """
        from ..chat import ToolCallReader, normal_messages, normal_tools

        is_single = bool(messages) and isinstance(messages[0], dict)
        conversations = [messages] if is_single else list(messages)
        params = (
            list(params) if isinstance(params, (list, tuple)) else [params or SamplingParams()] * len(conversations)
        )
        if len(params) != len(conversations):
            raise ValueError(f"chat: there are {len(conversations)} conversations and {len(params)} SamplingParams.")
        tools = normal_tools(tools or [])
        template = self._templates.of(tools)
        if tools and template.tool_form is None:
            raise ValueError(
                f"chat: {template.name} shows the model no tools, or has calls in a form that is not read."
            )
        jobs = []
        for conversation, one in zip(conversations, params, strict=True):
            parts = template.parts(normal_messages(conversation), tools, **template_options)
            stops = tuple(dict.fromkeys((*one.stop_token_ids, *template.stop_ids)))
            jobs.append((self.tokenizer.encode_parts(parts, bos=False), dataclasses.replace(one, stop_token_ids=stops)))
        found = self._answers(jobs, adapter)
        if tools:
            names = [tool["function"]["name"] for tool in tools]
            for answer in (answer for many in found for answer in (many if isinstance(many, list) else [many])):
                reader = ToolCallReader(template.tool_form, names)
                items = [*reader.add(answer.text), *reader.finish()]
                answer.tool_calls = [item for item in items if not isinstance(item, str)]
        return found[0] if is_single else found

    def embed(self, texts):
        """Vectors of length 1 for texts; see Embedder.

        Args:
            texts: A str or a list of tokens, or a list of those.

        Returns:
            A float32 array [width], or [number of texts, width] for a list.
        """
        return self.engine.embed(texts)

    def stream(self, prompt, params=None, adapter=None):
        """The pieces of the answer to a prompt, as they come.

        Args:
            prompt: A str or a list of tokens.
            params: SamplingParams.
            adapter: Name of an adapter of the engine.

        Returns:
            An iterator of Piece; the request is cancelled when it is closed early.
        """
        params = params or SamplingParams()
        pieces, left = queue.SimpleQueue(), params.n
        request = self.engine.submit(
            self._ids(prompt), params, pieces.put, **({} if adapter is None else {"adapter": adapter})
        )
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
