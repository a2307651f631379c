# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A dictionary that one process of a job serves to the others, over TCP.

A request is a command byte, a time limit, a key and a value; an answer is a status byte and a value. Keys and values
are bytes behind their length.
"""

import contextlib
import socket
import struct
import threading
import time

_SET, _GET, _ADD, _CHECK, _DELETE = range(5)
_DONE, _ABSENT, _REFUSED = range(3)
_REQUEST = struct.Struct("<BdIQ")
_ANSWER = struct.Struct("<BQ")
_LONGEST_KEY, _LONGEST_VALUE = 1 << 16, 1 << 30


def read_exactly(connection, size):
    """The next `size` bytes of a connection; ConnectionError where it ends before."""
    data = bytearray(size)
    read_into(connection, memoryview(data))
    return bytes(data)


def read_into(connection, view):
    """Fill a memoryview of bytes from a connection; ConnectionError where it ends before."""
    done = 0
    while done < len(view):
        count = connection.recv_into(view[done:])
        if not count:
            raise ConnectionError("the connection was closed")
        done += count


def listener(host, port, backlog=512):
    """A socket that takes connections at an address; port 0 chooses a free one."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(backlog)
    except OSError:
        made.close()
        raise
    return made


class _Server:
    """Holds the dictionary; a thread a connection answers requests."""

    def __init__(self, host, port):
        self._socket = listener(host, port)
        self.port = self._socket.getsockname()[1]
        self._values = {}
        self._changed = threading.Condition()
        self._connections, self._threads = [], []
        self._start(self._accept)

    def _start(self, function, *args):
        self._threads.append(threading.Thread(target=function, args=args, name="store", daemon=True))
        self._threads[-1].start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connections.append(connection)
            self._start(self._serve, connection)

    def _serve(self, connection):
        with connection, contextlib.suppress(OSError):
            while True:
                command, limit, key_size, size = _REQUEST.unpack(read_exactly(connection, _REQUEST.size))
                if key_size > _LONGEST_KEY or size > _LONGEST_VALUE:
                    return
                key, value = read_exactly(connection, key_size), read_exactly(connection, size)
                status, answer = self._answer(command, limit, key, value)
                connection.sendall(_ANSWER.pack(status, len(answer)) + answer)

    def _answer(self, command, limit, key, value):
        with self._changed:
            if command == _GET and not self._changed.wait_for(lambda: key in self._values, limit):
                return _ABSENT, b""
            if command == _ADD:
                try:
                    value = str(int(self._values.get(key, b"0")) + int(value)).encode()
                except ValueError:
                    return _REFUSED, b"the value is not a number"
            if command in (_SET, _ADD):
                self._values[key] = value
                self._changed.notify_all()
            if command == _DELETE:
                return (_ABSENT if self._values.pop(key, None) is None else _DONE), b""
            present = key in self._values
            return (_DONE if present else _ABSENT), self._values.get(key, b"") if command != _CHECK else b""

    def close(self):
        """Take no more connections and end those that are there."""
        for one in (self._socket, *self._connections):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        for thread in self._threads:  # None is left to the end of the interpreter.
            thread.join(1)


class TCPStore:
    """A dictionary of bytes that the processes of a job share.

    Args:
        hostname: Host of the process that holds it.
        port: Its port; 0 in the process that holds it chooses a free one.
        is_master: Whether this process holds it.
        world_size: Number of processes; kept for programs that pass it.
        timeout: Seconds that opening a connection and waiting for a key may take.

    Raises:
        RuntimeError: The port is taken, or nobody answers within the time limit.

    Example:
        >>> from paddle.distributed.transport.store import TCPStore
        >>> store = TCPStore("127.0.0.1", 0, True, 1)
        >>> store.set("name", "value")
        >>> store.get("name"), store.add("count", 2), store.add("count", 3)
        (b'value', 2, 5)
        >>> store.close()
    """

    def __init__(self, hostname, port, is_master=False, world_size=1, timeout=900):
        self.timeout, self.world_size = float(timeout), world_size
        self._server = None
        if is_master:
            try:
                self._server = _Server(hostname, port)
            except OSError as error:
                raise RuntimeError(f"TCPStore: {hostname}:{port} cannot be served: {error}.") from error
            port = self._server.port
        self.host, self.port = hostname, port
        self._turn = threading.Lock()
        self._connection = self._connected()

    def _connected(self):
        end = time.monotonic() + self.timeout
        while True:
            try:
                made = socket.create_connection((self.host, self.port), max(end - time.monotonic(), 0.01))
                if (
                    made.getsockname() == made.getpeername()
                ):  # No process listens, and TCP joined both ends of one socket.
                    made.close()
                    raise ConnectionError("no process listens there")
                made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                made.settimeout(None)
                return made
            except OSError as error:
                if time.monotonic() >= end:
                    raise RuntimeError(
                        f"TCPStore: {self.host}:{self.port} did not answer within {self.timeout} s: {error}. "
                        "Is the first process of the job running?"
                    ) from error
                time.sleep(0.02)

    @property
    def serves(self):
        """Whether this process holds the dictionary."""
        return self._server is not None

    @property
    def own_host(self):
        """Address of this process as the process that holds the dictionary sees it."""
        return self._connection.getsockname()[0]

    def _ask(self, command, key, value=b""):
        name = key.encode() if isinstance(key, str) else bytes(key)
        value = value.encode() if isinstance(value, str) else bytes(value)
        with self._turn:
            try:
                self._connection.sendall(_REQUEST.pack(command, self.timeout, len(name), len(value)) + name + value)
                status, size = _ANSWER.unpack(read_exactly(self._connection, _ANSWER.size))
                answer = read_exactly(self._connection, size)
            except OSError as error:
                raise RuntimeError(
                    f"TCPStore: the process that holds the dictionary at {self.host}:{self.port} is gone: {error}."
                ) from error
        if status == _REFUSED:
            raise ValueError(f"TCPStore: key {key!r}: {answer.decode()}.")
        return status == _DONE, answer

    def set(self, key, value):
        """Store bytes or text under a key."""
        self._ask(_SET, key, value)

    def get(self, key):
        """The bytes of a key, once it is there; RuntimeError after the time limit."""
        found, value = self._ask(_GET, key)
        if not found:
            raise RuntimeError(f"TCPStore: key {key!r} was not set within {self.timeout} s.")
        return value

    def wait(self, key):
        """Return once a key is there; RuntimeError after the time limit."""
        self.get(key)

    def add(self, key, amount):
        """Add to the number of a key, which starts at 0; the sum."""
        return int(self._ask(_ADD, key, str(int(amount)))[1])

    def check(self, key):
        """Whether a key is there."""
        return self._ask(_CHECK, key)[0]

    def delete_key(self, key):
        """Remove a key; whether it was there."""
        return self._ask(_DELETE, key)[0]

    def close(self):
        """End the connection, and the service where it is here."""
        self._connection.close()
        if self._server is not None:
            self._server.close()
