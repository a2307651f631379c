# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Servers over a double of the engine."""

import asyncio
import contextlib
import functools
import importlib.util
import threading

import pytest

pytest.importorskip("h11", reason="the extra llm is not installed")
pytest.importorskip("jinja2", reason="the extra llm is not installed")

import sys

import paddle.llm
from paddle.llm.chat import find_template
from paddle.llm.server import Limits, bind, serve

from tests.python.llm.serving import double

if importlib.util.find_spec("paddle.llm.engine") is None:
    sys.modules["paddle.llm.engine"] = double
    paddle.llm.SamplingParams = double.SamplingParams


class Running:
    """A server on a thread of its own."""

    def __init__(self, engine, limits=None, **options):
        self.engine = engine
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
        servers.append(Running(engine or double.Engine(), Limits(**(limits or {})), **options))
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
