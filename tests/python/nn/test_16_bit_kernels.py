# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators that compute 16-bit floats in float32: the results of float32, rounded once."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

GRID = (np.random.default_rng(1).integers(-9, 10, [2, 5, 4, 2]) / 8).astype("float32")
BOXES = np.array([[0, 0, 4, 5], [1, 2, 6, 6]], "float32")

CALLS = {
    "max_pool2d": lambda x: F.max_pool2d(x, 3, 2, 1),
    "max_pool2d with positions": lambda x: F.max_pool2d(x, 2, return_mask=True),
    "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
    "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, 3),
    "bilinear": lambda x: F.interpolate(x, size=[11, 5], mode="bilinear"),
    "nearest": lambda x: F.interpolate(x, size=[11, 5]),
    "grid_sample": lambda x: F.grid_sample(x, paddle.to_tensor(GRID).astype(x.dtype)),
    "roi_align": lambda x: paddle.vision.ops.roi_align(
        x, paddle.to_tensor(BOXES).astype(x.dtype), paddle.to_tensor([1, 1], "int32"), 2
    ),
    "cumsum": lambda x: paddle.cumsum(x, 1),
    "cumsum backwards of a view": lambda x: paddle.cumsum(x[:, :, ::2].transpose([0, 1, 3, 2]), -1),
    "logcumsumexp": lambda x: paddle.logcumsumexp(x, -1),
    "kthvalue": lambda x: paddle.kthvalue(x, 2, axis=-1),
    "rows of an index": lambda x: x.flatten()[paddle.to_tensor([[3, 3], [0, 5]])],
    "empty": lambda x: paddle.cumsum(x[:0], 1),
}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", CALLS)
def test_results_and_gradients_are_those_of_float32_rounded(name, dtype):
    values = paddle.to_tensor(np.random.default_rng(0).standard_normal([2, 3, 8, 7]).astype("float32")).astype(dtype)
    results = []
    for wide in (False, True):
        x = (values.astype("float32") if wide else values).detach()
        x.stop_gradient = False
        out = CALLS[name](x)
        out, *positions = out if isinstance(out, tuple) else (out,)
        out.sum().backward()
        rounded = [v.astype(dtype).astype("float32").numpy() for v in (out, x.grad)]
        results.append([*rounded, *(p.numpy() for p in positions)])
    for got, expected in zip(*results, strict=True):
        np.testing.assert_allclose(got, expected, rtol=0.02, atol=0.01)
    np.testing.assert_array_equal(results[0][0], results[1][0])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_repeated_additions_are_rounded_once(dtype):
    table = paddle.zeros([3, 2], dtype)
    rows = paddle.to_tensor(np.zeros(600, "int64"))
    ones = paddle.ones([600, 2], dtype)
    expected = [[600.0, 600.0], [0.0, 0.0], [0.0, 0.0]]
    assert paddle.index_add(table, rows, 0, ones).tolist() == expected
    assert paddle.scatter_nd_add(table, rows.unsqueeze(1), ones).tolist() == expected
    weight = paddle.zeros([3, 2], dtype)
    weight.stop_gradient = False
    F.embedding(rows, weight).sum().backward()
    assert weight.grad.tolist() == expected


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_few_additions_to_a_large_tensor_in_place(dtype):
    table = paddle.zeros([100, 2], dtype)
    paddle.index_add_(table, paddle.to_tensor([7, 7]), 0, paddle.ones([2, 2], dtype))
    assert table[7].tolist() == [2.0, 2.0] and float(table.sum()) == 4.0
