# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Calls of functions in the processes of a job: here a job of one process, whose calls run in threads of it."""

import concurrent.futures
import os
from typing import NamedTuple

from .. import _paths

__all__ = [
    "get_all_worker_infos",
    "get_current_worker_info",
    "get_worker_info",
    "init_rpc",
    "rpc_async",
    "rpc_sync",
    "shutdown",
]


class WorkerInfo(NamedTuple):
    """A process of the job."""

    name: str
    rank: int
    ip: str
    port: int


class _Job:
    def __init__(self, worker):
        self.worker = worker
        self.pool = concurrent.futures.ThreadPoolExecutor(thread_name_prefix=f"rpc {worker.name}")


_job = None


class FutureWrapper:
    """The result of `rpc_async`."""

    def __init__(self, future, timeout):
        self._future, self._timeout = future, timeout

    def wait(self):
        """The result of the function, once it is there; what the function raised is raised here."""
        return self._future.result(self._timeout)


def init_rpc(name, rank=None, world_size=None, master_endpoint=None):
    """Enter a job.

    Args:
        name: A unique name of this process.
        rank: Its number; PADDLE_TRAINER_ID or 0 by default.
        world_size: The number of processes; PADDLE_TRAINERS_NUM or 1 by default.
        master_endpoint: "host:port" of the first process; PADDLE_MASTER by default.

    Raises:
        NotImplementedError: The job has several processes; this build has no transport between them.
        RuntimeError: The process has entered a job already.
    """
    global _job
    if _job is not None:
        raise RuntimeError(
            f"init_rpc: this process is in a job already, as {_job.worker.name!r}; call shutdown() first."
        )
    rank = int(os.environ.get("PADDLE_TRAINER_ID", 0)) if rank is None else rank
    world_size = int(os.environ.get("PADDLE_TRAINERS_NUM", 1)) if world_size is None else world_size
    if world_size != 1 or rank != 0:
        raise NotImplementedError(
            f"init_rpc: rank has value {rank} and world_size {world_size}; this build has no transport between "
            "processes, so a job has one process, of rank 0."
        )
    endpoint = master_endpoint or os.environ.get("PADDLE_MASTER", "127.0.0.1:0")
    ip, _, port = endpoint.rpartition(":")
    _job = _Job(WorkerInfo(name, rank, ip, int(port)))


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
    job = _joined("rpc_async")
    get_worker_info(to)
    future = job.pool.submit(fn, *(args or ()), **(kwargs or {}))
    return FutureWrapper(future, timeout if timeout > 0 else None)


def rpc_sync(to, fn, args=None, kwargs=None, timeout=-1):
    """Call a function in a process of the job, and wait for its result; see `rpc_async`."""
    return rpc_async(to, fn, args, kwargs, timeout).wait()


def get_current_worker_info():
    """The WorkerInfo (name, rank, ip, port) of this process."""
    return _joined("get_current_worker_info").worker


def get_worker_info(name):
    """The WorkerInfo of a process; ValueError where there is none of this name."""
    worker = _joined("get_worker_info").worker
    if worker.name != name:
        raise ValueError(f"get_worker_info: name has value {name!r}; the job has the process {worker.name!r} only.")
    return worker


def get_all_worker_infos():
    """The WorkerInfos of all processes, in the order of ranks."""
    return [_joined("get_all_worker_infos").worker]


def shutdown():
    """Wait for all calls, and leave the job."""
    global _job
    job = _joined("shutdown")
    job.pool.shutdown()
    _job = None


_paths.attach(__name__)
