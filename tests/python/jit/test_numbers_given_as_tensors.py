# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers of operators given as Tensors in captured functions: values and gradients are those of numbers."""

import numpy as np
import paddle
import pytest

F = paddle.nn.functional


def image(x):
    return x.reshape([1, 2, 3, 4])


def weight():
    return paddle.arange(16, dtype="float32").reshape([2, 2, 2, 2])


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
    "amax": (lambda x, n: paddle.amax(x, axis=n), 1),
    "amin of the last axis": (lambda x, n: paddle.amin(x, axis=n), -1),
    "logsumexp": (lambda x, n: paddle.logsumexp(x, axis=n), 1),
    "logsumexp of two axes": (lambda x, n: paddle.logsumexp(x, axis=n), [0, -1]),
    "std": (lambda x, n: paddle.std(x, axis=n), 1),
    "median": (lambda x, n: paddle.median(x, axis=n), 1),
    "nansum": (lambda x, n: paddle.nansum(x, axis=n), -1),
    "flip": (lambda x, n: paddle.flip(x, axis=n), [1]),
    "crop": (lambda x, n: paddle.crop(x, shape=n), [1, -1, 2]),
    "avg_pool1d kernel": (lambda x, n: F.avg_pool1d(x, n, stride=1), [2]),
    "avg_pool2d kernel": (lambda x, n: F.avg_pool2d(image(x), n, stride=1), [2, 2]),
    "avg_pool2d one number": (lambda x, n: F.avg_pool2d(image(x), n, stride=1), 2),
    "avg_pool2d stride": (lambda x, n: F.avg_pool2d(image(x), 2, stride=n), [1, 2]),
    "avg_pool2d padding": (lambda x, n: F.avg_pool2d(image(x), 3, stride=1, padding=n), [1, 0]),
    "avg_pool2d divisor": (lambda x, n: F.avg_pool2d(image(x), n, stride=1, divisor_override=3), [2, 2]),
    "max_pool2d kernel": (lambda x, n: F.max_pool2d(image(x), n, stride=1), [2, 2]),
    "max_pool2d stride": (lambda x, n: F.max_pool2d(image(x), 2, stride=n), [1, 2]),
    "max_pool2d with positions": (lambda x, n: F.max_pool2d(image(x), n, return_mask=True)[0], [2, 2]),
    "conv2d stride": (lambda x, n: F.conv2d(image(x), weight(), stride=n), [1, 2]),
    "conv2d padding": (lambda x, n: F.conv2d(image(x), weight(), padding=n), [1, 2]),
    "conv2d padding of each side": (lambda x, n: F.conv2d(image(x), weight(), padding=n), [1, 0, 2, 1]),
    "conv2d dilation": (lambda x, n: F.conv2d(image(x), weight(), dilation=n), [1, 2]),
    "conv2d_transpose stride": (lambda x, n: F.conv2d_transpose(image(x), weight(), stride=n), [2, 3]),
    "conv2d_transpose output": (
        lambda x, n: F.conv2d_transpose(image(x), weight(), stride=2, output_padding=n),
        [1, 0],
    ),
    "unfold": (lambda x, n: F.unfold(image(x), n), [2, 2]),
}
ROWS = [(name, *row, full) for full in (True, False) for name, row in CALLS.items()]


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


def test_extents_of_a_result_are_its_own_where_the_number_stands_for_another():
    # -1 takes what is left: an extent that is asked for later is not -1.
    def rows(x, n):
        out = paddle.crop(x, shape=n)
        return paddle.ones([out.shape[1], 2])

    captured = paddle.jit.to_static(rows, full_graph=True)
    assert captured(leaf(), paddle.to_tensor([1, -1, 2])).shape == [3, 2]


def test_a_number_that_decides_the_order_of_axes_is_refused_by_name():
    captured = paddle.jit.to_static(lambda x, n: paddle.transpose(x, n), full_graph=True)
    with pytest.raises(NotImplementedError, match="transpose: perm is a Tensor of the program.*Give a number"):
        captured(leaf(), paddle.to_tensor([2, 0, 1]))


@pytest.mark.parametrize(
    "call",
    [
        lambda x, n: paddle.unique(x, axis=n),
        lambda x, n: paddle.unique_consecutive(x, axis=n),
        lambda x, n: paddle.strided_slice(x, n, [0], [1], [1]),
        lambda x, n: paddle.slice(x, n, [0], [1]),
        lambda x, n: paddle.scale(x, bias=n),
    ],
)
def test_what_a_program_cannot_be_told_later_says_that_a_number_is_needed(call):
    number = paddle.to_tensor([1])
    call(leaf(), number)
    with pytest.raises(NotImplementedError, match=r"is a Tensor of the program .*Give a number, or .*full_graph=False"):
        paddle.jit.to_static(call, full_graph=True)(leaf(), number)
    paddle.jit.to_static(call, full_graph=False)(leaf(), number)


@pytest.mark.parametrize(
    "call", [lambda x, n: paddle.transpose(x, [0, 2, n]), lambda x, n: paddle.slice(x, [n], [0], [1])]
)
def test_a_tensor_in_a_list_of_numbers_says_that_a_number_is_needed(call):
    call(leaf(), paddle.to_tensor(1))
    with pytest.raises(RuntimeError, match="(transpose|slice): .*an integer is needed here; give a number, or"):
        paddle.jit.to_static(call, full_graph=True)(leaf(), paddle.to_tensor(1))


def test_a_list_of_unknown_length_is_refused_by_name():
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()):
            x, axes = paddle.static.data("x", [2, 3]), paddle.static.data("axes", [-1], "int64")
            with pytest.raises(NotImplementedError, match="amax: axis is a Tensor of shape .*known length"):
                paddle.amax(x, axes)
    finally:
        paddle.disable_static()


def grid(theta, shape):
    """The positions of affine_grid with align_corners=True, and the gradient of the sum of their squares."""
    rows, columns = shape[2:]
    y, x = np.meshgrid(np.linspace(-1, 1, rows), np.linspace(-1, 1, columns), indexing="ij")
    base = np.stack([x, y, np.ones_like(x)], -1).reshape(-1, 3)
    out = base @ theta.transpose(0, 2, 1)
    return out.reshape(-1, rows, columns, 2), 2 * out.transpose(0, 2, 1) @ base


def test_affine_grid_of_a_shape_that_only_the_run_of_a_static_program_tells_has_a_gradient():
    paddle.enable_static()
    try:
        main, start = paddle.static.Program(), paddle.static.Program()
        with paddle.static.program_guard(main, start):
            x, shape = paddle.static.data("x", [2, 6]), paddle.static.data("shape", [4], "int32")
            identity = paddle.nn.initializer.Assign(np.eye(6, dtype="float32"))
            w = paddle.create_parameter([6, 6], "float32", default_initializer=identity)
            out = F.affine_grid(paddle.matmul(x, w).reshape([2, 2, 3]), shape)
            [(_, gradient)] = paddle.static.append_backward((out * out).sum())
            exe = paddle.static.Executor()
            exe.run(start)
            given = np.linspace(-1, 2, 12, dtype="float32").reshape(2, 6)
            for sizes in ([2, 3, 4, 5], [2, 1, 2, 3]):
                feed = {"x": given, "shape": np.array(sizes, "int32")}
                got, got_gradient = exe.run(main, feed=feed, fetch_list=[out, gradient])
                expected, by_theta = grid(given.reshape(2, 2, 3).astype("float64"), sizes)
                np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
                by_weight = given.T @ by_theta.reshape(2, 6)
                np.testing.assert_allclose(got_gradient, by_weight, rtol=1e-5, atol=1e-5)
    finally:
        paddle.disable_static()
