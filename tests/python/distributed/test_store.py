# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The dictionary that the processes of a job share."""

import socket
import threading

import pytest
from paddle.distributed.transport.store import TCPStore


@pytest.fixture
def store():
    made = TCPStore("127.0.0.1", 0, True, 1, timeout=5)
    yield made
    made.close()


def test_values_numbers_and_keys(store):
    other = TCPStore("127.0.0.1", store.port, False, 2, timeout=5)
    store.set("key", "value")
    assert other.get("key") == b"value"
    assert store.add("count", 2) == 2 and other.add("count", -5) == -3
    assert store.check("key") and not store.check("none")
    assert other.delete_key("key") and not other.delete_key("key") and not store.check("key")
    store.set("big", bytes(1 << 22))
    assert len(other.get("big")) == 1 << 22
    with pytest.raises(ValueError, match="number"):
        store.add("big", 1)
    other.close()


def test_a_value_is_waited_for(store):
    other = TCPStore("127.0.0.1", store.port, timeout=5)
    threading.Timer(0.1, lambda: store.set("late", b"x")).start()
    assert other.get("late") == b"x"
    other.timeout = 0.05
    with pytest.raises(RuntimeError, match="'never' was not set within 0.05 s"):
        other.get("never")
    other.close()


def test_strangers_are_left_alone(store):
    for words in (b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 64):
        with socket.create_connection(("127.0.0.1", store.port)) as stranger:
            stranger.sendall(words)
    store.set("key", "value")
    assert store.get("key") == b"value"


def test_nobody_answers():
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        with pytest.raises(RuntimeError, match="did not answer within 0.1 s"):
            TCPStore("127.0.0.1", unused.getsockname()[1], timeout=0.1)
    first = TCPStore("127.0.0.1", 0, True, timeout=1)
    with pytest.raises(RuntimeError, match="cannot be served"):
        TCPStore("127.0.0.1", first.port, True, timeout=1)
    first.close()
