# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured layers and training steps give the numbers of eager ones; writes and state are seen."""

import numpy as np
import paddle
import pytest
from paddle import nn

DATA = [np.random.default_rng(i).standard_normal((8, 6)).astype("float32") for i in range(3)]


def train(captured, middle, whole_step):
    paddle.seed(7)
    model = nn.Sequential(nn.Linear(6, 16), middle(), nn.Linear(16, 4))
    optimizer = paddle.optimizer.AdamW(1e-2, parameters=model.parameters())
    run = paddle.jit.to_static(model) if captured and not whole_step else model

    def step(x):
        loss = (run(x) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    if captured and whole_step:
        step = paddle.jit.to_static(step)
    losses = [step(paddle.to_tensor(x)).numpy() for x in DATA]
    return losses + [t.numpy() for t in (*model.parameters(), *model.buffers())]


@pytest.mark.parametrize("middle", [nn.GELU, lambda: nn.BatchNorm1D(16), lambda: nn.Dropout(0.5)])
def test_training_a_captured_layer(middle):
    for eager, captured in zip(train(False, middle, False), train(True, middle, False), strict=True):
        np.testing.assert_array_equal(eager, captured)


def test_captured_training_step():
    for eager, captured in zip(train(False, nn.Tanh, True), train(True, nn.Tanh, True), strict=True):
        np.testing.assert_array_equal(eager, captured)


def test_write_into_an_input():
    def write(x):
        x[0] = 1.0
        return x * 2

    a, b = paddle.to_tensor(DATA[0].copy()), paddle.to_tensor(DATA[0].copy())
    np.testing.assert_array_equal(write(a).numpy(), paddle.jit.to_static(write)(b).numpy())
    np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_second_derivative():
    f = paddle.jit.to_static(lambda x: (x**3).sum())
    x = paddle.to_tensor(DATA[0], stop_gradient=False)
    (first,) = paddle.grad(f(x), x, create_graph=True)
    (second,) = paddle.grad(first.sum(), x)
    np.testing.assert_allclose(second.numpy(), 6 * DATA[0], rtol=1e-5)


def test_reshape_by_a_dynamic_extent():
    spec = [paddle.jit.InputSpec([None, None], "float32", "x")]
    f = paddle.jit.to_static(lambda x: x.reshape([x.shape[0] * x.shape[1]]), input_spec=spec)
    for shape in ([2, 3], [4, 5]):
        assert list(f(paddle.ones(shape)).shape) == [shape[0] * shape[1]]


def test_schedules_change_the_rate_of_a_captured_step():
    def train(capture):
        paddle.seed(4)
        layer = paddle.nn.Linear(3, 1)
        schedule = paddle.optimizer.lr.ExponentialDecay(0.1, 0.7)
        optimizer = paddle.optimizer.AdamW(schedule, parameters=layer.parameters())

        def step(x):
            loss = layer(x).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            return loss

        run = paddle.jit.to_static(step, full_graph=True) if capture else step
        x = paddle.to_tensor(np.arange(12, dtype="float32").reshape(4, 3))
        losses = []
        for _ in range(6):
            losses.append(float(run(x)))
            schedule.step()
        return losses, run

    captured, run = train(True)
    assert captured == train(False)[0]
    assert len(run.program_cache) <= 2


def test_functions_that_change_their_own_key_warn(monkeypatch):
    from paddle.jit import static_function

    monkeypatch.setattr(static_function, "_MANY_SIGNATURES", 3)

    class Counting(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.calls = 0

        @paddle.jit.to_static(full_graph=True)
        def forward(self, x):
            self.calls += 1
            return x * self.calls

    layer = Counting()
    x = paddle.ones([2])
    for _ in range(2):
        layer(x)
    with pytest.warns(UserWarning, match="captured for 3 signatures"):
        layer(x)


def test_a_dynamic_extent_computes_with_tensors():
    spec = [paddle.static.InputSpec([None, 3], "float32")]
    cases = [
        (lambda x: x * x.shape[0], lambda n: n),
        (lambda x: x.shape[0] - x, lambda n: n - 1),
        (lambda x: x / x.shape[0], lambda n: 1 / n),
        (lambda x: x * (x.shape[0] / 2), lambda n: n / 2),
        (lambda x: x * x.shape[0] ** 0.5, lambda n: n**0.5),
        (lambda x: x * (2.0 * x.shape[0]), lambda n: 2 * n),
    ]
    for function, expected in cases:
        f = paddle.jit.to_static(function, full_graph=True, input_spec=spec)
        for n in (1, 4):
            out = f(paddle.ones([n, 3]))
            assert out.dtype == paddle.float32 and out.shape == [n, 3]
            np.testing.assert_allclose(out.numpy(), np.full((n, 3), expected(n), "float32"), rtol=1e-6)
    f = paddle.jit.to_static(
        lambda x: x * x.shape[0], full_graph=True, input_spec=[paddle.static.InputSpec([None], "int32")]
    )
    assert f(paddle.to_tensor([1, 2], dtype="int32")).dtype == paddle.int32


def test_a_forward_of_one_layer_replaces_that_of_its_class(tmp_path):
    layer = paddle.nn.Linear(2, 2)
    layer.forward = lambda x: x * 3
    paddle.jit.save(layer, str(tmp_path / "net"), input_spec=[paddle.static.InputSpec([None, 2], "float32")])
    np.testing.assert_array_equal(paddle.jit.load(str(tmp_path / "net"))(paddle.ones([1, 2])).numpy(), [[3.0, 3.0]])
    np.testing.assert_array_equal(paddle.jit.to_static(layer)(paddle.ones([1, 2])).numpy(), [[3.0, 3.0]])
