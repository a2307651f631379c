# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Gradients of values that `set_value` or an optimizer overwrote after they were used: they see the values of now."""

import numpy as np
import paddle
import pytest


def product(view=False):
    w, x = paddle.to_tensor([2.0, 3.0]), paddle.to_tensor([1.0, 1.0], stop_gradient=False)
    return w, x, ((w[0] if view else w) * x).sum()


@pytest.mark.parametrize(
    ("write", "gradient"),
    [
        (lambda w: w.set_value(paddle.to_tensor([5.0, 7.0])), [5.0, 7.0]),
        (lambda w: w.set_value(np.array([5.0, 7.0], "float32")), [5.0, 7.0]),
        (lambda w: w[0].set_value(paddle.to_tensor(9.0)), [9.0, 3.0]),
        (lambda w: w.copy_(paddle.to_tensor([5.0, 7.0]), True), [5.0, 7.0]),
    ],
)
def test_set_value(write, gradient):
    w, x, loss = product()
    write(w)
    loss.backward()
    assert x.grad.tolist() == gradient
    w, x, loss = product(view=True)
    write(w)
    loss.backward()
    assert x.grad.tolist() == [gradient[0]] * 2


@pytest.mark.parametrize("kind", ["SGD", "Adam", "AdamW", "Momentum", "RMSProp", "Adagrad", "Lamb", "NAdam", "ASGD"])
def test_a_step_between_forward_and_backward(kind):
    w = paddle.nn.Parameter(paddle.to_tensor([2.0, 3.0]))
    x = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
    optimizer = getattr(paddle.optimizer, kind)(learning_rate=0.5, parameters=[w])
    loss = (w * x).sum()
    (w * w).sum().backward()
    optimizer.step()
    loss.backward()
    assert w.tolist() != [2.0, 3.0] and x.grad.tolist() == w.tolist()


def test_two_networks_that_share_a_graph():
    # The generator's loss was computed before the discriminator's step, as cycle GANs do.
    paddle.seed(0)
    generator, judge = paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 1)
    steps = [paddle.optimizer.Adam(parameters=net.parameters()) for net in (generator, judge)]
    made = generator(paddle.ones([4, 2]))
    fooled = judge(made).mean()
    judge(made.detach()).mean().backward()
    steps[1].step()
    steps[1].clear_grad()
    fooled.backward()
    expected = paddle.matmul(paddle.ones([2, 4]), paddle.ones([4, 1]) / 4) * judge.weight.T
    np.testing.assert_allclose(generator.weight.grad.numpy(), expected.numpy(), rtol=1e-6)


def test_writes_by_operators_still_raise():
    for write in (lambda w: w.add_(w), lambda w: w.__setitem__(0, 5.0), lambda w: w.zero_()):
        for before in (True, False):
            w, x, loss = product()
            if before:
                w.set_value(w + 1)
            write(w)
            if not before:
                w.set_value(w + 1)
            with pytest.raises(RuntimeError, match="changed in place"):
                loss.backward()


def test_an_overwrite_before_the_use_is_not_counted_against_a_later_write():
    w = paddle.to_tensor([2.0, 3.0])
    x = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
    for _ in range(3):
        w.set_value(w + 1)
    loss = (w * x).sum()
    w.add_(w)
    with pytest.raises(RuntimeError, match="changed in place"):
        loss.backward()


def test_a_captured_function_sees_them_too():
    w = paddle.nn.Parameter(paddle.to_tensor([2.0, 3.0]))
    scaled = paddle.jit.to_static(lambda x: (w * x).sum(), full_graph=True)
    x = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
    loss = scaled(x)
    w.set_value(paddle.to_tensor([5.0, 7.0]))
    loss.backward()
    assert x.grad.tolist() == [5.0, 7.0]


def test_overwrites_are_no_in_place_versions():
    w = paddle.ones([2])
    w.set_value(w + 1)
    assert w.inplace_version == 0
    w.add_(w)
    assert w.inplace_version == 1
