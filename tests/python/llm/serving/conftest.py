# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Servers over a double of the engine."""

import asyncio
import contextlib
import functools
import importlib.util
import pathlib
import threading

import pytest
from paddle.llm.chat import find_template

from tests.python.llm.serving import double


def pytest_collection_modifyitems(items):
    missing = [name for name in ("h11", "jinja2", "tokenizers") if importlib.util.find_spec(name) is None]
    for item in items if missing else ():
        if pathlib.Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=f"the extra llm is not installed: there is no {missing[0]}"))


class Running:
    """A server on a thread of its own."""

    def __init__(self, engine, limits=None, **options):
        from paddle.llm.server import Limits, bind, serve

        self.engine, limits = engine, Limits(**(limits or {}))
        socket = bind("127.0.0.1", 0)
        self.port = socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        options.setdefault("names", ["double"])
        options.setdefault("templates", functools.cache(lambda: find_template(None, engine.tokenizer)))
        options.setdefault("bandwidth_bytes", 1e10)
        is_ready, self.error = threading.Event(), None

        def ready(application):
            self.application = application
            is_ready.set()

        async def run():
            self.loop, self.stop = asyncio.get_running_loop(), asyncio.Event()
            await serve(engine, socket, limits=limits, ready=ready, stop=self.stop, **options)

        def main():
            try:
                asyncio.run(run())
            finally:
                is_ready.set()

        self.thread = threading.Thread(target=main)
        self.thread.start()
        is_ready.wait()

    def ask_to_stop(self):
        self.loop.call_soon_threadsafe(self.stop.set)

    def close(self):
        if self.thread.is_alive():
            with contextlib.suppress(RuntimeError):
                self.ask_to_stop()
        self.thread.join()


@pytest.fixture
def start():
    """Starts servers: start(engine=None, limits={...}, option=...)."""
    servers = []

    def make(engine=None, limits=None, **options):
        servers.append(Running(engine or double.Engine(), limits, **options))
        return servers[-1]

    yield make
    for server in servers:
        server.close()


@pytest.fixture(scope="module")
def shared():
    """One server for tests that leave it as it is."""
    server = Running(double.Engine())
    yield server
    server.close()
