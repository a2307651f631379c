# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A captured function called again: alike calls share one program, and what changed in between is seen."""

import gc
import weakref

import numpy as np
import paddle
import pytest
from paddle import nn

SCALE = 2.0


def captured(function):
    return paddle.jit.to_static(function, full_graph=True)


def check(function, static, *args, times=3):
    for _ in range(times):
        np.testing.assert_allclose(static(*args).numpy(), function(*args).numpy(), rtol=1e-6)


def test_changes_of_a_layer_are_seen():
    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
            self.factor = 1.0

        def forward(self, x):
            return self.inner(x) * self.factor

    net = Net()
    net.eval()
    x = paddle.ones([2, 3])
    static = captured(lambda x: net(x))
    check(net, static, x)
    net.factor = 3.0
    check(net, static, x)
    net.inner[0] = nn.Linear(3, 3)
    check(net, static, x)
    net.inner[0].weight = paddle.create_parameter([3, 3], "float32")
    check(net, static, x)
    net.inner.add_sublayer("more", nn.Tanh())
    check(net, static, x)
    net.train()
    assert not np.array_equal(static(x).numpy(), static(x).numpy())  # dropout draws anew


def test_frozen_parameters_are_seen():
    layer = nn.Linear(3, 1)
    static = captured(lambda x: layer(x).sum())
    x = paddle.ones([2, 3])
    for _ in range(3):
        static(x).backward()
    layer.weight.clear_grad(set_to_zero=False)
    layer.weight.stop_gradient = True
    static(x).backward()
    assert layer.weight.grad is None
    layer.weight.stop_gradient = False
    static(x).backward()
    np.testing.assert_array_equal(layer.weight.grad.numpy(), np.full((3, 1), 2.0))


def test_changes_of_globals_and_closures_are_seen(monkeypatch):
    offset = 1.0

    def f(x):
        return x * SCALE + offset

    static = captured(f)
    x = paddle.ones([2])
    check(f, static, x)
    monkeypatch.setitem(f.__globals__, "SCALE", 5.0)
    check(f, static, x)
    offset = 7.0
    check(f, static, x)


def test_other_arguments_are_seen():
    def f(x):
        return x.astype("float32") * x.shape[0]

    static = captured(f)
    for x in (paddle.ones([2]), paddle.ones([3]), paddle.ones([2], "int64"), paddle.ones([2])):
        check(f, static, x)
    x = paddle.ones([2])
    x.stop_gradient = False
    assert not static(x).stop_gradient
    with paddle.no_grad():
        assert static(x).stop_gradient
    assert not static(x).stop_gradient


def test_a_captured_layer_is_freed():
    layer = paddle.jit.to_static(nn.Linear(2, 2), full_graph=True)
    for _ in range(3):
        layer(paddle.ones([1, 2]))
    dead = weakref.ref(layer)
    del layer
    gc.collect()
    assert dead() is None


@pytest.mark.parametrize("symbolic", [True, False])
def test_convolutions_train_as_eager(symbolic):
    random = np.random.default_rng(0)
    batches = [random.standard_normal((n, 3, 8, 8), dtype=np.float32) for n in (4, 4, 4, 3, 5)]

    def losses(capture):
        paddle.seed(3)
        net = nn.Sequential(nn.Conv2D(3, 8, 3, padding=1), nn.BatchNorm2D(8), nn.GELU(), nn.Conv2D(8, 4, 3))
        adam = paddle.optimizer.Adam(1e-2, parameters=net.parameters())
        run = net
        if capture:
            spec = [paddle.static.InputSpec([None, 3, 8, 8], "float32")] if symbolic else None
            run = paddle.jit.to_static(lambda x: net(x), input_spec=spec, full_graph=True)
        out = []
        for batch in batches:
            loss = (run(paddle.to_tensor(batch)) ** 2).mean()
            loss.backward()
            adam.step()
            adam.clear_grad()
            out.append(float(loss))
        return out

    np.testing.assert_allclose(losses(True), losses(False), rtol=1e-5)
