# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A job whose ranks are threads of this process."""

import threading

from .. import _core
from ..framework.execution_context import ExecutionContext


class _Rank:
    """One rank: what it runs, and what came of it."""

    def __init__(self, number, size, member, seed):
        self.result = self.error = None
        self._context, self._member = ExecutionContext(seed, number, size), member

    def run(self, function, args, kwargs):
        with self._context:
            _core.join_job(self._member)
            try:
                self.result = function(*args, **kwargs)
                reason = ""
            except BaseException as error:
                self.error = error
                reason = f"{type(error).__name__}: {error}"
            _core.leave_job(self._member, reason)


def simulate(size, function, *args, seed=0, **kwargs):
    """Run a function as every rank of a job, in threads of this process.

    Meshes and distributed tensors are those of a job of processes: each rank has its parts, and what they send is copied
    between threads. All ranks start from one seed. When no rank can go on, or ranks call different collectives, the call
    raises and says what each rank waits for.

    Args:
        size: Number of ranks.
        function: Called as `function(*args, **kwargs)` by each; `paddle.distributed.get_rank()` tells which it is.
        seed: Of the random numbers of every rank.

    Returns:
        A list of what the function returned, by rank.

    Raises:
        RuntimeError: Ranks wait for each other, or do not call the same collectives.

    Example:
        >>> import paddle
        >>> import paddle.distributed as dist
        >>> def part():
        ...     mesh = dist.ProcessMesh([0, 1], dim_names=["x"])
        ...     x = dist.shard_tensor(paddle.arange(6), mesh, [dist.Shard(0)])
        ...     return x._local_value().tolist()
        >>> dist.simulate(2, part)
        [[0, 1, 2], [3, 4, 5]]
    """
    ranks = [_Rank(number, size, member, seed) for number, member in enumerate(_core.thread_job(size))]
    threads = [
        threading.Thread(target=rank.run, args=(function, args, kwargs), name=f"rank {number}", daemon=True)
        for number, rank in enumerate(ranks)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failed = [rank.error for rank in ranks if rank.error is not None]
    # A rank that failed by itself tells more than those that waited for it.
    own = [error for error in failed if "collective: rank " not in str(error)]
    if failed:
        raise (own or failed)[0]
    return [rank.result for rank in ranks]
