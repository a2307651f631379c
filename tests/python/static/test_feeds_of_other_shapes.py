# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What is fed may have other shapes than were declared: operators decide whether they can work with them."""

import numpy as np
import paddle
import pytest
from paddle import static

X = np.arange(12, dtype="float32").reshape(4, 3)


def run(main, fetches, **feed):
    return static.Executor().run(main, feed=feed, fetch_list=fetches)


def test_operators_work_with_what_is_fed(fresh):
    x = static.data("x", [2, 3])
    outs = [x.flatten(), x[:, 1:], x[-1], x[0:3], paddle.shape(x), x.mean(), x @ paddle.ones([3, 1]), x.T]
    found = run(fresh[0], outs, x=X)
    expected = [X.ravel(), X[:, 1:], X[-1], X[:3], X.shape, X.mean(), X.sum(1, keepdims=True), X.T]
    assert all(np.allclose(f, e) for f, e in zip(found, expected, strict=True))
    assert np.array_equal(run(fresh[0], [x + 1], x=X[:2, :2])[0], X[:2, :2] + 1)
    assert np.array_equal(run(fresh[0], [x * 2], x=X[0])[0], X[0] * 2)
    assert run(fresh[0], [x[:, 1:]], x=X[:2])[0].shape == (2, 2)
    with pytest.raises(ValueError, match="multiply|matmul|dimension"):
        run(fresh[0], [x @ paddle.ones([3, 1])], x=X[:, :2])


def test_gradients_follow_what_is_fed(fresh):
    x = static.data("x", [2, 3])
    x.stop_gradient = False
    slope = static.gradients(paddle.mean(x * x), x)[0]
    second = static.gradients(slope.sum(), x)[0]
    found = run(fresh[0], [slope, second], x=X)
    assert np.allclose(found[0], X / 6) and np.allclose(found[1], np.full((4, 3), 1 / 6))


def test_branches_and_loops_run_on_what_is_fed(fresh):
    x = static.data("x", [2, 3])
    doubled = static.nn.cond(x.sum() > 3, lambda: x * 2, lambda: x)
    _, later = static.nn.while_loop(lambda i, v: i < 3, lambda i, v: [i + 1, v + 1], [paddle.zeros([1]), x])
    found = run(fresh[0], [doubled, later], x=X)
    assert np.array_equal(found[0], X * 2) and np.array_equal(found[1], X + 3)


def test_a_smaller_last_batch_trains_as_in_dynamic_mode(fresh):
    def model():
        half, fifth = paddle.nn.initializer.Constant(0.1), paddle.nn.initializer.Constant(0.2)
        return paddle.nn.Sequential(
            paddle.nn.Linear(3, 5, weight_attr=half), paddle.nn.ReLU(), paddle.nn.Linear(5, 1, weight_attr=fifth)
        )

    main, startup = fresh
    rate, clip, batches = 0.1, paddle.nn.ClipGradByGlobalNorm(0.5), (X, X, X[:2], X[:3])
    loss = paddle.nn.functional.mse_loss(model()(static.data("x", [4, 3])), static.data("y", [4, 1]))
    paddle.optimizer.Adam(rate, grad_clip=clip).minimize(loss)
    static.Executor().run(startup)
    found = [float(run(main, [loss], x=b, y=b[:, :1])[0]) for b in batches]
    paddle.disable_static()
    net, expected = model(), []
    optimizer = paddle.optimizer.Adam(rate, parameters=net.parameters(), grad_clip=clip)
    for b in batches:
        eager = paddle.nn.functional.mse_loss(net(paddle.to_tensor(b)), paddle.to_tensor(b[:, :1]))
        eager.backward()
        optimizer.step()
        optimizer.clear_grad()
        expected.append(float(eager))
    paddle.enable_static()
    assert np.allclose(found, expected)


def test_which_of_two_unknown_extents_is_one_is_seen_when_the_program_runs(fresh):
    x, y = static.data("x", [-1, -1]), static.data("y", [-1, -1])
    x.stop_gradient = y.stop_gradient = False
    both = paddle.broadcast_tensors([x, y])
    slopes = static.gradients([both[0].sum() + 2 * both[1].sum()], [x, y])
    picked = paddle.take_along_axis(x, y.astype("int64"), 0)
    column, row = X[:, :1].copy(), np.zeros([1, 3], "float32")
    found = run(fresh[0], [*both, *slopes], x=column, y=row)
    assert np.array_equal(found[0], np.repeat(column, 3, 1)) and np.array_equal(found[1], np.zeros([4, 3]))
    assert np.array_equal(found[2], np.full([4, 1], 3)) and np.array_equal(found[3], np.full([1, 3], 8))
    assert np.array_equal(run(fresh[0], [picked], x=column, y=row)[0], np.zeros([1, 3]))
    assert np.array_equal(run(fresh[0], [picked], x=X, y=row[:, :1] + 2)[0], X[2:3])


def test_values_are_put_where_extents_are_not_known(fresh):
    x, y = static.data("x", [-1, -1]), static.data("y", [-1, -1])
    ids = paddle.to_tensor([[2, 0, 1]])
    put = paddle.put_along_axis(x, ids, y, 0)
    new = np.array([[7.0]], "float32")
    expected = X.copy()
    np.put_along_axis(expected, np.array([[2, 0, 1]]), new, 0)
    assert np.array_equal(run(fresh[0], [put], x=X, y=new)[0], expected)
    counter = static.data("counter", [1])
    counter.stop_gradient = False
    counted = paddle.increment(counter, 2.0)
    slope = static.gradients([(counted * counted).sum()], [counter])
    found = run(fresh[0], [counted, *slope], counter=np.ones([1], "float32"))
    assert [f.item() for f in found] == [3, 6]


def test_few_rows_are_compared_where_many_were_possible(fresh):
    x, y = static.data("x", [-1, -1]), static.data("y", [-1, -1])
    found = run(fresh[0], [paddle.cdist(x, y)], x=X, y=np.zeros([2, 3], "float32"))[0]
    assert np.allclose(found[:, 0], np.sqrt((X * X).sum(1)))
