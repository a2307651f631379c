# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Axes, shapes and repeats given as integers of NumPy."""

import numpy as np
import paddle
import pytest

ONE = np.int64(1)


@pytest.mark.parametrize("one", [ONE, np.int32(1), np.array(1)], ids=["int64", "int32", "0-d"])
def test_a_numpy_integer_is_one_axis(one):
    x = paddle.arange(6, dtype="float32").reshape([2, 3])
    for name in ("sum", "mean", "max", "min", "logsumexp"):
        np.testing.assert_array_equal(getattr(paddle, name)(x, axis=one), getattr(paddle, name)(x, axis=1))
    assert paddle.all(x > 1, axis=one).tolist() == [False, True]
    assert paddle.count_nonzero(x, axis=one).tolist() == [2, 3]
    assert x.unsqueeze(one).shape == [2, 1, 3] and x.unsqueeze(one).squeeze(one).shape == [2, 3]
    assert paddle.roll(x, one, axis=one).tolist() == [[2, 0, 1], [5, 3, 4]]
    assert paddle.reverse(x, one).tolist() == [[2, 1, 0], [5, 4, 3]]
    assert paddle.tile(x, one).shape == [2, 3]
    assert paddle.slice(x, [one], [one], [2]).tolist() == [[1], [4]]


def test_arrays_of_numpy_are_lists():
    x = paddle.zeros([2, 3, 4])
    assert x.sum(axis=np.array([0, 2])).shape == [3]
    assert paddle.reshape(x, np.array([6, 4])).shape == [6, 4]
    with pytest.raises(TypeError, match="axis"):
        x.sum(axis=np.float64(1))


def test_numpy_integers_as_sizes_of_layers():
    assert str(paddle.nn.LayerNorm(np.int64(2))) == "LayerNorm(normalized_shape=[2], epsilon=1e-05)"
    layer = paddle.nn.TransformerEncoderLayer(np.int64(4), 2, 8)
    assert layer(paddle.rand([1, 3, 4])).shape == [1, 3, 4]
