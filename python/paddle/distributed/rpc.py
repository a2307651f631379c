# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of functions in the processes of a job. Functions, arguments and results travel pickled: members of a job trust
one another."""

import concurrent.futures
import contextlib
import itertools
import json
import os
import pickle
import threading
from typing import NamedTuple

import numpy as np

from .. import _core, _lazy, _paths
from ..framework.execution_context import ExecutionContext
from .transport.store import TCPStore

__all__ = [
    "get_all_worker_infos",
    "get_current_worker_info",
    "get_worker_info",
    "init_rpc",
    "rpc_async",
    "rpc_sync",
    "shutdown",
]
__dir__ = _lazy.listing(__name__)


class WorkerInfo(NamedTuple):
    """A process of the job."""

    name: str
    rank: int
    ip: str
    port: int


_CALL, _REPLY = 1, 2  # Numbers of the groups in which they travel.
_FOREVER = float("inf")


class _Links:
    """Messages between the processes, in a job of the core beside that of `init_parallel_env`.

    Args:
        store: The TCPStore in which they find one another.
        rank: Number of this process.
        size: Number of processes.
    """

    def __init__(self, store, rank, size):
        def put(key, value):
            store.set(f"rpc/{key}", value)

        self._job = _core.open_job(rank, size, put, lambda key: store.get(f"rpc/{key}"), store.timeout, store.own_host)
        self._ranks, self._context = list(range(size)), ExecutionContext(rank=rank, world_size=size)
        with self._context:
            _core.join_job(self._job)

    def send(self, channel, peer, data):
        """Send bytes; RuntimeError where the process is gone."""
        message = _core.Tensor(np.frombuffer(data, "uint8"))
        with self._context:
            _core.process_group_call("send", self._ranks, [message], [], root=peer, number=channel)

    def receive(self, channel, peer):
        """The next bytes that a process sends; RuntimeError when it has left, or this one has."""
        with self._context:
            return _core.process_group_receive(self._ranks, peer, channel, _FOREVER).numpy().tobytes()

    def close(self):
        """Leave; whoever waits for a message gets an error."""
        _core.leave_job(self._job, "")


class _Job:
    """The processes that were joined, and calls that wait for their result."""

    def __init__(self, worker, workers, store=None, links=None):
        self.worker, self.workers, self.store, self.links = worker, workers, store, links
        self.pool = concurrent.futures.ThreadPoolExecutor(thread_name_prefix=f"rpc {worker.name}")
        self._numbers, self._waiting, self._lock = itertools.count(), {}, threading.Lock()
        self._threads = []

    def serve(self):
        """Take calls from now on: what is called may ask for the job of this process."""
        for peer in range(len(self.workers)):
            if peer != self.worker.rank:
                for take, name in ((self._serve, "rpc calls"), (self._collect, "rpc replies")):
                    self._threads.append(threading.Thread(target=take, args=(peer,), name=name, daemon=True))
        for thread in self._threads:
            thread.start()

    def call(self, peer, fn, args, kwargs):
        """The Future of a call in another process."""
        future, number = concurrent.futures.Future(), next(self._numbers)
        data = pickle.dumps((number, pickle.dumps((fn, args, kwargs))))
        with self._lock:
            self._waiting[peer, number] = future
        self.links.send(_CALL, peer, data)
        return future

    def _messages(self, peer, channel):
        """What a process sends on a channel, until it leaves."""
        with contextlib.suppress(RuntimeError):
            while True:
                yield self.links.receive(channel, peer)

    def _serve(self, peer):
        for data in self._messages(peer, _CALL):
            with contextlib.suppress(RuntimeError):  # The pool is closed: this process leaves the job.
                self.pool.submit(self._answer, peer, data)

    def _answer(self, peer, data):
        number, packed = pickle.loads(data)
        try:
            fn, args, kwargs = pickle.loads(packed)  # Here, as it may need a module that this process lacks.
            reply = pickle.dumps((number, True, fn(*args, **kwargs)))
        except Exception as error:
            reply = _failure(number, error)
        with contextlib.suppress(RuntimeError):  # Whoever asked is gone.
            self.links.send(_REPLY, peer, reply)

    def _collect(self, peer):
        for data in self._messages(peer, _REPLY):
            number, good, value = pickle.loads(data)
            with self._lock:
                future = self._waiting.pop((peer, number))
            future.set_result(value) if good else future.set_exception(value)
        with self._lock:
            lost = [key for key in self._waiting if key[0] == peer]
            futures = [self._waiting.pop(key) for key in lost]
        for future in futures:
            future.set_exception(RuntimeError(f"rpc: the process {self.workers[peer].name!r} has left the job."))

    def leave(self):
        """Wait for the calls of all processes, then end the connections; rank 0 leaves last."""
        if self.store is not None:
            if self.store.add("leaving", 1) == len(self.workers):
                self.store.set("all leave", "")
            self.store.wait("all leave")
        self.pool.shutdown()
        if self.store is None:
            return
        if self.store.serves:
            self.store.wait("all left")
        else:
            with contextlib.suppress(RuntimeError):  # Rank 0 may be gone before it has answered the last word.
                if self.store.add("left", 1) == len(self.workers) - 1:
                    self.store.set("all left", "")
        self.links.close()
        for thread in self._threads:
            thread.join(1)
        self.links = None  # The connections end with it.
        self.store.close()


def _failure(number, error):
    """The reply that a call has raised; an error that cannot be pickled is given as text."""
    try:
        reply = pickle.dumps((number, False, error))
        pickle.loads(reply)
    except Exception:
        reply = pickle.dumps((number, False, RuntimeError(f"{type(error).__name__}: {error}")))
    return reply


_job = None


class FutureWrapper:
    """The result of `rpc_async`."""

    def __init__(self, future, timeout):
        self._future, self._timeout = future, timeout

    def wait(self):
        """The result of the function, once it is there; what the function raised is raised here."""
        return self._future.result(self._timeout)


def init_rpc(name, rank=None, world_size=None, master_endpoint=None):
    """Enter a job; returns when all its processes have.

    Args:
        name: A unique name of this process.
        rank: Its number; PADDLE_TRAINER_ID or 0 by default.
        world_size: The number of processes; PADDLE_TRAINERS_NUM or 1 by default.
        master_endpoint: "host:port" at which the first process listens; PADDLE_MASTER by default.

    Raises:
        RuntimeError: The process has entered a job already, or another one does not answer.
        ValueError: Two processes have one name, or the rank is not below the number of processes.
    """
    global _job
    if _job is not None:
        raise RuntimeError(
            f"init_rpc: this process is in a job already, as {_job.worker.name!r}; call shutdown() first."
        )
    rank = int(os.environ.get("PADDLE_TRAINER_ID", 0)) if rank is None else rank
    world_size = int(os.environ.get("PADDLE_TRAINERS_NUM", 1)) if world_size is None else world_size
    if not 0 <= rank < world_size:
        raise ValueError(
            f"init_rpc: rank has value {rank}; it must be 0 to {world_size - 1}, world_size being {world_size}."
        )
    endpoint = master_endpoint or os.environ.get("PADDLE_MASTER", "127.0.0.1:0")
    host, _, port = endpoint.rpartition(":")
    if world_size == 1:
        worker = WorkerInfo(name, rank, host, int(port))
        _job = _Job(worker, [worker])
        return
    store = TCPStore(host, int(port), rank == 0, world_size)
    store.set(f"rpc worker {rank}", json.dumps([name, rank, store.own_host, int(port)]))
    workers = [WorkerInfo(*json.loads(store.get(f"rpc worker {r}"))) for r in range(world_size)]
    names = [worker.name for worker in workers]
    if len(set(names)) < world_size:
        store.close()
        raise ValueError(f"init_rpc: the processes have the names {names}; each needs its own.")
    _job = _Job(workers[rank], workers, store, _Links(store, rank, world_size))
    _job.serve()


def _joined(op):
    if _job is None:
        raise RuntimeError(f"{op}: this process is in no job; call init_rpc() first.")
    return _job


def rpc_async(to, fn, args=None, kwargs=None, timeout=-1):
    """Call a function in a process of the job.

    Args:
        to: The name of the process.
        fn: The function.
        args, kwargs: Its arguments.
        timeout: Seconds that `wait` waits; no limit where it is 0 or less.

    Returns:
        An object whose method `wait` gives the result.

    Raises:
        ValueError: There is no such process.
    """
    job, args, kwargs = _joined("rpc_async"), args or (), kwargs or {}
    peer = get_worker_info(to).rank
    here = peer == job.worker.rank
    future = job.pool.submit(fn, *args, **kwargs) if here else job.call(peer, fn, args, kwargs)
    return FutureWrapper(future, timeout if timeout > 0 else None)


def rpc_sync(to, fn, args=None, kwargs=None, timeout=-1):
    """Call a function in a process of the job, and wait for its result; see `rpc_async`."""
    return rpc_async(to, fn, args, kwargs, timeout).wait()


def get_current_worker_info():
    """The WorkerInfo (name, rank, ip, port) of this process."""
    return _joined("get_current_worker_info").worker


def get_worker_info(name):
    """The WorkerInfo of a process; ValueError where there is none of this name."""
    workers = {worker.name: worker for worker in _joined("get_worker_info").workers}
    if name not in workers:
        raise ValueError(f"get_worker_info: name has value {name!r}; the job has the processes {list(workers)}.")
    return workers[name]


def get_all_worker_infos():
    """The WorkerInfos of all processes, in the order of ranks."""
    return list(_joined("get_all_worker_infos").workers)


def shutdown():
    """Wait until all processes of the job come here and their calls are done, and leave it."""
    global _job
    job = _joined("shutdown")
    job.leave()
    _job = None


_paths.attach(__name__)
