# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of hybrid parallelism in one process: wrappers train as the plain model does, peers and servers are refused."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import fleet
from paddle.distributed.fleet import meta_parallel
from paddle.distributed.fleet.meta_optimizers.dygraph_optimizer import DygraphShardingOptimizer
from paddle.distributed.fleet.meta_optimizers.dygraph_optimizer import dygraph_sharding_optimizer as sharding
from paddle.distributed.fleet.meta_optimizers.dygraph_optimizer import hybrid_parallel_optimizer as hybrid
from paddle.distributed.fleet.utils import hybrid_parallel_util, mix_precision_utils, sequence_parallel_utils

X = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")


@pytest.fixture(scope="module", autouse=True)
def strategy():
    chosen = fleet.DistributedStrategy()
    chosen.pipeline_configs = {"accumulate_steps": 2, "micro_batch_size": 2}
    fleet.init(is_collective=True, strategy=chosen)
    return chosen


def hcg():
    return fleet.get_hybrid_communicate_group()


def model(seed=0):
    paddle.seed(seed)
    return paddle.nn.Linear(3, 2)


def weight_after_a_step(wrap_optimizer):
    net = model()
    inner = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    optimizer = wrap_optimizer(inner)
    (net(paddle.to_tensor(X)) ** 2).sum().backward()
    optimizer.step()
    optimizer.clear_grad()
    return net.weight.numpy()


@pytest.mark.parametrize(
    "wrap",
    [
        lambda o: DygraphShardingOptimizer(o, hcg()),
        lambda o: sharding.DygraphShardingOptimizer(o, hcg()),
        lambda o: sharding.DygraphShardingOptimizerV2(o, hcg()),
        lambda o: hybrid.HybridParallelOptimizer(o, hcg(), fleet.DistributedStrategy()),
        lambda o: dist.shard_optimizer(o),
    ],
    ids=["sharding", "sharding module", "sharding 2", "hybrid", "shard_optimizer"],
)
def test_wrapped_optimizers_step_as_the_plain_one(wrap):
    np.testing.assert_array_equal(weight_after_a_step(wrap), weight_after_a_step(lambda o: o))


def test_wrapped_models_compute_as_the_plain_one(strategy):
    net, x = model(), paddle.to_tensor(X)
    np.testing.assert_array_equal(
        meta_parallel.TensorParallel(net, hcg(), strategy=strategy)(x).numpy(), net(x).numpy()
    )
    for layer_type in (
        sequence_parallel_utils.ColumnSequenceParallelLinear,
        sequence_parallel_utils.RowSequenceParallelLinear,
    ):
        layer = layer_type(3, 2, has_bias=True)
        expected = X @ layer.weight.numpy() + layer.bias.numpy()
        np.testing.assert_allclose(layer(x).numpy(), expected, rtol=1e-5, atol=1e-6)
    assert sequence_parallel_utils.register_sequence_parallel_allreduce_hooks(net, 1, False) is None
    for plan in (dist.ColWiseParallel(), dist.RowWiseParallel(), dist.SequenceParallelDisable()):
        assert isinstance(plan, type(plan).__mro__[-2])


def test_a_pipeline_trains_in_micro_batches(strategy):
    layers = [
        meta_parallel.LayerDesc(paddle.nn.Linear, 3, 3),
        meta_parallel.LocalSharedLayerDesc("shared", paddle.nn.Linear, None, "weight", 3, 2),
    ]
    pipe = meta_parallel.PipelineLayer(layers, num_stages=1, loss_fn=lambda out, y: ((out - y) ** 2).mean())
    pipeline = meta_parallel.PipelineParallel(pipe, hcg(), strategy)
    optimizer = paddle.optimizer.SGD(0.05, parameters=pipeline.parameters())
    data = [paddle.to_tensor(X), paddle.zeros([4, 2])]
    losses = [pipeline.train_batch(data, optimizer).item() for _ in range(5)]
    assert losses[-1] < losses[0] and pipeline.accumulate_steps == 2


def test_gradients_of_a_group_of_one_stay():
    net = model()
    net(paddle.to_tensor(X)).sum().backward()
    before = net.weight.grad.numpy()
    hybrid_parallel_util.fused_allreduce_gradients(list(net.parameters()), hcg())
    np.testing.assert_array_equal(net.weight.grad.numpy(), before)


def test_mixed_precision_keeps_gradients_in_float32():
    net = mix_precision_utils.MixPrecisionLayer(model(), dtype="bfloat16")
    optimizer = mix_precision_utils.MixPrecisionOptimizer(paddle.optimizer.SGD(0.1, parameters=net.parameters()))
    before = net._layers.weight.astype("float32").numpy()
    net(paddle.to_tensor(X).astype("bfloat16")).sum().backward()
    assert net._layers.weight.main_grad.dtype == paddle.float32
    optimizer.step()
    assert np.abs(net._layers.weight.astype("float32").numpy() - before).max() > 0
    optimizer.clear_grad()


def test_weight_gradients_wait_in_their_store():
    from paddle.distributed.fleet.meta_parallel.zero_bubble_utils import WeightGradStore as store

    store.clear()
    done = []
    store.put(lambda: done.append(1))
    store.put(lambda: done.append(2))
    store.flush()
    assert done == []
    store.pop()
    assert done == [1, 2]


def test_sharded_levels_train():
    net = model()
    optimizer = paddle.optimizer.AdamW(0.01, parameters=net.parameters())
    wrapped, optimizer, scaler = dist.sharding.group_sharded_parallel(net, optimizer, "os_g")
    before = net.weight.numpy()
    wrapped(paddle.to_tensor(X)).sum().backward()
    optimizer.step()
    assert scaler is None and (net.weight.numpy() != before).any()


def test_local_layers_run_on_the_parts():
    mesh = dist.ProcessMesh([0], dim_names=["x"])

    class Twice(dist.LocalLayer):
        def forward(self, x):
            return x * 2

    layer = Twice([(mesh, [dist.Replicate()])], [(mesh, [dist.Replicate()])])
    np.testing.assert_array_equal(layer(paddle.to_tensor(X)).numpy(), 2 * X)
    np.testing.assert_array_equal(dist.shard_tensor(X, mesh, [dist.Replicate()])._local_value().numpy(), X)


def test_sharded_weights_describe_a_state():
    state = model().state_dict()
    described = dist.build_sharded_state_dict(state)
    from paddle.distributed.flex_checkpoint.dcp.sharded_weight import build_sharded_state_dict

    assert set(described) == set(build_sharded_state_dict(state)) == set(state)
    one = described["weight"]
    assert (
        isinstance(one, dist.ShardedWeight) and tuple(one.global_shape) == (3, 2) and tuple(one.local_shape) == (3, 2)
    )


def test_data_parallel_loads_a_state():
    net, other = model(0), model(1)
    paddle.DataParallel(net).set_state_dict(other.state_dict())
    np.testing.assert_array_equal(net.weight.numpy(), other.weight.numpy())


@pytest.mark.parametrize(
    "call",
    [
        lambda x: dist.isend(x, 1),
        lambda x: dist.irecv(x, 1),
        lambda x: dist.stream.send(x, 1),
        lambda x: dist.communication.stream.recv(x, 1),
        lambda x: dist.communication.stream.send(x, 1),
        lambda x: dist.batch_isend_irecv([dist.P2POp(dist.isend, x, 1)]),
        lambda x: dist.communication.batch_isend_irecv([dist.P2POp(dist.irecv, x, 1)]),
    ],
)
def test_there_is_no_peer(call):
    with pytest.raises(ValueError, match="there is no peer"):
        call(paddle.to_tensor(X))


@pytest.mark.parametrize(
    "call",
    [
        lambda: fleet.init_worker(),
        lambda: fleet.init_server(),
        lambda: fleet.run_server(),
        lambda: fleet.stop_worker(),
        lambda: fleet.save_persistables(None, "folder"),
        lambda: fleet.load_model("folder", 0),
    ],
)
def test_there_are_no_parameter_servers(call):
    with pytest.raises(NotImplementedError, match="parameter servers"):
        call()


def test_roles_of_one_process(strategy):
    assert fleet.is_worker() and not fleet.is_server() and fleet.worker_index() == 0
    assert fleet.barrier_worker() is None
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
    assert fleet.distributed_scaler(scaler).scale(paddle.ones([1])).item() == 4.0
    for name in ("a_sync", "find_unused_parameters", "tensor_parallel"):
        setattr(strategy, name, False)
        assert getattr(strategy, name) is False
    strategy.tensor_parallel_configs = {"tensor_parallel_degree": 1}
    assert strategy.tensor_parallel_configs["tensor_parallel_degree"] == 1


def _write_rank(folder):
    with open(f"{folder}/{dist.get_rank()}", "w") as file:
        file.write(str(dist.get_world_size()))


def test_spawn_runs_one_process(tmp_path):
    dist.spawn(_write_rank, args=(str(tmp_path),), nprocs=1)
    assert (tmp_path / "0").read_text() == "1"
