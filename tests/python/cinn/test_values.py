# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Small programs whose kernels once gave other values, or none."""

import numpy as np
import paddle
import pytest
from paddle.jit import to_static


def assert_equal_compiled(counts, function, *inputs):
    count = counts()
    compiled = to_static(function, backend="CINN", full_graph=True)
    results, wanted = compiled(*inputs), function(*inputs)
    assert count.failed == 0
    assert count.launches > 0
    pairs = zip(results, wanted, strict=True) if isinstance(wanted, list | tuple) else [(results, wanted)]
    for result, want in pairs:
        assert result.dtype == want.dtype
        np.testing.assert_array_equal(result.numpy(), want.numpy())


def test_reshapes_of_equal_ranks_and_other_factors_have_kernels_of_their_own(at_once, counts):
    x = paddle.arange(40 * 18 * 50 * 21, dtype="float32").reshape([40, 18, 50, 21])
    for shape in ([24, 30, 25, 42], [36, 25, 28, 30]):
        assert_equal_compiled(counts, lambda x, shape=shape: (x * 2).reshape(shape) + 1, x)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sizes_are_compared_with_zero(at_once, counts, dtype):
    def compared(x):
        size, zero = paddle.abs(x), paddle.zeros([], dtype)
        return [
            paddle.maximum(size, zero) + zero,
            paddle.minimum(zero, size) + zero,
            (size > zero) & (x == x),
            (size > zero) | paddle.isnan(size),
            (zero >= size) | (size < zero),
            (size != zero) & (zero <= size),
        ]

    x = paddle.to_tensor([-2.0, -0.5, -0.0, 0.0, 0.5, 2.0, np.nan, np.inf, -np.inf] * 3).astype(dtype)
    assert_equal_compiled(counts, compared, x)


def test_lists_of_empty_tensors_are_joined(at_once, counts):
    assert_equal_compiled(counts, lambda x: paddle.concat([x * 2, x + 1], 0) * 3, paddle.zeros([0, 4]))
    assert_equal_compiled(counts, lambda x: paddle.concat([x * 2, x + 1], 1) * 3, paddle.zeros([4, 0]))


def test_a_permutation_of_the_leading_axes_leaves_the_others(at_once, counts):
    transpose = paddle._core.ops.transpose
    assert_equal_compiled(counts, lambda x: transpose(x * 2, [1, 0]) + 1, paddle.rand([2, 3, 4]))


def test_rows_across_vectors_read_values_of_the_row_and_of_its_elements(at_once, counts):
    def transposed(x, wide, row):
        part, rest = wide[:, : x.shape[1]], wide[:, x.shape[1] :]
        total = paddle.sum(rest * x, 0, keepdim=True)
        return paddle.transpose(x * (rest - total) + part, [1, 0]) * row

    inputs = paddle.arange(340.0).reshape([17, 20]), paddle.ones([17, 40]), paddle.arange(20.0).reshape([20, 1])
    assert_equal_compiled(counts, transposed, *inputs)


def test_results_without_elements_are_transposed(at_once, counts):
    transposed = lambda x: paddle.transpose(x * 2, [1, 0]) + 1
    assert_equal_compiled(counts, transposed, paddle.zeros([0, 8]))
    assert_equal_compiled(counts, transposed, paddle.zeros([8, 0]))
    assert_equal_compiled(counts, lambda x: paddle.sum(x * 2, 1) + 1, paddle.zeros([8, 3, 0]))
    normalized = lambda x: paddle.nn.functional.log_softmax(paddle.nn.functional.softmax(x * 2, 2), 0)
    assert_equal_compiled(counts, normalized, paddle.zeros([8, 0, 7]))


def test_a_sum_over_an_extent_of_one_has_its_own_dtype(at_once):
    x, y = paddle.arange(1023, dtype="int32").reshape([31, 1, 33]), paddle.rand([33, 1])
    beside = paddle.nn.functional.softplus
    compiled = to_static(lambda x, y: (beside(y * 2), paddle.sum(x, [1])), backend="CINN", full_graph=True)
    np.testing.assert_array_equal(compiled(x, y)[1].numpy(), np.arange(1023).reshape([31, 33]))
