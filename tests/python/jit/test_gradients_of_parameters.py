# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured functions that call backward(): gradients of parameters add up, are cleared and are seen as without capture."""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.jit import to_static

FORMS = pytest.mark.parametrize("full_graph", [True, False])


def ones_layer(*sizes):
    layer = nn.Linear(*sizes)
    for p in layer.parameters():
        p.set_value(paddle.ones(p.shape))
    return layer


def runs(program, full_graph):
    """What a program of a `wrap` gives, captured and plain."""
    return program(lambda f: to_static(f, full_graph=full_graph)), program(lambda f: f)


@FORMS
def test_gradients_add_up_over_calls(full_graph):
    layer = ones_layer(2, 2)

    @to_static(full_graph=full_graph)
    def backward(x):
        (layer(x) ** 2).sum().backward()

    seen = []
    for i in range(5):
        if i == 3:
            layer.clear_gradients()
        backward(paddle.ones([2, 2]))
        seen.append(layer.weight.grad.tolist()[0][0])
    assert seen == [12, 24, 36, 12, 24]  # two rows of 2 * 3 each


def accumulated(wrap):
    layer = ones_layer(2, 2)
    optimizer = paddle.optimizer.SGD(0.01, layer.parameters())

    def step(x):
        loss = (layer(x) ** 2).sum()
        loss.backward()
        return loss

    step, losses = wrap(step), []
    for i in range(9):
        losses.append(float(step(paddle.ones([2, 2]) * (i % 4))))
        if i % 2:
            (layer(paddle.ones([1, 2])) ** 2).sum().backward()
        if i % 3 == 2:
            optimizer.step()
            optimizer.clear_grad(set_to_zero=i == 5)
    return losses


def two_heads(wrap):
    body, heads = ones_layer(2, 2), [ones_layer(2, 1), ones_layer(2, 1)]
    optimizer = paddle.optimizer.Adam(0.1, parameters=[p for m in (body, *heads) for p in m.parameters()])

    def step(x, head):
        loss = ((heads[head](body(x)) - 1) ** 2).sum()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    step, losses = wrap(step), []
    for i in range(6):  # Adam moves the other head on zeros, as its moments say
        losses.append(float(step(paddle.ones([2, 2]), i % 2)))
        losses.append(float(heads[1 - i % 2].weight.sum()))
    return losses


def cleared_first(wrap):
    layer = ones_layer(2, 2)
    optimizer = paddle.optimizer.Momentum(0.01, parameters=layer.parameters())

    def step(x):
        optimizer.clear_grad()
        loss = (layer(x) ** 2).sum()
        loss.backward()
        optimizer.step()
        return loss

    step = wrap(step)
    return [float(step(paddle.ones([2, 2]))) for _ in range(4)] + layer.weight.grad.flatten().tolist()


def gradient_that_is_read(wrap):
    layer = ones_layer(2, 2)

    def step(x):
        loss = (layer(x) ** 2).sum()
        if layer.weight.grad is not None:
            loss = loss + layer.weight.grad.sum()
        loss.backward()
        with paddle.no_grad():
            layer.weight.grad.set_value(layer.weight.grad * 2)
        return loss

    step = wrap(step)
    return [float(step(paddle.ones([2, 2]))) for _ in range(4)] + layer.weight.grad.flatten().tolist()


def stepped_now_and_then(wrap):
    layer = ones_layer(2, 2)
    optimizer = paddle.optimizer.Adam(0.1, parameters=layer.parameters())

    def step(x, count):
        loss = (layer(x) ** 2).sum()
        loss.backward()
        if count == 2:
            optimizer.step()
            optimizer.clear_grad()
        return loss

    step = wrap(step)
    losses = [float(step(paddle.ones([2, 2]), paddle.to_tensor(i % 3))) for i in range(7)]
    return losses + layer.weight.grad.flatten().tolist()


def exchanged_in_a_branch(wrap):
    layer = ones_layer(2, 2)
    optimizer = paddle.optimizer.SGD(0.01, parameters=layer.parameters())

    def step(x):
        loss = (layer(x) ** 2).sum()
        loss.backward()
        if loss > 10:
            for p in layer.parameters():
                p.grad = p.grad * 0.5
            (layer.weight * 0.1).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    step = wrap(step)
    return [float(step(paddle.ones([2, 2]))) for _ in range(5)]


def clipped_alone(wrap):
    layer = ones_layer(2, 2)
    optimizer = paddle.optimizer.SGD(0.01, parameters=layer.parameters())

    def clip():
        norm = layer.weight.grad.norm()
        for p in layer.parameters():
            p.grad.set_value(p.grad / norm)

    clip, seen = wrap(clip), []
    for i in range(4):
        (layer(paddle.ones([2, 2])) ** 2).sum().backward()
        clip()
        seen += layer.weight.grad.flatten().tolist()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=i != 1)
    return seen


def averaged_over_batches(wrap):
    layer = ones_layer(2, 2)
    optimizer = paddle.optimizer.ASGD(0.01, batch_num=2, parameters=layer.parameters())

    def step(x):
        loss = (layer(x) ** 2).sum()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    step = wrap(step)
    return [float(step(paddle.ones([2, 2]) * (1 + i % 2))) for i in range(5)]


PROGRAMS = [accumulated, two_heads, cleared_first, gradient_that_is_read, stepped_now_and_then, exchanged_in_a_branch]
PROGRAMS += [clipped_alone, averaged_over_batches]


@pytest.mark.parametrize("program", PROGRAMS)
@FORMS
def test_steps_find_gradients_as_without_capture(program, full_graph):
    captured, plain = runs(program, full_graph)
    assert captured == pytest.approx(plain, rel=1e-5)


@FORMS
def test_cleared_gradients_are_zeros_or_none(full_graph):
    layer = ones_layer(2, 2)
    optimizer = paddle.optimizer.SGD(0.1, layer.parameters())

    def step(x, zero):
        (layer(x) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad(zero)

    step = to_static(step, full_graph=full_graph)
    step(paddle.ones([2, 2]), True)
    assert layer.weight.grad.tolist() == [[0, 0], [0, 0]] and layer.bias.grad.tolist() == [0, 0]
    step(paddle.ones([2, 2]), False)
    assert layer.weight.grad is None and layer.bias.grad is None


def test_a_step_that_clears_its_gradients_is_captured_once():
    layer = ones_layer(2, 2)
    optimizer = paddle.optimizer.SGD(0.1, layer.parameters())

    @to_static(full_graph=True)
    def step(x):
        (layer(x) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()

    for _ in range(3):
        step(paddle.ones([2, 2]))
    assert len(step.program_cache) == 1


def test_a_capture_that_fails_leaves_gradients_as_they_are():
    layer = ones_layer(2, 2)

    def step(x):
        loss = (layer(x) ** 2).sum()
        loss.backward()
        return np.zeros(int(loss))

    step(paddle.ones([2, 2]))
    with pytest.raises(RuntimeError, match="asks for the values") as kept:
        to_static(step, full_graph=True)(paddle.ones([2, 2]))
    assert layer.weight.grad.tolist() == [[12, 12], [12, 12]]
    step(paddle.ones([2, 2]))
    assert layer.weight.grad.tolist() == [[24, 24], [24, 24]]
    assert kept.value is not None  # what it holds does not matter


@pytest.mark.parametrize("half", [False, True])
def test_a_capture_that_fails_leaves_no_state_of_optimizers(half):
    layer = ones_layer(2, 2)
    optimizer = paddle.optimizer.Adam(0.5, parameters=layer.parameters(), multi_precision=half)
    if half:
        layer.to(dtype="bfloat16")

    def step(x):
        loss = (layer(x.astype(layer.weight.dtype)) ** 2).sum()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    with pytest.raises(RuntimeError, match="asks for the values"):
        to_static(lambda x: np.zeros(int(step(x))), full_graph=True)(paddle.ones([2, 2]))
    assert layer.weight.astype("float32").tolist() == [[1, 1], [1, 1]]
    assert float(step(paddle.ones([2, 2]))) == 36
    assert layer.weight.astype("float32").flatten().tolist() == pytest.approx([0.5] * 4, rel=1e-2)  # Adam's first step
    assert float(to_static(step, full_graph=True)(paddle.ones([2, 2]))) == pytest.approx(9, rel=2e-2)


class Reversed(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, g):
        return -g


@FORMS
def test_a_pylayer_and_a_branch_on_gradients_in_a_step_with_state(full_graph):
    def program(wrap):
        layer = ones_layer(2, 2)
        optimizer = paddle.optimizer.Adam(0.1, parameters=layer.parameters())

        def step(x):
            loss = (Reversed.apply(layer(x)) ** 2).sum()
            loss.backward()
            norm = layer.weight.grad.norm()
            if norm > 5:
                for p in layer.parameters():
                    p.grad.set_value(p.grad * 5 / norm)
            optimizer.step()
            optimizer.clear_grad()
            return loss

        step = wrap(step)
        return [float(step(paddle.full([2, 2], 0.5 * i))) for i in range(4)]

    captured, plain = runs(program, full_graph)
    assert captured == pytest.approx(plain, rel=1e-5)


def test_state_of_optimizers_does_not_need_a_second_capture():
    layer = ones_layer(2, 2)
    optimizer = paddle.optimizer.AdamW(0.1, parameters=layer.parameters())
    calls = []

    @to_static(full_graph=True)
    def step(x):
        calls.append(1)
        (layer(x) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()

    for _ in range(3):
        step(paddle.ones([2, 2]))
    assert len(calls) == 1


def test_gradients_of_some_runs_are_refused():
    layer = ones_layer(2, 2)

    @to_static(full_graph=True)
    def dropped(x):
        (layer(x) ** 2).sum().backward()
        if x.sum() > 0:
            layer.weight.grad = None

    with pytest.raises(NotImplementedError, match="set to None in a branch"):
        dropped(paddle.ones([2, 2]))

    @to_static(full_graph=True)
    def some_runs(x):
        if x.sum() > 0:
            (layer(x) ** 2).sum().backward()

    with pytest.raises(NotImplementedError, match="a gradient in some runs only"):
        some_runs(paddle.ones([2, 2]))


def test_the_gradient_of_a_captured_function_goes_on_behind_a_tensor_that_other_calls_computed():
    class Scaled(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.base = self.create_parameter([2], default_initializer=paddle.nn.initializer.Constant(1.0))
            self.factor = None

        def forward(self, x):
            return (x * self.factor).sum() + self.base.sum()

    layer = Scaled()
    captured = paddle.jit.to_static(layer, full_graph=True)
    for k in (2.0, 3.0, 4.0):
        layer.factor = (layer.base * k) ** 2
        captured(paddle.to_tensor([1.0, 2.0])).backward()
        assert layer.base.grad.tolist() == [2 * k * k + 1, 4 * k * k + 1]
        layer.base.clear_grad()


@pytest.mark.parametrize("norm", [paddle.nn.utils.weight_norm, paddle.nn.utils.spectral_norm])
@pytest.mark.parametrize("inside", [False, True])
def test_captured_layers_with_norms_of_weights_train_as_without_capture(norm, inside):
    def losses(capture):
        paddle.seed(3)
        layer = norm(paddle.nn.Linear(4, 3))
        model = paddle.nn.Sequential(layer) if inside else layer
        if capture:
            model = paddle.jit.to_static(model, full_graph=True)
        optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
        seen = []
        for i in range(4):
            loss = (model(paddle.full([2, 4], i + 1.0)) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            seen.append(loss.item())
        return seen

    expected = losses(False)
    np.testing.assert_allclose(losses(True), expected, rtol=1e-6)
    assert len(set(expected)) == 4
