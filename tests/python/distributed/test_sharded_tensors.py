# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Distributed tensors as a user sees them, on simulated ranks: parts, memory, bytes sent, errors, training."""

import itertools

import numpy as np
import paddle
import paddle.distributed as dist
import paddle.nn.functional as F
import pytest
from paddle import _core
from paddle.distributed import Partial, ProcessMesh, Replicate, Shard
from paddle.distributed.auto_parallel.api import dtensor_from_local


def line(size=2):
    return ProcessMesh(list(range(size)), dim_names=["x"])


def grid():
    return ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])


def sent(function):
    """What a function returns, and the bytes that this rank sent in it."""
    before = _core.bytes_sent()
    result = function()
    return result, _core.bytes_sent() - before


def test_a_rank_holds_its_part_alone():
    def rank():
        whole = paddle.arange(10, dtype="float32").reshape([5, 2])
        x = dist.shard_tensor(whole, line(), [Shard(0)])
        assert x.shape == [5, 2] and x.is_dist() and x.placements == [Shard(0)] and x.process_mesh == line()
        np.testing.assert_array_equal(x.numpy(), whole.numpy())
        return x._local_shape, x._local_value().tolist()

    assert dist.simulate(2, rank) == [
        ([3, 2], [[0, 1], [2, 3], [4, 5]]),
        ([2, 2], [[6, 7], [8, 9]]),
    ]


@pytest.mark.parametrize("read", ["data_ptr", "strides", "dlpack"])
def test_what_needs_the_memory_of_the_whole_is_refused(read):
    x = dist.shard_tensor(paddle.ones([2, 2]), ProcessMesh([0]), [Shard(0)])
    with pytest.raises(RuntimeError, match="distributed"):
        if read == "dlpack":
            paddle.utils.dlpack.to_dlpack(x)
        else:
            getattr(x, read)() if read == "data_ptr" else x.strides


PLACEMENTS = [Replicate(), Shard(0), Shard(1), Partial(), Partial(dist.ReduceType.kRedMax)]


def test_every_pair_of_placements_on_a_grid_keeps_the_values():
    whole = paddle.arange(35, dtype="float32").reshape([5, 7]) - 9.0

    def rank():
        most = 0
        pairs = list(itertools.product(PLACEMENTS, repeat=2))
        for source, target in itertools.product(pairs, repeat=2):
            x = dist.shard_tensor(whole, grid(), list(source))
            y, count = sent(lambda x=x, target=target: dist.reshard(x, grid(), list(target)))
            assert y.placements == list(target)
            np.testing.assert_array_equal(dist.unshard_dtensor(y).numpy(), whole.numpy(), err_msg=f"{source} {target}")
            if source == target:
                assert count == 0
            most = max(most, count)
        return most

    # The plain way, everything whole on the way, sends at most this: two reductions of the whole.
    assert max(dist.simulate(4, rank)) <= 2 * 2 * 35 * 4


@pytest.mark.parametrize("target", [[[0, 1]], [[2, 3]], [[1], [0]], [[3, 2], [1, 0]]], ids=str)
def test_tensors_move_to_other_meshes(target):
    whole = paddle.arange(12, dtype="float32").reshape([4, 3])

    def rank():
        there = ProcessMesh(target, dim_names=["a", "b"])
        x = dist.shard_tensor(whole, ProcessMesh([0, 1]), [Shard(0)])
        y = dist.reshard(x, there, [Replicate(), Shard(1)])
        assert y.process_mesh == there and y.shape == [4, 3]
        if there.contains(dist.get_rank()):
            np.testing.assert_array_equal(y.numpy(), whole.numpy())
        else:
            with pytest.raises(RuntimeError, match="not in the mesh"):
                y.numpy()

    dist.simulate(4, rank)


def test_operators_that_fit_the_placements_send_nothing():
    def rank():
        mesh = line()
        x = dist.shard_tensor(paddle.rand([4, 6]), mesh, [Shard(0)])
        w = dist.shard_tensor(paddle.rand([6, 8]), mesh, [Replicate()])
        y, count = sent(lambda: F.gelu(x @ w + 1.0).transpose([1, 0]))
        assert count == 0 and y.placements == [Shard(1)] and y._local_shape == [8, 2]
        columns = dist.shard_tensor(paddle.rand([6, 8]), mesh, [Shard(1)])
        rows = dist.shard_tensor(paddle.rand([8, 6]), mesh, [Shard(0)])
        z, count = sent(lambda: F.relu(dist.reshard(x, mesh, [Replicate()]) @ columns) @ rows)
        assert z.placements == [Partial()] and count == 2 * 6 * 4  # the gather of x
        _, count = sent(lambda: dist.reshard(z, mesh, [Shard(0)]))
        assert count == 2 * 6 * 4  # a reduce-scatter sends what others keep

    dist.simulate(2, rank)


def test_plain_tensors_count_as_replicated():
    def rank():
        x = dist.shard_tensor(paddle.ones([4, 2]), line(), [Shard(0)])
        y = x + paddle.arange(8, dtype="float32").reshape([4, 2])
        assert y.placements == [Shard(0)]
        return y.numpy().tolist()

    assert dist.simulate(2, rank)[0] == (np.arange(8.0).reshape(4, 2) + 1).tolist()


def test_reading_reduces_what_is_partial():
    def rank():
        x = dtensor_from_local(paddle.full([2], dist.get_rank() + 1.0), line(), [Partial()])
        total = x.sum()
        assert total.placements == [Partial()]
        return float(total), x.numpy().tolist(), (x > 2.5).all().item()

    assert dist.simulate(2, rank) == [(6.0, [3.0, 3.0], True)] * 2


def test_writes_through_views_reach_the_parts():
    def rank():
        for placement in (Shard(0), Shard(1), Replicate()):
            x = dist.shard_tensor(paddle.zeros([4, 2]), line(), [placement])
            row = x[1]
            row.add_(paddle.to_tensor([1.0, 2.0]))
            x[3] = 5.0
            flat = x.reshape([8])
            flat[0] = 7.0
            np.testing.assert_array_equal(x.numpy(), [[7, 0], [1, 2], [0, 0], [5, 5]], err_msg=str(placement))
            np.testing.assert_array_equal(row.numpy(), [1, 2])

    dist.simulate(2, rank)


def test_random_numbers_are_those_of_one_rank():
    def whole(placement):
        paddle.seed(5)
        x = paddle.ones([6, 4])
        x = x if placement is None else dist.shard_tensor(x, line(), [placement])
        return F.dropout(x, 0.5).numpy()

    expected = whole(None)
    assert 0 < (expected == 0).sum() < expected.size
    for placement in (Shard(0), Shard(1), Replicate()):
        for found in dist.simulate(2, whole, placement):
            np.testing.assert_array_equal(found, expected)


class Block(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.up, self.down, self.norm = paddle.nn.Linear(8, 16), paddle.nn.Linear(16, 8), paddle.nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(x + self.down(F.gelu(self.up(x))))


def train(place=None, stage=None, steps=4, size=1):
    paddle.seed(3)
    model = Block()
    if place is not None:
        place(model)
    # A large epsilon: else the first steps turn the rounding of small gradients into steps of the full rate.
    optimizer = paddle.optimizer.AdamW(
        0.05, epsilon=1e-2, parameters=model.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5)
    )
    if place is not None:
        optimizer = dist.shard_optimizer(optimizer, stage)
    rng = np.random.default_rng(0)
    losses = []
    for _ in range(steps):
        x = paddle.to_tensor(rng.standard_normal((8, 8)).astype("float32"))
        if place is not None:
            x = dist.shard_tensor(x, place.mesh(), place.inputs)
        loss = ((model(x) - 1.0) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    return losses, model, optimizer


def data_parallel(model):
    dist.shard_layer(model, line())


data_parallel.mesh, data_parallel.inputs = line, [Shard(0)]


def data_and_tensor_parallel(model):
    mesh, copy = grid(), Replicate()
    dist.shard_tensor(model.up.weight, mesh, [copy, Shard(1)])
    dist.shard_tensor(model.up.bias, mesh, [copy, Shard(0)])
    dist.shard_tensor(model.down.weight, mesh, [copy, Shard(0)])
    dist.shard_layer(model, mesh)


data_and_tensor_parallel.mesh, data_and_tensor_parallel.inputs = grid, [Shard(0), Replicate()]


@pytest.mark.parametrize(
    ("place", "size", "stage"),
    [
        (data_parallel, 2, None),
        (data_parallel, 2, dist.ShardingStage1),
        (data_parallel, 2, dist.ShardingStage2),
        (data_parallel, 2, dist.ShardingStage3),
        (data_and_tensor_parallel, 4, None),
        (data_and_tensor_parallel, 4, dist.ShardingStage1),
        (data_and_tensor_parallel, 4, dist.ShardingStage3),
    ],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_losses_are_those_of_one_rank(place, size, stage):
    expected, _, _ = train()

    def rank():
        losses, model, optimizer = train(place, stage and stage("x"))
        weight = model.up.weight
        moment = optimizer._accumulators["moment1"][weight.name]
        return losses, weight._local_value().size, moment._local_value().size

    for losses, weight, moment in dist.simulate(size, rank):
        np.testing.assert_allclose(losses, expected, rtol=1e-6)
        parts = 2 if place is data_and_tensor_parallel else 1
        assert weight == 128 // parts // (2 if stage is dist.ShardingStage3 else 1)
        assert moment == 128 // parts // (2 if stage else 1)


class Blocks(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.blocks = paddle.nn.LayerList([Block() for _ in range(4)])
        self.head = paddle.nn.Linear(8, 2)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def train_with_plans(mesh=None, config=None):
    paddle.seed(3)
    model = Blocks()
    optimizer = paddle.optimizer.AdamW(
        0.01, epsilon=1e-2, parameters=model.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5)
    )
    last = None
    if mesh is not None:
        model, optimizer = dist.parallelize(model, optimizer, mesh, config)
        first, last = (mesh.get_mesh_with_dim("pp", i) for i in (0, mesh.get_dim_size("pp") - 1))
    rng, losses = np.random.default_rng(0), []
    for _ in range(3):
        x = paddle.to_tensor(rng.standard_normal((8, 8)).astype("float32"))
        if mesh is not None:
            x = dist.shard_tensor(x, first, [Shard(0), Replicate()])
        loss = ((model(x) - 1.0) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss) if last is None or last.contains(dist.get_rank()) else None)
    return losses, model


@pytest.mark.parametrize("level", [0, 1, 3])
@pytest.mark.parametrize(
    "split", ["blocks", {"blocks.1": dist.SplitPoint.END}, {"blocks.2": dist.SplitPoint.BEGINNING}], ids=str
)
def test_plans_give_the_losses_of_one_rank(split, level):
    expected, _ = train_with_plans()

    def rank():
        mesh = ProcessMesh(np.arange(8).reshape(2, 2, 2).tolist(), dim_names=["pp", "dp", "mp"])
        plan = {"blocks.*.up": dist.ColWiseParallel(), "blocks.*.down": dist.RowWiseParallel()}
        losses, model = train_with_plans(
            mesh,
            {
                "mp_config": {"parallelize_plan": plan},
                "pp_config": {"split_spec": split},
                "dp_config": {"sharding_level": level},
            },
        )
        own = model.blocks[3 if dist.get_rank() > 3 else 0].up.weight
        other = model.blocks[0 if dist.get_rank() > 3 else 3].up.weight
        return losses, own._local_value().size, other._local_value().size

    for number, (losses, own, other) in enumerate(dist.simulate(8, rank)):
        assert (own, other) == (128 // (4 if level == 3 else 2), 0)
        if number < 4:
            assert losses == [None] * 3
        else:
            np.testing.assert_allclose(losses, expected, rtol=2e-6)


@pytest.mark.parametrize(
    "config",
    [
        {"ep_config": {}},
        {"dp_config": {"sharding_level": 4}},
        {"mp_config": {"plan": {}}},
        {"pp_config": {"split_spec": "nothing"}},
        {"pp_config": {"split_spec": {"nothing": dist.SplitPoint.END}}},
    ],
    ids=str,
)
def test_what_parallelize_does_not_know_is_refused(config):
    with pytest.raises(ValueError, match="parallelize"):
        dist.simulate(2, dist.parallelize, Blocks(), None, ProcessMesh([[0], [1]], dim_names=["pp", "mp"]), config)


def test_fully_shard_splits_parameters():
    def rank():
        model = dist.fsdp.fully_shard(Block(), mesh=line())
        x = dist.shard_tensor(paddle.ones([4, 8]), line(), [Shard(0)])
        model(x).sum().backward()
        return [(p._local_value().size * 2 - p.size, p.grad.placements) for p in model.parameters()]

    for found in dist.simulate(2, rank):
        assert found == [(0, [Shard(0)])] * len(found)


def test_captured_segments_compute_with_parts():
    def rank():
        mesh = line()
        w = dist.shard_tensor(paddle.rand([6, 6]), mesh, [Shard(1)], stop_gradient=False)

        def step(x):
            return (F.gelu(x @ w) ** 2).sum()

        captured = paddle.jit.to_static(step, full_graph=False)
        x = dist.shard_tensor(paddle.rand([4, 6]), mesh, [Replicate()])
        step(x).backward()
        expected = w.grad.numpy()
        for _ in range(3):
            w.clear_gradient()
            captured(x).backward()
            np.testing.assert_allclose(w.grad.numpy(), expected, rtol=1e-6)
        whole = paddle.jit.to_static(step, full_graph=True)
        with pytest.raises(NotImplementedError, match="full_graph=False"):
            whole(x)

    dist.simulate(2, rank)


def test_a_deadlock_names_the_ranks_and_what_they_wait_for():
    def rank():
        x = paddle.ones([2])
        first, second = ([0, 1], [1, 2]) if dist.get_rank() != 1 else ([1, 2], [0, 1])
        if dist.get_rank() in first:
            _core.ops.mesh_all_reduce(x, sorted(first), 0)
        if dist.get_rank() == 0:
            _core.ops.mesh_all_reduce(x, [0, 2], 0)

    with pytest.raises(RuntimeError, match=r"deadlock.*Rank"):
        dist.simulate(3, rank)


def test_different_collectives_are_named():
    def rank():
        if dist.get_rank() == 0:
            _core.ops.mesh_all_reduce(paddle.ones([2]), [0, 1], 0)
        else:
            _core.ops.mesh_broadcast(paddle.ones([3]), [0, 1], 0)

    with pytest.raises(RuntimeError, match=r"rank 0 all_reduce.*rank 1 broadcast"):
        dist.simulate(2, rank)


def test_the_error_of_a_rank_is_that_of_the_job():
    def rank():
        if dist.get_rank() == 1:
            raise KeyError("no such data")
        _core.ops.mesh_all_reduce(paddle.ones([2]), [0, 1], 0)

    with pytest.raises(KeyError, match="no such data"):
        dist.simulate(2, rank)


def test_different_meshes_in_one_call_are_refused():
    def rank():
        x = dist.shard_tensor(paddle.ones([2]), line(), [Shard(0)])
        y = dist.shard_tensor(paddle.ones([2]), ProcessMesh([1, 0]), [Shard(0)])
        with pytest.raises(ValueError, match="different meshes"):
            x + y

    dist.simulate(2, rank)


def test_many_ranks():
    def rank():
        mesh = ProcessMesh(np.arange(64).reshape(4, 16).tolist(), dim_names=["dp", "mp"])
        x = dist.shard_tensor(paddle.ones([8, 32]), mesh, [Shard(0), Shard(1)])
        return float((x * 2).sum())

    assert dist.simulate(64, rank) == [512.0] * 64
