# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Branches and loops as `with` blocks; arrays and slices whose positions the running program computes."""

import numpy as np
import paddle
import pytest
from paddle import static
from paddle.static.nn.control_flow import ConditionalBlock, Switch, While


@pytest.fixture
def main(fresh):
    return fresh[0]


def values(main, feed, *fetched):
    return static.Executor().run(main, feed=feed, fetch_list=list(fetched))


def test_a_loop_gives_what_its_block_assigns(main):
    i, total = paddle.zeros([1], "int64"), static.data("x", [2])
    n = paddle.full([1], 4, "int64")
    more = paddle.less_than(i, n)
    with While(more).block():
        i = paddle.increment(i)
        paddle.assign(total * 2 + i.astype("float32"), total)
        paddle.assign(paddle.less_than(i, n), more)
    found, count = values(main, {"x": np.float32([1, 2])}, total, i)
    want = np.float32([1, 2])
    for k in range(1, 5):
        want = want * 2 + k
    np.testing.assert_allclose(found, want)
    assert count.tolist() == [4]


def test_loops_nest_and_have_gradients(main):
    x = static.data("x", [2])
    x.stop_gradient = False
    y, i = x * 1.0, paddle.zeros([1])
    more = i < 2
    with While(more).block():
        j = paddle.zeros([1])
        again = j < 3
        with While(again).block():
            paddle.assign(y * x, y)
            paddle.increment(j)
            paddle.assign(j < 3, again)
        paddle.increment(i)
        paddle.assign(i < 2, more)
    (g,) = static.gradients(y, x)
    at = np.float32([1.5, -1.0])
    found, slope = values(main, {"x": at}, y, g)
    np.testing.assert_allclose(found, at**7, rtol=1e-5)
    np.testing.assert_allclose(slope, 7 * at**6, rtol=1e-5)


def test_a_loop_refuses_conditions_and_blocks_that_do_not_fit(main):
    with pytest.raises(TypeError, match="one element"):
        While(paddle.zeros([2]) < 1)
    with pytest.raises(TypeError, match="must be bool"):
        While(paddle.zeros([1]))
    x, more = paddle.zeros([2]), paddle.zeros([1]) < 1
    with pytest.raises(ValueError, match="keep its shape"):
        with While(more).block():
            paddle.assign(paddle.concat([x, x]), x)


def test_a_block_runs_where_its_inputs_are_filled(main):
    x, out = static.data("x", [-1, 1]), paddle.zeros([1])
    with ConditionalBlock([x]).block():
        paddle.assign(x.sum().reshape([1]), out)
    assert values(main, {"x": np.ones((3, 1), "float32")}, out)[0].tolist() == [3]
    assert values(main, {"x": np.ones((0, 1), "float32")}, out)[0].tolist() == [0]


def test_a_block_of_a_condition_may_change_an_extent(main):
    x, out = static.data("x", [-1, 1]), paddle.zeros([10, 3])
    with ConditionalBlock([x]).block():
        paddle.assign(x * paddle.ones([3]), out)
    assert values(main, {"x": np.ones((10, 1), "float32")}, out)[0].sum() == 30
    assert values(main, {"x": np.ones((4, 1), "float32")}, out)[0].shape == (4, 3)


@pytest.mark.parametrize(("step", "rate"), [(1.0, 0.1), (6.0, 0.2), (20.0, 0.3)])
def test_a_switch_runs_the_first_case_that_holds(main, step, rate):
    x, out = static.data("x", [1]), paddle.zeros([1])
    with Switch() as switch:
        with switch.case(x < 5):
            paddle.assign(paddle.full([1], 0.1), out)
        with switch.case(x < 10):
            paddle.assign(paddle.full([1], 0.2), out)
        with switch.default():
            paddle.assign(paddle.full([1], 0.3), out)
    np.testing.assert_allclose(values(main, {"x": np.float32([step])}, out)[0], rate)
    with pytest.raises(ValueError, match="enter it first"):
        with Switch().case(x < 5):
            pass


def test_slices_have_bounds_from_values(main):
    x, i = static.data("x", [-1, 3]), static.data("i", [1], "int64")
    parts = x[:i], x[i:], paddle.slice(x, [0], [0], [i]), paddle.full([i], 2.0)
    found = values(main, {"x": np.arange(15, dtype="float32").reshape(5, 3), "i": np.array([2])}, *parts)
    whole = np.arange(15, dtype="float32").reshape(5, 3)
    for got, want in zip(found, (whole[:2], whole[2:], whole[:2], np.full(2, 2.0)), strict=True):
        np.testing.assert_allclose(got, want)


def test_slices_in_loops_follow_the_counter(main):
    x, i, s = static.data("x", [5, 3]), paddle.zeros([1], "int64"), paddle.zeros([3])
    i, s = static.nn.while_loop(lambda i, s: i < 4, lambda i, s: [i + 1, s + x[: i + 1].sum(0)], [i, s])
    data = np.random.default_rng(0).random((5, 3), "float32")
    want = sum(data[: k + 1].sum(0) for k in range(4))
    np.testing.assert_allclose(values(main, {"x": data}, s)[0], want, rtol=1e-5)


def test_arrays_are_written_at_computed_positions(main):
    tensor = paddle.tensor
    x = [static.data(f"x{k}", [2]) for k in range(3)]
    i, array = paddle.zeros([1], "int64"), None
    for value in x:
        array = tensor.array_write(value, i, array)
        i = paddle.increment(i)
    i, second = paddle.increment(paddle.zeros([1], "int64")), tensor.array_read(array, 1)
    tensor.array_write(second * 10, i, array)
    feed = {f"x{k}": np.float32([k, k + 1]) for k in range(3)}
    found = values(main, feed, *array, tensor.array_length(array))
    assert [v.tolist() for v in found] == [[0, 1], [10, 20], [2, 3], [3]]
    with pytest.raises(TypeError, match="must be a list"):
        tensor.array_read(np.zeros(3), i)


def test_arrays_grow_and_are_overwritten_in_loops(main):
    tensor = paddle.tensor
    x, i = static.data("x", [3]), paddle.zeros([1], "int64")
    x.stop_gradient = False

    def body(i, x, array):
        array = tensor.array_write(x, i, array)
        tensor.array_write(tensor.array_read(array, paddle.zeros([1], "int64")) + 1, paddle.zeros([1], "int64"), array)
        return i + 1, x * 2, array

    i, _, array = static.nn.while_loop(lambda i, x, a: i < 4, body, [i, x, tensor.create_array("float32")])
    joined, extents = tensor.tensor_array_to_tensor(array, axis=0, use_stack=True)
    (g,) = static.gradients(joined.sum(), x)
    at = np.float32([1, 2, 3])
    found, sizes, length, slope = values(main, {"x": at}, joined, extents, tensor.array_length(array), g)
    np.testing.assert_allclose(found, [at + 4, at * 2, at * 4, at * 8])
    np.testing.assert_allclose(slope, [15, 15, 15])
    assert sizes.tolist() == [1, 1, 1, 1] and length.tolist() == [4]


def test_dynamic_mode_lasts_when_a_block_ends_after_its_return():
    paddle.enable_static()
    with static.program_guard(static.Program()):
        paddle.ones([1])
        paddle.disable_static()
    assert paddle.in_dynamic_mode() and paddle.ones([1]).tolist() == [1.0]


def test_static_mode_of_a_block_goes_on_in_the_default_program():
    inner, before = static.Program(), static.default_main_program()
    with static.program_guard(inner):
        paddle.enable_static()
        paddle.ones([1])
    size, outside = len(inner.global_block().ops), len(before.global_block().ops)
    paddle.zeros([1])
    paddle.disable_static()
    assert size == 1 == len(inner.global_block().ops) and len(before.global_block().ops) == outside + 1
