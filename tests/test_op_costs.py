# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Costs of operators: flops and bytes against numbers counted by hand."""

import paddle
import pytest

ops = paddle._core.ops


def cost(call):
    """(flops, bytes read, bytes written) of the operator that is called last: zeros() calls some too."""
    _, *numbers = paddle._core.costs_of_calls(call)[-1]
    return tuple(numbers)


def zeros(*shape, dtype="float32"):
    return paddle.zeros(shape, dtype=dtype)


X, Y, W = zeros(2, 3, 4), zeros(4, 5), zeros(6, 2, 3, 3)
SQUARE = zeros(8, 8, dtype="float64")
HAND = {
    # Every element of the result takes 4 products and 4 sums.
    "matmul": (lambda: ops.matmul(X, Y), 2 * 2 * 3 * 5 * 4, 4 * (24 + 20), 4 * 30),
    "transposed matmul": (lambda: ops.matmul(zeros(4, 3), Y, True, False), 2 * 3 * 5 * 4, 4 * (12 + 20), 4 * 15),
    "vectors": (lambda: ops.matmul(zeros(4), zeros(4)), 2 * 4, 4 * 8, 4),
    # [1, 4, 5, 5] in two groups with filters of 2 x 3 x 3: [1, 6, 3, 3].
    "conv": (
        lambda: ops.conv2d(zeros(1, 4, 5, 5), W, [1, 1], [0, 0], "EXPLICIT", [1, 1], 2, "NCHW"),
        2 * 54 * 18,
        4 * (100 + 108),
        4 * 54,
    ),
    # The operand whose shape alone matters is not read.
    "conv by its input": (
        lambda: ops.conv2d_grad_input(
            zeros(1, 4, 5, 5), W, zeros(1, 6, 3, 3), [1, 1], [0, 0], "EXPLICIT", [1, 1], 2, "NCHW"
        ),
        2 * 54 * 18,
        4 * (108 + 54),
        4 * 100,
    ),
    "elementwise": (lambda: ops.add(zeros(2, 1), zeros(1, 3)), 6, 4 * (2 + 3), 4 * 6),
    "reduction": (lambda: ops.sum(X), 24, 96, 4),
    "moves": (lambda: ops.concat([zeros(2, 3), zeros(4, 3)], 0), 0, 4 * 18, 4 * 18),
    "view": (lambda: ops.reshape(X, [6, 4]), 0, 0, 0),
    "bytes of the dtype": (lambda: ops.exp(zeros(3, 4, dtype="bfloat16")), 12, 24, 24),
    "sort": (lambda: ops.argsort(zeros(2, 8), -1), 16 * 3, 4 * 16, (4 + 8) * 16),
    "fft": (lambda: ops.fft_c2c(zeros(2, 8, dtype="complex64"), [1], "backward", True), 5 * 16 * 3, 8 * 16, 8 * 16),
    "half an fft": (lambda: ops.fft_r2c(zeros(2, 8), [1], "backward", True, True), 2.5 * 16 * 3, 4 * 16, 8 * 10),
    "cholesky": (lambda: ops.cholesky(SQUARE), 8**3 / 3, 8 * 64, 8 * 64),
    "inverse": (lambda: ops.inverse(SQUARE), 2 * 8**3, 8 * 64, 8 * 64),
    # tan = sin / cos
    "composed": (lambda: ops.tan(X), 3 * 24, 96, 96),
}


@pytest.mark.parametrize("name", HAND)
def test_costs_are_those_counted_by_hand(name):
    call, *expected = HAND[name]
    assert cost(call) == pytest.approx(tuple(expected))


def test_attention_is_two_products_and_a_softmax():
    """Of one kernel: queries, keys and values are read, the result is written, nothing in between."""
    batch, length, heads, width = 2, 16, 4, 8
    q = zeros(batch, length, heads, width)
    flops, read, _ = cost(lambda: ops.flash_attn(q, q, q))
    products = 2 * 2 * batch * heads * length * length * width
    assert products < flops < products + 40 * batch * heads * length * length
    assert read == 3 * 4 * q.size


def test_unknown_extents_have_no_cost():
    program = paddle.static.Program()
    paddle.enable_static()
    try:
        with paddle.static.program_guard(program):
            x = paddle.static.data("x", [-1, 4])
            with pytest.raises(RuntimeError, match="symbol|extent|s0"):
                cost(lambda: ops.exp(x))
    finally:
        paddle.disable_static()


def test_calls_whose_cost_is_asked_compute_nothing():
    x = paddle.ones([2])
    seen = []
    paddle._core.costs_of_calls(lambda: seen.append(ops.exp(x)))
    assert seen[0].shape == [2]
    with pytest.raises(RuntimeError, match="values"):
        paddle._core.costs_of_calls(lambda: ops.exp(x).item())
