# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Several ranks in one process: each has its generator, its place in the job and its groups."""

import threading

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.framework.execution_context import ExecutionContext

pytestmark = pytest.mark.threads


def in_threads(*functions):
    """Results of functions that run at once, each in a thread of its own."""
    results = [None] * len(functions)

    def run(i):
        try:
            results[i] = functions[i]()
        except BaseException as error:
            results[i] = error

    threads = [threading.Thread(target=run, args=(i,)) for i in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return results


def test_ranks_draw_from_generators_of_their_own():
    barrier = threading.Barrier(2)

    def rank(number):
        with ExecutionContext(seed=5, rank=number, world_size=2):
            drawn = []
            for _ in range(50):
                barrier.wait()
                drawn.append(paddle.rand([3]).numpy())
            return np.stack(drawn)

    before = paddle.get_rng_state()
    first, second = in_threads(lambda: rank(0), lambda: rank(1))
    np.testing.assert_array_equal(first, second)
    assert len(np.unique(first)) == first.size
    assert tuple(paddle.get_rng_state()[0]) == tuple(before[0])  # that of the process has not moved


def test_a_seed_is_that_of_the_bound_context():
    paddle.seed(1)
    expected = paddle.rand([4]).numpy()
    paddle.seed(2)
    outer = paddle.get_rng_state()
    with ExecutionContext() as context:
        paddle.seed(1)
        np.testing.assert_array_equal(paddle.rand([4]).numpy(), expected)
        with ExecutionContext(seed=1):
            np.testing.assert_array_equal(paddle.rand([4]).numpy(), expected)
        assert context is not None
        second = paddle.rand([4]).numpy()
    assert tuple(paddle.get_rng_state()[0]) == tuple(outer[0])
    paddle.seed(1)
    paddle.rand([4])
    np.testing.assert_array_equal(paddle.rand([4]).numpy(), second)


def test_place_in_the_job_and_groups():
    def rank(number):
        with ExecutionContext(rank=number, world_size=3):
            dist.init_parallel_env()
            group = dist.new_group([0, 2])
            default = dist.get_group(0)
            return dist.get_rank(), dist.get_world_size(), default.rank, default.nranks, group.rank, group.id

    initialized = dist.is_initialized()
    found = in_threads(*(lambda n=n: rank(n) for n in range(3)))
    assert found == [(0, 3, 0, 3, 0, 10), (1, 3, 1, 3, -1, 10), (2, 3, 2, 3, 1, 10)]
    assert dist.is_initialized() == initialized
    assert dist.get_rank() == 0 and dist.get_world_size() == 1


def test_collectives_of_a_rank_without_others_say_so():
    with ExecutionContext(rank=0, world_size=2):
        dist.init_parallel_env()
        with pytest.raises(RuntimeError, match="this rank is not connected with the others"):
            dist.all_reduce(paddle.ones([2]))


def test_modes_belong_to_the_thread():
    def gradient(enabled):
        with ExecutionContext():
            x = paddle.ones([2])
            x.stop_gradient = False
            with paddle.set_grad_enabled(enabled):
                return (x * 2).stop_gradient

    assert in_threads(lambda: gradient(True), lambda: gradient(False)) == [False, True]


def test_samplers_and_topologies_know_the_rank_of_their_thread():
    def rank(number):
        with ExecutionContext(rank=number, world_size=2):
            sampler = paddle.io.DistributedBatchSampler(list(range(6)), batch_size=3)
            topology = dist.fleet.CommunicateTopology(["data", "pipe", "sharding", "sep", "model"], [2, 1, 1, 1, 1])
            group = dist.fleet.HybridCommunicateGroup(topology)
            return [list(batch) for batch in sampler], group.get_data_parallel_rank()

    assert in_threads(lambda: rank(0), lambda: rank(1)) == [([[0, 1, 2]], 0), ([[3, 4, 5]], 1)]
