# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Products of a few rows, or one column, with a large matrix: as of NumPy in float64, whatever the order of memory and
the number of threads."""

import numpy as np
import paddle
import pytest

TOLERANCE = {"float32": 2e-5, "float16": 2e-2, "bfloat16": 2e-1}  # of sqrt(inner extent)


def operands(rows, inner, columns, dtype, transpose_x, transpose_y):
    rng = np.random.default_rng(0)
    shapes = (inner, rows) if transpose_x else (rows, inner), (columns, inner) if transpose_y else (inner, columns)
    return [paddle.to_tensor(rng.standard_normal(shape), dtype=dtype) for shape in shapes]


def reference(x, y, transpose_x, transpose_y):
    x, y = x.astype("float64").numpy(), y.astype("float64").numpy()
    return (x.T if transpose_x else x) @ (y.T if transpose_y else y)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    "rows, inner, columns", [(1, 2049, 700), (2, 70, 2050), (3, 1025, 33), (4, 4100, 65), (700, 300, 1)]
)
def test_every_order_of_memory(dtype, rows, inner, columns):
    for transpose_x in (False, True):
        for transpose_y in (False, True):
            x, y = operands(rows, inner, columns, dtype, transpose_x, transpose_y)
            out = paddle.matmul(x, y, transpose_x, transpose_y).astype("float64").numpy()
            error = np.abs(out - reference(x, y, transpose_x, transpose_y)).max() / inner**0.5
            assert error < TOLERANCE[dtype], (transpose_x, transpose_y)


@pytest.mark.parametrize("transpose_y", [False, True])
def test_threads_do_not_change_the_result(transpose_y):
    x, y = operands(2, 1030, 1500, "float32", False, transpose_y)
    before = paddle.get_flags("FLAGS_paddle_num_threads")["FLAGS_paddle_num_threads"]
    results = []
    try:
        for threads in (1, 2, 3):
            paddle.set_flags({"FLAGS_paddle_num_threads": threads})
            results.append(paddle.matmul(x, y, transpose_y=transpose_y).numpy().tobytes())
    finally:
        paddle.set_flags({"FLAGS_paddle_num_threads": before})
    assert len(set(results)) == 1


def test_rows_of_a_larger_tensor_and_a_bias():
    x, y = operands(3, 900, 640, "float32", False, False)
    wide = paddle.concat([y, y + 1], axis=1)
    bias = paddle.arange(640, dtype="float32")
    np.testing.assert_allclose(paddle.matmul(x, wide[:, :640]).numpy(), reference(x, y, False, False), atol=1e-3)
    out = paddle.nn.functional.linear(x, y, bias)
    np.testing.assert_allclose(out.numpy(), reference(x, y, False, False) + bias.numpy(), rtol=1e-5, atol=1e-3)
