# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""cond, while_loop, case and switch_case: recorded in programs, run, trained; and outside of programs."""

import numpy as np
import paddle
import pytest
from paddle import static
from paddle.static.nn import case, cond, switch_case, while_loop


@pytest.fixture
def main():
    paddle.enable_static()
    program = static.Program()
    with static.program_guard(program, static.Program()):
        yield program
    paddle.disable_static()


def run(program, fetches, **feed):
    return static.Executor().run(
        program, feed={k: np.asarray(v, "float32") for k, v in feed.items()}, fetch_list=fetches
    )


def test_cond_takes_the_branch_of_each_run(main):
    x = static.data("x", [None], "float32")
    double, (number, text) = cond(
        x.sum() > 0, lambda: (x * 2, (paddle.ones([1]), None)), lambda: (-x, (paddle.zeros([1]), None))
    )
    assert text is None
    for values in ([1.0, 2.0], [-1.0, -2.0, 0.0]):
        got, n = run(main, [double, number], x=values)
        positive = sum(values) > 0
        np.testing.assert_allclose(got, np.array(values) * (2 if positive else -1))
        assert n[0] == float(positive)


def test_nested_cond_and_loops(main):
    x = static.data("x", [1], "float32")

    def body(i, total):
        return [i + 1, cond(i > 2, lambda: total * 2, lambda: total + x)]

    i, total = while_loop(lambda i, total: i < 5, body, [paddle.zeros([], "int64"), x * 0])
    got, n = run(main, [total, i], x=[1.5])
    assert n == 5 and got[0] == pytest.approx(4.5 * 4)


def test_case_and_switch_case(main):
    x = static.data("x", [1], "float32")
    index = static.data("i", [1], "int64")
    a = case([(x < 1, lambda: x + 10), (x < 2, lambda: x + 20)], default=lambda: x + 30)
    b = switch_case(index, {1: lambda: x * 1, 3: lambda: x * 3}, default=lambda: x * 0)
    c = switch_case(index, [lambda: x, lambda: x + 1])
    for value, i, wanted in ((0.5, 1, (10.5, 0.5, 1.5)), (1.5, 3, (21.5, 4.5, 2.5)), (5.0, 0, (35.0, 0.0, 5.0))):
        feed = {"x": np.array([value], "float32"), "i": np.array([i])}
        got = static.Executor().run(main, feed=feed, fetch_list=[a, b, c])
        np.testing.assert_allclose([float(g[0]) for g in got], wanted)


def test_gradients_through_branches_and_loops(main):
    x = static.data("x", [3], "float32")
    x.stop_gradient = False
    y = cond(x.sum() > 0, lambda: x * x, lambda: x * 3)
    _, z = while_loop(lambda i, z: i < 3, lambda i, z: [i + 1, z * x], [paddle.zeros([], "int64"), y])
    (g,) = static.gradients(z.sum(), x)
    for values in ([1.0, 2.0, 0.5], [-1.0, -2.0, 0.5]):
        v = np.array(values)
        wanted = 5 * v**4 if v.sum() > 0 else 12 * v**3
        np.testing.assert_allclose(run(main, [g], x=values)[0], wanted, rtol=1e-5)


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
def test_training_through_control_flow_equals_dynamic_mode(main, optimizer):
    def model(x, w, b):
        y = cond(x.mean() > 0, lambda: x @ w, lambda: x @ (w * 2) + b)
        _, y = while_loop(lambda i, y: i < 2, lambda i, y: [i + 1, paddle.tanh(y) + b], [paddle.zeros([], "int64"), y])
        return (y * y).mean()

    def parameters():
        initial = paddle.nn.initializer.Constant
        attr = paddle.ParamAttr(initializer=initial(0.3))
        return paddle.create_parameter([4, 2], "float32", attr=attr), paddle.create_parameter(
            [2], "float32", attr=paddle.ParamAttr(initializer=initial(0.1))
        )

    data = [np.random.default_rng(i).standard_normal((5, 4)).astype("float32") for i in range(6)]
    x = static.data("x", [None, 4], "float32")
    w, b = parameters()
    unused = paddle.create_parameter([3], "float32")
    loss = model(x, w, b)
    _, pairs = getattr(paddle.optimizer, optimizer)(0.1).minimize(loss)
    assert unused.name not in {p.name for p, _ in pairs}
    executor = static.Executor()
    executor.run(static.default_startup_program())
    got = [float(executor.run(main, feed={"x": d}, fetch_list=[loss])[0]) for d in data]
    static_values = [w.numpy(), b.numpy()]

    paddle.disable_static()
    w, b = parameters()
    dynamic = getattr(paddle.optimizer, optimizer)(0.1, parameters=[w, b])
    wanted = []
    for d in data:
        loss = model(paddle.to_tensor(d), w, b)
        loss.backward()
        dynamic.step()
        dynamic.clear_grad()
        wanted.append(float(loss))
    np.testing.assert_allclose(got, wanted, rtol=1e-5)
    for s, t in zip(static_values, (w, b), strict=True):
        np.testing.assert_allclose(s, t.numpy(), rtol=1e-5)


def test_clones_with_control_flow(main):
    x = static.data("x", [4], "float32")
    y = cond(x.sum() > 0, lambda: paddle.nn.functional.dropout(x, 0.5), lambda: x)
    test = main.clone(for_test=True)
    np.testing.assert_allclose(run(test, [y], x=[1, 1, 1, 1])[0], [1, 1, 1, 1])


def test_outside_of_programs_they_run_at_once():
    x = paddle.to_tensor([2.0])
    x.stop_gradient = False
    y = cond(x.sum() > 1, lambda: x * 3, lambda: x)
    i, z = while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z * x), [0, y])
    z.sum().backward()
    assert i == 3 and float(z) == 48.0 and float(x.grad) == 96.0
    assert float(case([(x > 5, lambda: x), (x > 1, lambda: x + 1)])) == 3.0
    assert float(switch_case(paddle.to_tensor([7]), [lambda: x, lambda: x * 5])) == 10.0


def test_wrong_arguments_are_named(main):
    x = static.data("x", [2], "float32")
    flag = x.sum() > 0
    with pytest.raises(TypeError, match="true_fn has type int"):
        cond(flag, 3, lambda: x)
    with pytest.raises(TypeError, match="pred has dtype"):
        cond(x.sum(), lambda: x, lambda: x)
    with pytest.raises(ValueError, match="different structure"):
        cond(flag, lambda: (x, x), lambda: x)
    with pytest.raises(TypeError, match="loop_vars has type Tensor"):
        while_loop(lambda v: flag, lambda v: v, x)
    with pytest.raises(ValueError, match="loop_vars is empty"):
        while_loop(lambda: flag, lambda: (), [])
    with pytest.raises(ValueError, match="body returns 2 values for 1"):
        while_loop(lambda v: v.sum() > 0, lambda v: (v, v), [x])
    with pytest.raises(ValueError, match="occurs twice"):
        switch_case(paddle.zeros([1], "int64"), [(1, lambda: x), (1, lambda: x)])
    with pytest.raises(TypeError, match="pairs"):
        case([flag])
    with pytest.raises(TypeError, match="bool variable"):
        case([(True, lambda: x)])
    with pytest.raises(TypeError, match="must be a variable"):
        switch_case(1, {1: lambda: x})


def test_an_exception_in_a_branch_or_loop_leaves_the_program_as_it_was(main):
    def fails(*values):
        raise KeyError("k")

    x = static.data("x", [2], "float32")
    made = []
    for record in (
        lambda: cond(x.sum() > 0, fails, lambda: x),
        lambda: cond(x.sum() > 0, lambda: made.append(x * 5) or x, fails),
        lambda: while_loop(lambda i: i < 3, fails, [paddle.zeros([], "int64")]),
        lambda: cond(x.sum() > 0, lambda: cond(x.max() > 0, fails, lambda: x), lambda: x),
    ):
        with pytest.raises(KeyError):
            record()
    with pytest.raises(ValueError):
        cond(x.sum() > 0, lambda: (x, x), lambda: x)
    with pytest.raises(RuntimeError):
        made[0] + 1  # its branch is gone
    y = x * 2 + 1
    z = cond(y.sum() > 0, lambda: y, lambda: y * 0)
    for value in run(main, [y, z], x=[1.0, 1.0]):
        np.testing.assert_array_equal(value, [3.0, 3.0])
    assert not any(op.name() == "pd_op.if" for op in main.global_block().ops[:-1])


def test_the_condition_of_a_loop_is_a_variable(main):
    i = paddle.zeros([1], "int64")
    with pytest.raises(TypeError, match="bool variable"):
        while_loop(lambda i: 1, lambda i: [i], [i])
