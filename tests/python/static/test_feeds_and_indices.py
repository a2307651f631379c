# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What programs are fed and fetch, writing by index as a function, and parameters with an initializer."""

import numpy as np
import paddle
import pytest
from paddle.base.variable_index import _getitem_static, _setitem_static


@pytest.fixture(autouse=True)
def static():
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
        yield
    paddle.disable_static()


@pytest.mark.parametrize("shape", [[3, 2], [4], [2, 2, 2]])
def test_a_feed_of_another_shape_runs_and_is_reported(shape):
    x = paddle.static.data("x", [None, 3])
    y = paddle.nn.functional.relu(x - 1) * 2
    value = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    with pytest.warns(UserWarning, match="declared"):
        (found,) = paddle.static.Executor().run(feed={"x": value}, fetch_list=[y])
    np.testing.assert_array_equal(found, np.maximum(value - 1, 0) * 2)


def test_the_number_of_elements_can_be_fetched():
    x = paddle.ones([2, 3, 4])
    assert paddle.static.Executor().run(fetch_list=[x.size])[0] == 24


def test_writing_by_index_gives_a_new_variable():
    x = paddle.arange(12).reshape([3, 4])
    written, read = _setitem_static(x, ([0, 2], slice(1, 3)), -1), _getitem_static(x, (1, [0, 3]))
    expected = np.arange(12).reshape(3, 4)
    before, found, part = paddle.static.Executor().run(fetch_list=[x, written, read])
    np.testing.assert_array_equal(before, expected)
    np.testing.assert_array_equal(part, expected[1, [0, 3]])
    expected[[0, 2], 1:3] = -1
    np.testing.assert_array_equal(found, expected)


def test_a_parameter_starts_from_its_initializer():
    made = paddle.pir.core.create_parameter("float32", [2], "w", initializer=paddle.nn.initializer.Constant(3.0))
    block = paddle.static.default_main_program().global_block()
    other = block.create_parameter(shape=[2], dtype="float32", initializer=paddle.nn.initializer.Constant(4.0))
    executor = paddle.static.Executor()
    executor.run(paddle.static.default_startup_program())
    assert made.name == "w" and executor.run(fetch_list=[made + other])[0].tolist() == [7, 7]


def test_the_learning_rate_can_be_fetched_by_its_name():
    x = paddle.static.data("x", [2])
    schedule = paddle.optimizer.lr.StepDecay(0.5, step_size=1, gamma=0.5)
    optimizer = paddle.optimizer.SGD(learning_rate=schedule)
    optimizer.minimize(paddle.mean(x))
    name, copy = optimizer._global_learning_rate().name, paddle.static.default_main_program().clone()
    for program, rate in ((paddle.static.default_main_program(), 0.5), (copy, 0.25)):
        feed = {"x": np.ones([2], "float32")}
        assert paddle.static.Executor().run(program, feed=feed, fetch_list=[name])[0] == rate
        schedule.step()


def test_lists_of_bools_are_constants_of_a_program():
    index = ([True, False, True], [False, False, False, True])
    array = np.arange(24).reshape(3, 4, 2)
    x = paddle.arange(24).reshape([3, 4, 2])
    read, written = x[index], _setitem_static(x, index, -1)
    assert read.shape == [2, 2]
    found, after = paddle.static.Executor().run(fetch_list=[read, written])
    np.testing.assert_array_equal(found, array[index])
    array[index] = -1
    np.testing.assert_array_equal(after, array)


def test_an_element_is_a_value_of_the_program():
    x, y = paddle.static.data("x", [2, 3]), paddle.static.data("y", [-1])
    elements = [x.item(4), x.item(-1), x.item(0, 1), x.sum().item(), y.item(1)]
    assert all(e.shape == [] for e in elements) and x.stride() == [3, 1] and x.stride(0) == 3
    with pytest.raises(ValueError, match="item: x has shape"):
        x.item()
    feed = {"x": np.arange(6, dtype="float32").reshape(2, 3), "y": np.array([7, 8], "float32")}
    got = paddle.static.Executor().run(feed=feed, fetch_list=elements)
    assert [float(v) for v in got] == [4.0, 5.0, 1.0, 15.0, 8.0]
