# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Quanters whose steps are trained, against the formulas of LSQ and LSQ+."""

import numpy as np
import paddle
import pytest
from paddle.nn.quant.lsq import FakeQuantActLSQPlus, FakeQuantWeightLSQPlus

X = np.array([[1.5, 0.3, 0.9], [2.9, -0.4, -3.0]], "float32")
W = np.array([[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]], "float32")


def reference(x, w, step, offset, low, high):
    """Values and the gradients of sum(w * values) by x, step and offset."""
    codes = np.round((x - offset) / step)
    inside = (codes >= low) & (codes <= high)
    clipped = np.clip(codes, low, high)
    factor = 1 / np.sqrt(x.size * high)
    by_step = np.where(inside, codes - (x - offset) / step, clipped)
    return clipped * step + offset, w * inside, (w * by_step).sum() * factor, (w * ~inside).sum() * factor


@pytest.mark.parametrize("all_positive, low, high", [(False, -8, 7), (True, 0, 15)])
def test_steps_of_activations(all_positive, low, high):
    quanter = FakeQuantActLSQPlus(4, all_positive=all_positive, batch_init=0)
    quanter.s.set_value(paddle.to_tensor(0.25))
    quanter.beta.set_value(paddle.to_tensor(-0.1))
    x = paddle.to_tensor(X, stop_gradient=False)
    y = quanter(x)
    (y * paddle.to_tensor(W)).sum().backward()
    found = [y, x.grad, quanter.s.grad, quanter.beta.grad]
    for value, expected in zip(found, reference(X, W, 0.25, -0.1, low, high), strict=True):
        np.testing.assert_allclose(value.numpy(), expected, rtol=1e-5, atol=1e-6)


def test_steps_follow_the_extremes_for_a_number_of_calls():
    quanter = FakeQuantActLSQPlus(4, batch_init=2)
    quanter(paddle.to_tensor([-1.0, 2.0]))
    assert float(quanter.s) == pytest.approx(3 / 15) and float(quanter.beta) == pytest.approx(-1 + 8 * 3 / 15)
    quanter(paddle.to_tensor([-4.0, 2.0]))
    step = 0.9 * 0.2 + 0.1 * 6 / 15
    assert float(quanter.s) == pytest.approx(step)
    assert float(quanter.beta) == pytest.approx(0.9 * 0.6 + 0.1 * (-4 + 8 * step))
    quanter(paddle.to_tensor([-40.0, 20.0]))
    assert float(quanter.s) == pytest.approx(step)


@pytest.mark.parametrize("linear", [False, True])
def test_weights_have_a_step_a_channel(linear):
    weight = X.T.copy() if linear else X
    quanter = FakeQuantWeightLSQPlus(4, per_channel=True, channel_num=2, quant_linear=linear, batch_init=1)
    y = quanter(paddle.to_tensor(weight))
    step = np.abs(X.mean(1)) + 3 * X.std(1, ddof=1)
    np.testing.assert_allclose(quanter.s.numpy(), step / 15, rtol=1e-5)
    expected = np.stack([reference(row, row, s / 15, 0, -8, 7)[0] for row, s in zip(X, step, strict=True)])
    np.testing.assert_allclose(y.numpy(), expected.T if linear else expected, rtol=1e-5)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="quant_bits has value 1"):
        FakeQuantActLSQPlus(1)
    with pytest.raises(ValueError, match="channel_num is None"):
        FakeQuantWeightLSQPlus(8, per_channel=True)


def test_training_moves_steps_and_weights():
    quanter = FakeQuantWeightLSQPlus(3, channel_num=1)
    weight = paddle.create_parameter([3, 2], "float32", default_initializer=paddle.nn.initializer.Assign(X.T / 3))
    optimizer = paddle.optimizer.SGD(0.1, parameters=[weight, *quanter.parameters()])
    losses = []
    for _ in range(20):
        loss = ((quanter(weight) - paddle.to_tensor(X.T)) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.5 * losses[0]
