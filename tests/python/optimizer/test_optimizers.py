# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers against NumPy and against files of PaddlePaddle 3.3.1."""

import os

import numpy as np
import paddle
import pytest
from paddle import nn

FILES = os.path.join(os.path.dirname(__file__), "..", "..", "compat", "pdparams")
G = np.array([0.5, -1.0, 2.0])


def run(make, steps=3):
    """Parameters after steps with the gradient G * step, from zeros plus one."""
    p = paddle.create_parameter([3], "float64", default_initializer=nn.initializer.Constant(1.0))
    optimizer = make([p])
    for i in range(1, steps + 1):
        (p * paddle.to_tensor(G * i)).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return p.numpy()


def test_sgd_with_weight_decay():
    w = np.ones(3)
    for i in range(1, 4):
        w = w - 0.1 * (G * i + 0.01 * w)
    got = run(lambda p: paddle.optimizer.SGD(0.1, p, weight_decay=0.01))
    np.testing.assert_allclose(got, w, rtol=1e-6)


@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum(nesterov):
    w, v = np.ones(3), np.zeros(3)
    for i in range(1, 4):
        v = 0.9 * v + G * i
        w = w - 0.1 * (G * i + 0.9 * v if nesterov else v)
    got = run(lambda p: paddle.optimizer.Momentum(0.1, 0.9, p, use_nesterov=nesterov))
    np.testing.assert_allclose(got, w, rtol=1e-6)


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_adam_and_adamw(decay):
    w, m, v = np.ones(3), np.zeros(3), np.zeros(3)
    for i in range(1, 4):
        g = G * i
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w = w * (1 - 0.01 * decay)
        w = w - 0.01 * (m / (1 - 0.9**i)) / (np.sqrt(v / (1 - 0.999**i)) + 1e-8)
    if decay:
        got = run(lambda p: paddle.optimizer.AdamW(0.01, parameters=p, weight_decay=decay))
    else:
        got = run(lambda p: paddle.optimizer.Adam(0.01, parameters=p))
    np.testing.assert_allclose(got, w, rtol=1e-5)


def test_training_goes_on_from_files_of_paddle():
    expected = np.load(os.path.join(FILES, "linear_expected.npz"))
    after = np.load(os.path.join(FILES, "linear_after_step_expected.npz"))
    with paddle.utils.unique_name.guard():
        layer = nn.Linear(2, 3)
        scheduler = paddle.optimizer.lr.StepDecay(0.1, 2)
        optimizer = paddle.optimizer.AdamW(scheduler, parameters=layer.parameters())
    layer.set_state_dict(paddle.load(os.path.join(FILES, "linear.pdparams")))
    optimizer.set_state_dict(paddle.load(os.path.join(FILES, "linear_adamw.pdopt")))
    x = paddle.to_tensor(expected["x"])
    np.testing.assert_allclose(layer(x).numpy(), expected["y"], atol=1e-6)
    (layer(x) ** 2).mean().backward()
    optimizer.step()
    np.testing.assert_allclose(layer.weight.numpy(), after["param.weight"], atol=1e-6)
    np.testing.assert_allclose(layer.bias.numpy(), after["param.bias"], atol=1e-6)
    keys = {k.removeprefix("opt.") for k in expected if k.startswith("opt.")}
    assert set(optimizer.state_dict()) == keys | {"LR_Scheduler"}


def test_global_norm_clipping():
    clip = nn.ClipGradByGlobalNorm(1.0)
    got = run(lambda p: paddle.optimizer.SGD(1.0, p, grad_clip=clip), steps=1)
    np.testing.assert_allclose(got, 1 - G / np.linalg.norm(G), rtol=1e-6)


def test_groups_have_learning_rates_of_their_own():
    a, b = nn.Linear(1, 1, bias_attr=False), nn.Linear(1, 1, bias_attr=False)
    before = a.weight.item(), b.weight.item()
    optimizer = paddle.optimizer.SGD(
        0.1, [{"params": a.parameters(), "learning_rate": 0.5}, {"params": b.parameters()}]
    )
    (a.weight + b.weight).sum().backward()
    optimizer.step()
    assert a.weight.item() == pytest.approx(before[0] - 0.05, rel=1e-5)
    assert b.weight.item() == pytest.approx(before[1] - 0.1, rel=1e-5)


def test_scaler_skips_steps_that_are_not_finite():
    p = paddle.create_parameter([1], "float32", default_initializer=nn.initializer.Constant(1.0))
    optimizer = paddle.optimizer.SGD(1.0, [p])
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
    scaler.scale((p * float("inf")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert p.item() == 1.0 and scaler.state_dict()["scale"][0] == 2.0


lr = paddle.optimizer.lr


@pytest.mark.parametrize(
    "make, expected",
    [
        (lambda: lr.StepDecay(1.0, 2), [1, 1, 0.1, 0.1, 0.01]),
        (lambda: lr.PiecewiseDecay([2, 3], [1.0, 0.5, 0.1]), [1, 1, 0.5, 0.1, 0.1]),
        (lambda: lr.ExponentialDecay(1.0, 0.5), [1, 0.5, 0.25, 0.125, 0.0625]),
        (lambda: lr.PolynomialDecay(1.0, 4, end_lr=0.0), [1, 0.75, 0.5, 0.25, 0]),
        (lambda: lr.LinearWarmup(1.0, 4, 0.0, 1.0), [0, 0.25, 0.5, 0.75, 1]),
        (lambda: lr.CosineAnnealingDecay(1.0, 4), [(1 + np.cos(np.pi * i / 4)) / 2 for i in range(5)]),
        (lambda: lr.MultiStepDecay(1.0, [1, 3]), [1, 0.1, 0.1, 0.01, 0.01]),
        (lambda: lr.LinearLR(1.0, 2, 0.5), [0.5, 0.75, 1, 1, 1]),
        (lambda: lr.LambdaDecay(2.0, lambda e: 1 / (e + 1)), [2, 1, 2 / 3, 0.5, 0.4]),
        (lambda: lr.NoamDecay(4, 2), [0, 0.5 * 2**-1.5, 0.5 * 2**-0.5, 0.5 * 3**-0.5, 0.25]),
        (lambda: lr.CyclicLR(0.0, 1.0, 2), [0, 0.5, 1, 0.5, 0]),
        (lambda: lr.CosineAnnealingWarmRestarts(1.0, 2), [1, 0.5, 1, 0.5, 1]),
    ],
)
def test_schedules(make, expected):
    scheduler, rates = make(), []
    for _ in expected:
        rates.append(scheduler())
        scheduler.step()
    np.testing.assert_allclose(rates, expected, atol=1e-9)


def test_a_reduced_rate_is_told(capsys):
    scheduler = lr.ReduceOnPlateau(1.0, factor=0.5, patience=0, verbose=True)
    for _ in range(2):
        scheduler.step(3.0)
    assert capsys.readouterr().out == "Epoch 2: ReduceOnPlateau set learning rate to 0.5.\n"


def test_reduce_on_plateau():
    scheduler = lr.ReduceOnPlateau(1.0, factor=0.5, patience=1)
    for loss in (1.0, 0.5, np.array([0.6]), paddle.to_tensor([0.7])):
        scheduler.step(loss)
    assert scheduler() == 0.5


def test_one_cycle_rises_and_falls():
    scheduler, rates = lr.OneCycleLR(1.0, 10), []
    for _ in range(10):
        rates.append(scheduler())
        scheduler.step()
    assert rates[0] == pytest.approx(0.04) and rates[2] == pytest.approx(1.0)
    assert rates[-1] == pytest.approx(0.0001)


@pytest.mark.parametrize("dtype, tolerance", [("float32", 1.2e-7), ("float64", 1e-15)])
@pytest.mark.parametrize("name", ["Adam", "AdamW", "Lamb"])
def test_the_first_step_has_no_rounding_of_the_decay_factors(name, dtype, tolerance):
    x = paddle.create_parameter([2], dtype, default_initializer=nn.initializer.Constant(1.0))
    decay = {"Adam": {}, "AdamW": {"weight_decay": 0.0}, "Lamb": {"lamb_weight_decay": 0.0}}[name]
    optimizer = getattr(paddle.optimizer, name)(0.1, parameters=[x], **decay)
    optimizer._epsilon = 0.0
    (x * paddle.to_tensor([2.0, -3.0], dtype)).sum().backward()
    optimizer.step()
    np.testing.assert_allclose(x.numpy(), [0.9, 1.1], rtol=tolerance)


def test_a_float64_parameter_has_a_float64_rate():
    x = paddle.create_parameter([1], "float64", default_initializer=nn.initializer.Constant(2.0))
    (x * 0.2).sum().backward()
    paddle.optimizer.SGD(0.1, parameters=[x]).step()
    np.testing.assert_allclose(x.numpy(), [1.98], rtol=1e-15)


@pytest.mark.parametrize("make", [paddle.optimizer.Adam, paddle.optimizer.AdamW])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("static", [True, False])
def test_lazy_mode_steps_the_rows_that_were_looked_up(make, sparse, static):
    table = nn.Embedding(3, 2, sparse=sparse)
    optimizer = make(0.1, parameters=table.parameters(), lazy_mode=True)
    loss = paddle.jit.to_static(lambda i: (table(i) ** 2).sum(), full_graph=True) if static else None
    values = []
    for row in (1, 2):
        (loss or (lambda i: (table(i) ** 2).sum()))(paddle.to_tensor([row])).backward()
        optimizer.step()
        optimizer.clear_grad()
        values.append(table.weight.numpy())
    moved = np.any(values[0] != values[1], axis=1)
    decays = make is paddle.optimizer.AdamW
    assert moved.tolist() == ([False, False, True] if sparse else [decays, True, True])
    moment = next(v for k, v in optimizer.state_dict().items() if "moment1" in k).numpy()
    assert (moment[0] == 0).all() and (moment[1:] != 0).all()


def test_gradients_are_clipped_to_a_joint_norm_where_they_lie():
    layer = paddle.nn.Linear(3, 3)
    (layer(paddle.ones([2, 3])) ** 2).sum().backward()
    clip = paddle.nn.ClipGradByGlobalNorm(0.05)
    clipped = clip([(p, p.grad) for p in layer.parameters()])
    joint = sum(float((p.grad**2).sum()) for p in layer.parameters()) ** 0.5
    assert joint == pytest.approx(0.05, rel=1e-4)
    assert all(g.tolist() == p.grad.tolist() for p, g in clipped)
