# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Start a function in processes of its own."""

import multiprocessing


class MultiprocessContext:
    """The started processes."""

    def __init__(self, processes):
        self.processes = processes

    def join(self, timeout=None):
        """Wait; True when all have ended, an error when one has failed."""
        for process in self.processes:
            process.join(timeout)
        failed = [p for p in self.processes if p.exitcode not in (None, 0)]
        if failed:
            raise RuntimeError(f"spawn: process {failed[0].pid} ended with exit code {failed[0].exitcode}.")
        return all(p.exitcode == 0 for p in self.processes)


def spawn(func, args=(), nprocs=-1, join=True, daemon=False, **options):
    """Run `func(*args)` in new processes that form a job.

    Args:
        func: A function that can be imported.
        args: Its arguments.
        nprocs: Number of processes; -1: one per device, which is one here.
        join: Whether to wait for them.
        daemon: Whether they end with this process.
        options: `start_method`: 'spawn' (default), 'fork' or 'forkserver'.
    """
    if nprocs not in (-1, 1):
        raise NotImplementedError(
            f"spawn: nprocs has value {nprocs}; this build has no communication between processes; pass 1."
        )
    context = multiprocessing.get_context(options.get("start_method", "spawn"))
    process = context.Process(target=func, args=tuple(args), daemon=daemon)
    process.start()
    started = MultiprocessContext([process])
    if join:
        started.join()
    return started
