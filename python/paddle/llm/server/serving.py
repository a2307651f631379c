# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Running a server: from a bound socket to the end of the last answer."""

import asyncio
import contextlib
import signal

from .application import Application
from .http import Server


async def serve(engine, socket, *, limits=None, drain_seconds=None, ready=None, stop=None, **options):
    """Serves until it is told to stop, then lets the running answers finish.

    SIGTERM and SIGINT stop it; a second one of them, or the end of `drain_seconds`, ends the answers that still run.

    Args:
        engine: The engine; it is drained and closed at the end.
        socket: A bound one, as of `address.bind`.
        limits: http.Limits.
        drain_seconds: How long running answers may take; None: as long as they do.
        ready: Called with the Application once connections are accepted.
        stop: An asyncio.Event that stops it as a signal does; None: signals alone, which needs the main thread.
        options: Of Application.
    """
    loop = asyncio.get_running_loop()
    application = Application(engine, **options)
    server = Server(application.handle, limits)
    application.connections = lambda: len(server.connections)
    asked, at_once = stop or asyncio.Event(), asyncio.Event()

    def on_signal():
        (at_once if asked.is_set() else asked).set()

    if stop is None:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, on_signal)
    try:
        await server.listen(socket)
        if ready is not None:
            ready(application)
        await asked.wait()
        application.is_draining = True
        await _first(server.finished(), at_once.wait(), seconds=drain_seconds)
    finally:
        application.is_draining = True
        await server.close()
        await loop.run_in_executor(None, engine.close)
        application.close()


async def _first(*awaitables, seconds):
    """Waits for the first of these, at most so long."""
    tasks = [asyncio.ensure_future(one) for one in awaitables]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)
