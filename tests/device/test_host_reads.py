# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the host and the second device meet: arrays beside tensors, indices, shapes, checks of values, printing."""

import numpy as np
import paddle
import pytest

from tests.device.skeleton import place, there

A = np.arange(12.0, dtype="float32").reshape(3, 4)


def same(tensor, array):
    assert tensor.place == place()
    np.testing.assert_array_equal(tensor.numpy(), array)


def test_arrays_beside_tensors():
    x = there(A)
    same(x + A, A + A)
    same(x * A[0], A * A[0])
    assert 5.0 in x and 50.0 not in x
    assert float(x[1, 2]) == 6 and bool(x[0, 1] > 0) and x[2, 3].item() == 11


@pytest.mark.parametrize(
    "key",
    [
        [0, 2],
        [-1, 0],
        (slice(None), [1, 3]),
        ([0, 1], [2, -1]),
        np.array([True, False, True]),
        (slice(None, None, -1),),
        (Ellipsis, None, 0),
        A > 4,
    ],
    ids=str,
)
def test_keys_of_the_host(key):
    x = there(A)
    same(x[key], A[key])
    written, expected = there(A), A.copy()
    written[key] = 1.0
    expected[key] = 1
    same(written, expected)


def test_keys_of_the_device():
    x = there(A)
    same(x[there([2, 0], dtype="int64")], A[[2, 0]])
    same(x[x > 4], A[A > 4])
    x[x > 4] = 0.0
    same(x, np.where(A > 4, 0, A))
    x[there([1], dtype="int64")] = np.full(4, 9, "float32")
    same(x[1], np.full(4, 9))
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        x[there([3], dtype="int64")]


def test_a_shape_on_the_device_is_read_once():
    x, shape = there(A), there([2, 3, 2], dtype="int64")
    paddle.reshape(x, shape)
    before = paddle._core.host_reads()
    out = paddle.reshape(x, shape)
    assert paddle._core.host_reads() == before + 1
    same(out, A.reshape(2, 3, 2))


def test_no_call_waits_for_the_device_unasked():
    x, y = there(A), there(A.T.copy() / 100)
    before = paddle._core.host_reads()
    out = paddle.tanh(paddle.matmul(x, y))[1:, ::2] * x[0, :2] + x[:2, 1:3]
    assert paddle._core.host_reads() == before
    expected = np.tanh(A @ A.T / 100)[1:, ::2] * A[0, :2] + A[:2, 1:3]
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-6)


def test_nan_is_found_there():
    x = there([0.0, 1.0])
    paddle.set_flags({"FLAGS_check_nan_inf": True})
    try:
        with pytest.raises(RuntimeError, match="holds NaN or infinity, first at flat position 0"):
            paddle.log(x)
    finally:
        paddle.set_flags({"FLAGS_check_nan_inf": False})


def test_hooks_and_layers_of_python_see_tensors_of_the_device():
    seen = []

    class Twice(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x + 1

        @staticmethod
        def backward(ctx, first, second):
            seen.extend([first.place, second.place])
            return first * 2

    x = there(A, stop_gradient=False)
    x.register_hook(lambda g: seen.append(g.place))
    Twice.apply(x)[0].sum().backward()
    assert seen == [place()] * 3
    same(x.grad, np.full_like(A, 2))


def test_a_tensor_that_leaves_its_base_stays_there():
    x = there(A)
    row = paddle.expand(x[0], [2, 4])
    row[0] = 7.0
    same(row, np.stack([np.full(4, 7), A[0]]))
    same(x, A)
