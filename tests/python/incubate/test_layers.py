# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of recommendation models: column ranges, shuffled rows, batched linear maps."""

import numpy as np
import paddle
import pytest
from paddle.incubate import layers

ROWS = np.arange(6, dtype="float32").reshape(2, 3)


@pytest.mark.parametrize(
    ("start", "length", "columns"),
    [(0, -1, slice(0, 3)), (1, 2, slice(1, 3)), (0, 2, slice(0, 2)), (-2, 1, slice(1, 2))],
)
def test_column_ranges(start, length, columns):
    pair = [paddle.to_tensor(ROWS), paddle.to_tensor(10 * ROWS)]
    expected = [ROWS[:, columns], 10 * ROWS[:, columns]]
    np.testing.assert_array_equal(layers.partial_concat(pair, start, length), np.concatenate(expected, 1))
    np.testing.assert_array_equal(layers.partial_sum(pair, start, length), sum(expected))


def test_ranges_that_are_refused():
    x = paddle.to_tensor(ROWS)
    with pytest.raises(TypeError):
        layers.partial_concat([x, 1])
    for wrong in ((1, 5), (3, -1)):
        with pytest.raises(ValueError, match="columns"):
            layers.partial_sum([x], *wrong)
    with pytest.raises(ValueError, match="2 axes"):
        layers.partial_concat([x[0]])


def test_shuffled_rows_are_the_rows():
    x = paddle.arange(24).reshape([3, 4, 2])
    mixed = layers.shuffle_batch(x, seed=3)
    assert mixed.shape == [3, 4, 2]
    assert sorted(mixed.reshape([-1, 2]).tolist()) == x.reshape([-1, 2]).tolist()
    assert layers.shuffle_batch(x, seed=3).tolist() == mixed.tolist()
    assert sorted(layers.shuffle_batch(x).flatten().tolist()) == list(range(24))


def test_batched_linear_maps():
    constant = paddle.nn.initializer.Constant
    x = np.random.RandomState(0).rand(2, 3, 4).astype("float32")
    out = layers.batch_fc(
        paddle.to_tensor(x),
        [2, 4, 5],
        paddle.ParamAttr(initializer=constant(0.5)),
        [2, 5],
        paddle.ParamAttr(initializer=constant(-1.5)),
        act="relu",
    )
    expected = np.maximum(x.sum(-1, keepdims=True) * 0.5 - 1.5, 0).repeat(5, -1)
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="batch_fc"):
        layers.batch_fc(paddle.to_tensor(x), [2, 3, 5], None, [2, 5], None)


def test_rows_of_a_program_are_shuffled_when_it_runs():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", [-1, 4])
            mixed = layers.shuffle_batch(x)
            fed = np.arange(20, dtype="float32").reshape(5, 4)
            (got,) = paddle.static.Executor().run(feed={"x": fed}, fetch_list=[mixed])
    finally:
        paddle.disable_static()
    assert sorted(got.tolist()) == fed.tolist()
