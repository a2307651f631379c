# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Members of optimizers, schedulers and scalers that no other test names."""

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
