# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A double of the engine: it answers with texts of a script, a token a step, and keeps to the engine's interface."""

import collections
import threading
import time

from paddle.llm.engine import Piece, QueueFull, TokenLogProb
from paddle.llm.tokenizers import PieceTokenizer

CONTROL, BYTE, NORMAL = 3, 6, 1
SPECIALS = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>"]


def byte_tokenizer(specials=SPECIALS, **options):
    """A tokenizer whose tokens are the specials, bytes and a space."""
    pieces = [*specials, *(f"<0x{value:02X}>" for value in range(256)), "\u2581"]
    kinds = [CONTROL] * len(specials) + [BYTE] * 256 + [NORMAL]
    eos = [i for i, text in enumerate(specials) if text in ("</s>", "<eos>", "<|im_end|>")]
    options = {"bos_id": 1 if len(specials) > 1 else None, "eos_ids": tuple(eos), "adds_bos": True, **options}
    return PieceTokenizer(pieces, [0.0] * len(pieces), kinds, **options)


class Request:
    def __init__(self, engine, ids, params, on_piece):
        self.engine, self.ids, self.params, self.on_piece = engine, ids, params, on_piece
        self.prompt_tokens, self.cached_tokens = len(ids), 0
        self.is_cancelled = False
        self.answers = {i: _Answer(engine, self, i) for i in range(params.n)}

    def cancel(self):
        self.is_cancelled = True


class _Answer:
    def __init__(self, engine, request, index):
        script = engine.script(engine.tokenizer.decode(request.ids, special=True), index)
        self.tokens = collections.deque(engine.tokenizer.encode(script, bos=False))
        self.stream, self.held, self.count = engine.tokenizer.stream(), "", 0

    def step(self, params, index):
        """The next piece."""
        stops = params.stop
        if not self.tokens:
            return Piece(
                index, self.held + self.stream.finish(), (), () if params.logprobs is not None else None, "stop", None
            )
        token = self.tokens.popleft()
        self.count += 1
        text = self.held + self.stream.add(token)
        finish = "length" if self.count == params.max_tokens else None
        places = [at for stop in stops if (at := text.find(stop)) >= 0]
        if places:
            text, finish, self.held = text[: min(places)], "stop", ""
        elif finish:
            text, self.held = text + self.stream.finish(), ""
        else:
            keep = max((n for stop in stops for n in range(1, len(stop)) if text.endswith(stop[:n])), default=0)
            text, self.held = text[: len(text) - keep], text[len(text) - keep :]
        log_probs = None
        if params.logprobs is not None:
            best = tuple((t, -0.5 * (i + 1)) for i, t in enumerate(range(token, token + params.logprobs)))
            log_probs = (TokenLogProb(token, -0.5, best),)
        return Piece(index, text, (token,), log_probs, finish, None)


class Engine:
    """Steps are `step_seconds` apart; `script(prompt text, index)` is the text of an answer."""

    def __init__(
        self, model=None, tokenizer=None, max_batch=32, max_queue=256, max_model_len=4096, cache_bytes=None, **more
    ):
        self.model, self.tokenizer = model, tokenizer or byte_tokenizer()
        self.max_batch, self.max_queue, self.max_model_len = max_batch, max_queue, max_model_len
        self.script, self.step_seconds = lambda prompt, index: f"answer {index}: é €", 0.0
        self.taken = []  # parameters of the requests
        self._changed = threading.Condition()
        self._waiting, self._running = collections.deque(), []
        self._is_draining = self._is_closed = False
        self._counts = dict.fromkeys(("requests", "prompt_tokens", "generated_tokens", "steps", "cancelled"), 0)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def submit(self, ids, params, on_piece):
        if not ids:
            raise ValueError("submit: the prompt has no tokens.")
        if len(ids) >= self.max_model_len:
            raise ValueError(f"submit: the prompt has {len(ids)} tokens and max_model_len is {self.max_model_len}.")
        with self._changed:
            if self._is_draining or self._is_closed:
                raise RuntimeError("the engine takes no new requests.")
            if len(self._waiting) >= self.max_queue:
                raise QueueFull(f"{len(self._waiting)} requests wait, which is the most that the engine keeps.")
            request = Request(self, list(ids), params, on_piece)
            self.taken = [*self.taken[-9:], params]
            self._waiting.append(request)
            self._counts["requests"] += 1
            self._counts["prompt_tokens"] += len(ids)
            self._changed.notify()
        return request

    def _run(self):
        while True:
            with self._changed:
                while not self._waiting and not self._running and not self._is_closed:
                    self._changed.wait()
                if self._is_closed:
                    for request in [*self._waiting, *self._running]:
                        self._end(request)
                    return
                while self._waiting and len(self._running) < self.max_batch:
                    self._running.append(self._waiting.popleft())
            if self.step_seconds:
                time.sleep(self.step_seconds)
            self._counts["steps"] += 1
            for request in list(self._running):
                if request.is_cancelled:
                    self._end(request)
                else:
                    self._step(request)
                if not request.answers:
                    self._running.remove(request)

    def _end(self, request):
        self._counts["cancelled"] += bool(request.answers)
        for index in list(request.answers):
            request.on_piece(Piece(index, "", (), None, "cancelled", None))
        request.answers = {}

    def _step(self, request):
        for index, answer in list(request.answers.items()):
            try:
                piece = answer.step(request.params, index)
                if "please fail" in self.tokenizer.decode(request.ids) and answer.count > 3:
                    raise OSError("the double was asked to")
            except OSError as error:
                piece = Piece(index, "", (), None, "error", str(error))
            self._counts["generated_tokens"] += len(piece.tokens)
            if piece.finish:
                del request.answers[index]
            request.on_piece(piece)

    def stats(self):
        used = len(self._running)
        cache = dict(
            cache_blocks=100, cache_blocks_used=used, cache_blocks_shared=0, cached_prompt_tokens=0, preemptions=0
        )
        steps = self._counts["steps"]
        timed = dict(step_seconds=steps * 0.001, weight_bytes=10_000_000)
        return dict(self._counts, waiting=len(self._waiting), running=used, **cache, **timed)

    def drain(self, timeout=None):
        self._is_draining = True
        while self._waiting or self._running:
            time.sleep(0.001)

    def close(self):
        with self._changed:
            self._is_closed = True
            self._changed.notify()
        self._thread.join()
