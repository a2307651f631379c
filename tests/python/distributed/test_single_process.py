# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs written for several processes, run as one."""

import subprocess
import sys

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import fleet
from paddle.distributed.fleet.utils import recompute


@pytest.fixture(scope="module", autouse=True)
def job():
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"dp_degree": 1, "mp_degree": 1, "pp_degree": 1}
    strategy.pipeline_configs = {"accumulate_steps": 2, "micro_batch_size": 2}
    fleet.init(is_collective=True, strategy=strategy)
    yield
    dist.destroy_process_group()


def test_rank_and_size():
    assert (dist.get_rank(), dist.get_world_size()) == (0, 1)
    assert dist.ParallelEnv().nranks == 1
    assert dist.is_initialized()
    assert fleet.worker_num() == 1 and fleet.is_first_worker()
    assert fleet.get_hybrid_communicate_group().get_model_parallel_group().ranks == [0]


def test_collectives_need_a_group():
    code = "import paddle; paddle.distributed.all_reduce(paddle.ones([1]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "RuntimeError: The global group is not initialized" in done.stderr


def test_collectives_in_a_group_of_one():
    x = paddle.to_tensor([1.0, 2.0])
    dist.all_reduce(x)
    gathered, objects = [], []
    dist.all_gather(gathered, x)
    dist.all_gather_object(objects, {"a": 1})
    out = paddle.zeros([2])
    dist.scatter(out, [x])
    assert x.numpy().tolist() == gathered[0].numpy().tolist() == out.numpy().tolist() == [1.0, 2.0]
    assert objects == [{"a": 1}]
    with pytest.raises(ValueError, match="no peer"):
        dist.send(x, dst=1)
    with pytest.raises(ValueError, match="ranks"):
        dist.broadcast(x, src=3)


def test_data_parallel_keeps_names_and_gradients():
    inner = paddle.nn.Linear(3, 2)
    model = paddle.DataParallel(inner)
    assert list(model.state_dict()) == ["weight", "bias"]
    with model.no_sync():
        model(paddle.ones([4, 3])).sum().backward()
    assert inner.weight.grad.numpy().tolist() == [[4.0, 4.0]] * 3


def test_parallel_layers_equal_plain_ones():
    x = paddle.randn([5, 4])
    column = fleet.meta_parallel.ColumnParallelLinear(4, 6, has_bias=True, gather_output=False)
    row = fleet.meta_parallel.RowParallelLinear(6, 3, input_is_parallel=True)
    expected = (x.numpy() @ column.weight.numpy() + column.bias.numpy()) @ row.weight.numpy() + row.bias.numpy()
    np.testing.assert_allclose(row(column(x)).numpy(), expected, rtol=1e-5, atol=1e-6)
    table = fleet.meta_parallel.VocabParallelEmbedding(10, 4)
    assert table(paddle.to_tensor([[1, 2]])).shape == [1, 2, 4]
    loss = fleet.meta_parallel.ParallelCrossEntropy()(paddle.to_tensor([[1.0, 2.0, 3.0]]), paddle.to_tensor([1]))
    np.testing.assert_allclose(loss.numpy(), [[np.log(np.exp([-1.0, 0.0, 1.0]).sum())]], rtol=1e-6)


@pytest.mark.parametrize("options", [{}, {"use_reentrant": False}])
def test_recompute_gives_the_same_gradients(options):
    def make():
        paddle.seed(3)
        return paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Dropout(0.5), paddle.nn.Linear(8, 2))

    plain, again = make(), make()
    data = np.random.default_rng(0).standard_normal((6, 4)).astype("float32")
    results = []
    for model, call in ((plain, lambda m, x: m(x)), (again, lambda m, x: recompute(m, x, **options))):
        paddle.seed(11)
        x = paddle.to_tensor(data, stop_gradient=False)
        out = call(model, x)
        out.square().sum().backward()
        results.append([out, x.grad, *(p.grad for p in model.parameters())])
    for a, b in zip(*results, strict=False):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


@pytest.mark.parametrize("stops", [True, False])
def test_recompute_hands_arguments_on(stops):
    x, mask = paddle.ones([2, 3]), paddle.full([2, 3], 2.0)
    x.stop_gradient, mask.stop_gradient = False, stops
    given = recompute(lambda x, mask: {"out": [x * mask, mask]}, x, mask, use_reentrant=False)
    assert given["out"][1] is mask
    (given["out"][0].sum() + mask.sum()).backward()
    assert x.grad.tolist() == [[2.0] * 3] * 2
    assert stops or mask.grad.tolist() == [[2.0] * 3] * 2
    assert recompute(lambda value: value, x, use_reentrant=False) is x


def test_recompute_calls_forward_twice_and_takes_nested_arguments():
    calls = []

    def block(pair, scale=None):
        calls.append(1)
        return {"y": (pair[0] * pair[1]["b"] * scale).sum()}["y"]

    a = paddle.to_tensor([2.0], stop_gradient=False)
    b = paddle.to_tensor([3.0], stop_gradient=False)
    recompute(block, (a, {"b": b}), scale=paddle.to_tensor(4.0)).backward()
    assert len(calls) == 2
    assert (a.grad.item(), b.grad.item()) == (12.0, 8.0)


def test_pipeline_trains_in_micro_batches():
    parallel = fleet.meta_parallel
    paddle.seed(0)
    net = parallel.PipelineLayer(
        [
            parallel.LayerDesc(paddle.nn.Linear, 3, 3),
            paddle.nn.functional.relu,
            parallel.SharedLayerDesc("head", paddle.nn.Linear, None, "weight", 3, 3),
            parallel.SharedLayerDesc("head", paddle.nn.Linear, None, "weight", 3, 3),
        ],
        num_stages=1,
        loss_fn=lambda out, label: (out - label).square().mean(),
    )
    assert list(net.state_dict()) == ["shared_layers.head.weight", "shared_layers.head.bias", "0.weight", "0.bias"]
    model = fleet.distributed_model(net)
    optimizer = fleet.distributed_optimizer(paddle.optimizer.SGD(0.1, parameters=net.parameters()))
    x, y = paddle.randn([4, 3]), paddle.zeros([4, 3])
    before = float((net(x) - y).square().mean())
    loss = model.train_batch([x, y], optimizer)
    np.testing.assert_allclose(float(loss), before, rtol=1e-5)
    assert float(model.eval_batch([x, y], compute_loss=True)) < before
    with pytest.raises(ValueError, match="rows"):
        model.train_batch([x[:3], y[:3]], optimizer)


def test_placed_tensors():
    mesh = dist.ProcessMesh([[0]], dim_names=["dp", "mp"])
    x = dist.shard_tensor(paddle.to_tensor([1.0, 2.0], stop_gradient=False), mesh, [dist.Shard(0)])
    assert x.placements == [dist.Shard(0), dist.Replicate()] and x.process_mesh == mesh
    y = dist.reshard(x * 2, mesh, [dist.Replicate(), dist.Replicate()])
    y.sum().backward()
    assert y.numpy().tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="the job has 1"):
        dist.shard_tensor(x, dist.ProcessMesh([0, 1]), [dist.Shard(0)])
    with pytest.raises(ValueError, match="dimensions"):
        dist.shard_tensor(x, mesh, [dist.Shard(1)])
    assert repr(mesh) == "{shape: [1, 1], process_ids: [0], dim_names: [dp, mp]}"


def test_mesh_geometry():
    mesh = dist.ProcessMesh(np.arange(6).reshape(2, 3), dim_names=["x", "y"])
    assert mesh[0].process_ids == [0, 1, 2] and mesh[0].dim_names == ["y"]
    assert mesh.get_mesh_with_dim("y").shape == [3, 2]
    assert mesh.get_rank_by_dim_and_process_id("y", 5) == 2
    topology = fleet.CommunicateTopology(["data", "pipe", "model"], [2, 2, 2])
    assert topology.get_comm_list("model") == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert topology.get_rank(data=1, pipe=0, model=1) == 5
    assert topology.get_axis_list("pipe", 1) == [2, 3, 6, 7]


def test_checkpoint_round_trip(tmp_path):
    state = {"model": {"w": paddle.randn([2, 3]), "b": paddle.zeros([3])}, "step": 7}
    dist.save_state_dict(state, str(tmp_path))
    other = {"model": {"w": paddle.zeros([2, 3]), "b": paddle.ones([3])}, "step": 0}
    dist.load_state_dict(other, str(tmp_path))
    np.testing.assert_array_equal(other["model"]["w"].numpy(), state["model"]["w"].numpy())
    assert other["step"] == 7
    with pytest.raises(ValueError, match="shape"):
        dist.load_state_dict({"model": {"w": paddle.zeros([3, 3])}}, str(tmp_path))


def test_random_state_tracker():
    tracker = fleet.meta_parallel.get_rng_state_tracker()
    fleet.meta_parallel.model_parallel_random_seed(5)
    with tracker.rng_state():
        first = paddle.rand([3]).numpy()
    outside = paddle.rand([3]).numpy()
    fleet.meta_parallel.model_parallel_random_seed(5)
    np.testing.assert_array_equal(paddle.rand([3]).numpy(), outside)
    with tracker.rng_state():
        np.testing.assert_array_equal(paddle.rand([3]).numpy(), first)


def test_strategy_checks_its_settings():
    strategy = fleet.DistributedStrategy()
    with pytest.raises(ValueError, match="no keys"):
        strategy.pipeline_configs = {"nonsense": 1}
    with pytest.raises(TypeError, match="no setting"):
        strategy.nonsense = 1
    with pytest.raises((NotImplementedError, ValueError), match="degrees"):
        strategy.hybrid_configs = {"mp_degree": 2}
        fleet.Fleet().init(is_collective=True, strategy=strategy)


def test_what_fleet_knows_is_absent_before_init():
    fresh = fleet.Fleet()
    assert not any(hasattr(fresh, name) for name in ("_hcg", "_topology", "_user_defined_strategy"))
    with pytest.raises(AttributeError, match="call fleet.init"):
        fresh.get_hybrid_communicate_group()
    with pytest.raises(AttributeError, match="call fleet.init"):
        fresh.worker_index()
    fresh.init(is_collective=True)
    assert fresh._hcg is fresh.get_hybrid_communicate_group() and fresh.worker_index() == 0
