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


TREE = [
    [0, 0, 0, 1, 2],
    [0, 1, 0, 3, 4],
    [0, 1, 0, 5, 6],
    [0, 2, 1, 0, 0],
    [1, 2, 1, 0, 0],
    [2, 2, 2, 0, 0],
    [3, 2, 2, 0, 0],
]


def given(values):
    return paddle.ParamAttr(initializer=paddle.nn.initializer.Assign(np.array(values, "int32")))


def test_children_in_a_tree():
    children, leaves = layers.tdm_child(paddle.to_tensor([[2], [1], [3], [0]], dtype="int32"), 7, 2, given(TREE))
    assert children.tolist() == [[[5, 6]], [[3, 4]], [[0, 0]], [[0, 0]]] and children.dtype == paddle.int32
    assert leaves.tolist() == [[[1, 1]], [[0, 1]], [[0, 0]], [[0, 0]]]


@pytest.mark.parametrize("output_positive", [False, True])
def test_nodes_of_layers_on_the_way_to_leaves(output_positive):
    travel, nodes = [[1, 3], [1, 4], [2, 5], [2, 0]], [[n] for n in range(1, 7)]
    x = paddle.to_tensor([[0], [1], [3]], dtype="int32")
    given_to = dict(tree_travel_attr=given(travel), tree_layer_attr=given(nodes), output_positive=output_positive)
    paddle.seed(3)
    found, labels, masks = layers.tdm_sampler(x, [1, 2], [2, 4], 4, **given_to)
    first = int(output_positive)
    assert [list(t.shape) for t in found] == [[3, 1 + first, 1], [3, 2 + first, 1]]
    for level, (own, layer) in enumerate((([1, 1, 2], {1, 2}), ([3, 4, 0], {3, 4, 5, 6}))):
        for row, mark, mask, node in zip(
            found[level].tolist(), labels[level].tolist(), masks[level].tolist(), own, strict=True
        ):
            row, there = [n for (n,) in row], int(node != 0)
            assert mask == [[there]] * len(row) and mark == [[there]] * first + [[0]] * (len(row) - first)
            assert row[:first] == [node] * first
            others = row[first:]
            assert (set(others) <= layer - {node} and len(set(others)) == len(others)) if there else not any(others)
    joined = layers.tdm_sampler(x, [1, 2], [2, 4], 4, output_list=False, **given_to)
    assert [list(t.shape) for t in joined] == [[3, 3 + 2 * first]] * 3
