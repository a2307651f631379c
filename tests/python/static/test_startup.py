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
        lambda x, y: paddle.nn.functional.bilinear(x, y, paddle.ones([2, 4, 4])),
        lambda x, y: paddle.nn.functional.gaussian_nll_loss(x, y, y + 1.0, reduction="none"),
        lambda x, y: paddle.nn.functional.soft_margin_loss(x, y, reduction="none"),
        lambda x, y: paddle.nn.functional.triplet_margin_with_distance_loss(x, y, x - y, reduction="none"),
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


def test_results_whose_extents_depend_on_values(program):
    main, startup = program
    rows, ids = paddle.static.data("rows", [-1, 2], "float32"), paddle.static.data("ids", [-1], "int32")
    scores, lengths = paddle.static.data("scores", [-1, 3, 2], "float32"), paddle.static.data("lengths", [-1], "int64")
    sums = paddle.geometric.segment_sum(rows, ids)
    largest = paddle.geometric.segment_max(rows, ids)
    best, path = paddle.text.viterbi_decode(scores, paddle.zeros([2, 2]), lengths, False)
    executor = paddle.static.Executor()
    executor.run(startup)
    feed = {
        "rows": np.array([[1, 2], [3, 0], [5, 6]], "float32"),
        "ids": np.array([0, 0, 2], "int32"),
        "scores": np.array([[[1, 0], [0, 2], [9, 9]], [[0, 1], [3, 0], [9, 9]]], "float32"),
        "lengths": np.array([2, 1], "int64"),
    }
    found = executor.run(main, feed=feed, fetch_list=[sums, largest, best, path])
    assert found[0].tolist() == [[4, 2], [0, 0], [5, 6]]
    assert found[1].tolist() == [[3, 2], [0, 0], [5, 6]]
    assert found[2].tolist() == [3, 1]
    assert found[3].tolist() == [[0, 1], [1, 0]]


def test_adaptive_pooling_to_a_size_that_is_fed(program):
    main, startup = program
    x, size = paddle.static.data("x", [1, 1, 4, 6], "float32"), paddle.static.data("size", [2], "int32")
    pooled = paddle.nn.functional.adaptive_avg_pool2d(x, size)
    mixed = paddle.nn.functional.adaptive_avg_pool2d(x, [size[0], None])
    feed = {"x": np.arange(24, dtype="float32").reshape(1, 1, 4, 6), "size": np.array([2, 3], "int32")}
    found = paddle.static.Executor().run(main, feed=feed, fetch_list=[pooled, mixed])
    assert found[0].tolist() == [[[[3.5, 5.5, 7.5], [15.5, 17.5, 19.5]]]]
    assert found[1].shape == (1, 1, 2, 6)


def test_the_default_startup_program_outlives_the_first_guard_without_one(program, monkeypatch):
    import importlib

    monkeypatch.setattr(importlib.import_module("paddle.static.program"), "_startup", None)
    with paddle.static.program_guard(paddle.static.Program()):
        paddle.static.nn.fc(paddle.static.data("x", [None, 4]), 3)
        inside = paddle.static.default_startup_program()
    assert paddle.static.default_startup_program() is inside
    assert len(inside.all_parameters()) == 2
