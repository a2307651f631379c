# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Members of optimizers, schedulers and scalers: what they hold and how it changes."""

import numpy as np
import paddle
import pytest


def weight_of(value):
    return paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(value))


def test_what_an_optimizer_holds():
    weight, clip = weight_of(1.0), paddle.nn.ClipGradByValue(1.0)
    optimizer = paddle.optimizer.SGD(0.5, parameters=[weight], grad_clip=clip)
    assert isinstance(optimizer, paddle.optimizer.Optimizer)
    assert optimizer._learning_rate == 0.5 and optimizer._grad_clip is clip
    assert optimizer._parameter_list == [weight] or optimizer._parameter_list[0] is weight
    assert optimizer._param_groups[0] is weight or optimizer._param_groups[0]["params"][0] is weight
    assert optimizer.helper is None
    optimizer.set_lr(0.25)
    assert optimizer.get_lr() == 0.25
    (weight * 3).sum().backward()
    optimizer.step()
    assert weight.item() == 1 - 0.25  # the gradient 3 is clipped to 1
    optimizer.zero_grad()
    assert weight.grad is None or weight.grad.item() == 0


def test_groups_of_parameters_are_kept_as_they_were_given():
    weight, other = weight_of(1.0), weight_of(2.0)
    plain = paddle.optimizer.Adam(parameters=[weight, other])
    assert [p.name for p in plain._param_groups] == [weight.name, other.name]
    grouped = paddle.optimizer.Adam(parameters=[{"params": [weight], "learning_rate": 0.5}, {"params": [other]}])
    assert [g["params"][0].name for g in grouped._param_groups] == [weight.name, other.name]


@pytest.mark.parametrize(
    "make, errors",
    [
        (lambda p: paddle.optimizer.Lamb(beta1=None, parameters=p), (AssertionError, ValueError)),
        (lambda p: paddle.optimizer.Lamb(epsilon=None, parameters=p), (AssertionError, ValueError)),
        (lambda p: paddle.optimizer.Adagrad(0.1, epsilon=None, parameters=p), (AssertionError, ValueError)),
        (lambda p: paddle.optimizer.AdamW(beta1=None, parameters=p), (AssertionError, ValueError)),
        (lambda p: paddle.optimizer.AdamW(None, parameters=p), (AssertionError, ValueError)),
        (lambda p: paddle.optimizer.LBFGS(parameters=p).minimize(p[0].sum()), (NotImplementedError,)),
        (lambda p: paddle.incubate.LookAhead("Adam"), (AttributeError,)),
        (lambda p: paddle.nn.ClipGradByValue(-0.1), (AssertionError,)),
        (lambda p: paddle.nn.ClipGradByGlobalNorm(1.0, auto_skip_clip="yes"), (AssertionError,)),
        (lambda p: paddle.optimizer.lr.ReduceOnPlateau(1.0).step(np.ones([1, 2])), (AssertionError,)),
        (lambda p: paddle.optimizer.lr.ReduceOnPlateau(1.0).step("1"), (TypeError,)),
    ],
)
def test_settings_that_no_step_can_be_made_with(make, errors):
    for error in errors:
        with pytest.raises(error):
            make([weight_of(1.0)])


def test_a_scheduler_takes_over():
    weight = weight_of(1.0)
    optimizer = paddle.optimizer.SGD(0.5, parameters=[weight])
    scheduler = paddle.optimizer.lr.StepDecay(0.8, step_size=1, gamma=0.5)
    optimizer.set_lr_scheduler(scheduler)
    assert isinstance(scheduler, paddle.optimizer.lr.LRScheduler)
    assert (scheduler.base_lr, scheduler.last_epoch, scheduler.last_lr, optimizer.get_lr()) == (0.8, 0, 0.8, 0.8)
    scheduler.step()
    assert (scheduler.last_epoch, scheduler.last_lr, optimizer.get_lr()) == (1, 0.4, 0.4)
    with pytest.raises(RuntimeError):
        optimizer.set_lr(0.1)


def test_scaler_unscales_and_minimizes():
    weight = weight_of(1.0)
    optimizer = paddle.optimizer.SGD(0.5, parameters=[weight])
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    scaled = scaler.scale((weight * 3).sum())
    assert scaled.item() == 24.0
    scaled.backward()
    assert weight.grad.item() == 24.0
    scaler.unscale_(optimizer)
    assert weight.grad.item() == 3.0
    scaler.minimize(optimizer, scaled)
    assert weight.item() == pytest.approx(1 - 1.5)
    other = paddle.amp.GradScaler(init_loss_scaling=2.0)
    other.load_state_dict(scaler.state_dict())
    np.testing.assert_array_equal(
        np.asarray(other.state_dict()["scale"]).reshape(-1), np.asarray(scaler.state_dict()["scale"]).reshape(-1)
    )


def test_decay_is_added_to_gradients_on_request():
    plain, own = weight_of(2.0), weight_of(3.0)
    own.regularizer = paddle.regularizer.L2Decay(0.1)
    optimizer = paddle.optimizer.SGD(0.5, parameters=[plain, own])
    one = paddle.ones([1])
    pairs = optimizer.append_regularization_ops([(plain, one), (own, one), (plain, None)])
    assert [None if g is None else g.item() for _, g in pairs] == pytest.approx([1.0, 1.3, None])
    pairs = optimizer.append_regularization_ops([(plain, one), (own, one)], paddle.regularizer.L2Decay(0.5))
    assert [g.item() for _, g in pairs] == pytest.approx([2.0, 1.3])
    assert pairs[0][0] is plain and one.item() == 1.0


def test_state_lies_in_tensors_of_its_own():
    weight = weight_of(1.0)
    optimizer = paddle.optimizer.Adam(0.5, parameters=[weight])
    assert optimizer.fusion_storage is None and optimizer.fused_states_buffer is None
    assert optimizer.fused_states_accumulators_meta is None and optimizer.fused_states_master_weights_meta is None
    optimizer.need_refuse()
    optimizer.reset_need_refuse()
    assert optimizer.merged_model_params is None
    optimizer.set_merged_model_params({"w": weight})
    assert optimizer.merged_model_params == {"w": weight}
    weight.sum().backward()
    optimizer.step()
    optimizer.use_fusion_storage()
    with pytest.raises(AssertionError, match="accelerator"):
        optimizer.step()
    assert weight.item() == pytest.approx(0.5, rel=1e-4)


def test_state_is_named_after_the_parameters_of_the_model():
    net = paddle.nn.Linear(2, 3)
    optimizer = paddle.optimizer.AdamW(0.1, parameters=net.parameters())
    assert optimizer.sharded_state_dict(net.sharded_state_dict()) == {}
    net(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    state = optimizer.sharded_state_dict(net.sharded_state_dict("net."))
    kinds = ("moment1_0", "moment2_0", "beta1_pow_acc_0", "beta2_pow_acc_0")
    assert set(state) == {f"net.{name}.{kind}" for name in ("weight", "bias") for kind in kinds}
    moment, power = state["net.weight.moment1_0"], state["net.weight.beta1_pow_acc_0"]
    assert moment.key == "net.weight.moment1_0"
    assert (moment.local_shape, moment.global_shape, moment.global_offset) == ((2, 3), (2, 3), (0, 0))
    np.testing.assert_allclose(moment.local_tensor.numpy(), np.full((2, 3), 0.1, "float32"), rtol=1e-6)
    assert power.global_shape == (1,) and power.local_tensor.item() == pytest.approx(0.81, rel=1e-6)
    with pytest.raises(KeyError):
        optimizer.sharded_state_dict({})


def test_float32_copies_of_parameters_are_part_of_the_state():
    net = paddle.nn.Linear(2, 3).bfloat16()
    optimizer = paddle.optimizer.AdamW(0.1, parameters=net.parameters(), multi_precision=True)
    net(paddle.ones([1, 2], "bfloat16")).sum().backward()
    optimizer.step()
    state = optimizer.sharded_state_dict(net.sharded_state_dict())
    copy = state["weight.w_0"].local_tensor
    assert copy.dtype == paddle.float32
    rounded = copy.astype("bfloat16").astype("float32")
    np.testing.assert_array_equal(rounded.numpy(), net.weight.astype("float32").numpy())
