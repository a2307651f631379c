# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Collectives of the core between processes: results to the bit, calls that do not fit, peers that go away."""

import functools
import multiprocessing
import os
import re
import signal
import sys
import threading
import time

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle import _core
from paddle.distributed.transport import job
from paddle.distributed.transport.store import TCPStore

SUM, MAX, MIN, PROD, AVG, ANY, ALL = range(7)
SMALL, LARGE = 5, 700_001  # Elements: with the label of the call, and in several blocks of uneven chunks.


def run(name, inputs, outputs, ranks=None, **options):
    ranks = list(range(dist.get_world_size())) if ranks is None else ranks
    _core.process_group_call(name, ranks, inputs, outputs, **options)
    return outputs


def values(rank, n, dtype="float32"):
    """Numbers of all magnitudes, whose sum depends on the order."""
    generator = np.random.default_rng(rank)
    x = generator.standard_normal(n) * 2.0 ** generator.integers(-12, 12, n)
    if dtype in ("int32", "int64", "uint8"):
        return paddle.to_tensor(generator.integers(0, 7, n).astype(dtype))
    return paddle.to_tensor(x.astype("float32")).astype(dtype)


def in_order(parts, function):
    return functools.reduce(function, parts)


def bits(tensor):
    return tensor.numpy().tobytes()


def wide(tensor):
    return tensor.astype("float32") if tensor.dtype in (paddle.float16, paddle.bfloat16) else tensor


def expected_sum(parts, mean=False):
    total = in_order([wide(p) for p in parts], lambda a, b: a + b)
    return (total / len(parts) if mean else total).astype(parts[0].dtype)


# -- values -----------------------------------------------------------------------------------------
def reductions(size):
    dist.init_parallel_env()
    rank = dist.get_rank()
    for n in (SMALL, LARGE):
        for dtype in ("float32", "float64", "float16", "bfloat16", "int64", "uint8"):
            parts = [values(r, n, dtype) for r in range(size)]
            (out,) = run("all_reduce", [parts[rank]], [paddle.empty([n], dtype)])
            assert bits(out) == bits(expected_sum(parts)), (dtype, n)
        parts = [values(r, n) for r in range(size)]
        for kind, function in ((MAX, paddle.maximum), (MIN, paddle.minimum), (PROD, lambda a, b: a * b)):
            (out,) = run("all_reduce", [parts[rank]], [paddle.empty([n])], kind=kind)
            assert bits(out) == bits(in_order(parts, function)), (kind, n)
        (out,) = run("all_reduce", [parts[rank]], [paddle.empty([n])], kind=AVG)
        assert bits(out) == bits(expected_sum(parts, mean=True))
        own = parts[rank].clone()
        run("all_reduce", [own], [own])  # into its own memory
        assert bits(own) == bits(expected_sum(parts))
        flags = [values(r, n) > 0.5 for r in range(size)]
        for kind, function in ((ANY, paddle.logical_or), (ALL, paddle.logical_and)):
            (out,) = run("all_reduce", [flags[rank]], [paddle.empty([n], "bool")], kind=kind)
            assert bits(out) == bits(in_order(flags, function))
    one_sum_in_sixteen_bits(rank, size)
    nothing = paddle.empty([0, 3])
    run("all_reduce", [nothing], [nothing])
    return rank


def one_sum_in_sixteen_bits(rank, size):
    # 2048 + 1 is 2048 in float16 and 256 + 1 is 256 in bfloat16, so a sum that is rounded on the way loses every one.
    for dtype, large in (("float16", 2048.0), ("bfloat16", 256.0)):
        for n in (SMALL, LARGE):
            x = paddle.full([n], large if rank == 0 else 1.0, dtype)
            (out,) = run("all_reduce", [x], [paddle.empty([n], dtype)])
            exact = paddle.to_tensor(large + size - 1).astype(dtype)
            assert bits(out) == bits(exact.expand([n])) and (size < 3 or float(exact) > large)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_reductions_are_those_in_the_order_of_ranks_to_the_bit(size):
    started = dist.spawn(reductions, (size,), nprocs=size)
    assert [queue.get() for queue in started.return_queues] == list(range(size))


def exchanges():
    dist.init_parallel_env()
    rank, size = dist.get_rank(), dist.get_world_size()
    for unit in (1, 40_000):  # The first go with labels, of the others only some.
        whole = [values(r, r * unit) for r in range(size)]  # Rank 0 has nothing.
        outs = run("all_gather", [whole[rank]], [paddle.empty([r * unit]) for r in range(size)])
        assert [bits(o) for o in outs] == [bits(w) for w in whole]
        sent = {(a, b): values(10 * a + b, (a + 2 * b) * unit) for a in range(size) for b in range(size)}
        outs = run(
            "all_to_all",
            [sent[rank, b] for b in range(size)],
            [paddle.empty([(a + 2 * rank) * unit]) for a in range(size)],
        )
        assert [bits(o) for o in outs] == [bits(sent[a, rank]) for a in range(size)]
        for kind in (SUM, AVG):
            (out,) = run(
                "reduce_scatter",
                [sent[b, 0][: b * unit] * (rank + 1) for b in range(size)],
                [paddle.empty([rank * unit])],
                kind=kind,
            )
            parts = [sent[rank, 0][: rank * unit] * (r + 1) for r in range(size)]
            assert bits(out) == bits(expected_sum(parts, mean=kind == AVG))
        for root in range(size):
            x = values(root, 7 * unit) if rank == root else paddle.zeros([7 * unit])
            run("broadcast", [], [x], root=root)
            assert bits(x) == bits(values(root, 7 * unit))
    # A strided input is copied, a strided output is refused.
    square = paddle.arange(9, dtype="float32").reshape([3, 3])
    (out,) = run("all_reduce", [square.t()], [paddle.empty([3, 3])])
    assert bits(out) == bits(square.t().contiguous() * size)
    with pytest.raises(ValueError, match="all_reduce: out of shape .3, 3. is not contiguous"):
        run("all_reduce", [square], [square.t()])
    some_ranks(rank, size)
    run("barrier", [], [])


def some_ranks(rank, size):
    for ranks in ([0, 2], [2, 0], [1], [2, 1]):
        if rank not in ranks:
            continue
        (out,) = run("all_gather", [values(rank, 3)], [paddle.empty([3]) for _ in ranks], ranks)[:1]
        assert bits(out) == bits(values(ranks[0], 3))
        x = values(rank, LARGE)
        run("all_reduce", [x], [x], ranks)
        assert bits(x) == bits(expected_sum([values(r, LARGE) for r in ranks]))
    for ranks in ([0, 0, rank], [rank, size], [(rank + 1) % size], []):
        with pytest.raises(ValueError, match=re.escape(f"A group of ranks {ranks} cannot be made on rank {rank} of")):
            run("barrier", [], [], ranks)


def test_exchanges_of_uneven_parts():
    dist.spawn(exchanges, nprocs=3)


def counts_bytes():
    dist.init_parallel_env()
    rank, size = dist.get_rank(), dist.get_world_size()
    ranks = list(range(size))

    def sent(name, inputs, outputs, **options):
        before = _core.process_group_bytes_sent(ranks)
        run(name, inputs, outputs, **options)
        return _core.process_group_bytes_sent(ranks) - before

    n = 3 * (1 << 18)
    x, parts = paddle.ones([n]), [paddle.ones([n // 3]) for _ in range(3)]
    assert sent("all_reduce", [x], [x]) == 2 * (size - 1) * 4 * n // size
    assert sent("all_gather", [x], [paddle.empty([n]) for _ in ranks]) == (size - 1) * 4 * n
    assert sent("reduce_scatter", parts, [paddle.empty([n // 3])]) == (size - 1) * 4 * n // size
    assert sent("all_to_all", parts, [paddle.empty([n // 3]) for _ in ranks]) == (size - 1) * 4 * n // size
    assert sent("broadcast", [], [x], root=1) == ((size - 1) * 4 * n if rank == 1 else 0)
    assert sent("all_reduce", [x[:2]], [paddle.empty([2])]) == (size - 1) * 8
    half = x.astype("bfloat16")
    assert sent("all_reduce", [half], [half]) == 2 * (size - 1) * 2 * n // size  # as 16 bits
    assert sent("barrier", [], []) == 0


def test_what_is_sent_is_counted():
    dist.spawn(counts_bytes, nprocs=3)


# -- calls that do not belong together --------------------------------------------------------------
def mismatched():
    dist.init_parallel_env()
    rank, size = dist.get_rank(), dist.get_world_size()

    def x(*shape, dtype="float32"):
        return paddle.ones(list(shape), dtype)

    def differ(mine, others, expected):
        """Rank 2 calls something else than the others; all hear of both calls, and the group stays usable."""
        name, inputs, outputs, options = mine if rank == 2 else others
        with pytest.raises(RuntimeError) as caught:
            run(name, inputs, outputs, **options)
        said = str(caught.value)
        assert said.startswith(name) and "do not belong together" in said
        for text in expected:
            assert text in said, said
        (out,) = run("all_reduce", [x(3)], [x(3)])
        assert out.tolist() == [size] * 3

    def reduce(shape, dtype="float32", **options):
        return "all_reduce", [x(*shape, dtype=dtype)], [x(*shape, dtype=dtype)], options

    differ(
        reduce((2, 4)),
        reduce((2, 3)),
        ["rank 0 calls all_reduce SUM of float32 [2, 3]", "rank 2 calls all_reduce SUM of float32 [2, 4]"],
    )
    differ(reduce((2, 3), kind=MAX), reduce((2, 3)), ["rank 0 calls all_reduce SUM", "rank 2 calls all_reduce MAX"])
    differ(reduce((4,), "int64"), reduce((4,)), ["of float32 [4]", "rank 2 calls all_reduce SUM of int64 [4]"])
    differ(
        ("broadcast", [], [x(5)], {"root": 1}),
        ("barrier", [], [], {}),
        ["rank 0 calls barrier", "rank 2 calls broadcast of float32 [5] from rank 1"],
    )
    differ(  # Larger than what goes with the labels: nobody waits for data.
        ("broadcast", [], [x(LARGE)], {"root": 0}),
        reduce((LARGE,)),
        [f"rank 0 calls all_reduce SUM of float32 [{LARGE}]", f"rank 2 calls broadcast of float32 [{LARGE}]"],
    )
    gather = [x(2) for _ in range(size)]
    differ(
        ("all_gather", [x(4)], [x(2), x(2), x(4)], {}),
        ("all_gather", [x(2)], gather, {}),
        ["rank 2 gives [4] and rank 0 expects [2] of it"],
    )
    parts = [x(1 + r) for r in range(size)]
    differ(
        ("all_to_all", parts, [x(2) for _ in range(size)], {}),
        ("all_to_all", parts, [x(1 + rank) for _ in range(size)], {}),
        ["all_to_all of float32 [1], [2], [3] into", "rank 0 gives [3] and rank 2 expects [2] of it"],
    )
    refused(rank, size, x)


def refused(rank, size, x):
    """One member's arguments are wrong: it hears so, and the others who it was."""
    error = ValueError if rank == 1 else RuntimeError
    with pytest.raises(error, match=r"all_gather: outs has 2 entries; it must have one for each of the 3 members"):
        run("all_gather", [x(2)], [x(2) for _ in range(2 if rank == 1 else size)])
    with pytest.raises(TypeError, match="all_reduce: x: tensors of dtype int64 have no reduction AVG"):
        run("all_reduce", [x(2, dtype="int64")], [x(2, dtype="int64")], kind=AVG)
    with pytest.raises(ValueError, match="root has value 3; it must be the index of one of the 3 members"):
        run("broadcast", [], [x(2)], root=3)
    with pytest.raises(ValueError, match=r"out is float32 of 3 elements; the result is float32 of 2"):
        run("all_reduce", [x(2)], [x(3)])
    with pytest.raises(ValueError, match=r"there is no collective twirl"):
        run("twirl", [x(2)], [x(3)])
    whole = x(6)
    with pytest.raises(ValueError, match=r"outs.0. overlaps with parts.0."):
        run("all_to_all", [whole[:2] for _ in range(3)], [whole[1:3] for _ in range(3)])
    (out,) = run("all_reduce", [x(1)], [x(1)])
    assert out.item() == size


def test_calls_that_do_not_belong_together_are_an_error_everywhere():
    dist.spawn(mismatched, nprocs=3)


# -- peers that go away -----------------------------------------------------------------------------
def killed(path):
    dist.init_parallel_env()
    rank = dist.get_rank()
    run("barrier", [], [])
    if rank == 2:
        with open(f"{path}/killed", "w") as file:
            file.write(repr(time.time()))
        os.kill(os.getpid(), signal.SIGKILL)
    x = paddle.ones([1 << 22])
    with pytest.raises(RuntimeError) as caught:
        for _ in range(1000):
            run("all_reduce", [x], [x])
    with open(f"{path}/killed") as file:
        taken = time.time() - float(file.read())
    said = str(caught.value)
    assert said.startswith("all_reduce SUM of float32 [4194304] among ranks [0, 1, 2]: rank "), said
    assert "rank 2 is gone" in said, said
    assert taken < 5, taken
    with pytest.raises(RuntimeError, match="barrier among ranks .*rank 2 is gone"):
        run("barrier", [], [])
    with open(f"{path}/told {rank}", "w"):
        pass


def test_a_killed_peer_is_an_error_at_once(tmp_path):
    with pytest.raises(RuntimeError, match="process 2 ended by signal SIGKILL"):
        started = dist.spawn(killed, (str(tmp_path),), nprocs=3, join=False)
        for process in started.processes:
            process.join(60)
        assert (tmp_path / "told 0").exists() and (tmp_path / "told 1").exists()
        started.join()


def direct(rank, size, port, timeout, times, function, args):
    """A rank with a time limit of its own, connected by the core alone, and more than once."""
    store = TCPStore("127.0.0.1", port, False, size, 30)
    for time_ in range(times):

        def put(key, value, time_=time_):
            store.set(f"{time_}/{key}", value)

        def get(key, time_=time_):
            return store.get(f"{time_}/{key}")

        _core.connect_processes(rank, size, put, get, timeout, "127.0.0.1")
        try:
            function(rank, size, *args)
        finally:
            _core.disconnect_processes()
    store.close()


def with_limit(timeout, size, function, *args, times=1):
    server = TCPStore("127.0.0.1", 0, True, size, 60)
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=direct, args=(rank, size, server.port, timeout, times, function, args))
        for rank in range(size)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    server.close()
    assert [process.exitcode for process in processes] == [0] * size


def slow(rank, size):
    ranks, x = list(range(size)), paddle.ones([3])
    _core.process_group_call("barrier", ranks, [], [])
    if rank == 1:
        time.sleep(3)
    begin = time.monotonic()
    with pytest.raises(RuntimeError) as caught:
        _core.process_group_call("all_reduce", ranks, [x], [x])
    said, taken = str(caught.value), time.monotonic() - begin
    assert "all_reduce SUM of float32 [3] among ranks [0, 1, 2]" in said
    if rank == 1:
        assert re.search("rank [02] gave the job up", said) and taken < 0.5, said
    else:
        assert "rank 1 does not answer within 1 s" in said and taken < 2.5, said


def test_a_peer_that_does_not_come_within_the_time_limit():
    with_limit(1.0, 3, slow)


def leaves(rank, size):
    x = paddle.full([LARGE], rank + 1.0)
    _core.process_group_call("all_reduce", [0, 1], [x], [x])
    if rank == 0:  # What was called together is complete; the next call fails.
        assert x[-1].item() == 3
        _core.process_group_call("barrier", [0], [], [])
        with pytest.raises(RuntimeError, match=r"barrier among ranks \[0, 1\]: rank 1 left the job"):
            _core.process_group_call("barrier", [0, 1], [], [])


def test_a_peer_that_left():
    with_limit(20.0, 2, leaves, times=8)


def test_a_process_that_never_comes():
    server = TCPStore("127.0.0.1", 0, True, 2, 0.3)
    with pytest.raises(RuntimeError, match="key 'address/1' was not set within 0.3 s"):
        _core.connect_processes(0, 2, server.set, server.get, 0.3, "127.0.0.1")
    server.close()
    with pytest.raises(ValueError, match="rank 2 of 2 processes"):
        _core.connect_processes(2, 2, None, None, 1.0, "127.0.0.1")
    with pytest.raises(RuntimeError, match="the address 203.0.113.7 of this process is no network interface here"):
        _core.connect_processes(0, 2, None, None, 1.0, "203.0.113.7")
    with pytest.raises(RuntimeError, match="this process is not connected with others"):
        _core.process_group_call("barrier", [0, 1], [], [])


def test_a_network_interface_by_name(monkeypatch):
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "none0")
    with pytest.raises(RuntimeError, match="GLOO_SOCKET_IFNAME is none0, which cannot be used"):
        _core.connect_processes(0, 1, None, None, 1.0, "127.0.0.1")
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", "lo")
    stored = {}
    _core.connect_processes(0, 1, stored.__setitem__, stored.__getitem__, 1.0, "203.0.113.7")
    x = paddle.ones([2])
    _core.process_group_call("all_reduce", [0], [x], [x])
    with pytest.raises(RuntimeError, match="in a job already"):
        _core.connect_processes(0, 1, None, None, 1.0, "127.0.0.1")
    _core.disconnect_processes()
    assert x.tolist() == [1, 1]


# -- threads and forks ------------------------------------------------------------------------------
def threads():
    """Groups of one process are used by several threads at once."""
    dist.init_parallel_env()
    rank = dist.get_rank()
    failures = []

    def work(ranks, n):
        try:
            for _ in range(50):
                x = values(rank, n)
                run("all_reduce", [x], [x], ranks)
                assert bits(x) == bits(expected_sum([values(r, n) for r in ranks]))
        except BaseException as error:
            failures.append(error)

    started = [threading.Thread(target=work, args=args) for args in (([0, 1], 3), ([1, 0], 100_000))]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    assert not failures, failures


def test_groups_on_several_threads():
    dist.spawn(threads, nprocs=2)


def forks():
    dist.init_parallel_env()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            run("barrier", [], [])
        except RuntimeError as error:
            status = 0 if f"forked from rank {dist.get_rank()} of a job" in str(error) else 2
        job.disconnect()
        os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    run("barrier", [], [])


def test_a_forked_child_leaves_the_connections_to_its_parent():
    dist.spawn(forks, nprocs=2)


def killed_with_children():
    dist.init_parallel_env()
    run("barrier", [], [])
    if dist.get_rank() == 1:
        if os.fork() == 0:
            time.sleep(8)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)
    begin = time.monotonic()
    with pytest.raises(RuntimeError, match="rank 1 is gone"):
        run("barrier", [], [])
    assert time.monotonic() - begin < 4
    sys.exit(7)


def test_children_of_a_killed_peer_do_not_keep_its_connections_open():
    started = dist.spawn(killed_with_children, nprocs=2, join=False)
    for process in started.processes:
        process.join(60)
    assert [process.exitcode for process in started.processes] == [7, -signal.SIGKILL]
