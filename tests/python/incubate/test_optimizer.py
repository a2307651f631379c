# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`paddle.incubate.optimizer`: minima of known functions; slow copies and averages by their formulas."""

import numpy as np
import paddle
import pytest
from paddle.incubate.optimizer import LBFGS, LookAhead, ModelAverage
from paddle.incubate.optimizer.functional import minimize_bfgs, minimize_lbfgs

MINIMIZERS = pytest.mark.parametrize("minimize", [minimize_bfgs, minimize_lbfgs])
H = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 0.5], [0.0, 0.5, 2.0]])


def quadratic(x):
    offset = x - paddle.to_tensor([1.0, -2.0, 3.0], dtype=x.dtype)
    return 0.5 * (offset * paddle.mv(paddle.to_tensor(H, dtype=x.dtype), offset)).sum() + 7


def rosenbrock(x):
    return ((1 - x[:-1]) ** 2).sum() + (100 * (x[1:] - x[:-1] ** 2) ** 2).sum()


@MINIMIZERS
def test_minimum_of_a_quadratic(minimize):
    converged, calls, x, value, gradient = minimize(quadratic, paddle.zeros([3], "float64"), dtype="float64")[:5]
    assert converged.item() and 0 < calls.item() < 60
    np.testing.assert_allclose(x.numpy(), [1, -2, 3], atol=1e-6)
    np.testing.assert_allclose(value.item(), 7, rtol=1e-12)
    assert np.abs(gradient.numpy()).max() < 1e-6


def test_bfgs_learns_the_inverse_hessian():
    *_, inverse = minimize_bfgs(quadratic, paddle.zeros([3], "float64"), dtype="float64")
    np.testing.assert_allclose(inverse.numpy(), inverse.numpy().T, atol=1e-9)
    start = paddle.to_tensor(np.linalg.inv(H))
    found = minimize_bfgs(
        quadratic, paddle.zeros([3], "float64"), initial_inverse_hessian_estimate=start, dtype="float64"
    )
    np.testing.assert_allclose(found[2].numpy(), [1, -2, 3], atol=1e-9)
    assert found[1].item() <= 3  # with the true inverse the first step arrives


@MINIMIZERS
@pytest.mark.parametrize("size", [2, 5])
def test_minimum_of_a_curved_valley(minimize, size):
    x = minimize(rosenbrock, paddle.full([size], -0.5, "float64"), max_iters=200, dtype="float64")[2]
    np.testing.assert_allclose(x.numpy(), np.ones(size), atol=1e-5)


@MINIMIZERS
def test_float32_and_wrong_arguments(minimize):
    x = minimize(lambda v: ((v - 3) ** 2).sum(), paddle.zeros([2]))[2]
    assert x.dtype == paddle.float32
    np.testing.assert_allclose(x.numpy(), [3, 3], rtol=1e-5)
    with pytest.raises(NotImplementedError, match="strong_wolfe"):
        minimize(quadratic, paddle.zeros([3]), line_search_fn="armijo")
    with pytest.raises(ValueError, match="dtype"):
        minimize(quadratic, paddle.zeros([3]), dtype="int32")
    with pytest.raises(ValueError, match="one axis"):
        minimize(quadratic, paddle.zeros([3, 1]))


def weight_of(value):
    return paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(value))


def test_lookahead_returns_to_slow_copies_every_k_steps():
    weight = weight_of(1.0)
    optimizer = LookAhead(paddle.optimizer.SGD(0.5, parameters=[weight]), alpha=0.25, k=2)
    seen = []
    for _ in range(4):
        (weight * 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
        seen.append(weight.item())
    # Fast steps of -1; the slow copy begins after the first, and moves a quarter of the way after every second. The
    # same numbers as PaddlePaddle 3.3.1.
    assert seen == pytest.approx([0.0, -0.25, -1.25, -0.75])
    state = optimizer.state_dict()
    other = LookAhead(paddle.optimizer.SGD(0.5, parameters=[weight]), alpha=0.25, k=2)
    other.set_state_dict(state)
    assert other._steps == 4 and other._slow[weight.name].item() == -0.75
    with pytest.raises(AssertionError):
        LookAhead(optimizer, alpha=2.0)


def test_model_average_of_a_window():
    weight = weight_of(0.0)
    average = ModelAverage(0.5, parameters=[weight], min_average_window=2, max_average_window=3)
    for value in (1.0, 2.0, 3.0):
        weight.set_value(np.array([value], "float32"))
        average.step()
    with average.apply():
        assert weight.item() == pytest.approx(2.0)
    assert weight.item() == 3.0
    average.apply(need_restore=False)
    assert weight.item() == pytest.approx(2.0)
    average.restore()
    assert weight.item() == 3.0


def test_lbfgs_is_that_of_paddle_optimizer():
    weight = weight_of(5.0)
    optimizer = LBFGS(learning_rate=1.0, parameters=[weight])

    def closure():
        optimizer.clear_grad()
        loss = ((weight - 2) ** 2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert weight.item() == pytest.approx(2.0, abs=1e-4)


def test_a_share_of_the_steps_is_rounded_down():
    weight = paddle.create_parameter([1], "float32")
    average = ModelAverage(0.5, parameters=[weight], min_average_window=1, max_average_window=2)
    for step in (1.0, 2.0, 4.0):  # half of three steps is a window of one
        weight.set_value(np.float32([step]))
        average.step()
    with average.apply():
        assert weight.tolist() == [4.0]
