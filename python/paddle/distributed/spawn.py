# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Start a function in processes that form a job."""

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import socket
import sys
import time
import traceback

_LONGEST_REPORT = 16000  # It must fit into the pipe, which is read when the process has ended.


def free_ports(count, host="127.0.0.1"):
    """Ports of a host on which nobody listens."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind((host, 0))
        return [one.getsockname()[1] for one in sockets]


def environment_of(rank, endpoints, local_rank, local_size):
    """What a process of a job finds in its environment.

    Args:
        rank: Its number.
        endpoints: host:port of every process.
        local_rank: Its number on its machine.
        local_size: Number of processes on its machine, which share its processors.
    """
    share = max(1, len(os.sched_getaffinity(0)) // local_size)
    return {
        "PADDLE_TRAINER_ID": str(rank),
        "PADDLE_TRAINERS_NUM": str(len(endpoints)),
        "PADDLE_CURRENT_ENDPOINT": endpoints[rank],
        "PADDLE_TRAINER_ENDPOINTS": ",".join(endpoints),
        "PADDLE_MASTER": endpoints[0],
        "PADDLE_RANK_IN_NODE": str(local_rank),
        "PADDLE_DISTRI_BACKEND": "gloo",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", str(share)),
    }


@contextlib.contextmanager
def _environment(values):
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _run(func, args, values, report, results):
    os.environ.update(values)
    try:
        results.put(func(*args))
    except KeyboardInterrupt:
        pass
    except Exception:
        report.send((time.time(), traceback.format_exc()[-_LONGEST_REPORT:]))
        sys.exit(1)


class MultiprocessContext:
    """The started processes.

    Args:
        processes: The processes, in the order of their ranks.
        reports: One connection each, on which a process sends what it raised.
        return_queues: One queue each, whose `get()` gives what the function returned.
    """

    def __init__(self, processes, reports=(), return_queues=()):
        self.processes, self._reports = processes, list(reports)
        self.return_queues = list(return_queues)

    def join(self, timeout=None):
        """Wait until all have ended, or one has failed, which ends the others.

        Args:
            timeout: Seconds; None: no limit.

        Returns:
            Whether all have ended.

        Raises:
            RuntimeError: A process has failed; the message holds what it raised.
        """
        end = None if timeout is None else time.monotonic() + timeout
        while running := [p.sentinel for p in self.processes if p.exitcode is None]:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                return False
            multiprocessing.connection.wait(running, left)
            if any(p.exitcode for p in self.processes):
                break
        self._raise_failure()
        return True

    def _raise_failure(self):
        if not any(p.exitcode for p in self.processes):
            return
        failed = {rank for rank, process in enumerate(self.processes) if process.exitcode}
        for process in self.processes:
            if process.exitcode is None:
                process.terminate()
            process.join()
        # One that fails takes others with it, which then fail for want of it: what was raised first counts.
        said = [self._report(rank) for rank in range(len(self.processes))]
        rank = min((r for r, (_, text) in enumerate(said) if text or r in failed), key=lambda r: said[r][0])
        code = self.processes[rank].exitcode
        how = f"by signal {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        raise RuntimeError(f"spawn: process {rank} ended {how}.{said[rank][1]}")

    def _report(self, rank):
        """(when, what) a process raised; one that was killed said nothing."""
        with contextlib.suppress(EOFError, OSError):
            if rank < len(self._reports) and self._reports[rank].poll():
                when, text = self._reports[rank].recv()
                return when, "\n" + text
        return 0.0, ""


def spawn(func, args=(), nprocs=-1, join=True, daemon=False, **options):
    """Run `func(*args)` in new processes that form a job; each calls `init_parallel_env` to meet the others.

    Args:
        func: A function that can be imported.
        args: Its arguments.
        nprocs: Number of processes; -1: one for each device that `gpus` names, such as '0,1', else one.
        join: Whether to wait for them.
        daemon: Whether they end with this process.
        options: `start_method`: 'spawn' (default), 'fork' or 'forkserver'; `backend`: 'gloo' or 'auto'; `gpus` counts
            processes, which run on the CPU; `ips` and the like are for machines that are not here.

    Returns:
        The processes: `join(timeout=None)` waits for them, `return_queues[r].get()` gives the result of process r.

    Raises:
        ValueError: The number of processes or the backend is none.
        RuntimeError: A process has failed.
    """
    devices = options.get("gpus") or options.get("selected_gpus") or "0"
    count = len(devices.split(",")) if nprocs == -1 else nprocs
    if not isinstance(count, int) or count < 1:
        raise ValueError(f"spawn: nprocs has value {nprocs}; it must be -1 or at least 1.")
    if options.get("backend", "auto") not in ("auto", "gloo", None):
        raise ValueError(f"spawn: backend has value {options['backend']!r}; paddle has 'gloo'.")
    context = multiprocessing.get_context(options.get("start_method", "spawn"))
    endpoints = [f"127.0.0.1:{port}" for port in free_ports(count)]
    processes, reports, queues = [], [], []
    for rank in range(count):
        values = environment_of(rank, endpoints, rank, count)
        here, there = context.Pipe(duplex=False)
        queues.append(context.SimpleQueue())
        process = context.Process(target=_run, args=(func, tuple(args), values, there, queues[-1]), daemon=daemon)
        with _environment(values):  # A new interpreter reads it before it imports the program.
            process.start()
        there.close()
        processes.append(process)
        reports.append(here)
    started = MultiprocessContext(processes, reports, queues)
    if join:
        started.join()
    return started
