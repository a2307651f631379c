# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of operators given as Tensors in captured functions: values and gradients are those of numbers."""

import numpy as np
import paddle
import pytest

F = paddle.nn.functional

CALLS = {
    "cumsum": (lambda x, n: paddle.cumsum(x, axis=n), 1),
    "split": (lambda x, n: paddle.split(x, 2, axis=n)[0], 2),
    "sum": (lambda x, n: paddle.sum(x, axis=n), 1),
    "sum of two axes": (lambda x, n: paddle.sum(x, axis=n), [0, 2]),
    "mean": (lambda x, n: paddle.mean(x, axis=n), 1),
    "max": (lambda x, n: paddle.max(x, axis=n), 1),
    "min": (lambda x, n: paddle.min(x, axis=n), 1),
    "prod": (lambda x, n: paddle.prod(x, axis=n), 1),
    "tile": (lambda x, n: paddle.tile(x, n), [1, 2, 2]),
    "slice": (lambda x, n: paddle.slice(x, [1], n, [3]), [1]),
    "strided_slice": (lambda x, n: paddle.strided_slice(x, [1], n, [3], [1]), [1]),
    "concat": (lambda x, n: paddle.concat([x, x * 2], axis=n), 1),
    "chunk": (lambda x, n: paddle.chunk(x, 2, axis=n)[1], 2),
    "gather": (lambda x, n: paddle.gather(x, paddle.to_tensor([0, 1]), axis=n), 1),
    "roll": (lambda x, n: paddle.roll(x, n, axis=1), 1),
}
# As one program these ask for the value while they are captured.
IN_SEGMENTS_ONLY = {
    "amax": (lambda x, n: paddle.amax(x, axis=n), 1),
    "logsumexp": (lambda x, n: paddle.logsumexp(x, axis=n), 1),
    "avg_pool2d": (lambda x, n: F.avg_pool2d(x.reshape([1, 2, 3, 4]), n, stride=1), [2, 2]),
    "max_pool2d": (lambda x, n: F.max_pool2d(x.reshape([1, 2, 3, 4]), n, stride=1), [2, 2]),
}
ROWS = [(name, *row, full) for full in (True, False) for name, row in CALLS.items()]
ROWS += [(name, *row, False) for name, row in IN_SEGMENTS_ONLY.items()]


def leaf():
    return paddle.to_tensor(np.arange(1.0, 25.0, dtype="float32").reshape(2, 3, 4), stop_gradient=False)


@pytest.mark.parametrize("name, call, number, full_graph", ROWS, ids=lambda v: v if isinstance(v, str | bool) else "")
def test_gradients_are_those_of_the_number(name, call, number, full_graph):
    x = leaf()
    expected = call(x, number)
    weights = paddle.arange(expected.size, dtype="float32").reshape(expected.shape)
    (expected * weights).sum().backward()

    captured = paddle.jit.to_static(call, full_graph=full_graph)
    given = leaf()
    for _ in range(2):  # the second call finds the program of the first
        given.clear_gradient()
        out = captured(given, paddle.to_tensor(number))
        np.testing.assert_array_equal(out.numpy(), expected.numpy())
        (out * weights).sum().backward()
        np.testing.assert_allclose(given.grad.numpy(), x.grad.numpy(), rtol=1e-6)


@pytest.mark.parametrize("full_graph", [True, False])
def test_another_number_gives_another_gradient(full_graph):
    captured = paddle.jit.to_static(lambda x, n: paddle.cumsum(x, axis=n), full_graph=full_graph)
    for axis in (1, 2, 0):
        x, given = leaf(), leaf()
        (paddle.cumsum(x, axis=axis) ** 2).sum().backward()
        (captured(given, paddle.to_tensor(axis)) ** 2).sum().backward()
        np.testing.assert_allclose(given.grad.numpy(), x.grad.numpy(), rtol=1e-6)


def test_an_operator_whose_gradient_needs_the_number_while_it_is_recorded_says_so():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            theta, shape = paddle.static.data("theta", [2, 2, 3]), paddle.static.data("shape", [4], "int32")
            theta.stop_gradient = False
            with pytest.raises(NotImplementedError, match="affine_grid: output_shape is a Tensor of the program"):
                F.affine_grid(theta, shape)
    finally:
        paddle.disable_static()
