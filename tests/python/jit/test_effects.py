# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What captured programs do besides computing: printing, checking, training steps with branches inside."""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.jit import to_static


def test_tensors_are_printed_on_every_run(capsys):
    @to_static(full_graph=True)
    def f(x):
        print("sum", x.sum(), end=";\n")
        if x.sum() > 3:
            print("large")
            print(x.max())
        return x

    for value in (1.0, 2.0, 2.0):
        f(paddle.full([2], value))
    said = capsys.readouterr().out
    assert said.count("sum Tensor(") == 3 and said.count(";") == 3
    assert "2." in said and "4." in said


@pytest.mark.parametrize("full_graph", [True, False])
def test_assertions_on_tensors_hold_on_every_run(full_graph):
    @to_static(full_graph=full_graph)
    def f(x):
        assert x.sum() > 0, "the sum is not positive"
        return x * 2

    for _ in range(2):
        np.testing.assert_array_equal(f(paddle.ones([2])).numpy(), [2.0, 2.0])
        with pytest.raises(AssertionError, match="the sum is not positive"):
            f(-paddle.ones([2]))


def test_training_steps_with_branches_and_loops_inside():
    def make(options):
        paddle.seed(1)
        model = nn.Linear(3, 2)
        sgd = paddle.optimizer.SGD(0.1, parameters=model.parameters())

        def step(x):
            y = model(x)
            if y.mean() > 0:
                loss = (y**2).mean()
            else:
                loss = (y - 1).abs().mean()
            i = paddle.zeros([], "int64")
            while i < 2:
                loss = loss * 1.5
                i += 1
            loss.backward()
            sgd.step()
            sgd.clear_grad()
            return loss

        return model, step if options is None else to_static(step, **options)

    x = paddle.to_tensor(np.random.default_rng(0).standard_normal((4, 3)).astype("float32"))
    results = []
    for options in (None, {"full_graph": False}, {"full_graph": True}):
        model, step = make(options)
        results.append([float(step(x * k)) for k in (1, -1, 2, -2)] + [float(model.weight.sum())])
    np.testing.assert_allclose(results[1], results[0], rtol=1e-5)
    np.testing.assert_allclose(results[2], results[0], rtol=1e-5)


def test_extents_are_numbers_in_results():
    def f(x):
        return x.shape[0] * 2, x.shape[0] - 1, x * 2

    captured = to_static(f, full_graph=True)
    for n in (3, 4, 5):
        twice, less, _ = captured(paddle.ones([n, 2]))
        assert (type(twice), twice, less) == (int, 2 * n, n - 1)


def test_a_tensor_that_leaves_its_branch_is_an_error():
    class Box:
        value = None

    def keep(box, value):
        box.value = value

    @to_static(full_graph=True)
    def f(x):
        box = Box()
        if x.sum() > 0:
            keep(box, x * 2)
        return box.value + 1

    with pytest.raises((RuntimeError, TypeError)):
        f(paddle.ones([2]))


@pytest.mark.parametrize("full_graph", [True, False])
def test_assert_operators_check_every_run(full_graph):
    @to_static(full_graph=full_graph)
    def f(x):
        paddle.static.nn.control_flow.Assert(x.sum() > 0, [x])
        return x * 2

    for _ in range(2):
        np.testing.assert_array_equal(f(paddle.ones([2])).numpy(), [2.0, 2.0])
        with pytest.raises(ValueError, match="condition does not hold"):
            f(-paddle.ones([2]))
