# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that functions take in rarer forms: Tensors for numbers, no axis, extents of 1, fewer rows."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def leaf(values):
    return paddle.to_tensor(values, stop_gradient=False)


def test_cumsum_in_place_without_axis():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    row = x[1]
    assert x.cumsum_() is x
    assert x.tolist() == [1.0, 3.0, 6.0, 10.0] and row.tolist() == [6.0, 10.0]
    x = paddle.to_tensor([[1, 2], [3, 4]], dtype="int32")
    assert x.cumsum_(axis=0).tolist() == [[1, 2], [4, 6]] and x.dtype == paddle.int32
    assert x.cumsum_(dtype="float64").tolist() == [1.0, 3.0, 7.0, 13.0] and x.dtype == paddle.float64


def test_gradient_of_cumsum_in_place_without_axis():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = x * 2.0
    y.cumsum_()
    y.sum().backward()
    assert x.grad.tolist() == [[8.0, 6.0], [4.0, 2.0]]


def test_a_matrix_to_the_power_0():
    x = leaf([[1.0, float("nan")], [3.0, 4.0]])
    y = paddle.linalg.matrix_power(x, 0)
    assert y.tolist() == [[1.0, 0.0], [0.0, 1.0]] and not y.stop_gradient
    y.sum().backward()
    assert x.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("join", [paddle.concat, paddle.stack])
def test_gradients_of_integers_that_are_joined(join):
    x, y = leaf([1, 2]), leaf([3, 4])
    joined = join([x, y])
    assert not joined.stop_gradient
    (joined * 2).backward(paddle.ones_like(joined))
    assert x.grad.tolist() == [2, 2] and y.grad.tolist() == [2, 2] and x.grad.dtype == paddle.int64


def test_tensordot_of_an_extent_of_1_and_another():
    x, y = leaf([[2.0], [3.0]]), leaf([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    made = paddle.tensordot(x, y, axes=1)
    np.testing.assert_array_equal(made.numpy(), np.outer([2.0, 3.0], [9.0, 12.0]))
    made.sum().backward()
    assert x.grad.tolist() == [[21.0], [21.0]] and y.grad.tolist() == [[5.0, 5.0]] * 3
    a, b = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(1, 3, 4)
    made = paddle.tensordot(paddle.to_tensor(a), paddle.to_tensor(b), axes=[[0, 1], [0, 1]])
    np.testing.assert_allclose(made.numpy(), np.einsum("ij,jk->k", a, b[0]))
    with pytest.raises(ValueError, match="tensordot"):
        paddle.tensordot(paddle.ones([2, 2]), paddle.ones([3, 4]), axes=1)


def test_multiplex_of_fewer_rows():
    a, b = leaf([[1.0], [2.0], [3.0]]), leaf([[10.0], [20.0], [30.0]])
    made = paddle.multiplex([a, b], paddle.to_tensor([[1], [0]]))
    assert made.tolist() == [[10.0], [2.0]]
    made.sum().backward()
    assert a.grad.tolist() == [[0.0], [1.0], [0.0]] and b.grad.tolist() == [[1.0], [0.0], [0.0]]
    with pytest.raises(ValueError, match="multiplex"):
        paddle.multiplex([a, b], paddle.to_tensor([[1]] * 4))


EMPTY = paddle.to_tensor([])
MAKERS = {
    "zeros": paddle.zeros,
    "full": lambda shape: paddle.full(shape, 1.0),
    "empty": paddle.empty,
    "rand": paddle.rand,
    "randint": lambda shape: paddle.randint(0, 2, shape),
    "uniform": paddle.uniform,
    "normal": lambda shape: paddle.normal(0.0, 1.0, shape),
    "expand": lambda shape: paddle.to_tensor(1.0).expand(shape),
    "tile": lambda shape: paddle.to_tensor(1.0).tile(shape),
    "reshape": lambda shape: paddle.ones([1]).reshape(shape),
}


@pytest.mark.parametrize("make", list(MAKERS.values()), ids=list(MAKERS))
def test_an_empty_shape_as_a_float_tensor(make):
    assert list(make(EMPTY).shape) == []


@pytest.mark.parametrize("name", ["zeros", "empty", "rand", "randint", "uniform", "normal"])
def test_shapes_as_float_and_nested_tensors(name):
    assert list(MAKERS[name](paddle.to_tensor([2.0, 3.0])).shape) == [2, 3]
    assert list(MAKERS[name](paddle.to_tensor([[2, 3]])).shape) == [2, 3]


def test_no_axis_as_an_empty_float_tensor():
    assert list(paddle.ones([2, 1]).unsqueeze(EMPTY).shape) == [2, 1]


def test_eye_of_float_tensors():
    np.testing.assert_array_equal(paddle.eye(paddle.to_tensor(2.7)).numpy(), np.eye(2))
    np.testing.assert_array_equal(paddle.eye(2, paddle.to_tensor(3.0)).numpy(), np.eye(2, 3))
    with pytest.raises(TypeError, match="num_rows"):
        paddle.eye(2.0)


@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
def test_interpolate_to_a_size_in_a_float_tensor(mode):
    x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    made = F.interpolate(x, size=paddle.to_tensor([2.7, 3.2]), mode=mode)
    np.testing.assert_array_equal(made.numpy(), F.interpolate(x, size=[2, 3], mode=mode).numpy())


def test_flops_of_products_of_batches():
    from paddle.utils.flops import flops

    attributes = {"trans_x": False, "trans_y": True}
    assert flops("matmul_v2", {"X": [[5, 1, 2, 3]], "Y": [[7, 4, 3]]}, attributes) == 2 * 35 * 2 * 3 * 4
