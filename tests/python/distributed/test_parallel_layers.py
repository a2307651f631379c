# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensor and sequence parallelism over processes: parts of a layer give what the whole layer gives."""

import numpy as np
import paddle
import paddle.distributed as dist
import paddle.nn.functional as F
from paddle.distributed import fleet
from paddle.distributed.fleet.layers.mpu import mp_ops
from paddle.distributed.fleet.meta_parallel import (
    ColumnParallelLinear,
    ParallelCrossEntropy,
    RowParallelLinear,
    VocabParallelEmbedding,
)
from paddle.distributed.fleet.utils import sequence_parallel_utils as sequence

VOCABULARY, WIDTH, HIDDEN = 12, 4, 6
RANDOM = np.random.default_rng(3)
TABLE, UP, DOWN, OUT = (
    RANDOM.standard_normal(shape).astype("float32")
    for shape in ((VOCABULARY, WIDTH), (WIDTH, HIDDEN), (HIDDEN, WIDTH), (WIDTH, VOCABULARY))
)
WORDS = RANDOM.integers(0, VOCABULARY, (4, 5))
LABELS = np.where(RANDOM.random((4, 5)) < 0.2, -100, RANDOM.integers(0, VOCABULARY, (4, 5)))


def started(**degrees):
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = degrees
    fleet.init(is_collective=True, strategy=strategy)
    return fleet.get_hybrid_communicate_group()


def part(whole, axis, hcg):
    return np.split(whole, hcg.get_model_parallel_world_size(), axis)[hcg.get_model_parallel_rank()]


class Split(paddle.nn.Layer):
    """Embedding, two linear layers and logits, with weights split over the model axis."""

    def __init__(self, hcg):
        super().__init__()
        self.table = VocabParallelEmbedding(VOCABULARY, WIDTH)
        self.up = ColumnParallelLinear(WIDTH, HIDDEN, has_bias=True, gather_output=False)
        self.down = RowParallelLinear(HIDDEN, WIDTH, input_is_parallel=True)
        self.out = ColumnParallelLinear(WIDTH, VOCABULARY, has_bias=False, gather_output=False)
        self.loss = ParallelCrossEntropy()
        for layer, whole, axis in ((self.table, TABLE, 0), (self.up, UP, 1), (self.down, DOWN, 0), (self.out, OUT, 1)):
            layer.weight.set_value(part(whole, axis, hcg))

    def forward(self, words, labels):
        logits = self.out(self.down(paddle.tanh(self.up(self.table(words)))))
        return self.loss(logits, labels).sum()


class Whole(paddle.nn.Layer):
    """The same in one process."""

    def __init__(self):
        super().__init__()
        self.table = paddle.nn.Embedding(VOCABULARY, WIDTH)
        self.up, self.down = paddle.nn.Linear(WIDTH, HIDDEN), paddle.nn.Linear(HIDDEN, WIDTH)
        self.out = paddle.nn.Linear(WIDTH, VOCABULARY, bias_attr=False)
        for layer, value in ((self.table, TABLE), (self.up, UP), (self.down, DOWN), (self.out, OUT)):
            layer.weight.set_value(value)

    def forward(self, words, labels):
        logits = self.out(self.down(paddle.tanh(self.up(self.table(words)))))
        return F.cross_entropy(logits, labels, reduction="none").sum()


def close(tensor, expected):
    np.testing.assert_allclose(tensor.numpy(), expected, rtol=1e-4, atol=1e-5)


def steps(model, optimizer, words, labels, scale):
    for _ in range(3):
        loss = model(paddle.to_tensor(words), paddle.to_tensor(labels)) * scale
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    return loss


def optimizer_of(model):
    return paddle.optimizer.SGD(0.1, parameters=model.parameters(), grad_clip=paddle.nn.ClipGradByGlobalNorm(0.5))


def whole_after_training():
    model = Whole()
    loss = steps(model, optimizer_of(model), WORDS, LABELS, 0.5)
    return model, loss


def train_split(mp, dp):
    hcg = started(mp_degree=mp, dp_degree=dp)
    assert (hcg.get_model_parallel_world_size(), hcg.get_data_parallel_world_size()) == (mp, dp)
    assert fleet.util.all_gather(dist.get_rank()) == list(range(mp * dp)) and fleet.all_reduce(2, "sum") == 2 * mp * dp
    split = Split(hcg)
    model = fleet.distributed_model(split)
    optimizer = fleet.distributed_optimizer(optimizer_of(split))
    rows = slice(hcg.get_data_parallel_rank(), None, dp)
    # Means over the data axis: each member's sum counts 1 / dp.
    steps(model, optimizer, WORDS[rows], LABELS[rows], 0.5 * dp)
    whole, _ = whole_after_training()
    close(split.table.weight, part(whole.table.weight.numpy(), 0, hcg))
    close(split.up.weight, part(whole.up.weight.numpy(), 1, hcg))
    close(split.up.bias, part(whole.up.bias.numpy(), 0, hcg))
    close(split.down.weight, part(whole.down.weight.numpy(), 0, hcg))
    close(split.down.bias, whole.down.bias.numpy())
    close(split.out.weight, part(whole.out.weight.numpy(), 1, hcg))


def test_split_layers_train_as_whole_ones():
    dist.spawn(train_split, (2, 1), nprocs=2)


def test_split_layers_and_split_batches_train_as_whole_ones():
    dist.spawn(train_split, (2, 2), nprocs=4)


def exchanges():
    hcg = started(mp_degree=2)
    rank, group = hcg.get_model_parallel_rank(), hcg.get_model_parallel_group()
    x = np.arange(8, dtype="float32").reshape(4, 2)
    own = {  # of member r: result of the exchange, and gradient where r + 1 times the result is summed
        "_c_identity": (x, np.full((4, 2), 3)),
        "_mp_allreduce": (2 * x, np.full((4, 2), rank + 1)),
        "_c_split": (x[:, rank : rank + 1], [[1, 2]] * 4),
        "_c_concat": (np.concatenate([x, x], 1), np.full((4, 2), rank + 1)),
    }
    for name, (expected, gradient) in own.items():
        t = paddle.to_tensor(x, stop_gradient=False)
        out = getattr(mp_ops, name)(t, group=group)
        (out * (rank + 1)).sum().backward()
        close(out, expected)
        close(t.grad, gradient)
    rows = slice(2 * rank, 2 * rank + 2)
    along = {
        "ScatterOp": (x[rows], [[1, 1]] * 2 + [[2, 2]] * 2),
        "GatherOp": (np.concatenate([x, x]), np.full((4, 2), rank + 1)),
        "AllGatherOp": (np.concatenate([x, x]), np.full((4, 2), 3)),
        "ReduceScatterOp": (2 * x[rows], [[1, 1]] * 2 + [[2, 2]] * 2),
    }
    for name, (expected, gradient) in along.items():
        t = paddle.to_tensor(x, stop_gradient=False)
        out = getattr(sequence, name).apply(t)
        (out * (rank + 1)).sum().backward()
        close(out, expected)
        close(t.grad, gradient)
    up = sequence.ColumnSequenceParallelLinear(2, 4, has_bias=False, gather_output=False)
    down = sequence.RowSequenceParallelLinear(4, 2, has_bias=False, input_is_parallel=True)
    up.weight.set_value(part(UP[:2, :4], 1, hcg))
    down.weight.set_value(part(DOWN[:4, :2], 0, hcg))
    t = paddle.to_tensor(x[rows], stop_gradient=False)
    out = down(up(t))
    out.sum().backward()
    close(out, (x @ UP[:2, :4] @ DOWN[:4, :2])[rows])
    close(t.grad, (np.ones((4, 2)) @ (UP[:2, :4] @ DOWN[:4, :2]).T)[rows])
    first = ColumnParallelLinear(4, 4, has_bias=False)
    weights = []
    dist.all_gather(weights, first.weight)
    assert not np.allclose(weights[0].numpy(), weights[1].numpy())


def test_exchanges_and_their_gradients():
    dist.spawn(exchanges, nprocs=2)


def data_parallel_by_fleet():
    fleet.init(is_collective=True)
    model = fleet.distributed_model(paddle.nn.Linear(2, 2))
    assert isinstance(model, paddle.DataParallel)
    optimizer = fleet.distributed_optimizer(paddle.optimizer.SGD(0.1, parameters=model.parameters()))
    model(paddle.full([1, 2], dist.get_rank() + 1.0)).sum().backward()
    close(model.parameters()[0].grad, np.full((2, 2), 1.5))
    optimizer.step()
    assert fleet.util.get_file_shard(["a", "b", "c"]) == (["a", "b"] if dist.get_rank() == 0 else ["c"])


def test_fleet_averages_gradients():
    dist.spawn(data_parallel_by_fleet, nprocs=2)
