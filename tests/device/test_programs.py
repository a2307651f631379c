# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured programs on the second device: values, gradients, state, saved and loaded."""

import numpy as np
import paddle
import pytest

from tests.device.skeleton import place

pytestmark = pytest.mark.threads

RNG = np.random.default_rng(0)
X = RNG.normal(size=(5, 4)).astype("float32")
Y = RNG.normal(size=(5, 1)).astype("float32")


@pytest.fixture(autouse=True)
def on_device():
    place()  # loads the device
    paddle.set_device("skeleton:0")
    yield
    paddle.set_device("cpu")


forms = pytest.mark.parametrize("full_graph", [True, False], ids=["program", "segments"])


def function(x):
    y = paddle.nn.functional.silu(x) * 2.0 + paddle.ones([4])
    y[:, 0] = paddle.tanh(x[:, 1])
    return y.sum(axis=1), y.t()


def expected(x):
    y = x / (1 + np.exp(-x)) * 2 + 1
    y[:, 0] = np.tanh(x[:, 1])
    return y.sum(1), y.T


@forms
def test_values(full_graph):
    program = paddle.jit.to_static(function, full_graph=full_graph)
    for _ in range(3):
        for out, want in zip(program(paddle.to_tensor(X)), expected(X), strict=True):
            assert out.place == place()
            np.testing.assert_allclose(out.numpy(), want, rtol=1e-5, atol=1e-6)


@forms
def test_gradients(full_graph):
    program = paddle.jit.to_static(lambda x: (paddle.exp(x) * x).sum(), full_graph=full_graph)
    for _ in range(3):
        x = paddle.to_tensor(X, stop_gradient=False)
        program(x).backward()
        assert x.grad.place == place()
        np.testing.assert_allclose(x.grad.numpy(), np.exp(X) * (X + 1), rtol=1e-5, atol=1e-6)


def network():
    paddle.seed(1)
    return paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.Tanh(), paddle.nn.Linear(8, 1))


def losses(model):
    optimizer = paddle.optimizer.Momentum(0.05, parameters=model.parameters())
    found = []
    for _ in range(4):
        loss = ((model(paddle.to_tensor(X)) - paddle.to_tensor(Y)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        found.append(loss.item())
    return found


@forms
def test_a_captured_model_trains_as_an_eager_one(full_graph):
    model, twin = network(), network()
    twin.set_state_dict(model.state_dict())
    want = losses(model)
    got = losses(paddle.jit.to_static(twin, full_graph=full_graph))
    np.testing.assert_allclose(got, want, rtol=1e-5)
    assert all(p.place == place() for p in twin.parameters())


@forms
def test_state_that_a_program_writes_stays_there(full_graph):
    norm = paddle.nn.BatchNorm1D(4)
    program = paddle.jit.to_static(norm, full_graph=full_graph)
    for _ in range(3):
        program(paddle.to_tensor(X))
    mean = norm._mean
    assert mean.place == place()
    np.testing.assert_allclose(mean.numpy(), X.mean(0) * (1 - 0.9**3), rtol=1e-4, atol=1e-6)


def test_a_saved_program_runs_on_the_current_device(tmp_path):
    model = network()
    model.eval()
    want = model(paddle.to_tensor(X)).numpy()
    path = str(tmp_path / "model")
    paddle.jit.save(model, path, input_spec=[paddle.static.InputSpec([None, 4], "float32")])
    loaded = paddle.jit.load(path)
    out = loaded(paddle.to_tensor(X))
    assert out.place == place()
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-5, atol=1e-6)


TEXT = """(%0) = "pd_op.data" () {name: "x"} : () -> (tensor<3xfloat32, "skeleton:0">)
(%1) = "pd_op.diag" (%0) {offset: 1:i32, padding_value: 2.0:f32} : (tensor<3xfloat32, "skeleton:0">) -> (tensor<4x4xfloat32, "skeleton:0">)
"""


def test_constants_of_decompositions_are_made_where_the_operands_are():
    program = paddle._core.pir.Program.parse(TEXT)
    paddle.set_device("cpu")
    program.apply(["decompose"])
    lines = [line for line in str(program).splitlines() if "pd_op.full" in line and "ints<4, 4>" in line]
    assert "pd_op.diag" not in str(program) and len(lines) == 1
    assert 'place<"skeleton:0">' in lines[0] and 'float32, "skeleton:0">' in lines[0]
