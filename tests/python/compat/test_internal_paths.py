# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Names below the public API that model libraries import, and what they do."""

import pickle

import numpy as np
import paddle
import pytest


def test_lazy_guard_leaves_the_values_to_initialize():
    with paddle.LazyGuard():
        layer = paddle.nn.Linear(2, 3, weight_attr=paddle.nn.initializer.Constant(2.0))
    eager = paddle.nn.Linear(2, 3)
    assert eager.weight.abs().sum().item() > 0
    copied = pickle.loads(pickle.dumps(layer.weight))
    for parameter in [*layer.parameters(), copied]:
        parameter.initialize()
    np.testing.assert_array_equal(layer.weight.numpy(), np.full((2, 3), 2.0))
    np.testing.assert_array_equal(copied.numpy(), np.full((2, 3), 2.0))
    np.testing.assert_array_equal(layer.bias.numpy(), np.zeros(3))
    layer.weight.initialize()
    assert not layer.weight.stop_gradient


def test_layer_helper_names_parameters():
    from paddle.base.layer_helper import LayerHelper
    from paddle.common_ops_import import LayerHelper as same

    assert LayerHelper is same
    helper = LayerHelper("scaled", name="mine")
    assert helper.create_parameter(None, [2, 3]).name == "mine.w_0"
    assert helper.create_parameter(None, [3], is_bias=True).name == "mine.b_0"
    assert helper.create_parameter(False, [3], is_bias=True) is None
    layer = paddle.nn.Linear(2, 2)
    assert layer._helper.create_parameter(None, [2]).name == layer.full_name() + ".w_1"


def test_attributes_of_the_parts_of_a_transformer_layer():
    from paddle.nn.layer.transformer import _convert_param_attr_to_list as parts

    assert [attr.name for attr in parts(paddle.ParamAttr(name="a"), 2)] == ["a_0", "a_1"]
    assert parts(False, 2) == [False, False]
    with pytest.raises(AssertionError, match="must have 2"):
        parts([None], 2)
    names = [p.name for p in paddle.nn.TransformerEncoderLayer(4, 2, 8, bias_attr=False).parameters()]
    assert len(names) == 10


def test_autocast_state():
    from paddle.amp.auto_cast import amp_state

    assert amp_state() is None
    with paddle.amp.auto_cast(dtype="bfloat16", level="O2"):
        state = amp_state()
        assert (state["enable"], state["dtype"], state["level"]) == (True, "bfloat16", "O2")


def test_declarative_mode_is_known_inside_a_capture():
    from paddle.nn.layer.layers import in_declarative_mode

    seen = []

    @paddle.jit.to_static(full_graph=True)
    def double(x):
        seen.append(in_declarative_mode())
        with paddle.framework._no_check_dy2st_diff():
            return x * 2

    assert double(paddle.ones([2])).tolist() == [2.0, 2.0]
    assert seen[0] is True and in_declarative_mode() is False


def test_sharded_optimizer_of_a_group_of_one():
    from paddle.distributed.fleet.meta_parallel.sharding.group_sharded_optimizer_stage2 import (
        GroupShardedOptimizerStage2,
    )
    from paddle.distributed.fleet.utils.hybrid_parallel_util import obtain_optimizer_parameters_list

    paddle.distributed.init_parallel_env()
    layer = paddle.nn.Linear(1, 1, weight_attr=paddle.nn.initializer.Constant(1.0))
    inner = paddle.optimizer.SGD(0.5, parameters=layer.parameters())
    outer = GroupShardedOptimizerStage2(layer.parameters(), inner)
    layer(paddle.ones([1, 1])).backward()
    outer.step()
    outer.clear_grad(set_to_zero=False)
    assert layer.weight.item() == 0.5 and layer.weight.grad is None
    assert outer.get_lr() == 0.5
    assert list(map(id, obtain_optimizer_parameters_list(inner))) == list(map(id, layer.parameters()))


def test_module_paths():
    from paddle.framework.io import EagerParamBase
    from paddle.incubate.nn.layer.fused_dropout_add import FusedDropoutAdd
    from paddle.incubate.nn.layer.fused_linear import FusedLinear

    assert EagerParamBase is paddle.nn.Parameter
    assert FusedDropoutAdd is paddle.incubate.nn.FusedDropoutAdd and FusedLinear is paddle.incubate.nn.FusedLinear


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_where_takes_a_bool_condition(dtype):
    with pytest.raises(ValueError, match="must be bool"):
        paddle.where(paddle.ones([2], dtype=dtype), 1.0, 0.0)


def test_gradients_of_operators_as_functions():
    x, y = np.arange(6, dtype="float32").reshape(2, 3), np.ones((3, 2), "float32")
    g = np.array([[1.0, 2.0], [3.0, 4.0]], "float32")
    dx, dy = paddle._C_ops.matmul_grad(*map(paddle.to_tensor, (x, y, g)), False, False)
    np.testing.assert_allclose(dx.numpy(), g @ y.T)
    np.testing.assert_allclose(dy.numpy(), x.T @ g)
    s = 1 / (1 + np.exp(-x))
    dx, dy = paddle._C_ops.swiglu_grad(*map(paddle.to_tensor, (x, x + 1, x)))
    np.testing.assert_allclose(dx.numpy(), x * (x + 1) * (s + x * s * (1 - s)), rtol=1e-5)
    np.testing.assert_allclose(dy.numpy(), x * x * s, rtol=1e-5)
    dx, absent = paddle._C_ops.swiglu_grad(paddle.ones([2, 4]), None, paddle.ones([2, 2]))
    np.testing.assert_allclose(dx.numpy()[0], [0.92767054, 0.92767054, 0.7310586, 0.7310586], rtol=1e-6)
    assert absent is None


def test_gradient_of_rms_norm_is_that_of_its_formula():
    rng = np.random.default_rng(0)
    x, scale, g = (rng.normal(size=s) for s in ((2, 3, 8), (8,), (2, 3, 8)))
    t = paddle.to_tensor(x, stop_gradient=False)
    w = paddle.to_tensor(scale, stop_gradient=False)
    inverse = paddle.rsqrt((t * t).mean(-1) + 1e-5)
    (t * inverse.unsqueeze(-1) * w * paddle.to_tensor(g)).sum().backward()
    dx, dw = paddle._C_ops.fused_rms_norm_ext_grad(t.detach(), w.detach(), inverse.detach(), paddle.to_tensor(g), 1e-5)
    np.testing.assert_allclose(dx.numpy(), t.grad.numpy(), rtol=1e-9)
    np.testing.assert_allclose(dw.numpy(), w.grad.numpy(), rtol=1e-9)


def test_the_switch_behind_lazy_guard():
    from paddle.nn.initializer.lazy_init import lazy_init_helper

    helper = lazy_init_helper()
    assert helper is lazy_init_helper() and not helper.state and helper._state is False
    with paddle.LazyGuard():
        assert helper.state
    helper.enable()
    assert helper.state
    helper.disable()
    assert not helper.state


def test_small_internal_names():
    from paddle.framework import recall_error
    from paddle.jit.marker import unified
    from paddle.nn.initializer.constant import Constant

    assert Constant is paddle.nn.initializer.Constant
    assert unified(lambda x: x + 1)(2) == 3 and unified()(lambda x: x + 1)(2) == 3
    assert recall_error.check_naninf(paddle.to_tensor([1.0, float("nan")])) == "PaddleRecall error(102): LossNan"
    assert recall_error.check_naninf(paddle.to_tensor([float("inf")])) == recall_error.LOSS_INF_ERROR
    assert recall_error.check_naninf(paddle.ones([2])) is None
    assert paddle.ones([2])._md5sum() == "a51484ccfb1ed28e7bb0e72b4b7c3644"
    assert paddle.framework._current_expected_place_() == paddle.CPUPlace()
    with pytest.raises(ValueError, match="no loaded extension"):
        paddle.base.core.eager._run_custom_op("never_declared")


def test_dtypes_by_the_names_of_their_enumeration():
    from paddle.base.libpaddle import DataType

    assert paddle.core is paddle.base.core and paddle.core.eager.Tensor is paddle.Tensor
    assert DataType is paddle.dtype and DataType.FLOAT32 is paddle.float32 and paddle.dtype.BFLOAT16 is paddle.bfloat16


def test_the_state_of_mixed_precision():
    from paddle.amp.auto_cast import amp_global_state

    state = amp_global_state()
    assert state.amp_dtype == "float32" and state.use_master_grad is False
    with paddle.amp.auto_cast(dtype="bfloat16"):
        assert state.amp_dtype == "bfloat16"
    assert state.amp_dtype == "float32"


def test_parts_of_recomputation():
    import random

    from paddle.distributed.fleet.layers.mpu.random import get_rng_state_tracker
    from paddle.distributed.fleet.recompute.recompute import check_recompute_necessary, switch_rng_state_tracker

    x = paddle.ones([2])
    with pytest.warns(UserWarning, match="None of the inputs"):
        check_recompute_necessary([x, 3])
    x.stop_gradient = False
    check_recompute_necessary([x])
    tracker = get_rng_state_tracker()
    states = (paddle.get_rng_state(), tracker.get_states_tracker(), np.random.get_state(), random.getstate())
    draws = [lambda: float(paddle.rand([])), np.random.rand, random.random]
    first = [draw() for draw in draws]
    with switch_rng_state_tracker(*states):
        assert [draw() for draw in draws] == first
    assert [draw() for draw in draws] != first


def test_a_model_and_then_its_optimizer_are_made_parallel():
    from paddle.distributed.auto_parallel.intermediate import parallelize
    from paddle.profiler import utils

    assert utils.RecordEvent is paddle.profiler.RecordEvent
    with pytest.raises(NotImplementedError, match="Profiler"):
        utils.switch_job_schedule_profiler(None, 0, 0, 1)
    mesh = paddle.distributed.ProcessMesh([0], dim_names=["x"])
    layer = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    assert parallelize.parallelize_model(layer, mesh, {}) is layer
    assert parallelize.parallelize_optimizer(optimizer, mesh, {}) is not None


def test_paths_of_pipeline_and_model_parallelism():
    from paddle.distributed.fleet.layers.mpu import random
    from paddle.distributed.fleet.meta_parallel import parallel_layers
    from paddle.distributed.fleet.meta_parallel.parallel_layers.pp_layers import PipelineLayer
    from paddle.distributed.fleet.meta_parallel.parallel_layers.random import get_rng_state_tracker

    assert get_rng_state_tracker is random.get_rng_state_tracker and PipelineLayer is parallel_layers.PipelineLayer


def test_bases_of_norms_by_their_older_paths():
    from paddle.nn.layer.norm import SyncBatchNorm, _BatchNormBase, _InstanceNormBase

    norms = [paddle.nn.BatchNorm(2), paddle.nn.BatchNorm1D(2), SyncBatchNorm(2)]
    assert all(isinstance(layer, _BatchNormBase) for layer in norms)
    assert isinstance(paddle.nn.InstanceNorm3D(2), _InstanceNormBase)
