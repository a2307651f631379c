# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Jobs of several processes: collectives, data parallelism, what starts the processes, and how they fail."""

import datetime
import os
import subprocess
import sys

import numpy as np
import paddle
import paddle.distributed as dist
import pytest


def same(tensor, expected):
    np.testing.assert_allclose(tensor.astype("float32").numpy(), np.asarray(expected, "float32"), rtol=1e-6)


def full(value, shape=(2,), dtype="float32"):
    return paddle.full(list(shape), value, dtype)


def collectives():
    dist.init_parallel_env()
    rank, size = dist.get_rank(), dist.get_world_size()
    assert size == 3 and dist.get_backend() == "GLOO"
    for dtype in ("float32", "float64", "bfloat16", "float16", "int64", "uint8", "complex64"):
        x = full(rank + 1, dtype=dtype)
        dist.all_reduce(x)
        assert x.dtype.name == dtype
        same(x.real() if dtype == "complex64" else x, [6, 6])
    for op, expected in (("MAX", 4), ("MIN", 2), ("PROD", 24), ("AVG", 3)):
        for n in (3, 9001):  # Small ones go to everybody, others in pieces.
            x = full(rank + 2, (n,))
            dist.all_reduce(x, getattr(dist.ReduceOp, op))
            same(x, [expected] * n)
    x = full(float(rank), ())
    dist.reduce(x, 1)
    same(x, 3 if rank == 1 else rank)
    dist.broadcast(x, 1)
    same(x, 3)
    parts = []
    dist.all_gather(parts, paddle.arange(2 * 3).reshape([2, 3]).t() * rank)
    assert [p.tolist() for p in parts] == [[[0, 3 * r], [r, 4 * r], [2 * r, 5 * r]] for r in range(3)]
    whole = paddle.zeros([6])
    dist.stream.all_gather(whole, full(rank))
    same(whole, [0, 0, 1, 1, 2, 2])
    parts = [] if rank == 2 else None
    dist.gather(full(rank), parts, 2)
    assert rank != 2 or [p.tolist() for p in parts] == [[0, 0], [1, 1], [2, 2]]
    x = paddle.zeros([2])
    dist.scatter(x, [full(7 + r) for r in range(3)] if rank == 0 else None, 0)
    same(x, [7 + rank] * 2)
    dist.reduce_scatter(x, [full(r + 10 * rank) for r in range(3)])
    same(x, [3 * rank + 30] * 2)
    parts = []
    dist.alltoall(parts, [full(10 * rank + r) for r in range(3)])
    assert [p.tolist() for p in parts] == [[10 * r + rank] * 2 for r in range(3)]
    out = paddle.zeros([rank * 3, 1])
    rows = full(rank, (3, 1))
    dist.alltoall_single(out, rows, [0, 1, 2], [rank] * 3)
    same(out, np.repeat(np.arange(3), rank)[:, None])
    point_to_point(rank, size)
    objects(rank)
    parts_of_the_job(rank)
    dist.barrier()
    dist.destroy_process_group()
    assert not dist.is_initialized()


def point_to_point(rank, size):
    # Every process sends before anyone receives, more than the buffers of a connection hold.
    n = 1 << 21
    got = paddle.zeros([n])
    dist.send(full(rank, (n,)), (rank + 1) % size)
    dist.recv(got, (rank - 1) % size)
    assert float(got.mean()) == (rank - 1) % size
    late = paddle.zeros([2])
    tasks = dist.batch_isend_irecv(
        [dist.P2POp(dist.irecv, late, (rank + 1) % size), dist.P2POp(dist.isend, full(rank), (rank - 1) % size)]
    )
    for task in tasks:
        task.wait()
    same(late, [(rank + 1) % size] * 2)
    if rank == 0:
        dist.send_object_list([{"a": 1}], 2)
    if rank == 2:
        found = [None]
        dist.recv_object_list(found, 0)
        assert found == [{"a": 1}]


def objects(rank):
    found = ["kept"]
    dist.all_gather_object(found, {"rank": rank})
    assert found == ["kept", {"rank": 0}, {"rank": 1}, {"rank": 2}]
    shared = [rank, str(rank)]
    dist.broadcast_object_list(shared, 2)
    assert shared == [2, "2"]
    found = []
    dist.scatter_object_list(found, ["a", "b", "c"] if rank == 1 else None, 1)
    assert found == ["abc"[rank]]


def parts_of_the_job(rank):
    outer = dist.new_group([0, 2])
    x = full(rank)
    if rank == 1:
        with pytest.warns(UserWarning, match="not in the group"):
            assert dist.all_reduce(x, group=outer) is None
        assert dist.get_rank(outer) == -1
    else:
        assert (dist.get_rank(outer), dist.get_world_size(outer)) == (rank // 2, 2)
        tasks = [dist.all_reduce(full(rank, (9001,)), group=outer, sync_op=False) for _ in range(4)]
        dist.all_reduce(x, group=outer)  # Behind the others.
        assert all(task.is_completed() for task in tasks)
        same(x, [2, 2])
        with pytest.raises(ValueError, match="ranks"):
            dist.broadcast(x, 1, group=outer)


def test_collectives():
    dist.spawn(collectives, nprocs=3)


def meet(port, folder):
    rank = dist.get_rank()
    dist.gloo_init_parallel_env(rank, 2, f"127.0.0.1:{port}")
    for meeting in range(3):
        with open(f"{folder}/{rank} {meeting}", "w"):
            pass
        dist.gloo_barrier()
        assert os.path.exists(f"{folder}/{1 - rank} {meeting}")
    dist.gloo_barrier()
    dist.gloo_release()


def test_barriers_without_groups(tmp_path):
    dist.spawn(meet, (dist.utils.launch_utils.find_free_ports(1).pop(), str(tmp_path)), nprocs=2)


# -- data parallelism -----------------------------------------------------------------------------
class Two(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.a, self.b = paddle.nn.Linear(3, 2), paddle.nn.Linear(3, 2)

    def forward(self, x, first):
        return self.a(x) if first else self.b(x)


BATCH = np.random.default_rng(0).standard_normal((8, 3)).astype("float32")


def network():
    paddle.seed(5)
    return paddle.nn.Sequential(paddle.nn.Linear(3, 16), paddle.nn.Tanh(), paddle.nn.Linear(16, 1))


def train(net, rows, steps=4):
    optimizer = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    for _ in range(steps):
        ((net(paddle.to_tensor(rows)) - paddle.to_tensor(rows).sum(-1, keepdim=True)) ** 2).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    return net


def data_parallel(path):
    dist.init_parallel_env()
    rank = dist.get_rank()
    net = (
        network() if rank == 0 else paddle.nn.Sequential(*[type(p)(*s) for p, s in zip(network(), SIZES, strict=True)])
    )
    wrapped = paddle.DataParallel(net, comm_buffer_size=1)
    train(wrapped, BATCH[rank::2])
    paddle.save(wrapped.state_dict(), f"{path}/{rank}.pdparams")
    accumulated_and_unused(rank)


SIZES = [(3, 16), (), (16, 1)]


def accumulated_and_unused(rank):
    # PaddlePaddle 3.3.1 gives the same numbers.
    net = paddle.DataParallel(paddle.nn.Linear(3, 2))
    x = full(rank + 1, (4, 3))
    net(x).sum().backward()
    same(net.parameters()[0].grad, np.full((3, 2), 6))
    with net.no_sync():
        net(x).sum().backward()
    same(net.parameters()[0].grad, np.full((3, 2), 14 if rank else 10))
    net(x).sum().backward()
    same(net.parameters()[0].grad, np.full((3, 2), 18))
    two = paddle.DataParallel(Two(), find_unused_parameters=True)
    two(x, rank == 0).sum().backward()
    same(two._layers.a.weight.grad, np.full((3, 2), 2))
    same(two._layers.b.weight.grad, np.full((3, 2), 4))
    two.clear_gradients()
    two(x, True).sum().backward()
    same(two._layers.a.weight.grad, np.full((3, 2), 6))


def test_data_parallel_training_is_training_on_the_whole_batch(tmp_path):
    dist.spawn(data_parallel, (str(tmp_path),), nprocs=2)
    expected = train(network(), BATCH).state_dict()
    for rank in range(2):
        state = paddle.load(f"{tmp_path}/{rank}.pdparams")
        for name, value in expected.items():
            np.testing.assert_allclose(state[name].numpy(), value.numpy(), rtol=2e-4, atol=1e-5)


# -- failures -------------------------------------------------------------------------------------
def disagreements():
    dist.init_parallel_env()
    rank = dist.get_rank()
    with pytest.raises(RuntimeError, match=r"rank 0 calls all_reduce SUM of float32 .2., rank 1 .* of float32 .3."):
        dist.all_reduce(paddle.ones([2 + rank]))
    with pytest.raises(RuntimeError, match="rank 0 calls all_reduce SUM .*rank 1 calls all_reduce MAX"):
        dist.all_reduce(paddle.ones([2]), dist.ReduceOp.MAX if rank else dist.ReduceOp.SUM)
    if rank == 0:
        dist.send(paddle.ones([2, 3]), 1)
        dist.send(paddle.ones([4], "bfloat16"), 1)
    else:
        with pytest.raises(RuntimeError, match=r"recv: rank 0 sent float32 .2, 3. where int64 .2. is expected"):
            dist.recv(paddle.zeros([2], "int64"), 0)
        with pytest.raises(RuntimeError, match=r"recv: rank 0 sent bfloat16 .4. where an object is expected"):
            dist.recv_object_list([], 0)
    with pytest.raises(ValueError, match="entries"):
        dist.alltoall([], [paddle.ones([2])])
    with pytest.raises(ValueError, match="no peer"):
        dist.send(paddle.ones([2]), rank)
    slow = dist.new_group([0, 1], timeout=datetime.timedelta(seconds=0.2))
    if rank == 0:
        with pytest.raises(RuntimeError, match="rank 1 does not answer within 0.2 s"):
            dist.all_reduce(paddle.ones([2]), group=slow)
        with pytest.raises(RuntimeError, match="recv: rank 1 sent nothing within 0.2 s"):
            dist.recv(paddle.ones([2]), 1, group=slow)
        with pytest.raises(RuntimeError, match="the group was given up before"):
            dist.barrier(slow)
    dist.barrier()
    if rank == 1:  # What rank 0 began is there, and nothing after it.
        dist.all_reduce(paddle.ones([2]), group=slow)
        with pytest.raises(RuntimeError, match="rank 0 has given the group up"):
            dist.all_reduce(paddle.ones([2]), group=slow)
    dist.barrier()
    if rank == 1:
        sys.exit(0)
    with pytest.raises(RuntimeError, match="recv: rank 1 (left the job|is gone)"):
        dist.recv(paddle.ones([2]), 1)
    with pytest.raises(RuntimeError, match="barrier.*rank 1 (left the job|is gone)"):
        dist.barrier()


def test_members_that_disagree_or_leave():
    dist.spawn(disagreements, nprocs=2)


def rows_of_experts():
    # The example of PaddlePaddle's documentation, for two experts in each of two processes.
    dist.init_parallel_env()
    rank = dist.get_rank()
    x = paddle.to_tensor([[1.0, 2], [3, 4], [5, 6], [7, 8], [9, 10]], stop_gradient=False)
    local, here = ([2, 1, 1, 1], [2, 1, 1, 1]) if rank == 0 else ([1, 1, 2, 1], [1, 1, 2, 1])
    counts = paddle.to_tensor(local), paddle.to_tensor(here)
    out = dist.utils.moe_utils.global_scatter(x, *counts)
    expected = [[1, 2], [3, 4], [1, 2], [5, 6], [3, 4]] if rank == 0 else [[7, 8], [5, 6], [7, 8], [9, 10], [9, 10]]
    same(out, expected)
    back = dist.utils.moe_utils.global_gather(out * (rank + 1), *counts)
    owner = np.array([1, 1, 1, 2, 2] if rank == 0 else [1, 1, 2, 2, 2])[:, None]
    same(back, x.numpy() * owner)
    back.sum().backward()
    same(x.grad, np.broadcast_to(owner, (5, 2)))
    return rank


def test_rows_go_to_experts_and_back():
    with pytest.raises(ValueError, match="sum up"):
        dist.init_parallel_env()
        dist.utils.moe_utils.global_scatter(full(1, (3, 2)), paddle.to_tensor([1, 1]), paddle.to_tensor([1, 1]))
    started = dist.spawn(rows_of_experts, gpus="0,1")
    assert [queue.get() for queue in started.return_queues] == [0, 1]


def failing():
    dist.init_parallel_env()
    if dist.get_rank() == 1:
        raise KeyError("what went wrong")
    dist.barrier()


def test_the_first_failure_is_told():
    with pytest.raises(RuntimeError, match=r"(?s)process 1 ended.*KeyError: 'what went wrong'"):
        dist.spawn(failing, nprocs=2)
    with pytest.raises(ValueError, match="nprocs"):
        dist.spawn(failing, nprocs=0)
    with pytest.raises(ValueError, match="nccl"):
        dist.spawn(failing, nprocs=2, backend="nccl")


# -- launcher -------------------------------------------------------------------------------------
SCRIPT = """
import paddle, paddle.distributed as dist
dist.init_parallel_env()
x = paddle.ones([1]) * (dist.get_rank() + 1)
dist.all_reduce(x)
print("sum", x.item(), "rank", dist.get_rank(), "of", dist.get_world_size(), flush=True)
"""


def launcher(folder, *arguments, script=SCRIPT):
    (folder / "script.py").write_text(script)
    root = os.path.dirname(os.path.dirname(paddle.__file__))
    return subprocess.Popen(
        [sys.executable, "-m", "paddle.distributed.launch", *arguments, "script.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    )


@pytest.mark.parametrize("options", [["--nproc_per_node", "2"], ["--gpus", "0,1"]])
def test_scripts_run_in_several_processes(options, tmp_path):
    with launcher(tmp_path, *options) as process:
        assert process.communicate(timeout=120)[0] == "sum 3.0 rank 0 of 2\n" and process.returncode == 0
    assert (tmp_path / "log" / "workerlog.1").read_text() == "sum 3.0 rank 1 of 2\n"


def test_the_launcher_shows_what_the_process_wrote_that_failed(tmp_path):
    fails = (
        "import os, time\nif os.environ['PADDLE_TRAINER_ID'] == '1':\n    raise ValueError('bad row 7')\ntime.sleep(60)"
    )
    with launcher(tmp_path, "--nproc_per_node", "2", script=fails) as process:
        said = process.communicate(timeout=120)[1]
    assert process.returncode == 1
    assert "launch: rank 1 ended with status 1; its output is in log/workerlog.1." in said
    assert said.endswith("  ValueError: bad row 7\n")


def test_machines_find_one_another(tmp_path):
    master = f"127.0.0.1:{dist.utils.launch_utils.find_free_ports(1).pop()}"
    for name in "ab":
        (tmp_path / name).mkdir()
    started = [
        launcher(tmp_path / name, "--nnodes", "2", "--rank", str(rank), "--master", master, "--nproc_per_node", "1")
        for rank, name in enumerate("ab")
    ]
    said = [process.communicate(timeout=120)[0] for process in started]
    assert said == ["sum 3.0 rank 0 of 2\n", "sum 3.0 rank 1 of 2\n"]
