# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows sorted by experts and back."""

import numpy as np
import paddle
import pytest

F = paddle.nn.functional
X = np.random.RandomState(0).randn(3, 4).astype("float32")
ROUTE = np.array([[-1, 0, 2], [1, -1, -1], [-1, -1, 1]], "int32")
PROB = np.array([[0.0, 0.6, 0.4], [0.9, 0.0, 0.0], [0.0, 0.0, 0.8]], "float32")


def permuted(x=None, **more):
    tensors = (paddle.to_tensor(X) if x is None else x, None, paddle.to_tensor(ROUTE), paddle.to_tensor(PROB))
    return F.moe_permute(*tensors, 3, [1, 2, 1], 2, **more)


def test_rows_are_sorted_by_expert_and_filled_up():
    rows, row_map, weights, scales, experts = permuted(return_expert_indices=True)
    zero = np.zeros(4, "float32")
    np.testing.assert_array_equal(rows.numpy(), [X[0], zero, X[1], X[2], X[0], zero])
    assert row_map.tolist() == [[0, -1, 4], [-1, 2, -1], [-1, 3, -1]] and row_map.dtype == paddle.int32
    np.testing.assert_allclose(weights.numpy(), [0.6, 0, 0.9, 0.8, 0.4, 0], rtol=1e-6)
    assert experts.tolist() == [0, -1, 1, 1, 2, -1] and scales.size == 0


@pytest.mark.parametrize("weighted", [False, True])
def test_the_way_back_adds_the_rows(weighted):
    rows, row_map, weights, _ = permuted()
    back, prob = F.moe_unpermute(rows, row_map, paddle.to_tensor(ROUTE), weights, 3, 3, using_weighted_combine=weighted)
    factor = PROB.sum(1) if weighted else np.array([2, 1, 1])
    np.testing.assert_allclose(back.numpy(), X * factor[:, None], rtol=1e-6)
    np.testing.assert_allclose(prob.numpy(), PROB, rtol=1e-6)


def test_gradients_flow_through_both():
    x = paddle.to_tensor(X, stop_gradient=False)
    rows, row_map, weights, _ = permuted(x)
    back, _ = F.moe_unpermute(rows * 3, row_map, paddle.to_tensor(ROUTE), weights, 3, 3)
    back.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.array([6, 3, 3])[:, None].repeat(4, 1))


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError):
        F.moe_permute(paddle.to_tensor(X), None, paddle.to_tensor(ROUTE), paddle.to_tensor(PROB), 3, [1, 1, 1], 2)
