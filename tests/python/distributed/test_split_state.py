# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizer state, gradients and parameters that are split over processes train as one process does with the whole batch."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest
from paddle.distributed import fleet
from paddle.distributed.fleet.utils import mix_precision_utils

BATCHES = np.random.default_rng(3).standard_normal((4, 4, 5)).astype("float32")


def network():
    layers = [paddle.nn.Linear(5, 7), paddle.nn.Tanh(), paddle.nn.Linear(7, 3, bias_attr=False), paddle.nn.Linear(3, 2)]
    numbers = np.random.default_rng(7)
    net = paddle.nn.Sequential(*layers)
    for parameter in net.parameters():
        parameter.set_value(numbers.standard_normal(parameter.shape).astype("float32"))
    return net


def optimizer_of(net, **settings):
    return paddle.optimizer.AdamW(
        0.05, parameters=net.parameters(), weight_decay=0.1, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.3), **settings
    )


def loss_of(model, rows):
    return (model(paddle.to_tensor(rows)) ** 2).mean()


def trained_alone(passes=1):
    net = network()
    optimizer = optimizer_of(net)
    for batch in BATCHES:
        for _ in range(passes):
            loss_of(net, batch).backward()
        optimizer.step()
        optimizer.clear_grad()
    return [p.numpy() for p in net.parameters()]


def own_rows(batch):
    size = 4 // dist.get_world_size()
    return batch[dist.get_rank() * size : (dist.get_rank() + 1) * size]


def same_as_alone(net, passes=1):
    for mine, alone in zip(net.parameters(), trained_alone(passes), strict=True):
        np.testing.assert_allclose(mine.numpy(), alone, rtol=2e-4, atol=2e-6)


def elements_of(optimizer, net):
    """Elements of parameters whose moments are here."""
    kept = optimizer.state_dict()
    return sum(p.size for p in net.parameters() if any(k.startswith(p.name + "_moment1") for k in kept))


def elements_here(net):
    return sum(p.size for p in net.parameters() if p._is_initialized())


def levels(level, passes):
    dist.init_parallel_env()
    net = network()
    if dist.get_rank():
        net[0].weight.set_value(paddle.zeros([5, 7]))  # is replaced by that of rank 0
    total = sum(p.size for p in net.parameters())
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
    model, optimizer, scaler = dist.sharding.group_sharded_parallel(net, optimizer_of(net), level, scaler)
    for batch in BATCHES:
        for _ in range(passes):
            scaler.scale(loss_of(model, own_rows(batch))).backward()
        assert (
            level == "p_g_os" or not optimizer._broadcast_overlap
        )  # Trainers wait before they save where there is one.
        assert 0 < sum(p.grad is not None for p in net.parameters()) < 5
        if level == "p_g_os":
            assert elements_here(net) < total
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
    if level == "p_g_os":
        with pytest.raises(RuntimeError, match="get_all_parameters"):
            model.state_dict()
        with paddle.no_grad():
            loss_of(model, BATCHES[0])
        assert elements_here(net) < total
        model.get_all_parameters()
        state = {k: v.numpy() for k, v in model.state_dict().items()}
        model.set_state_dict({k: v + 1 for k, v in state.items()})
        model.set_state_dict(state)
        model.get_all_parameters()
    assert 0 < elements_of(optimizer, net) < total
    same_as_alone(net, passes)


@pytest.mark.parametrize("level, passes", [("os", 1), ("os_g", 2), ("p_g_os", 2)])
def test_levels_of_group_sharded_parallel(level, passes):
    dist.spawn(levels, (level, passes), nprocs=2)


def all_skip_a_step():
    dist.init_parallel_env()
    net = network()
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    model, optimizer, scaler = dist.sharding.group_sharded_parallel(net, optimizer_of(net), "os_g", scaler)
    before = [p.numpy() for p in net.parameters()]
    loss_of(model, own_rows(BATCHES[0])).backward()
    if dist.get_rank() == 1:
        mine = next(p for p in net.parameters() if p.grad is not None)
        mine.grad = mine.grad * float("inf")
    scaler.step(optimizer)
    scaler.update()
    for parameter, values in zip(net.parameters(), before, strict=True):
        np.testing.assert_array_equal(parameter.numpy(), values)
    assert scaler.state_dict()["scale"] == 4.0


def test_a_gradient_that_is_not_finite_stops_all():
    dist.spawn(all_skip_a_step, nprocs=2)


def sharding_axis(sharding, dp):
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"dp_degree": dp, "sharding_degree": sharding}
    fleet.init(is_collective=True, strategy=strategy)
    net = network()
    if dist.get_rank():
        net[0].weight.set_value(paddle.zeros([5, 7]))
    model, optimizer = fleet.distributed_model(net), fleet.distributed_optimizer(optimizer_of(net))
    for batch in BATCHES:
        loss_of(model, own_rows(batch)).backward()
        optimizer.step()
        optimizer.clear_grad()
    assert 0 < elements_of(optimizer, net) < sum(p.size for p in net.parameters())
    same_as_alone(net)


def by_hand():
    """What a trainer does that brings gradients together itself, with float32 gradients of bfloat16 parameters."""
    strategy = fleet.DistributedStrategy()
    strategy.hybrid_configs = {"sharding_degree": 2}
    fleet.init(is_collective=True, strategy=strategy)
    net = network().to(dtype="bfloat16")
    mix_precision_utils.MixPrecisionLayer(net, "bfloat16")
    model = fleet.distributed_model(net)
    inner = optimizer_of(net, multi_precision=True)
    optimizer = fleet.distributed_optimizer(mix_precision_utils.MixPrecisionOptimizer(inner))
    assert optimizer._sharding_enable and not optimizer._dp_enable
    ranks = optimizer._inner_opt._param2rank
    assert sorted(ranks) == sorted(p.name for p in net.parameters()) and set(ranks.values()) == {0, 1}
    assert [ranks[p.name] for p in optimizer._inner_opt._rank2params[1]] == [1] * (list(ranks.values()).count(1))
    for batch in BATCHES[:2]:
        loss_of(model, paddle.to_tensor(own_rows(batch)).astype("bfloat16")).backward()
        mine = net[0].weight.main_grad.numpy()
        parts = []
        dist.all_gather(parts, paddle.to_tensor(mine))
        parameters = list(optimizer._parameter_list)
        optimizer._inner_opt.reduce_gradients(parameters, optimizer._hcg)
        if ranks[net[0].weight.name] == dist.get_rank():
            np.testing.assert_allclose(net[0].weight.main_grad.numpy(), (parts[0] + parts[1]).numpy() / 2, rtol=1e-6)
        else:
            assert net[0].weight.main_grad is None and net[0].weight.grad is None
        before = net[0].weight.astype("float32").numpy()
        optimizer._step(parameters)
        optimizer.clear_grad()
        assert (net[0].weight.astype("float32").numpy() != before).any()
    parts = []
    dist.all_gather(parts, net[0].weight.astype("float32"))
    np.testing.assert_array_equal(parts[0].numpy(), parts[1].numpy())


def float32_gradients():
    dist.init_parallel_env()
    net = network().to(dtype="bfloat16")
    mix_precision_utils.MixPrecisionLayer(net, "bfloat16")
    inner = mix_precision_utils.MixPrecisionOptimizer(optimizer_of(net, multi_precision=True))
    model, optimizer, _ = dist.sharding.group_sharded_parallel(net, inner, "os_g")
    rows = paddle.to_tensor(own_rows(BATCHES[0])).astype("bfloat16")
    for _ in range(2):
        (model(rows) ** 2).mean().backward()
        assert 0 < sum(p.main_grad is not None for p in net.parameters()) < 5
        optimizer.step()
        optimizer.clear_grad()
    parts = []
    dist.all_gather(parts, net[0].weight.astype("float32"))
    np.testing.assert_array_equal(parts[0].numpy(), parts[1].numpy())
    (model(rows) ** 2).mean().backward()
    with pytest.raises(NotImplementedError, match="several passes"):
        (model(rows) ** 2).mean().backward()


def test_float32_gradients_are_split():
    dist.spawn(float32_gradients, nprocs=2)


def test_trainers_may_bring_gradients_together():
    dist.spawn(by_hand, nprocs=2)


@pytest.mark.parametrize("sharding, dp", [(2, 1), (2, 2)])
def test_the_sharding_axis_of_fleet(sharding, dp):
    dist.spawn(sharding_axis, (sharding, dp), nprocs=sharding * dp)
