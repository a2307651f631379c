# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The paths of the server and what answers them."""

import asyncio
import base64
import concurrent.futures
import contextlib
import hmac
import json
import logging
import time
import urllib.parse

import numpy

from . import bandwidth
from .answers import ChatForm, TextForm
from .calls import Reader
from .errors import APIError, bad
from .fields import parse
from .generation import Generation, Mailbox
from .http import EventStream, Response
from .metrics import Metrics

log = logging.getLogger("paddle.llm.server")


class Application:
    """Answers requests with an engine. Made on the running event loop.

    Args:
        engine: The engine.
        names: Names that the model is served under; answers show the first one.
        templates: A function without arguments that gives the TemplateChoice or raises NoTemplate.
        api_keys: Keys of which a request to /v1 must have one; empty: none is asked for.
        max_prompt_tokens: As for calls.Reader.
        bandwidth_bytes: Bytes a second of the memory; None: measured when the figures are asked for and nothing runs.
    """

    def __init__(self, engine, names, templates, api_keys=(), max_prompt_tokens=None, bandwidth_bytes=None):
        self.engine, self.names = engine, tuple(names)
        self.is_draining = False
        self.connections = lambda: 0
        self.metrics = Metrics(bandwidth_bytes)
        self._keys = [key.encode() for key in api_keys]
        self._reader = Reader(engine, self.names, templates, max_prompt_tokens)
        self._mailbox = Mailbox(asyncio.get_running_loop())
        # One thread reads bodies, so that a long prompt does not hold the streams up and tokenizers see one caller.
        self._thread = concurrent.futures.ThreadPoolExecutor(1, "paddle-llm-prompts")
        self._embedding = concurrent.futures.ThreadPoolExecutor(1, "paddle-llm-embed")
        self._measuring = None
        self._begin = int(time.time())
        self._routes = {
            "/v1/chat/completions": {"POST": self._chat},
            "/v1/completions": {"POST": self._completion},
            "/v1/embeddings": {"POST": self._embed},
            "/v1/models": {"GET": self._models},
            "/health": {"GET": self._health},
            "/metrics": {"GET": self._figures},
        }

    def close(self):
        """Stops its threads."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._embedding.shutdown(wait=False, cancel_futures=True)

    async def handle(self, request):
        """The Response or EventStream of a Request."""
        label = request.path if request.path in self._routes else "other"
        try:
            answer = await self._route(request)
        except APIError as error:
            self.metrics.answered(label, error.status)
            raise
        except Exception:
            self.metrics.answered(label, 500)
            raise
        self.metrics.answered(label, getattr(answer, "status", 200))
        return answer

    async def _route(self, request):
        if request.path == "/v1" or request.path.startswith("/v1/"):
            self._check_key(request)
        methods = self._routes.get(request.path)
        if methods is None and request.path.startswith("/v1/models/"):
            methods = {"GET": self._model}
        if methods is None:
            raise APIError(
                404, f"There is no {request.path[:200]!r}; there are: {', '.join(self._routes)}.", code="unknown_url"
            )
        method = "GET" if request.method == "HEAD" else request.method
        if method not in methods:
            allowed = ", ".join(methods)
            message = f"{request.path} takes {allowed}, not {request.method[:20]}."
            raise APIError(405, message, code="method_not_allowed", headers={"Allow": allowed})
        return await methods[method](request)

    def _check_key(self, request):
        if not self._keys:
            return
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        given = key.strip().encode("latin-1")  # the bytes that came
        # All are compared, so that the time says nothing of which one nearly fits.
        fits = [hmac.compare_digest(given, known) for known in self._keys]
        if scheme.lower() != "bearer" or not any(fits):
            text = (
                "Incorrect API key provided." if given else "You did not provide an API key: Authorization: Bearer KEY."
            )
            raise APIError(401, text, code="invalid_api_key", headers={"WWW-Authenticate": "Bearer"})

    def _check_running(self):
        if self.is_draining:
            headers = {"Retry-After": "5", "Connection": "close"}
            raise APIError(
                503, "The server is shutting down and takes no new requests.", code="unavailable", headers=headers
            )

    # -- answers of the model
    async def _chat(self, request):
        return await self._generate(request, self._reader.chat, ChatForm)

    async def _completion(self, request):
        return await self._generate(request, self._reader.completion, TextForm)

    def _served(self):
        return (*self.names, *getattr(self.engine, "adapters", ()))

    async def _generate(self, request, read, form):
        begin = time.perf_counter()
        self._check_running()
        loop = asyncio.get_running_loop()
        call = await loop.run_in_executor(self._thread, lambda: read(parse(request.body)))
        self._check_running()
        generation = Generation(
            self.engine, self._mailbox, call.prompts, call.params, self.metrics, begin, call.adapter
        )
        try:
            made = form(call, call.adapter or self.names[0], self.engine.tokenizer, generation.count)
            if call.stream:
                return EventStream(self._events(made, call, generation), generation.cancel)
        except BaseException:
            generation.cancel()
            raise
        parts = [[] for _ in range(generation.count)]
        async with contextlib.aclosing(generation.pieces()) as pieces:
            async for choice, piece in pieces:
                parts[choice] += made.parts(choice, piece)
        return _json(made.whole(parts, generation.usage()))

    async def _events(self, form, call, generation):
        for choice in range(generation.count):
            delta = form.opening(choice)
            if delta is not None:
                start = {"index": choice, "delta": delta, "logprobs": None, "finish_reason": None}
                yield _event(form.chunk([start]))
        try:
            async with contextlib.aclosing(generation.pieces()) as pieces:
                async for choice, piece in pieces:
                    parts = form.parts(choice, piece)
                    if parts:
                        yield b"".join(_event(form.chunk([part])) for part in parts)
        except APIError as error:
            yield _event(error.content())
        except Exception:
            log.exception("an answer broke off")
            yield _event(
                APIError(500, "The server had an error while it made the answer; its log says more.").content()
            )
        else:
            if call.with_usage:
                yield _event(form.chunk([], generation.usage()))
        yield b"data: [DONE]\n\n"

    async def _embed(self, request):
        self._check_running()
        embed = getattr(self.engine, "embed", None)
        if embed is None:
            raise bad(f"The model {self.names[0]!r} makes text and no embeddings; serve one that does.", "model")
        loop = asyncio.get_running_loop()
        texts, is_base64, dimensions = await loop.run_in_executor(
            self._thread, lambda: self._reader.embedding(parse(request.body))
        )

        def compute():
            count = 0
            for text in texts:
                count += len(self.engine.tokenizer.encode(text) if isinstance(text, str) else text)
            vectors = numpy.asarray(embed(texts), "<f4")
            if dimensions is not None:
                if dimensions > vectors.shape[1]:
                    raise ValueError(
                        f"'dimensions' has the value {dimensions}; vectors have {vectors.shape[1]} numbers."
                    )
                vectors = vectors[:, :dimensions]
                vectors = vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
            return count, vectors.astype("<f4")

        try:
            count, vectors = await loop.run_in_executor(self._embedding, compute)
        except (ValueError, NotImplementedError) as error:
            raise bad(f"{error}", "input") from None
        data = [
            {
                "object": "embedding",
                "index": i,
                "embedding": base64.b64encode(vector.tobytes()).decode() if is_base64 else vector.tolist(),
            }
            for i, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": count, "total_tokens": count}
        return _json({"object": "list", "data": data, "model": self.names[0], "usage": usage})

    # -- about the server
    async def _models(self, request):
        return _json({"object": "list", "data": [self._about(name) for name in self._served()]})

    async def _model(self, request):
        name = urllib.parse.unquote(request.path.removeprefix("/v1/models/"))
        if name not in self._served():
            raise APIError(404, f"The model {name[:200]!r} does not exist.", "model", "model_not_found")
        return _json(self._about(name))

    def _about(self, name):
        length = self.engine.max_model_len
        return {"id": name, "object": "model", "created": self._begin, "owned_by": "paddle", "max_model_len": length}

    async def _health(self, request):
        status = "draining" if self.is_draining else "ok"
        return _json({"status": status}, 503 if self.is_draining else 200)

    async def _figures(self, request):
        stats = self.engine.stats()
        if self.metrics.bandwidth is None and not stats["running"] and not self.is_draining:
            await self._measure()
        text = self.metrics.text(stats, self.connections())
        return Response(200, text.encode(), "text/plain; version=0.0.4; charset=utf-8")

    async def _measure(self):
        """Measures the memory once, however many ask."""
        loop = asyncio.get_running_loop()
        if self._measuring is None:
            self._measuring = loop.run_in_executor(self._embedding, bandwidth.measure)
        self.metrics.bandwidth = await asyncio.shield(self._measuring)


def _json(value, status=200):
    return Response(status, json.dumps(value).encode())


def _event(value):
    return b"data: " + json.dumps(value).encode() + b"\n\n"
