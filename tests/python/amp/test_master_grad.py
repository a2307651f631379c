# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`decorate(master_grad=True)`: gradients of 16-bit parameters in float32, in every optimizer."""

import numpy as np
import paddle
import pytest

OPTIMIZERS = [
    "SGD",
    "Momentum",
    "Adam",
    "AdamW",
    "Adamax",
    "Adagrad",
    "RMSProp",
    "Adadelta",
    "Lamb",
    "NAdam",
    "RAdam",
    "ASGD",
    "Rprop",
]


def decorated(name, master_grad, master_weight=None):
    paddle.seed(3)
    model = paddle.nn.Linear(4, 3)
    extra = {"batch_num": 1} if name == "ASGD" else {}
    optimizer = getattr(paddle.optimizer, name)(learning_rate=0.125, parameters=model.parameters(), **extra)
    return paddle.amp.decorate(
        model, optimizer, level="O2", dtype="bfloat16", master_grad=master_grad, master_weight=master_weight
    )


def backward(model, x):
    with paddle.amp.auto_cast(level="O2", dtype="bfloat16"):
        loss = (model(x).astype("float32") ** 2).mean()
    loss.backward()


X = np.random.default_rng(0).normal(size=(8, 4)).astype("float32")


def test_gradients_are_summed_in_float32():
    model, _ = decorated("SGD", True)
    narrow, _ = decorated("SGD", False)
    for _ in range(300):  # 300 equal gradients: bfloat16 stops growing at 256 times the first
        backward(model, paddle.to_tensor(X))
        backward(narrow, paddle.to_tensor(X))
    single, _ = decorated("SGD", True)
    backward(single, paddle.to_tensor(X))
    assert model.weight.grad.dtype == paddle.float32 and narrow.weight.grad.dtype == paddle.bfloat16
    np.testing.assert_allclose(model.weight.grad.numpy(), 300 * single.weight.grad.numpy(), rtol=1e-5)
    error = narrow.weight.grad.astype("float32").numpy() / (300 * single.weight.grad.numpy())
    assert np.abs(error - 1).max() > 0.05


@pytest.mark.parametrize("master_weight", [None, False])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_steps_with_them(name, master_weight):
    """One backward gives the same numbers in both dtypes, so both steps are equal."""
    results = []
    for master_grad in (True, False):
        model, optimizer = decorated(name, master_grad, master_weight)
        before = model.weight.astype("float32").numpy()
        backward(model, paddle.to_tensor(X))
        optimizer.step()
        after = model.weight.astype("float32").numpy()
        assert model.weight.dtype == paddle.bfloat16 and (before != after).any() or master_weight is False
        results.append(after)
    np.testing.assert_array_equal(results[0], results[1])


def test_a_gradient_of_another_dtype_is_refused():
    model = paddle.nn.Linear(2, 2)
    with pytest.raises(TypeError, match="sgd_: param has dtype float32 and grad has dtype float64"):
        rate = paddle.full([1], 0.1)
        paddle._C_ops.sgd_(model.weight, rate, paddle.ones([2, 2], dtype="float64"), None, False)
