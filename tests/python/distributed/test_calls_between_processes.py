# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`distributed.rpc` in a job of several processes."""

import os
import threading

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import rpc

_held = threading.Event()


def who():
    return rpc.get_current_worker_info().name


def hold():
    return _held.wait(60)


def release():
    _held.set()


class Odd(Exception):
    """An error that cannot be rebuilt from its text."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


def odd():
    raise Odd(1, 2)


def called():
    rank = dist.get_rank()
    rpc.init_rpc(f"worker{rank}")
    assert [w.name for w in rpc.get_all_worker_infos()] == ["worker0", "worker1", "worker2"]
    assert rpc.get_worker_info("worker2").rank == 2 and who() == f"worker{rank}"
    for other in range(3):
        assert rpc.rpc_sync(f"worker{other}", who) == f"worker{other}"
    to = f"worker{(rank + 1) % 3}"
    # A call that waits does not hold up the next one.
    waiting = rpc.rpc_async(to, hold)
    rpc.rpc_sync(to, release)
    assert waiting.wait() is True
    out = rpc.rpc_sync(to, paddle.matmul, (paddle.full([2, 2], 3.0),), {"y": paddle.ones([2, 2])})
    np.testing.assert_array_equal(out.numpy(), np.full((2, 2), 6))
    assert len(rpc.rpc_sync(to, bytes, (1 << 20,))) == 1 << 20
    with pytest.raises(ValueError, match="invalid literal"):
        rpc.rpc_sync(to, int, ("x",))
    with pytest.raises(RuntimeError, match="Odd: 1 2"):
        rpc.rpc_sync(to, odd)
    with pytest.raises(ValueError, match="worker9"):
        rpc.rpc_sync("worker9", who)
    rpc.shutdown()
    with pytest.raises(RuntimeError, match="init_rpc"):
        rpc.rpc_sync(to, who)


def test_functions_run_in_other_processes():
    dist.spawn(called, nprocs=3)


def left_alone():
    rank = dist.get_rank()
    rpc.init_rpc(f"worker{rank}")
    if rank == 0:
        with pytest.raises(RuntimeError, match="'worker1' has left the job|is gone"):
            rpc.rpc_sync("worker1", os._exit, (0,))
        os._exit(0)
    hold()


def test_a_process_that_leaves_is_told():
    dist.spawn(left_alone, nprocs=2)
