# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The connections of this process with the other processes of its job: opened once, closed at the end."""

import atexit
import os

from ... import _core
from .store import TCPStore

_CALL_SECONDS = 1800.0  # That a member may take to come to a call; the store has its own limit.
_open = {}
_times_opened = 0


def connect(rank, size, master, timeout=900.0):
    """Connect this process with all others of the job.

    Args:
        rank: Its number.
        size: Number of processes.
        master: host:port at which rank 0 serves the TCPStore.
        timeout: Seconds that the others may take.

    Raises:
        RuntimeError: A process does not answer in time.
        ValueError: The address is no host:port.
    """
    global _times_opened
    if _open:
        return
    host, _, port = master.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(
            f"init_parallel_env: the address of the job is {master!r}; it must be host:port (PADDLE_MASTER)."
        )
    store = TCPStore(host, int(port), rank == 0, size, timeout)
    _times_opened += 1
    try:
        _connect_core(store, rank, size)
    except BaseException:
        _close(store)
        raise
    _open.update(store=store, process=os.getpid())
    if _times_opened == 1:
        atexit.register(disconnect)


def _connect_core(store, rank, size):
    """Make this process a rank of a job of the core, whose operators communicate by themselves."""
    name = f"processes {_times_opened}"

    def put(key, value):
        store.set(f"{name}/{key}", value)

    _core.connect_processes(rank, size, put, lambda key: store.get(f"{name}/{key}"), _CALL_SECONDS, store.own_host)


def is_connected():
    """Whether the thread's rank is in a job with others."""
    return _core.is_in_job()


def store():
    """The TCPStore; None in a job of one process, or before it is connected."""
    return _open.get("store")


def disconnect():
    """Close all connections; a forked child leaves them to its parent."""
    if _open and _open["process"] == os.getpid():
        _close(_open["store"])
    elif _open:
        _core.disconnect_processes()
        _open.clear()


def _close(store):
    _core.disconnect_processes()
    store.close()
    _open.clear()
