# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Public collectives of ranks that are threads of one process, against NumPy, and models that use them."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import ReduceOp

SIZE = 3
FLOATS = ("float32", "float64", "float16", "bfloat16")
DTYPES = (*FLOATS, "int64", "uint8", "complex64")


def simulated(function, *args, size=SIZE):
    def rank():
        dist.init_parallel_env()
        return function(dist.get_rank(), *args)

    return dist.simulate(size, rank)


def values(rank, shape=(4, 3), dtype="float32"):
    """Small numbers, exact in every dtype."""
    array = np.random.default_rng(rank).integers(1, 5, shape).astype("float32")
    return paddle.to_tensor(array).astype(dtype)


def array(tensor):
    return tensor.numpy() if tensor.dtype.name.startswith("complex") else tensor.astype("float64").numpy()


def every(shape=(4, 3), dtype="float32"):
    return [array(values(r, shape, dtype)) for r in range(SIZE)]


def same(tensor, expected, dtype=None):
    assert dtype is None or tensor.dtype.name == dtype
    np.testing.assert_array_equal(array(tensor), expected)


# -- reductions -------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", DTYPES)
def test_all_reduce(dtype):
    kinds = {ReduceOp.SUM: sum, ReduceOp.PROD: lambda all_: all_[0] * all_[1] * all_[2]}
    if dtype != "complex64":
        kinds[ReduceOp.MAX] = lambda all_: np.max(all_, 0)
        kinds[ReduceOp.MIN] = lambda all_: np.min(all_, 0)
    if dtype in ("int64", "uint8"):
        kinds[ReduceOp.AVG] = lambda all_: sum(all_) // SIZE

    def work(rank):
        for op, expected in kinds.items():
            x = values(rank, dtype=dtype)
            assert dist.all_reduce(x, op).is_completed()
            same(x, expected(every(dtype=dtype)), dtype)
        if dtype in FLOATS:
            x = values(rank, dtype=dtype) * 3
            dist.all_reduce(x, ReduceOp.AVG)
            same(x, sum(every(dtype=dtype)), dtype)
        # A view of other memory is written too.
        whole = paddle.concat([values(rank, dtype=dtype)] * 2, 1)
        dist.all_reduce(whole[:, :3])
        assert np.array_equal(array(whole)[:, :3], sum(every(dtype=dtype)))
        assert np.array_equal(array(whole)[:, 3:], every(dtype=dtype)[rank])

    simulated(work)


def test_sixteen_bits_are_summed_in_float32():
    def work(rank):
        x = paddle.full([2], [256.0, 1.0, 1.0][rank], "bfloat16")
        dist.all_reduce(x)  # One after the other in bfloat16, the ones are lost.
        same(x, [258, 258], "bfloat16")

    simulated(work)


def test_reduce_and_reduce_scatter():
    def work(rank):
        for root in range(SIZE):
            x = values(rank)
            dist.reduce(x, root)
            same(x, sum(every()) if rank == root else every()[rank])
        out, parts = paddle.zeros([4, 3]), [values(10 * rank + r) for r in range(SIZE)]
        expected = sum(array(values(10 * r + rank)) for r in range(SIZE))
        dist.reduce_scatter(out, parts)
        same(out, expected)
        dist.reduce_scatter(out.zero_(), paddle.concat(parts, 0))
        same(out, expected)
        dist.stream.reduce_scatter(out.zero_(), paddle.concat(parts, 0))
        same(out, expected)
        rows = paddle.concat(parts, 0)  # The result is a part of what is sent.
        dist.reduce_scatter(rows[:4], rows)
        same(rows[:4], expected)

    simulated(work)


# -- exchanges --------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", DTYPES)
def test_gathering_and_scattering(dtype):
    def work(rank):
        all_ = every(dtype=dtype)
        found = []
        dist.all_gather(found, values(rank, dtype=dtype))
        for part, expected in zip(found, all_, strict=True):
            same(part, expected, dtype)
        found = [paddle.zeros([4, 3], dtype) for _ in range(SIZE)]
        dist.all_gather(found, values(rank, dtype=dtype))
        for part, expected in zip(found, all_, strict=True):
            same(part, expected, dtype)
        whole = paddle.zeros([12, 3], dtype)
        dist.stream.all_gather(whole, values(rank, dtype=dtype))
        same(whole, np.concatenate(all_), dtype)
        x = values(rank, dtype=dtype)
        dist.broadcast(x, 1)
        same(x, all_[1], dtype)
        found = [] if rank == 2 else None
        dist.gather(values(rank, dtype=dtype), found, 2)
        if rank == 2:
            for part, expected in zip(found, all_, strict=True):
                same(part, expected, dtype)
        parts = [values(5 + r, dtype=dtype) for r in range(SIZE)] if rank == 1 else None
        dist.scatter(x, parts, 1)
        same(x, array(values(5 + rank, dtype=dtype)), dtype)

    simulated(work)


def test_all_to_all():
    def work(rank):
        found, sent = [], [values(10 * rank + r, (2, 1 + r)) for r in range(SIZE)]
        outs = [paddle.zeros([2, 1 + rank]) for _ in range(SIZE)]
        dist.alltoall(outs, sent)
        dist.alltoall(found, [values(10 * rank + r) for r in range(SIZE)])
        for r in range(SIZE):
            same(outs[r], array(values(10 * r + rank, (2, 1 + rank))))
            same(found[r], array(values(10 * r + rank)))
        rows = values(rank, (6, 2))
        out = paddle.zeros([6, 2])
        dist.alltoall_single(out, rows)
        same(out, np.concatenate([array(values(r, (6, 2)))[2 * rank : 2 * rank + 2] for r in range(SIZE)]))
        given, taken = [1, 2, 3], [rank + 1] * SIZE
        out = paddle.zeros([sum(taken), 2])
        dist.alltoall_single(out, rows, given, taken)
        first = sum(given[:rank])
        same(out, np.concatenate([array(values(r, (6, 2)))[first : first + rank + 1] for r in range(SIZE)]))

    simulated(work)


def test_messages():
    def work(rank):
        following, before = (rank + 1) % SIZE, (rank - 1) % SIZE
        for dtype in DTYPES:  # Everybody sends before anybody receives.
            dist.send(values(rank, dtype=dtype), following)
        for dtype in DTYPES:
            got = paddle.zeros([4, 3], dtype)
            dist.recv(got, before)
            same(got, array(values(before, dtype=dtype)), dtype)
        # Receipts that are waited for in another order than that of the messages.
        got = [paddle.zeros([2]) for _ in range(2)]
        tasks = [dist.irecv(one, before) for one in got]
        for k in range(2):
            dist.isend(paddle.full([2], 10.0 * rank + k), following)
        tasks[1].wait()
        tasks[0].wait()
        assert [one.tolist() for one in got] == [[10.0 * before + k] * 2 for k in range(2)]
        late = paddle.zeros([2])
        operations = [dist.P2POp(dist.irecv, late, following), dist.P2POp(dist.isend, paddle.ones([2]) * rank, before)]
        for task in dist.batch_isend_irecv(operations):
            task.wait()
        same(late, [following] * 2)
        if rank == 0:
            dist.send_object_list([{"a": (1, None)}, "b"], 2)
        elif rank == 2:
            found = []
            dist.recv_object_list(found, 0)
            assert found == [{"a": (1, None)}, "b"]

    simulated(work)


def test_objects():
    def work(rank):
        found = ["kept"]
        dist.all_gather_object(found, {"rank": "r" * 1000 * rank})
        assert found == ["kept", *({"rank": "r" * 1000 * r} for r in range(SIZE))]
        shared = [rank, str(rank)]
        dist.broadcast_object_list(shared, 2)
        assert shared == [2, "2"]
        found = []
        dist.scatter_object_list(found, ["a", None, {3}] if rank == 1 else None, 1)
        assert found == [["a", None, {3}][rank]]

    simulated(work)


def test_groups_and_tasks():
    def work(rank):
        outer, again = dist.new_group([0, 2]), dist.new_group([0, 2])
        if rank == 1:
            with pytest.warns(UserWarning, match="not in the group"):
                assert dist.all_reduce(values(rank), group=outer) is None
        else:
            # Two groups of the same ranks, called in another order.
            first, second = (outer, again) if rank == 0 else (again, outer)
            x = {group.id: paddle.full([3], group.id + rank, "int64") for group in (outer, again)}
            tasks = [dist.all_reduce(x[group.id], group=group, sync_op=False) for group in (first, second)]
            for task in tasks:
                task.wait()
            assert all(task.is_completed() for task in tasks)
            for group in (outer, again):
                assert x[group.id].tolist() == [2 * group.id + 2] * 3
            tasks = [dist.all_reduce(paddle.ones([2]), group=outer, sync_op=False) for _ in range(4)]
            dist.barrier(outer)  # Behind the others.
            assert all(task.is_completed() for task in tasks)
        # What was started goes on while this rank waits for a message.
        x = values(rank)
        if rank == 0:
            task = dist.all_reduce(x, sync_op=False)
            dist.send(paddle.ones([1]), 1)
        else:
            if rank == 1:
                dist.recv(paddle.zeros([1]), 0)
            task = dist.all_reduce(x, sync_op=False)
        task.wait()
        same(x, sum(every()))
        dist.barrier()

    simulated(work)


# -- failures ---------------------------------------------------------------------------------------
def test_ranks_that_wait_for_each_other():
    def receives(rank):
        dist.recv(paddle.zeros([1]), (rank + 1) % SIZE)

    with pytest.raises(
        RuntimeError, match=r"deadlock.*Rank 0 waits in recv for rank 1.*Rank 2 waits in recv for rank 0"
    ):
        simulated(receives)

    def waits_for_a_task(rank):
        task = dist.all_reduce(paddle.ones([2]), sync_op=False) if rank else None
        dist.recv(paddle.zeros([1]), 2) if rank == 0 else task.wait()

    with pytest.raises(
        RuntimeError, match=r"deadlock.*Rank 0 waits in recv for rank 2.*Rank 1 waits in all_reduce SUM"
    ):
        simulated(waits_for_a_task)

    def another(rank):
        dist.barrier() if rank == 1 else dist.all_reduce(paddle.ones([2]))

    with pytest.raises(
        RuntimeError, match=r"different collectives: rank 0 all_reduce SUM of float32 \[2\].*rank 1 barrier"
    ):
        simulated(another)

    def fails(rank):
        if rank == 1:
            raise KeyError("what went wrong")
        dist.barrier()

    with pytest.raises(KeyError, match="what went wrong"):
        simulated(fails)

    def shapes(rank):
        dist.all_gather([], paddle.ones([2 + rank]))

    with pytest.raises(
        RuntimeError, match=r"all_gather: a member gave float32 \[\d\] where float32 \[\d\] was expected"
    ):
        simulated(shapes)


def test_arguments_that_are_wrong():
    def work(rank):
        with pytest.raises(ValueError, match="no peer"):
            dist.send(paddle.ones([2]), rank)
        with pytest.raises(ValueError, match="entries"):
            dist.alltoall([], [paddle.ones([2])])
        with pytest.raises(ValueError, match="does not support dtype complex64"):
            dist.all_reduce(values(rank, dtype="complex64"), ReduceOp.MAX)
        if rank == 0:
            dist.send(paddle.ones([2, 3]), 1)
        if rank == 1:
            with pytest.raises(RuntimeError, match=r"rank 0 sent float32 \[2, 3\] where int64 \[6\] is expected"):
                dist.recv(paddle.zeros([6], "int64"), 0)
        dist.barrier()

    simulated(work)


# -- models -----------------------------------------------------------------------------------------
def network(dtype):
    paddle.seed(5)
    net = paddle.nn.Sequential(paddle.nn.Linear(3, 16), paddle.nn.Tanh(), paddle.nn.Linear(16, 1))
    return net.astype(dtype)


def train(net, rows, dtype, steps=5):
    optimizer = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    x = paddle.to_tensor(rows).astype(dtype)
    for _ in range(steps):
        ((net(x) - x.sum(-1, keepdim=True)) ** 2).mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    return [array(p) for p in net.parameters()]


@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-5), ("float64", 1e-12), ("bfloat16", 5e-2)])
def test_data_parallel_training_is_training_on_the_whole_batch(dtype, tolerance):
    rows = np.random.default_rng(0).standard_normal((8, 3)).astype("float32")

    def work(rank):
        net = network(dtype)
        if rank == 1:  # It gets the weights of rank 0.
            for parameter in net.parameters():
                parameter.set_value(paddle.zeros_like(parameter))
        return train(paddle.DataParallel(net, comm_buffer_size=1), rows[rank::2], dtype)

    expected = train(network(dtype), rows, dtype)
    first, second = simulated(work, size=2)
    for a, b, whole in zip(first, second, expected, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(a, whole, rtol=tolerance, atol=tolerance)


def test_layers_that_split_their_weights():
    paddle.seed(3)
    whole = paddle.nn.Sequential(paddle.nn.Linear(4, 6), paddle.nn.GELU(), paddle.nn.Linear(6, 2))
    x = paddle.randn([5, 4])
    whole(x).sum().backward()
    weights = [p.numpy() for p in whole.parameters()]
    gradients = [p.grad.numpy() for p in whole.parameters()]

    def work(rank):
        strategy = dist.fleet.DistributedStrategy()
        strategy.hybrid_configs = {"dp_degree": 1, "mp_degree": 2, "pp_degree": 1}
        dist.fleet.init(is_collective=True, strategy=strategy)
        assert dist.fleet.worker_index() == dist.fleet.get_hybrid_communicate_group().get_model_parallel_rank() == rank
        columns = dist.fleet.meta_parallel.ColumnParallelLinear(4, 6, has_bias=True, gather_output=False)
        rows = dist.fleet.meta_parallel.RowParallelLinear(6, 2, has_bias=True, input_is_parallel=True)
        mine = slice(3 * rank, 3 * rank + 3)
        columns.weight.set_value(weights[0][:, mine])
        columns.bias.set_value(weights[1][mine])
        rows.weight.set_value(weights[2][mine])
        rows.bias.set_value(weights[3])
        out = rows(paddle.nn.functional.gelu(columns(x)))
        out.sum().backward()
        np.testing.assert_allclose(columns.weight.grad.numpy(), gradients[0][:, mine], rtol=1e-4, atol=1e-6)
        np.testing.assert_allclose(rows.weight.grad.numpy(), gradients[2][mine], rtol=1e-4, atol=1e-6)
        return out.numpy()

    for out in dist.simulate(2, lambda: work(dist.get_rank())):
        np.testing.assert_allclose(out, whole(x).numpy(), rtol=1e-5, atol=1e-6)


def test_a_pipeline():
    rows = np.random.default_rng(1).standard_normal((8, 3)).astype("float32")

    def layers():
        paddle.seed(7)
        return [paddle.nn.Linear(3, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 8), paddle.nn.Linear(8, 1)]

    def loss(out, label):
        return ((out - label) ** 2).mean()

    def work(rank):
        strategy = dist.fleet.DistributedStrategy()
        strategy.hybrid_configs = {"dp_degree": 1, "mp_degree": 1, "pp_degree": 2}
        strategy.pipeline_configs = {"accumulate_steps": 4, "micro_batch_size": 2}
        dist.fleet.init(is_collective=True, strategy=strategy)
        model = dist.fleet.meta_parallel.PipelineLayer(layers(), num_stages=2, loss_fn=loss)
        model = dist.fleet.distributed_model(model)
        inner = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        optimizer = dist.fleet.distributed_optimizer(inner)
        x = paddle.to_tensor(rows)
        return [float(model.train_batch([x, x.sum(-1, keepdim=True)], optimizer)) for _ in range(4)]

    whole = paddle.nn.Sequential(*layers())
    optimizer, expected = paddle.optimizer.SGD(0.1, parameters=whole.parameters()), []
    x = paddle.to_tensor(rows)
    for _ in range(4):
        value = loss(whole(x), x.sum(-1, keepdim=True))
        value.backward()
        optimizer.step()
        optimizer.clear_grad()
        expected.append(float(value))
    for losses in dist.simulate(2, lambda: work(dist.get_rank())):
        np.testing.assert_allclose(losses, expected, rtol=1e-4)
