# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Collective names in a program of one process: each is the identity of a group of one, or says what it is."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest

X = np.arange(6, dtype="float32").reshape(2, 3)


def t(a=X):
    return paddle.to_tensor(a)


@pytest.fixture(autouse=True, scope="module")
def started():
    dist.init_parallel_env()


def gathered(call):
    parts = []
    call(parts, t())
    return parts[0]


IDENTITIES = {
    "all_gather": lambda: gathered(dist.stream.all_gather),
    "communication.stream.all_gather": lambda: gathered(dist.communication.stream.all_gather),
    "communication.stream.all_reduce": lambda: _in_place(dist.communication.stream.all_reduce),
    "communication.stream.broadcast": lambda: _in_place(lambda x: dist.communication.stream.broadcast(x, 0)),
    "communication.stream.gather": lambda: _listed(lambda x, out: dist.communication.stream.gather(x, out, 0)),
    "communication.stream.reduce_scatter": lambda: _into(dist.communication.stream.reduce_scatter),
    "communication.stream.alltoall_single": lambda: _into(dist.communication.stream.alltoall_single),
    "stream.alltoall_single": lambda: _into(dist.stream.alltoall_single),
    "alltoall": lambda: _alltoall(),
    "_c_identity": lambda: dist.collective._c_identity(t()),
    "_c_concat": lambda: dist.collective._c_concat(t()),
    "mp_ops._c_identity": lambda: dist.fleet.layers.mpu.mp_ops._c_identity(t()),
    "mp_ops._c_concat": lambda: dist.fleet.layers.mpu.mp_ops._c_concat(t()),
    "mp_ops._c_split": lambda: dist.fleet.layers.mpu.mp_ops._c_split(t()),
    "mp_ops._mp_allreduce": lambda: dist.fleet.layers.mpu.mp_ops._mp_allreduce(t()),
    "ScatterOp": lambda: _sequence().ScatterOp.apply(t()),
    "GatherOp": lambda: _sequence().GatherOp.apply(t()),
    "AllGatherOp": lambda: _sequence().AllGatherOp.apply(t()),
    "ReduceScatterOp": lambda: _sequence().ReduceScatterOp.apply(t()),
}


def _sequence():
    from paddle.distributed.fleet.utils import sequence_parallel_utils

    return sequence_parallel_utils


def _in_place(call):
    x = t()
    call(x)
    return x


def _into(call):
    out = paddle.zeros([2, 3])
    call(out, t())
    return out


def _listed(call):
    out = []
    call(t(), out)
    return out[0]


def _alltoall():
    out = []
    dist.alltoall(out, [t()])
    return out[0]


@pytest.mark.parametrize("name", IDENTITIES)
def test_identity(name):
    np.testing.assert_array_equal(IDENTITIES[name]().numpy(), X)


def test_groups_and_barriers():
    group = dist.new_group([0])
    assert isinstance(group, dist.communication.group.Group) and (group.nranks, group.ranks) == (1, [0])
    assert dist.communication.group._get_global_group().nranks == 1
    assert dist.barrier() is None
    assert dist.is_available() and dist.parallel.parallel_helper._is_parallel_ctx_initialized()
    assert dist.in_auto_parallel_align_mode() is False and dist.get_mesh() is None
    objects = [{"a": 1}]
    dist.broadcast_object_list(objects, src=0)
    assert objects == [{"a": 1}]


def test_environment_of_one_process():
    environment = dist.ParallelEnv()
    assert environment.local_rank == 0
    assert isinstance(environment.current_endpoint, str) and isinstance(environment.trainer_endpoints, list)


def test_kinds_of_reductions():
    names = [dist.ReduceOp.SUM, dist.ReduceOp.MAX, dist.ReduceOp.MIN, dist.ReduceOp.PROD]
    assert len(set(names)) == 4
    assert dist.ReduceType.kRedAvg != dist.ReduceType.kRedSum
    assert dist.Partial() == dist.Partial() and dist.Partial().is_partial() and not dist.Replicate().is_partial()


def test_parameters_of_sequence_parallelism():
    utils = _sequence()
    layer = paddle.nn.Linear(2, 2)
    utils.mark_as_sequence_parallel_parameter(layer.weight)
    assert layer.weight.sequence_parallel is True
    paddle.distributed.parallel.sync_params_buffers(layer)
    x = t(X[:, :2])
    np.testing.assert_allclose(
        layer(x).numpy(), x.numpy() @ layer.weight.numpy() + layer.bias.numpy(), rtol=1e-5, atol=1e-6
    )


def test_timers_and_loggers_of_fleet():
    from paddle.distributed.fleet.utils import timer_helper

    if not timer_helper.is_timer_initialized():
        with pytest.raises(AssertionError, match="set_timers"):
            timer_helper.get_timers()
    timer_helper.set_timers()
    timers = timer_helper.get_timers()
    timers("step").start()
    timers("step").stop()
    assert timers("step").elapsed(reset=True) >= 0


def test_steps_give_every_trainable_parameter_a_gradient():
    import types

    from paddle.distributed.auto_parallel._utils import _patch_grads_for_step

    used, unused = paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2)
    unused.bias.stop_gradient = True
    optimizer = paddle.optimizer.SGD(parameters=used.parameters() + unused.parameters())
    optimizer.step = types.MethodType(_patch_grads_for_step()(type(optimizer).step), optimizer)
    used(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    assert unused.weight.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]] and unused.bias.grad is None


def test_wrappers_of_optimizers_and_scalers_are_taken_off():
    from paddle.distributed.fleet.utils.hybrid_parallel_util import unwrap_optimizer
    from paddle.distributed.fleet.utils.mix_precision_utils import MixPrecisionOptimizer, MixPrecisionScaler

    inner = paddle.optimizer.SGD(parameters=paddle.nn.Linear(1, 1).parameters())
    outer = MixPrecisionOptimizer(MixPrecisionOptimizer(inner))
    assert unwrap_optimizer(outer) is outer
    assert unwrap_optimizer(outer, MixPrecisionOptimizer) is inner
    assert MixPrecisionScaler(paddle.amp.GradScaler(init_loss_scaling=4.0)).get_init_loss_scaling() == 4.0


def test_scaling_by_the_degree_leaves_the_gradient():
    from paddle.distributed.fleet.layers.mpu.mp_layers import MPScale

    x = paddle.to_tensor([2.0, 3.0], stop_gradient=False)
    y = MPScale.apply(x, 2)
    y.sum().backward()
    assert y.tolist() == [1.0, 1.5] and x.grad.tolist() == [1.0, 1.0]


def test_parts_of_tensors_keep_their_place():
    from paddle.distributed.flex_checkpoint.dcp import sharded_weight

    whole = sharded_weight.make_replicated_sharded_weight("w", paddle.zeros([2, 3]))
    other = sharded_weight.create_sharded_weight_with_new_local("v", paddle.ones([2, 3]), whole)
    assert (other.key, other.global_shape, other.global_offset) == ("v", (2, 3), (0, 0))


def test_batches_of_messages_are_a_module_and_a_function():
    from paddle.distributed.communication.batch_isend_irecv import P2POp, batch_isend_irecv

    assert paddle.distributed.batch_isend_irecv is batch_isend_irecv
    assert paddle.distributed.communication.batch_isend_irecv is batch_isend_irecv
    assert paddle.distributed.P2POp is P2POp
