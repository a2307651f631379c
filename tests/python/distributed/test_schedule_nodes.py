# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Schedule nodes with backward passes by hand, layer specs, and the stage-2 optimizer."""

import paddle
import pytest
from paddle import nn
from paddle.distributed.fleet.meta_parallel import LayerSpec, ScheduleChunk, ScheduleNode, build_spec_layer


def point():
    return paddle.to_tensor([2.0, 3.0], stop_gradient=False)


def test_node_is_cut_off():
    x, node = point(), ScheduleNode(lambda x: x * x, "square")
    assert node.forward(x).tolist() == [4.0, 9.0]
    (grad,) = node.backward(paddle.ones([2]))
    assert grad.tolist() == [4.0, 6.0] and x.grad is None
    with pytest.raises(AssertionError):
        node.backward(paddle.ones([2]))


def test_chunk_runs_backwards_in_reverse():
    chunk = ScheduleChunk([ScheduleNode(lambda x: x * x), ScheduleNode(lambda x: 3 * x)])
    assert chunk.forward(point()).tolist() == [12.0, 27.0]
    assert chunk.backward(paddle.ones([2]))[0].tolist() == [12.0, 18.0]
    with pytest.raises(AssertionError):
        ScheduleChunk([1])


def test_several_results_and_labels():
    node = ScheduleNode(lambda pair: (pair[0] * pair[1], pair[0] + pair[1]))
    node.forward((point(), point()))
    grads = node.backward((paddle.ones([2]), paddle.ones([2])))
    assert [grad.tolist() for grad in grads] == [[3.0, 4.0], [3.0, 4.0]]
    node.forward((point(), paddle.to_tensor([1.0, 1.0])))
    with pytest.raises(AssertionError):
        node.backward(paddle.ones([2]))
    loss = ScheduleNode(lambda x, y: (x * y).sum())
    loss.labels = paddle.to_tensor([5.0, 7.0])
    assert loss.forward(point()).item() == 31.0
    assert loss.backward()[0].tolist() == [5.0, 7.0]


def test_layer_spec():
    spec = LayerSpec(("paddle.nn", "Linear"), extra_kwargs={"in_features": 2})
    built = build_spec_layer(spec, out_features=3)
    assert isinstance(built, nn.Linear) and list(built.weight.shape) == [2, 3]
    assert LayerSpec(nn.Linear) == LayerSpec(nn.Linear) and LayerSpec(nn.Linear).extra_kwargs == {}


def test_stage_two_optimizer_of_one_rank():
    from paddle.distributed.fleet.meta_parallel.sharding.group_sharded_optimizer_stage2 import (
        GroupShardedOptimizerStage2,
    )

    paddle.distributed.init_parallel_env()
    layer = nn.Linear(1, 1, bias_attr=False)
    layer.weight.set_value(paddle.ones([1, 1]))
    inner = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
    optimizer = GroupShardedOptimizerStage2(layer.parameters(), inner)
    layer(paddle.ones([1, 1])).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    assert layer.weight.item() == 0.5 and optimizer._optim is inner
