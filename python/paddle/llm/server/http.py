# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""HTTP/1.1 on asyncio, parsed by h11: whole requests in, whole answers or streams of events out, with a limit on everything
that a peer decides."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import h11

from .errors import APIError

log = logging.getLogger("paddle.llm.server")
MANY_PIECES = 4096  # of one body
LINGER_SECONDS = 2.0


@dataclass(frozen=True)
class Limits:
    """What a peer may take.

    Attributes:
        connections: Open at once; further ones get 503.
        head_bytes: Of the request line and headers.
        body_bytes: Of a body.
        receive_seconds: In which a request must arrive, from its first byte to its last.
        idle_seconds: Between two requests of a connection.
        send_seconds: How long a peer may take nothing of an answer.
        early_bytes: Taken of the next request while one is being answered.
    """

    connections: int = 1024
    head_bytes: int = 32 << 10
    body_bytes: int = 8 << 20
    receive_seconds: float = 30.0
    idle_seconds: float = 75.0
    send_seconds: float = 60.0
    early_bytes: int = 64 << 10


@dataclass
class Request:
    """A request that has arrived.

    Attributes:
        method: Such as "GET".
        path: Without the query.
        headers: Lower-case name -> value; of repeated ones, the last.
        body: Bytes.
    """

    method: str
    path: str
    headers: dict
    body: bytes = b""


@dataclass
class Response:
    """A whole answer."""

    status: int
    body: bytes
    content_type: str = "application/json"
    headers: dict = field(default_factory=dict)


@dataclass
class EventStream:
    """An answer of server-sent events; `events` gives bytes, and `end` is called when it is over or the peer is gone."""

    events: AsyncIterator
    end: Callable
    headers: dict = field(default_factory=dict)


class Server:
    """Connections and what answers them.

    Args:
        handle: An async function from a Request to a Response or an EventStream. It may raise APIError. It is cancelled
            when the peer is gone.
        limits: Limits.
    """

    def __init__(self, handle, limits=None):
        self.handle, self.limits = handle, limits or Limits()
        self.connections = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._listener = None

    async def listen(self, socket):
        """Accepts connections of a bound socket."""
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(lambda: _Connection(self, loop), sock=socket, backlog=1024)

    @property
    def answering(self):
        """Number of requests that are being answered."""
        return sum(connection.task is not None for connection in self.connections)

    def changed(self):
        """A connection has begun or ended an answer."""
        (self._idle.clear if self.answering else self._idle.set)()

    async def finished(self):
        """Waits until no request is being answered."""
        await self._idle.wait()

    async def close(self, seconds=2.0):
        """Accepts nothing more and ends the connections that are left: answers under way break off, what is out by then
        may take so many seconds to arrive."""
        if self._listener is not None:
            self._listener.close()
        tasks = [connection.task for connection in self.connections if connection.task is not None]
        for connection in list(self.connections):
            connection.drop() if connection.task is not None else connection.transport.close()
        await asyncio.gather(*tasks, return_exceptions=True)
        end = asyncio.get_running_loop().time() + seconds
        while self.connections and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.01)
        for connection in list(self.connections):
            connection.drop()


class _Connection(asyncio.Protocol):
    def __init__(self, server, loop):
        self.server, self.loop, self.limits = server, loop, server.limits
        self.task = None
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=self.limits.head_bytes)
        self._request, self._body = None, bytearray()
        self._early = self._received = self._pieces = 0
        self._timer = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._is_over = False  # the last answer is out, what still comes is dropped
        self._has_begun = False  # the answer's head is out

    # -- what asyncio calls
    def connection_made(self, transport):
        self.transport = transport
        full = len(self.server.connections) >= self.limits.connections
        self.server.connections.add(self)
        if full:
            message = f"There are {self.limits.connections} connections, which is the most that this server takes."
            self._refuse(APIError(503, message, code="too_many_connections", headers={"Retry-After": "1"}))
        else:
            self._wait(self.limits.receive_seconds)

    def connection_lost(self, exception):
        self._wait(None)
        self._is_over = True
        self.server.connections.discard(self)
        self._writable.set()
        if self.task is not None:
            self.task.cancel()

    def eof_received(self):
        # A peer that sends nothing more has gone; this also closes the transport.
        if self.task is not None:
            self.task.cancel()

    def pause_writing(self):
        self._writable.clear()

    def resume_writing(self):
        self._writable.set()

    def data_received(self, data):
        if self._is_over:
            return
        try:
            self._http.receive_data(data)
        except h11.RemoteProtocolError:
            self.drop()
            return
        if self.task is not None:
            self._early += len(data)
            if self._early > self.limits.early_bytes:
                self.drop()
            return
        if not self._received:
            self._wait(self.limits.receive_seconds)
        self._received += len(data)
        self._read()

    # -- requests
    def _read(self):
        """Takes what has arrived, until a request is whole."""
        try:
            while self.task is None and not self._is_over:
                event = self._http.next_event()
                if event is h11.NEED_DATA:
                    if self._http.they_are_waiting_for_100_continue:
                        going_on = h11.InformationalResponse(status_code=100, headers=[])
                        self.transport.write(self._http.send(going_on))
                    return
                if event is h11.PAUSED or type(event) is h11.ConnectionClosed:
                    return
                if type(event) is h11.Request:
                    self._request = self._head(event)
                elif type(event) is h11.Data:
                    self._pieces += 1
                    self._check_body(len(event.data))
                    self._body += event.data
                elif type(event) is h11.EndOfMessage:
                    self._begin()
        except h11.RemoteProtocolError as error:
            self._refuse(APIError(error.error_status_hint or 400, f"The request is no valid HTTP: {error}."))
        except APIError as error:
            self._refuse(error)

    def _head(self, event):
        if event.http_version not in (b"1.0", b"1.1"):
            raise APIError(505, "This server speaks HTTP/1.1 and HTTP/1.0.")
        headers = {}
        for name, value in event.headers:
            headers[name.decode("latin-1")] = value.decode("latin-1")
        if "content-length" in headers and "transfer-encoding" in headers:
            raise APIError(400, "The request has both Content-Length and Transfer-Encoding; it must have one.")
        target = event.target.decode("latin-1")
        path = target.partition("?")[0]
        if "://" in path:
            path = "/" + path.split("://", 1)[1].partition("/")[2]
        self._size = 0
        if int(headers.get("content-length", 0)) > self.limits.body_bytes:
            self._check_body(int(headers["content-length"]))
        return Request(event.method.decode("latin-1"), path, headers)

    def _check_body(self, more):
        self._size += more
        # Chunks of a byte each cost a thousand times what their bytes do.
        if self._pieces > MANY_PIECES + self._size // 64:
            raise APIError(400, "The body of the request comes in too many small chunks.")
        if self._size > self.limits.body_bytes:
            message = f"The body of the request has more than {self.limits.body_bytes} bytes, which is the most that is taken."
            raise APIError(413, message, code="request_too_large")

    def _begin(self):
        self._wait(None)
        request, self._request = self._request, None
        request.body = bytes(self._body)
        self._body = bytearray()
        self._early = self._received = self._pieces = 0
        self.task = self.loop.create_task(self._answer(request))
        self.server.changed()

    # -- answers
    async def _answer(self, request):
        try:
            try:
                made = await self.server.handle(request)
            except APIError as error:
                made = Response(error.status, error.body(), headers=error.headers)
            except Exception:
                log.exception("%s %s failed", request.method, request.path)
                error = APIError(500, "The server had an error while it processed the request; its log says more.")
                made = Response(error.status, error.body())
            if isinstance(made, EventStream):
                await self._send_events(made)
            else:
                await self._send(made, request.method == "HEAD")
        except asyncio.CancelledError:
            self.drop()
            raise
        except ConnectionError as error:
            log.info("%s %s: %s", request.method, request.path, error)
            self.drop()
        except Exception:
            if not self._is_over:
                log.exception("the answer to %s %s broke off", request.method, request.path)
            self.drop()
        finally:
            self.task = None
            self.server.changed()
            if not self._is_over:
                self._next()

    def _start(self, status, headers):
        self._has_begun = True
        pairs = [(name.encode("latin-1"), str(value).encode("latin-1")) for name, value in headers.items()]
        return self._http.send(h11.Response(status_code=status, headers=pairs))

    async def _send(self, response, without_body=False):
        headers = {"Content-Type": response.content_type, "Content-Length": len(response.body), **response.headers}
        data = self._start(response.status, headers)
        if not without_body:
            data += self._http.send(h11.Data(data=response.body))
        self.transport.write(data + self._http.send(h11.EndOfMessage()))
        await self._drained()

    async def _send_events(self, stream):
        try:  # closing an iterator that has not begun runs none of it, hence "end"
            async with contextlib.aclosing(stream.events) as events:
                headers = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache"}
                self.transport.write(self._start(200, {**headers, **stream.headers}))
                async for event in events:
                    self.transport.write(self._http.send(h11.Data(data=event)))
                    await self._drained()
        finally:
            stream.end()
        self.transport.write(self._http.send(h11.EndOfMessage()))
        await self._drained()

    async def _drained(self):
        """Waits for a peer that takes less than it gets."""
        if self._writable.is_set():
            return
        try:
            await asyncio.wait_for(self._writable.wait(), self.limits.send_seconds)
        except TimeoutError:
            raise ConnectionError("the peer takes nothing of the answer") from None

    def _next(self):
        """After an answer: the next request of the connection, or its end."""
        self._has_begun = False
        if self._http.our_state is h11.MUST_CLOSE or self._http.our_state is h11.CLOSED:
            self._finish()
            return
        try:
            self._http.start_next_cycle()
        except h11.ProtocolError:
            self._finish()
            return
        has_more = bool(self._http.trailing_data[0])
        self._received = int(has_more)
        self._wait(self.limits.receive_seconds if has_more else self.limits.idle_seconds)
        if has_more:
            self._read()

    def _refuse(self, error):
        """Answers a request that has not arrived in whole, and ends the connection."""
        if self._is_over or self.transport.is_closing():
            return
        if self._has_begun or self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.drop()
            return
        body = error.body()
        headers = {
            "Content-Type": "application/json",
            "Content-Length": len(body),
            "Connection": "close",
            **error.headers,
        }
        try:
            data = self._start(error.status, headers) + self._http.send(h11.Data(data=body))
            self.transport.write(data + self._http.send(h11.EndOfMessage()))
        except h11.LocalProtocolError:
            self.drop()
            return
        self._finish()

    def _finish(self):
        """Closes so that the peer can read the answer: what it still sends is read and dropped for a moment, as the
        system would otherwise reset the connection."""
        self._is_over = True
        if self.transport.is_closing():
            return
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._linger(self.limits.send_seconds)

    def _linger(self, seconds):
        """Ends the connection in a moment, or when the answer's rest is out, at most so many seconds from now."""
        if seconds <= 0 or not self.transport.get_write_buffer_size():
            self._timer_for(LINGER_SECONDS, self.transport.abort)
        else:
            self._timer_for(LINGER_SECONDS, lambda: self._linger(seconds - LINGER_SECONDS))

    def drop(self):
        """Ends the connection at once, and the answer that is under way."""
        self._is_over = True
        self._wait(None)
        self.transport.abort()

    # -- time
    def _wait(self, seconds):
        self._timer_for(seconds, self._late)

    def _timer_for(self, seconds, action):
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, action)

    def _late(self):
        if self._received and self.task is None:
            message = f"The request did not arrive within {self.limits.receive_seconds:g} seconds."
            self._refuse(APIError(408, message, code="request_timeout"))
        else:
            self.drop()
