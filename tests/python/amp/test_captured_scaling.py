# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A captured training step with a GradScaler steps, skips and adapts its scale as the step without capture."""

import numpy as np
import paddle
import pytest
from paddle import nn


def trained(make_step, full_graph, dtype="float16", level="O1", **settings):
    paddle.seed(5)
    layer = nn.Linear(3, 2)
    optimizer = paddle.optimizer.AdamW(
        0.1, parameters=layer.parameters(), grad_clip=nn.ClipGradByGlobalNorm(1.0), multi_precision=level == "O2"
    )
    if level == "O2":
        layer, optimizer = paddle.amp.decorate(layer, optimizer, level="O2", dtype=dtype)
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0, incr_every_n_steps=2, **settings)
    step = make_step(layer, optimizer, scaler, dtype, level)
    if full_graph is not None:
        step = paddle.jit.to_static(step, full_graph=full_graph)
    seen, random = [], np.random.RandomState(1)
    for factor in (1, 1, 1e30, 1, 1, 1, 1e30, 1e30, 1, 1):
        x = paddle.to_tensor((random.randn(4, 3) * factor).astype("float32"))
        loss = step(x)
        state = scaler.state_dict()
        seen.append((str(loss.item()), float(state["scale"][0]), state["incr_count"], state["decr_count"]))
    seen.append(layer.weight.astype("float32").numpy().tolist())
    return seen


def plain(layer, optimizer, scaler, dtype, level):
    def step(x):
        with paddle.amp.auto_cast(dtype=dtype, level=level):
            loss = (layer(x) ** 2).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        return loss

    return step


def clipping(layer, optimizer, scaler, dtype, level):
    def step(x):
        with paddle.amp.auto_cast(dtype=dtype, level=level):
            loss = (layer(x) ** 2).mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(layer.parameters(), 0.5)
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        return loss

    return step


def minimizing(layer, optimizer, scaler, dtype, level):
    def step(x):
        with paddle.amp.auto_cast(dtype=dtype, level=level):
            loss = (layer(x) ** 2).mean()
        scaled = scaler.scale(loss)
        scaled.backward()
        scaler.minimize(optimizer, scaled)
        optimizer.clear_grad()
        return loss

    return step


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("make_step", [plain, clipping, minimizing])
@pytest.mark.parametrize("level", ["O1", "O2"])
def test_captured_steps_are_those_without_capture(make_step, level, full_graph):
    expected = trained(make_step, None, level=level)
    assert [scale for _, scale, *_ in expected[:-1]] == [1024, 2048, 1024, 1024, 2048, 2048, 1024, 512, 512, 1024]
    assert trained(make_step, full_graph, level=level) == expected


def test_several_bad_steps_shrink_the_scale():
    expected = trained(plain, None, decr_every_n_nan_or_inf=2)
    assert [scale for _, scale, *_ in expected[:-1]] == [1024, 2048, 2048, 2048, 4096, 4096, 4096, 2048, 2048, 4096]
    assert trained(plain, True, decr_every_n_nan_or_inf=2) == expected


def test_a_captured_loss_is_scaled_by_what_the_scale_is_in_each_run():
    layer = nn.Linear(2, 1)
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
    captured = paddle.jit.to_static(lambda x: scaler.scale(x.sum()), full_graph=True)
    assert captured(paddle.ones([2])).item() == 8
    scaler.set_init_loss_scaling(16.0)
    assert captured(paddle.ones([2])).item() == 32
    scaler.load_state_dict({**scaler.state_dict(), "scale": np.array([2.0], "float32")})
    assert captured(paddle.ones([2])).item() == 4
    assert layer.weight.grad is None


def test_a_capture_that_leaves_a_step_open_is_refused():
    layer = nn.Linear(2, 1)
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    scaler = paddle.amp.GradScaler()

    @paddle.jit.to_static(full_graph=True)
    def step(x):
        scaler.scale(layer(x).mean()).backward()
        scaler.step(optimizer)

    with pytest.raises(RuntimeError, match=r"call update\(\) in the same captured function"):
        step(paddle.ones([1, 2]))
    layer(paddle.ones([1, 2])).mean().backward()
    scaler.unscale_(optimizer)  # the refused capture left no mark


def test_the_scale_is_a_tensor():
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    assert paddle.assign(scaler._scale).numpy() == 8
    assert not scaler._cache_founf_inf
