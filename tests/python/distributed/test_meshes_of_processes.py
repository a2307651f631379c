# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors placed on meshes of several processes: parts as PaddlePaddle 3.3.1 has them, training as one process does it."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import Partial, ReduceType, Replicate, Shard
from paddle.distributed.auto_parallel.api import dtensor_from_local, dtensor_to_local


def column(count):
    return paddle.arange(count).reshape([count, 1]).astype("float32")


def part(whole, mesh, placements):
    placed = dist.shard_tensor(whole, mesh, placements)
    assert placed.is_dist() and list(placed.shape) == list(whole.shape)
    here = placed._local_value()
    assert list(here.shape) == (placed._local_shape if mesh.contains(dist.get_rank()) else [0])
    return here.numpy().ravel().tolist()


def parts():
    dist.init_parallel_env()
    rank = dist.get_rank()
    line, grid = dist.ProcessMesh([0, 1, 2, 3]), dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["x", "y"])
    assert part(column(7), line, [Shard(0)]) == [[0, 1], [2, 3], [4, 5], [6]][rank]
    assert part(column(5), line, [Shard(0)]) == [[0, 1], [2, 3], [4], []][rank]
    assert part(column(6), grid, [Shard(0), Shard(0)]) == [[0, 1], [2], [3, 4], [5]][rank]
    assert part(column(8).reshape([4, 2]), grid, [Shard(0), Shard(1)]) == [[0, 2], [1, 3], [4, 6], [5, 7]][rank]
    assert part(column(4), grid, [Shard(0), Partial()]) == [[0, 1], [0, 0], [2, 3], [0, 0]][rank]
    assert part(column(2), grid, [Partial(), Replicate()]) == [[0, 1], [0, 1], [0, 0], [0, 0]][rank]
    assert part(column(2), dist.ProcessMesh([1, 3]), [Shard(0)]) == [[], [0], [], [1]][rank]
    assert dist.shard_tensor(column(4), grid, [Shard(0), Shard(0)]).num_shard == 4
    # Processes that have other values agree: on their parts, or on those of the first.
    assert dist.shard_tensor(column(4) + 10 * rank, line, [Shard(0)]).numpy().ravel().tolist() == [0, 11, 22, 33]
    assert dist.shard_tensor(column(1) + 10 * rank, line, [Replicate()]).item() == 0
    moved = dist.reshard(dist.shard_tensor(column(4), line, [Shard(0)]), dist.ProcessMesh([2, 0]), [Shard(0)])
    assert moved._local_value().numpy().ravel().tolist() == [[2, 3], [], [0, 1], []][rank]


def wholes():
    dist.init_parallel_env()
    rank = dist.get_rank()
    line, grid = dist.ProcessMesh([0, 1, 2, 3]), dist.ProcessMesh([[0, 1], [2, 3]])
    mine = column(2) + rank
    mine.stop_gradient = False
    whole = dtensor_from_local(mine, line, [Shard(0)])
    assert whole.shape == [8, 1] and whole._local_value().tolist() == mine.tolist()
    (whole * whole).sum().backward()
    np.testing.assert_array_equal(mine.grad.numpy(), 2 * mine.numpy())
    assert dtensor_from_local(column(2) + 10 * rank, line, [Partial()]).numpy().ravel().tolist() == [60, 64]
    assert dtensor_from_local(column(2) + 10 * rank, line, [Partial(ReduceType.kRedMax)]).numpy()[1] == 31
    assert dtensor_from_local(column(2) + 10 * rank, grid, [Shard(0), Partial(ReduceType.kRedAvg)]).tolist() == [
        [5],
        [6],
        [25],
        [26],
    ]
    uneven = dtensor_from_local(paddle.full([[2, 2, 1, 0][rank], 1], rank, "bfloat16"), line, [Shard(0)])
    assert uneven.astype("float32").numpy().ravel().tolist() == [0, 0, 1, 1, 2]
    of_two = dtensor_from_local(column(1) + rank, dist.ProcessMesh([1, 3]), [Shard(0)])
    assert of_two.shape == [2, 1] and (rank not in (1, 3) or of_two.numpy().ravel().tolist() == [1, 3])
    placed = dist.shard_tensor(column(4), line, [Shard(0)])
    placed.stop_gradient = False
    here = dtensor_to_local(placed)
    (here * here * (rank + 1)).sum().backward()
    assert placed.grad.numpy().ravel().tolist() == [0, 4, 12, 24]
    assert not dist.unshard_dtensor(placed).is_dist()
    doubled = dist.local_map(lambda x: (x * 2).sum(), [[Partial()]], [[Shard(0)]], line)
    assert doubled(placed).item() == 12

    class Count(dist.LocalLayer):
        def forward(self, x):
            return x.sum(), paddle.to_tensor(float(x.shape[0]))

    total, rows = Count([(line, [Partial()])] * 2, [(line, [Shard(0)])])(placed)
    assert (total.item(), rows.item()) == (6, 4)


@pytest.mark.parametrize("check", [parts, wholes])
def test_values_on_meshes(check):
    dist.spawn(check, nprocs=4)


X = np.random.default_rng(0).standard_normal((12, 6)).astype("float32")
Y = np.random.default_rng(1).integers(0, 3, (12, 1))


class Points(paddle.io.Dataset):
    def __getitem__(self, i):
        return X[i], Y[i]

    def __len__(self):
        return len(X)


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.up, self.down = paddle.nn.Linear(6, 8), paddle.nn.Linear(8, 3)

    def forward(self, x):
        return self.down(paddle.tanh(self.up(x)))


def started():
    net = Net()
    numbers = np.random.default_rng(5)
    for parameter in net.parameters():
        parameter.set_value(numbers.standard_normal(parameter.shape).astype("float32"))
    return net


def adam(net):
    return paddle.optimizer.AdamW(0.02, parameters=net.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5))


def trained_alone(batches):
    net = started()
    optimizer = adam(net)
    for rows in batches:
        paddle.nn.functional.cross_entropy(net(paddle.to_tensor(X[rows])), paddle.to_tensor(Y[rows])).backward()
        optimizer.step()
        optimizer.clear_grad()
    return net


def same(net, other):
    for mine, expected in zip(net.parameters(), other.parameters(), strict=True):
        if mine.is_dist() and not mine.process_mesh.contains(dist.get_rank()):
            continue
        np.testing.assert_allclose(mine.numpy(), expected.numpy(), rtol=1e-5, atol=1e-6)


BATCHES = [[0, 2, 1, 3], [4, 6, 5, 7], [8, 10, 9, 11]]  # two processes with every second sample each


def place(name, layer, mesh):
    if name in ("up", "down"):
        dim = 1 if name == "up" else 0
        layer.weight = dist.shard_tensor(layer.weight, mesh, [Replicate(), Shard(dim)])


def on_a_grid(folder):
    dist.init_parallel_env()
    paddle.seed(100 + dist.get_rank())
    mesh = dist.ProcessMesh([[0, 1], [2, 3]], dim_names=["dp", "mp"])
    dist.set_mesh(mesh)
    net = dist.shard_layer(started(), mesh, place)
    optimizer = dist.shard_optimizer(adam(net), dist.ShardingStage1("dp", mesh))
    loader = dist.shard_dataloader(paddle.io.DataLoader(Points(), batch_size=2), meshes=[mesh, mesh], shard_dims="dp")
    assert len(loader) == 3
    for x, y in loader:
        assert x.shape == [4, 6] and x._local_shape == [2, 6] and x.placements == [Shard(0), Replicate()]
        paddle.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()
        optimizer.clear_grad()
    same(net, trained_alone(BATCHES))
    dist.save_state_dict(net.state_dict(), folder)
    fresh = dist.shard_layer(Net(), mesh, place)
    dist.load_state_dict(fresh.state_dict(), folder)
    same(fresh, net)
    # Random operators draw the same numbers in every process.
    drawn = []
    dist.all_gather(drawn, paddle.nn.functional.dropout(paddle.ones([64])))
    assert all(bool((d == drawn[0]).all()) for d in drawn)


def test_a_grid_trains_as_one_process(tmp_path):
    dist.spawn(on_a_grid, (str(tmp_path / "saved"),), nprocs=4)


def in_stages():
    """A stage on each of two meshes, and the same through DistModel."""
    dist.init_parallel_env()
    first, second = dist.ProcessMesh([0], dim_names=["x"]), dist.ProcessMesh([1], dim_names=["x"])
    net = started()
    for layer, mesh in ((net.up, first), (net.down, second)):
        dist.shard_layer(layer, mesh)
    optimizer = dist.shard_optimizer(adam(net))
    for rows in BATCHES:
        x = dist.shard_tensor(paddle.to_tensor(X[rows]), first, [Replicate()])
        hidden = dist.reshard(paddle.tanh(net.up(x)), second, [Replicate()])
        y = dist.shard_tensor(paddle.to_tensor(Y[rows]), second, [Replicate()])
        paddle.nn.functional.cross_entropy(net.down(hidden), y).backward()
        optimizer.step()
        optimizer.clear_grad()
    same(net, trained_alone(BATCHES))
    mesh = dist.ProcessMesh([0, 1], dim_names=["x"])
    loader = dist.shard_dataloader(paddle.io.DataLoader(Points(), batch_size=2), mesh, shard_dims="x")
    net = dist.shard_layer(started(), mesh)
    model = dist.to_static(net, loader, paddle.nn.CrossEntropyLoss(), dist.shard_optimizer(adam(net)))
    model.train()
    for x, y in loader():
        model(x, y)
    same(net, trained_alone(BATCHES))


def test_stages_and_captured_models_train_as_one_process():
    dist.spawn(in_stages, nprocs=2)
