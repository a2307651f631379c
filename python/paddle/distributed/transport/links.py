# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Connections between each pair of processes of a job.

A message belongs to a channel, a number that both sides name; messages of a channel arrive in the order in which they
were sent. A thread a link reads what comes, straight into the memory that somebody waits with, else into memory of its
own: so a sender never waits for a receiver's call, and two processes may send to one another at once.
"""

import collections
import contextlib
import secrets
import socket
import struct
import threading

from .store import listener, read_exactly, read_into

_HEADER = struct.Struct("<qQ48s")  # channel, bytes, label
_HELLO = struct.Struct("<16sI")
_JOINED = 1 << 16  # A message up to here leaves in one piece with its header.


class Receipt:
    """A message that is expected: `wait` gives its bytes."""

    def __init__(self, peer, view=None):
        self._peer = peer
        self.view, self.label, self.error = view, None, None
        self._there = threading.Event()

    def settle(self, label=None, error=None):
        """Note that the bytes are there, or why they will not be."""
        self.label, self.error = label, error
        self._there.set()

    def wait(self, label, limit):
        """The bytes, of which the sender must have thought as `label`.

        Raises:
            RuntimeError: The time limit is over, the peer is gone, or it sent something else.
        """
        operation = label.split(" ")[0]
        if not self._there.wait(limit):
            raise RuntimeError(f"{operation}: rank {self._peer} sent nothing within {limit} s.")
        if self.error is not None:
            raise RuntimeError(f"{operation}: rank {self._peer}: {self.error}.")
        if self.label != label:
            raise RuntimeError(
                f"{operation}: rank {self._peer} sent {self.label!r} where {label!r} is expected; every member must "
                "call the same operations in the same order, with tensors of the same size."
            )
        return self.view


class Link:
    """The connection with one other process.

    Args:
        connection: The socket.
        peer: Rank of the other process in the job.
    """

    def __init__(self, connection, peer):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection, self._peer = connection, peer
        self._sending, self._lock = threading.Lock(), threading.Lock()
        self._arrived, self._expected = collections.defaultdict(collections.deque), {}
        self._end = None
        self._reader = threading.Thread(target=self._read, name=f"link to rank {peer}", daemon=True)
        self._reader.start()

    def send(self, channel, label, data):
        """Send the bytes of a memoryview; returns when they may change.

        Raises:
            RuntimeError: The peer is gone.
        """
        header = _HEADER.pack(channel, len(data), label.encode())
        try:
            with self._sending:
                if len(data) <= _JOINED:
                    self._connection.sendall(header + bytes(data))
                else:
                    self._connection.sendall(header)
                    self._connection.sendall(data)
        except OSError as error:
            raise RuntimeError(f"{label.split(' ')[0]}: rank {self._peer} is gone: {error}.") from error

    def expect(self, channel, view=None):
        """The next message of a channel as a Receipt, which is read into `view` where one is given."""
        with self._lock:
            if self._arrived[channel]:
                return self._arrived[channel].popleft()
            receipt = Receipt(self._peer, view)
            if self._end is None:
                self._expected.setdefault(channel, collections.deque()).append(receipt)
            else:
                receipt.settle(error=self._end)
            return receipt

    def _next(self, channel):
        with self._lock:
            waiting = self._expected.get(channel)
            if waiting:
                return waiting.popleft()
            receipt = Receipt(self._peer)
            self._arrived[channel].append(receipt)
            return receipt

    def _read(self):
        receipt = None
        try:
            while True:
                channel, size, label = _HEADER.unpack(read_exactly(self._connection, _HEADER.size))
                receipt = self._next(channel)
                label, wanted = label.rstrip(b"\0").decode(), receipt.view
                if wanted is None or len(wanted) != size:
                    receipt.view = memoryview(bytearray(size))
                read_into(self._connection, receipt.view)
                misfit = wanted is not None and len(wanted) != size
                error = f"sent {size} bytes where {len(wanted)} are expected ({label})" if misfit else None
                receipt.settle(label, error)
                receipt = None
        except (OSError, ValueError) as error:
            self._finish(receipt, f"it has ended or left the job ({error})")

    def _finish(self, receipt, reason):
        with self._lock:
            self._end = reason
            waiting = [one for queue in self._expected.values() for one in queue]
            self._expected.clear()
        for one in (*waiting, *([] if receipt is None else [receipt])):
            one.settle(error=reason)

    def close(self):
        """End the connection; whoever waits for a message gets an error."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._reader.join(1)
        self._connection.close()


class Mesh:
    """The links of this process with all others of its job.

    Args:
        store: The TCPStore in which they leave their addresses.
        rank: Number of this process.
        size: Number of processes.
        name: Of this mesh within the store.

    Raises:
        RuntimeError: A process does not answer within the time limit of the store.
    """

    def __init__(self, store, rank, size, name):
        self.rank, self.size, self._links = rank, size, {}
        if rank == 0:
            store.set(f"{name}/secret", secrets.token_hex(8))
        own = listener(store.own_host, 0)
        own.settimeout(store.timeout)
        host, port = own.getsockname()
        store.set(f"{name}/address/{rank}", f"{host}:{port}")
        secret = store.get(f"{name}/secret")
        try:
            for peer in range(rank):
                self._links[peer] = Link(self._call(store, name, peer, secret), peer)
            while len(self._links) < size - 1:
                self._take(own, secret)
        except OSError as error:
            self.close()
            raise RuntimeError(f"init_parallel_env: a process of the job cannot be reached: {error}.") from error
        finally:
            own.close()

    def _call(self, store, name, peer, secret):
        host, _, port = store.get(f"{name}/address/{peer}").decode().rpartition(":")
        made = socket.create_connection((host, int(port)), store.timeout)
        made.settimeout(None)
        made.sendall(_HELLO.pack(secret, self.rank))
        return made

    def _take(self, own, secret):
        made, _ = own.accept()
        made.settimeout(10)
        try:
            shown, peer = _HELLO.unpack(read_exactly(made, _HELLO.size))
        except OSError:
            made.close()
            return
        if shown != secret or not self.rank < peer < self.size or peer in self._links:
            made.close()
            return
        made.settimeout(None)
        self._links[peer] = Link(made, peer)

    def __getitem__(self, rank):
        return self._links[rank]

    def close(self):
        """End all links."""
        for link in self._links.values():
            link.close()
