# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""From the engine's thread to the event loop: the pieces of the answers to one call of the interface."""

import asyncio
import collections
import time

from .errors import APIError, bad


class Mailbox:
    """Carries pieces over to the event loop. One wake-up of the loop serves all pieces that are there by then.

    Args:
        loop: The event loop.
    """

    def __init__(self, loop):
        self._loop, self._posts, self._is_called = loop, collections.deque(), False

    def post(self, receive, *arguments):
        """Has `receive(*arguments)` called on the loop; may be called on any thread."""
        self._posts.append((receive, arguments))
        if not self._is_called:
            self._is_called = True
            try:
                self._loop.call_soon_threadsafe(self._deliver)
            except RuntimeError:  # the loop has been closed: nobody waits any more
                self._posts.clear()

    def _deliver(self):
        self._is_called = False  # first, so that a post from here on calls again
        while self._posts:
            receive, arguments = self._posts.popleft()
            receive(*arguments)


class Generation:
    """The answers to one call: to each of its prompts as many as the parameters say.

    Args:
        engine: The engine.
        mailbox: A Mailbox of the running loop.
        prompts: Lists of ids.
        params: SamplingParams.
        metrics: Where times go, a Metrics.
        begin: When the request arrived, of time.perf_counter.
        adapter: Name of an adapter of the engine, or None.

    Raises:
        APIError: 400 where the engine refuses a prompt, 429 where its queue is full, 503 where it stops.
    """

    def __init__(self, engine, mailbox, prompts, params, metrics, begin, adapter=None):
        from ..engine import QueueFull

        self.count = len(prompts) * params.n
        self.generated = [0] * self.count
        self._metrics, self._times = metrics, [begin] * self.count
        self._pieces, self._waiting = collections.deque(), None
        self.requests, more = [], {} if adapter is None else {"adapter": adapter}
        try:
            for number, ids in enumerate(prompts):
                first = number * params.n

                def receive(piece, first=first):
                    mailbox.post(self._receive, first + piece.index, piece)

                self.requests.append(engine.submit(ids, params, receive, **more))
        except QueueFull as error:
            self.cancel()
            raise APIError(429, f"{error}", code="queue_full", headers={"Retry-After": "1"}) from None
        except ValueError as error:
            self.cancel()
            raise bad(f"{error}") from None
        except ImportError as error:
            self.cancel()
            raise APIError(501, f"{error}", code="not_installed") from None
        except RuntimeError as error:
            self.cancel()
            raise APIError(503, f"{error}", code="unavailable", headers={"Retry-After": "5"}) from None
        except BaseException:
            self.cancel()
            raise

    def cancel(self):
        """Ends what still runs; does nothing to answers that are finished."""
        for request in self.requests:
            request.cancel()

    def _receive(self, choice, piece):
        count = len(piece.tokens)
        if count:
            now = time.perf_counter()
            self._metrics.tokens_came(now - self._times[choice], count, self.generated[choice] == 0)
            self._times[choice] = now
            self.generated[choice] += count
        self._pieces.append((choice, piece))
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    async def pieces(self):
        """(number of the answer, piece) until each answer has its last one. Whatever ends this early, also a peer that is
        gone, cancels the requests.

        Raises:
            APIError: 500 where the engine failed, 503 where it stopped.
        """
        open_answers = self.count
        try:
            while open_answers:
                while not self._pieces:
                    self._waiting = asyncio.get_running_loop().create_future()
                    await self._waiting
                choice, piece = self._pieces.popleft()
                if piece.finish == "error":
                    raise APIError(500, f"The model failed: {piece.error}", code="model_error")
                if piece.finish == "cancelled":
                    raise APIError(503, "The server stopped before the answer was finished.", code="unavailable")
                open_answers -= piece.finish is not None
                yield choice, piece
        finally:
            self.cancel()

    def usage(self):
        """The "usage" of the answers so far."""
        prompt = sum(request.prompt_tokens for request in self.requests)
        generated = sum(self.generated)
        cached = sum(request.cached_tokens or 0 for request in self.requests)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": generated,
            "total_tokens": prompt + generated,
            "prompt_tokens_details": {"cached_tokens": cached},
        }
