# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Optimizers with a step size per element, against ten steps of PaddlePaddle 3.3.1, and LBFGS."""

import numpy as np
import paddle
import pytest
from paddle import optimizer
from scipy.optimize import rosen

GOLDEN = {
    "Adagrad": (dict(learning_rate=0.1, initial_accumulator_value=0.1), [0.657812, -1.521668, 2.517505]),
    "Adadelta": (dict(learning_rate=0.1, weight_decay=0.01), [0.995462, -1.995313, 2.995318]),
    "RMSProp": (dict(learning_rate=0.1, momentum=0.9, centered=True), [0.394454, 1.709419, -2.888657]),
    "Adamax": (dict(learning_rate=0.1), [0.622381, -1.449698, 2.44384]),
    "Lamb": (dict(learning_rate=0.1), [0.11917, -0.406795, 1.368622]),
    "NAdam": (dict(learning_rate=0.1), [0.507037, -1.286877, 2.275828]),
    "RAdam": (dict(learning_rate=0.1, beta2=0.9), [-0.156495, -1.41642, -2.420617]),
    "ASGD": (dict(learning_rate=0.01, batch_num=2), [0.624713, 0.201156, 0.900272]),
    "Rprop": (dict(learning_rate=0.1), [0.41136, 0.595869, 0.404131]),
}


def train(name, options, steps, state=None, start=0, values=(1.0, -2.0, 3.0)):
    w = paddle.create_parameter([3], "float32", name=f"golden_{name}")
    w.set_value(np.array(values, "float32"))
    opt = getattr(optimizer, name)(parameters=[w], **options)
    if state is not None:
        opt.set_state_dict(state)
    for i in range(start, start + steps):
        x = np.array([1.0, 2.0, -1.0], "float32") * (i % 3 + 1) * (-1 if i == 3 else 1)
        ((w * paddle.to_tensor(x) - 1) ** 2).sum().backward()
        opt.step()
        opt.clear_grad()
    return w.numpy(), opt.state_dict()


@pytest.mark.parametrize("name", GOLDEN)
def test_ten_steps(name):
    options, expected = GOLDEN[name]
    np.testing.assert_allclose(train(name, options, 10)[0], expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", GOLDEN)
def test_resuming_changes_nothing(name):
    options, _ = GOLDEN[name]
    whole, _ = train(name, options, 8)
    half, state = train(name, options, 4)
    rest, _ = train(name, options, 4, {k: v.clone() for k, v in state.items()}, 4, half.tolist())
    np.testing.assert_array_equal(rest, whole)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_finds_the_minimum(search):
    x = paddle.create_parameter([2], "float64")
    x.set_value(np.array([-1.2, 1.0]))
    opt = optimizer.LBFGS(
        learning_rate=1.0 if search else 1e-3, max_iter=100, line_search_fn=search, parameters=[x], tolerance_change=0
    )

    def closure():
        opt.clear_grad()
        loss = 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2
        loss.backward()
        return loss

    before = rosen([-1.2, 1.0])
    first = opt.step(closure)
    np.testing.assert_allclose(first.item(), before)
    if search is None:
        assert rosen(x.numpy()) < before
    else:
        np.testing.assert_allclose(x.numpy(), [1.0, 1.0], atol=1e-6)


def test_a_line_search_ends_where_its_interval_has_no_number_inside():
    """The loss has one value around its minimum, as rounding leaves it, and no change is too small to go on."""
    x = paddle.create_parameter([1], "float64")
    x.set_value(np.zeros(1))
    opt = optimizer.LBFGS(max_iter=1, tolerance_change=0.0, line_search_fn="strong_wolfe", parameters=[x])

    def closure():
        opt.clear_grad()
        value = 1.0 if x <= 0 else 0.99 if x < 1e-3 else 100.0
        loss = value + x.detach().sum() - x.sum()  # the slope is -1 everywhere
        loss.backward()
        return loss

    opt.step(closure)
    assert 0 < x.item() < 1e-3


def test_wrong_settings():
    w = paddle.create_parameter([2], "float32")
    with pytest.raises(ValueError, match="batch_num"):
        optimizer.ASGD(batch_num=0, parameters=[w])
    with pytest.raises(ValueError, match="etas"):
        optimizer.Rprop(etas=(1.5, 1.2), parameters=[w])
    for name, setting in (
        ("RMSProp", dict(rho=-1.0)),
        ("RMSProp", dict(epsilon=None)),
        ("Adadelta", dict(rho=None)),
        ("Adamax", dict(beta1=-1.0)),
        ("NAdam", dict(beta1=1.5)),
        ("RAdam", dict(beta2=1.0)),
    ):
        with pytest.raises(ValueError, match=next(iter(setting))):
            getattr(optimizer, name)(learning_rate=0.1, parameters=[w], **setting)
    with pytest.raises(TypeError, match="grad_clip"):
        optimizer.SGD(0.1, parameters=[w], grad_clip=3)
    with pytest.raises(RuntimeError, match="strong_wolfe"):
        optimizer.LBFGS(line_search_fn="armijo", parameters=[w])


@pytest.mark.parametrize(
    "name, keys",
    [("NAdam", ("momentum_decay_pow", "beta2_pow", "mu_product")), ("RAdam", ("beta1_pow", "beta2_pow", "rho"))],
)
def test_powers_in_the_shape_of_the_parameter_move_together(name, keys):
    w = paddle.create_parameter([4], "float32")
    opt = getattr(optimizer, name)(0.1, parameters=[w])
    for _ in range(2):
        (w * w).sum().backward()
        opt.step()
        opt.clear_grad()
    state = {key: value.numpy() for key, value in opt.state_dict().items() if hasattr(value, "numpy")}
    for key in keys:
        (power,) = (value for name_, value in state.items() if key in name_)
        assert power.shape == (4,) and (power == power[0]).all() and power[0] not in (0.0, 1.0)
