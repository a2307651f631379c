# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs that are captured, saved or resumed go on exactly as they were."""

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F


def network():
    return nn.Sequential(nn.Conv2D(1, 4, 3), nn.BatchNorm2D(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 3))


def batch(step):
    rng = np.random.RandomState(step)
    return paddle.to_tensor(rng.randn(8, 1, 8, 8).astype("float32")), paddle.to_tensor(rng.randint(0, 3, 8))


def train(model, optimizer, schedule, steps):
    losses = []
    for step in steps:
        x, y = batch(step)
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        schedule.step()
        losses.append(loss.item())
    return losses


def made(seed, layer):
    paddle.seed(seed)
    with paddle.utils.unique_name.guard():  # as in a process of its own: optimizer state goes by parameter name
        model = layer()
    schedule = paddle.optimizer.lr.StepDecay(0.05, step_size=2, gamma=0.5)
    optimizer = paddle.optimizer.AdamW(schedule, parameters=model.parameters())
    return model, optimizer, schedule


def dropping():
    return nn.Sequential(*network(), nn.Dropout(0.3))


def test_resumed_training_is_equal_to_the_last_bit(tmp_path):
    whole = train(*made(1, dropping), range(6))
    model, optimizer, schedule = made(1, dropping)
    first = train(model, optimizer, schedule, range(3))
    paddle.save(
        {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            "random": paddle.get_rng_state(),
        },
        str(tmp_path / "at3.pdckpt"),
    )
    kept = paddle.load(str(tmp_path / "at3.pdckpt"))
    model, optimizer, schedule = made(2, dropping)
    model.set_state_dict(kept["model"])
    optimizer.set_state_dict(kept["optimizer"])
    schedule.set_state_dict(kept["schedule"])
    paddle.set_rng_state(kept["random"])
    assert first + train(model, optimizer, schedule, range(3, 6)) == whole


def test_captured_training_follows_eager_training_and_is_saved(tmp_path):
    eager = train(*made(3, network), range(4))
    model, optimizer, schedule = made(3, network)
    captured = paddle.jit.to_static(model, full_graph=True)
    np.testing.assert_allclose(train(captured, optimizer, schedule, range(4)), eager, rtol=1e-5)
    model.eval()
    x, _ = batch(9)
    expected = model(x).numpy()
    path = str(tmp_path / "net")
    paddle.jit.save(model, path, input_spec=[paddle.static.InputSpec([None, 1, 8, 8], "float32")])
    loaded = paddle.jit.load(path)
    loaded.eval()
    np.testing.assert_allclose(loaded(x).numpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(loaded(x[:3]).numpy(), expected[:3], rtol=1e-5, atol=1e-6)


def test_static_program_trains():
    paddle.enable_static()
    try:
        main, startup = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, startup):
            x = paddle.static.data("x", [None, 4], "float32")
            y = paddle.static.data("y", [None, 1], "float32")
            hidden = paddle.static.nn.fc(x, 16, activation="relu")
            loss = F.mse_loss(paddle.static.nn.fc(hidden, 1), y)
            paddle.optimizer.Adam(0.02).minimize(loss)
        executor = paddle.static.Executor(paddle.CPUPlace())
        executor.run(startup)
        rng = np.random.RandomState(0)
        losses = []
        for _ in range(80):
            values = rng.randn(32, 4).astype("float32")
            feed = {"x": values, "y": np.abs(values[:, :1]) + values[:, 1:2]}
            losses.append(float(executor.run(main, feed=feed, fetch_list=[loss])[0]))
        assert losses[-1] < 0.15 * losses[0]
    finally:
        paddle.disable_static()
