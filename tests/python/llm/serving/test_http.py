# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The server at the level of sockets: malformed and slow requests, limits, peers that vanish or do not read, many at once."""

import gc
import http.client
import json
import os
import random
import socket
import threading
import time

import pytest

from tests.python.llm.serving import double

CHAT = "/v1/chat/completions"
BODY = json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode()
STREAM = json.dumps({"messages": [{"role": "user", "content": "hi"}], "stream": True}).encode()


def connect(server, small=False):
    made = socket.socket()
    if small:  # before connecting, as the window is agreed upon then
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    made.settimeout(60)
    made.connect(("127.0.0.1", server.port))
    return made


def head(path, length, *more, method="POST"):
    lines = [f"{method} {path} HTTP/1.1", "Host: x", f"Content-Length: {length}", *more]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def read_all(peer):
    data = b""
    while more := peer.recv(65536):
        data += more
    return data


def exchange(server, data):
    """(status, headers, body) of what the server answers to these bytes."""
    with connect(server) as peer:
        peer.sendall(data)
        answer = http.client.HTTPResponse(peer)
        answer.begin()
        return answer.status, dict(answer.getheaders()), answer.read()


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


def still_answers(server):
    status, _, body = exchange(server, head(CHAT, len(BODY)) + BODY)
    assert status == 200 and json.loads(body)["choices"][0]["message"]["content"] == "answer 0: é €"


# -- malformed
@pytest.mark.parametrize(
    "data, status",
    [
        (b"\x00\x01\x02\r\n\r\n", 400),
        (b"GET /health HTTP/9.9\r\nHost: x\r\n\r\n", 505),
        (b"GET /health HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET /health HTTP/1.1\r\n\r\n", 400),  # no Host
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 60 + b"\r\n\r\n", 400),  # TLS
        (head("/health", "ten"), 400),
        (head("/health", -1), 400),
        (head("/health", 5, "Content-Length: 6"), 400),
        (head("/health", 5, "Transfer-Encoding: chunked"), 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"GET /health HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 100_000, 431),
        (b"GET /" + b"a" * 100_000, 431),
        (head(CHAT, 1 << 40), 413),
        (b"GET /health HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n", 400),
    ],
)
def test_what_is_no_http_is_refused(shared, data, status):
    found, headers, body = exchange(shared, data)
    assert found == status and json.loads(body)["error"]["message"], body
    assert headers["Connection"] == "close"
    still_answers(shared)


def test_damaged_requests_are_answered_or_dropped(start):
    server, rng = start(limits=dict(receive_seconds=0.5, idle_seconds=0.5)), random.Random(0)
    whole = head(CHAT, len(BODY), "Connection: close") + BODY
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(data))
            what = rng.choice(["byte", "cut", "twice", "insert"])
            if what == "byte":
                data[at] = rng.randrange(256)
            elif what == "cut":
                del data[at : at + rng.randint(1, 20)]
            elif what == "twice":
                data[at:at] = data[at : at + rng.randint(1, 60)]
            else:
                data[at:at] = rng.choice([b"\r\n", b"\r\n\r\n", b"\0", b"\xff", b": ", b"{", b'"', b"[[[["])
        with connect(server) as peer:
            peer.sendall(data)
            peer.shutdown(socket.SHUT_WR)
            answer = read_all(peer)
        assert not answer or answer.startswith(b"HTTP/1.1 "), answer
        assert b"HTTP/1.1 500" not in answer, bytes(data)
    wait_until(lambda: server.application.connections() == 0 and not server.engine.stats()["running"])
    still_answers(server)


def test_a_body_that_grows_too_large_is_refused(start):
    server = start(limits=dict(body_bytes=10_000))
    chunk = b"1000\r\n" + b" " * 0x1000 + b"\r\n"
    data = head(CHAT, 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked") + chunk * 4
    status, _, body = exchange(server, data)
    assert status == 413 and b"more than 10000 bytes" in body
    status, _, body = exchange(server, head(CHAT, 10_001) + b" " * 10_001)
    assert status == 413
    many = head(CHAT, 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked") + b"1\r\n \r\n" * 9000
    status, _, body = exchange(server, many)
    assert status == 400 and b"too many small chunks" in body
    still_answers(server)


def test_chunked_bodies_and_those_in_pieces_are_read(shared):
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(BODY[i : i + 7]), BODY[i : i + 7]) for i in range(0, len(BODY), 7))
    data = head(CHAT, 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked") + chunks + b"0\r\n\r\n"
    assert exchange(shared, data)[0] == 200
    with connect(shared) as peer:
        for byte in head(CHAT, len(BODY)) + BODY:
            peer.send(bytes([byte]))
        answer = http.client.HTTPResponse(peer)
        answer.begin()
        assert answer.status == 200


def test_a_body_longer_than_announced_is_the_next_request(shared):
    with connect(shared) as peer:
        peer.sendall(head(CHAT, len(BODY)) + BODY + b"garbage\r\n\r\n")
        data = read_all(peer)
    assert data.startswith(b"HTTP/1.1 200") and b"HTTP/1.1 400" in data


def test_requests_in_one_packet_are_answered_in_order(shared):
    with connect(shared) as peer:
        peer.sendall(
            head("/v1/models", 0, method="GET")
            + head("/nowhere", 0)
            + head(CHAT, len(BODY), "Connection: close")
            + BODY
        )
        data = read_all(peer)
    assert [part[:3] for part in data.split(b"HTTP/1.1 ")[1:]] == [b"200", b"404", b"200"]


def test_too_much_ahead_of_an_answer_ends_the_connection(start):
    engine = double.Engine()
    engine.step_seconds = 0.01
    server = start(engine, limits=dict(early_bytes=1000))
    with connect(server) as peer:
        peer.sendall(head(CHAT, len(BODY)) + BODY)
        wait_until(lambda: engine.stats()["running"])
        with pytest.raises(OSError):
            for _ in range(100):
                peer.sendall(b" " * 1000)
                time.sleep(0.01)
    wait_until(lambda: not engine.stats()["running"])


def test_head_keep_alive_old_http_and_expectations(shared):
    with connect(shared) as peer:
        peer.sendall(b"HEAD /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        data = read_all(peer)
        assert data.startswith(b"HTTP/1.1 200") and data.endswith(b"\r\n\r\n")
    with connect(shared) as peer:
        peer.sendall(b"GET /health?x=1 HTTP/1.0\r\n\r\n")
        data = read_all(peer)
        assert b" 200 " in data and data.endswith(b"}")
    with connect(shared) as peer:
        peer.sendall(b"POST %s HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % (CHAT.encode(), len(STREAM)) + STREAM)
        data = read_all(peer)
        assert data.endswith(b"data: [DONE]\n\n") and b"chunked" not in data
    with connect(shared) as peer:
        peer.sendall(head(CHAT, len(BODY), "Expect: 100-continue"))
        assert peer.recv(100).startswith(b"HTTP/1.1 100")
        peer.sendall(BODY)
        assert peer.recv(100).startswith(b"HTTP/1.1 200")
    with connect(shared) as peer:
        peer.sendall(b"GET http://x/health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert peer.recv(100).startswith(b"HTTP/1.1 200")


# -- slow
def test_a_request_that_does_not_arrive_in_time_is_ended(start):
    server = start(limits=dict(receive_seconds=0.3, idle_seconds=0.3))
    with connect(server) as idle, connect(server) as slow, connect(server) as short:
        short.sendall(head(CHAT, len(BODY) + 5) + BODY)
        data = b"GET /health HTTP/1.1\r\nHost: x\r\nA: " + b"a" * 1000
        with pytest.raises(OSError):  # a byte now and then does not help
            for byte in data:
                slow.sendall(bytes([byte]))
                time.sleep(0.05)
        assert read_all(short).startswith(b"HTTP/1.1 408")
        assert read_all(idle) == b""
    with connect(server) as kept:
        kept.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
        assert read_all(kept).startswith(b"HTTP/1.1 200")  # and is closed when nothing follows
    still_answers(server)
    wait_until(lambda: server.application.connections() == 0)


def long_answers(characters):
    engine = double.Engine()
    engine.script = lambda prompt, index: "x" * characters
    return engine


def test_a_peer_that_does_not_read_holds_nobody_up_and_is_cut_off(start):
    engine = long_answers(60_000)
    server = start(engine, limits=dict(send_seconds=1.0))
    with connect(server, small=True) as lazy:
        lazy.sendall(head(CHAT, len(STREAM)) + STREAM)
        wait_until(lambda: engine.stats()["running"])
        engine.script = lambda prompt, index: "answer 0: é €"
        still_answers(server)
        wait_until(lambda: server.application.connections() == 0)
    still_answers(server)


def test_a_slow_reader_gets_everything(start):
    server = start(long_answers(3000))
    with connect(server, small=True) as slow:
        slow.sendall(head(CHAT, len(STREAM), "Connection: close") + STREAM)
        data = b""
        while more := slow.recv(4096):
            data += more
            time.sleep(0.001)
    assert data.count(b'"content": "x"') == 3000 and b"[DONE]" in data


def test_the_rest_of_a_last_answer_reaches_a_slow_reader(start, monkeypatch):
    from paddle.llm.server import http as own

    def connected(self, transport, inner=own._Connection.connection_made):
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        inner(self, transport)

    monkeypatch.setattr(own, "LINGER_SECONDS", 0.05)
    monkeypatch.setattr(own._Connection, "connection_made", connected)
    server, text = start(double.Engine(max_model_len=1 << 20)), "x" * 50_000  # less than what counts as not read
    body = json.dumps({"prompt": text, "echo": True, "max_tokens": 1}).encode()
    with connect(server, small=True) as slow:
        slow.sendall(head("/v1/completions", len(body), "Connection: close") + body)
        time.sleep(0.5)
        data = read_all(slow)
    assert json.loads(data.partition(b"\r\n\r\n")[2])["choices"][0]["text"] == text + "a"


# -- vanished
@pytest.mark.parametrize("body", [BODY, STREAM], ids=["whole", "stream"])
@pytest.mark.parametrize("how", ["closed", "reset", "half closed"])
def test_a_peer_that_vanishes_cancels_its_request(start, body, how):
    engine = long_answers(3000)
    engine.step_seconds = 0.005
    server = start(engine)
    peer = connect(server)
    peer.sendall(head(CHAT, len(body)) + body)
    wait_until(lambda: engine.stats()["running"])
    if body is STREAM:
        peer.recv(100)
    if how == "reset":
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    if how == "half closed":
        peer.shutdown(socket.SHUT_WR)
    else:
        peer.close()
    wait_until(lambda: not engine.stats()["running"])
    assert engine.stats()["cancelled"] == 1
    peer.close()
    wait_until(lambda: server.application.connections() == 0)


# -- many
def test_two_hundred_connections_get_their_own_answers(start):
    engine = double.Engine(max_queue=1000, max_batch=64)
    engine.script = lambda prompt, index: "you said " + prompt.split("user\n")[1].split("<|im_end|>")[0]
    server = start(engine)
    answers, barrier = {}, threading.Barrier(200)

    def ask(number):
        text = f"number {number} é"
        body = json.dumps({"messages": [{"role": "user", "content": text}], "stream": number % 2 == 0}).encode()
        with connect(server) as peer:
            barrier.wait()
            peer.sendall(head(CHAT, len(body)) + body)
            answer = http.client.HTTPResponse(peer)
            answer.begin()
            data = answer.read()
        if number % 2:
            answers[number] = json.loads(data)["choices"][0]["message"]["content"]
        else:
            events = [line[6:] for line in data.split(b"\n\n") if line.startswith(b"data: {")]
            answers[number] = "".join(json.loads(e)["choices"][0]["delta"].get("content", "") for e in events)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: f"you said number {number} é" for number in range(200)}


def test_connections_beyond_the_limit_are_refused(start):
    server = start(limits=dict(connections=3))
    kept = [connect(server) for _ in range(3)]
    wait_until(lambda: server.application.connections() == 3)
    status, headers, body = exchange(server, head("/health", 0, method="GET"))
    assert status == 503 and headers["Retry-After"] == "1" and b"3 connections" in body
    for peer in kept:
        peer.close()
    wait_until(lambda: server.application.connections() == 0)
    still_answers(server)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.unsanitized
def test_memory_stays_flat_over_thousands_of_requests(start):
    server = start(limits=dict(connections=50))

    def rounds(count):
        for i in range(count):
            body = STREAM if i % 2 else BODY
            if i % 10 == 0:
                with connect(server) as peer:  # one that vanishes
                    peer.sendall(head(CHAT, len(body)) + body)
                    peer.recv(10)
            with connect(server) as peer:
                for _ in range(5):
                    peer.sendall(head(CHAT, len(body)) + body)
                    answer = http.client.HTTPResponse(peer)
                    answer.begin()
                    answer.read()
                    answer.close()
                peer.sendall(b"garbage\r\n\r\n")
        gc.collect()

    rounds(60)
    before = resident()
    rounds(500)
    assert resident() - before < 4 << 20
    assert not server.engine.stats()["running"]
