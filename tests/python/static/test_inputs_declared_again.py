# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Inputs of one name that a program declares several times, parameters whose initializer gives their shape, draws whose
ends are variables, and optimizers of `fleet` before its `init`."""

import numpy as np
import paddle
import pytest
from paddle import nn, static


@pytest.fixture(autouse=True)
def static_mode():
    paddle.enable_static()
    yield
    paddle.disable_static()


def test_a_second_declaration_of_the_same_shape_is_the_same_input():
    main = static.Program()
    with static.program_guard(main):
        out = static.data("x", [2, 3]) + static.data("x", [2, 3])
    (found,) = static.Executor().run(main, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[out])
    np.testing.assert_array_equal(found, np.full((2, 3), 2.0))
    assert sum(v.name == "x" for v in main.list_vars()) == 1


@pytest.mark.parametrize("copied", [False, True])
def test_a_second_declaration_of_another_shape_or_dtype(copied):
    main = static.Program()
    with static.program_guard(main):
        narrow = static.data("x", [2, 3]) * 2.0
        wide = static.data("x", [None, 5])
        assert wide.name == "x" and list(wide.shape) == [-1, 5]
        wide = wide * 3.0
        whole = static.data("x", [2, 3], "int64") + 1
        both = narrow.sum() + whole.sum()
    program = main.clone() if copied else main
    executor = static.Executor()
    found = executor.run(
        program, feed={"x": np.ones((2, 3), "float32")}, fetch_list=[narrow.name if copied else narrow]
    )
    np.testing.assert_array_equal(found[0], np.full((2, 3), 2.0))
    if copied:
        return
    found = executor.run(program, feed={"x": np.ones((4, 5), "float32")}, fetch_list=[wide])
    np.testing.assert_array_equal(found[0], np.full((4, 5), 3.0))
    found = executor.run(program, feed={"x": np.ones((2, 3), "int64")}, fetch_list=[whole])
    np.testing.assert_array_equal(found[0], np.full((2, 3), 2))
    with pytest.raises(KeyError, match="x"):
        executor.run(program, feed={"x": np.ones((2, 3), "int64")}, fetch_list=[both])


@pytest.mark.parametrize("shape", [(6,), (3, 2), (4,)])
def test_a_parameter_of_the_shape_of_its_values(shape):
    values = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        weight = paddle.create_parameter([2, 3], "float32", default_initializer=nn.initializer.Assign(values))
        assert list(weight.shape) == list(shape)
        out = weight * 2.0
    executor = static.Executor()
    executor.run(startup)
    np.testing.assert_array_equal(executor.run(main, fetch_list=[out])[0], values * 2)


def test_draws_between_variables():
    main = static.Program()
    with static.program_guard(main):
        low = static.data("low", [1])
        out = paddle.uniform([1000], "float32", low, low + 2.0)
    (found,) = static.Executor().run(main, feed={"low": np.array([3.0], "float32")}, fetch_list=[out])
    assert found.shape == (1000,) and found.min() >= 3.0 and found.max() < 5.0 and found.std() > 0.4


def test_an_optimizer_of_fleet_before_its_init():
    from paddle.distributed import fleet

    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        x = static.data("x", [2, 3])
        loss = static.nn.fc(x, 1).mean()
        optimizer = fleet.distributed_optimizer(paddle.optimizer.SGD(0.1), fleet.DistributedStrategy())
        optimizer.minimize(loss)
    executor = static.Executor()
    executor.run(startup)
    feed = {"x": np.ones((2, 3), "float32")}
    first, second = (float(executor.run(main, feed=feed, fetch_list=[loss])[0]) for _ in range(2))
    assert second < first
