# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""State of optimizers: what a resumed run takes over, and what it refuses."""

import numpy as np
import paddle
import pytest
from paddle import nn


def made(dtype="float32"):
    paddle.seed(0)
    with paddle.utils.unique_name.guard():
        layer = paddle.nn.Linear(3, 2)
    optimizer = paddle.optimizer.Adam(0.1, parameters=layer.parameters())
    if dtype != "float32":
        layer, optimizer = paddle.amp.decorate(layer, optimizer, level="O2", dtype=dtype)
    return layer, optimizer


def steps(layer, optimizer, numbers):
    for number in numbers:
        (layer(paddle.full([4, 3], float(number), layer.weight.dtype)) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return layer.weight.astype("float32").numpy()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_resumed_adam_goes_on(tmp_path, dtype):
    whole = steps(*made(dtype), [1, -2, 3, 1])
    layer, optimizer = made(dtype)
    steps(layer, optimizer, [1, -2])
    paddle.save([layer.state_dict(), optimizer.state_dict()], str(tmp_path / "state"))
    weights, state = paddle.load(str(tmp_path / "state"))
    layer, optimizer = made(dtype)
    layer.set_state_dict(weights)
    optimizer.set_state_dict(state)
    np.testing.assert_array_equal(steps(layer, optimizer, [3, 1]), whole)


def test_numbers_at_the_ends_of_names_do_not_matter():
    layer, optimizer = made()
    whole = steps(*made(), [1, -2, 3])
    steps(layer, optimizer, [1, -2])
    state = {key.removesuffix("_0") + "_7": value for key, value in optimizer.state_dict().items()}
    fresh = paddle.optimizer.Adam(0.1, parameters=layer.parameters())
    fresh.set_state_dict(state)
    np.testing.assert_array_equal(steps(layer, fresh, [3]), whole)


def test_state_of_other_parameters_is_refused():
    layer, optimizer = made()
    steps(layer, optimizer, [1])
    other = paddle.nn.Linear(3, 2, weight_attr=paddle.ParamAttr(name="elsewhere"))
    fresh = paddle.optimizer.Adam(0.1, parameters=other.parameters())
    fresh.set_state_dict(optimizer.state_dict())
    with pytest.raises(AssertionError, match="the loaded state has no elsewhere_moment1_0"):
        steps(other, fresh, [1])


def test_state_tensors_are_found_by_kind_and_parameter():
    weight = paddle.create_parameter([2], "float32")
    adam = paddle.optimizer.Adam(0.1, parameters=[weight])
    weight.sum().backward()
    adam.step()
    assert adam._get_accumulator(adam._moment1_acc_str, weight).shape == [2]
    assert set(adam._accumulators) == {
        adam._moment1_acc_str, adam._moment2_acc_str, adam._beta1_pow_acc_str, adam._beta2_pow_acc_str
    }  # fmt: skip
    with pytest.raises(ValueError, match="no state tensor of kind 'velocity'"):
        adam._get_accumulator(paddle.optimizer.Momentum._velocity_acc_str, weight)
    with pytest.raises(AssertionError, match="loss has type int"):
        adam.minimize(3)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("Momentum", {"momentum": None}),
        ("NAdam", {"momentum_decay": -1}),
        ("Rprop", {"learning_rate_range": (0.2, 0.3)}),
    ],
)
def test_settings_out_of_range_are_refused(name, settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        getattr(paddle.optimizer, name)(0.1, parameters=[paddle.create_parameter([2], "float32")], **settings)


def test_a_state_without_a_tensor_that_exists_is_refused_whole():
    layer = paddle.nn.Linear(2, 1)
    optimizer = paddle.optimizer.Adam(0.1, parameters=layer.parameters())
    layer(paddle.ones([1, 2])).sum().backward()
    optimizer.step()
    before = {name: value.numpy() for name, value in optimizer.state_dict().items()}
    saved = {name: paddle.zeros_like(value) for name, value in optimizer.state_dict().items()}
    name = next(name for name in saved if "b_0_moment2" in name)
    for lacking in ({}, {key: value for key, value in saved.items() if key != name}):
        with pytest.raises(AssertionError, match="the loaded state has no"):
            optimizer.set_state_dict(lacking)
        assert all((optimizer.state_dict()[key].numpy() == value).all() for key, value in before.items())
    optimizer.set_state_dict(saved)
    assert not any(value.numpy().any() for value in optimizer.state_dict().values())


def test_steps_of_lbfgs_go_on_from_a_state_of_paddlepaddle():
    w = paddle.create_parameter([2], "float32", default_initializer=nn.initializer.Constant(1.0))
    opt = paddle.optimizer.LBFGS(0.5, max_iter=1, parameters=[w])
    s, y = paddle.to_tensor([0.5, 0.25]), paddle.to_tensor([1.0, 0.25])
    opt.set_state_dict(
        {
            "state": {
                "func_evals": 2,
                "n_iter": 2,
                "al": [paddle.to_tensor(0.0)] + [None] * 99,
                "d": paddle.to_tensor([0.0, 0.0]),
                "alpha": 0.5,
                "old_yk": [y],
                "old_sk": [s],
                "ro": [1.0 / (s * y).sum()],
                "H_diag": (s * y).sum() / (y * y).sum(),
                "prev_flat_grad": paddle.to_tensor([2.0, 2.0]),
                "prev_loss": 3.0,
            }
        }
    )

    def closure():
        opt.clear_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    opt.step(closure)
    # The two loops written out, for the gradient g = [2, 2].
    S, Y, g = np.array([0.5, 0.25]), np.array([1.0, 0.25]), np.array([2.0, 2.0])
    weight = S @ g / (S @ Y)
    direction = (g - weight * Y) * (S @ Y) / (Y @ Y)
    direction += S * (weight - Y @ direction / (S @ Y))
    np.testing.assert_allclose(w.numpy(), 1.0 - 0.5 * direction, rtol=1e-6)


def test_the_batches_that_asgd_has_seen_are_counted_in_integers():
    w = paddle.create_parameter([2], "float32")
    opt = paddle.optimizer.ASGD(0.1, batch_num=2, parameters=[w])
    (w * w).sum().backward()
    opt.step()
    counts = [v for k, v in opt.state_dict().items() if k.endswith("_m_0")]
    assert [(c.dtype, c.tolist()) for c in counts] == [(paddle.int64, [1])]
