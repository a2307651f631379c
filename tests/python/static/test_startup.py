# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs in which nothing was recorded, and what they hold beside operators."""

import numpy as np
import paddle
import pytest


@pytest.fixture
def program():
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    try:
        with paddle.static.program_guard(main, startup):
            yield main, startup
    finally:
        paddle.disable_static()


def test_fetching_a_parameter_from_the_startup_program(program):
    main, startup = program
    layer = paddle.nn.Linear(2, 2, weight_attr=paddle.nn.initializer.Constant(2.0))
    executor = paddle.static.Executor()
    (value,) = executor.run(startup, fetch_list=[layer.weight])
    assert value.tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_the_learning_rate_is_a_variable(program):
    main, startup = program
    x = paddle.static.data("x", [3, 4], "float32")
    schedule = paddle.optimizer.lr.StepDecay(0.5, 1, gamma=0.1)
    optimizer = paddle.optimizer.SGD(schedule)
    optimizer.minimize(paddle.nn.Linear(4, 2)(x).mean())
    rate = optimizer._global_learning_rate()
    executor = paddle.static.Executor()
    executor.run(startup)
    rows = []
    for _ in range(2):
        rows.append(float(executor.run(main, feed={"x": np.ones([3, 4], "float32")}, fetch_list=[rate.name])[0]))
        schedule.step()
    assert rows == pytest.approx([0.5, 0.05])


@pytest.mark.parametrize(
    "call",
    [
        lambda x, y: paddle.einsum("bi,kij,bj->bk", x, paddle.ones([2, 4, 4]), x),
        lambda x, y: paddle.nn.functional.bilinear(x, x, paddle.ones([2, 4, 4])),
        lambda x, y: paddle.nn.functional.gaussian_nll_loss(x, y, y + 1.0, reduction="none"),
    ],
)
def test_programs_take_batches_of_every_size(program, call):
    main, startup = program
    x, y = (paddle.static.data(name, [-1, 4], "float32") for name in "xy")
    result = call(x, y)
    executor = paddle.static.Executor()
    executor.run(startup)
    for size in (2, 5):
        feed = {name: np.full([size, 4], 0.5, "float32") for name in "xy"}
        (found,) = executor.run(main, feed=feed, fetch_list=[result])
        assert found.shape[0] == size
