# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions and methods of tensors, one value each, computed by NumPy or by hand."""

import copy

import numpy as np
import paddle
import pytest

A = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.0]], "float32")
I = np.array([[7, 2, 9], [4, 12, 5]], "int32")


def t(a, grad=False):
    return paddle.to_tensor(a, stop_gradient=not grad)


VALUES = {
    "add_n": lambda: (paddle.add_n([t(A), t(A), t(A)]), 3 * A),
    "argmin": lambda: (paddle.argmin(t(A), axis=1), A.argmin(1)),
    "argsort": lambda: (paddle.argsort(t(A), axis=1, descending=True), np.argsort(-A, 1)),
    "argwhere": lambda: (paddle.argwhere(t(A) > 2), np.argwhere(A > 2)),
    "broadcast_tensors": lambda: (paddle.broadcast_tensors([t(A), t(A[:1])])[1], np.broadcast_to(A[:1], A.shape)),
    "equal_all": lambda: (paddle.equal_all(t(A), t(A.copy())), True),
    "increment": lambda: (paddle.increment(t(np.array([2.0], "float32")), 1.5), [3.5]),
    "index_sample": lambda: (paddle.index_sample(t(A), t(np.array([[2, 0], [1, 1]]))), [[2.0, 3.0], [4.0, 4.0]]),
    "mm": lambda: (paddle.mm(t(A), t(A.T)), A @ A.T),
    "is_tensor": lambda: (np.array([paddle.is_tensor(t(A)), paddle.is_tensor(A)]), [True, False]),
    "is_floating_point": lambda: (
        np.array([paddle.is_floating_point(t(A)), paddle.is_floating_point(t(I))]),
        [True, False],
    ),
    "Tensor.argsort": lambda: (t(A).argsort(), np.argsort(A, -1)),
    "Tensor.clamp": lambda: (t(A).clamp(-1.0, 2.0), A.clip(-1, 2)),
    "Tensor.contiguous": lambda: (t(A).t().contiguous(), A.T),
    "Tensor.cpu": lambda: (t(A).cpu(), A),
    "Tensor.dim": lambda: (np.array([t(A).dim(), t(A).ndimension()]), [2, 2]),
    "Tensor.element_size": lambda: (np.array([t(A).element_size(), t(A).astype("float64").element_size()]), [4, 8]),
    "Tensor.float": lambda: (t(I).float(), I.astype("float32")),
    "Tensor.int": lambda: (t(A).int(), A.astype("int32")),
    "Tensor.long": lambda: (t(A).long(), A.astype("int64")),
    "Tensor.is_floating_point": lambda: (np.array(t(A).is_floating_point()), True),
    "Tensor.mul": lambda: (t(A).mul(t(A)), A * A),
    "Tensor.new_ones": lambda: (t(A).new_ones([2, 1]), np.ones((2, 1), "float32")),
    "Tensor.new_zeros": lambda: (t(I).new_zeros([3]), np.zeros(3, "int32")),
    "Tensor.stride": lambda: (np.array(t(A).t().stride()), [1, 3]),
    "Tensor.type_as": lambda: (t(A).type_as(t(I)), A.astype("int32")),
    "Tensor.copy_": lambda: (paddle.zeros([2, 3]).copy_(t(A)), A),
    "Tensor._to": lambda: (t(A)._to(dtype="float64"), A.astype("float64")),
    "Tensor._copy_to": lambda: (t(A)._copy_to(paddle.CPUPlace(), True), A),
}


@pytest.mark.parametrize("name", VALUES)
def test_value(name):
    result, expected = VALUES[name]()
    expected = np.asarray(expected)
    result = result.numpy() if isinstance(result, paddle.Tensor) else result
    assert result.shape == expected.shape
    np.testing.assert_allclose(result.astype("float64"), expected.astype("float64"), rtol=1e-6)


OPERATORS = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "truediv": lambda x, y: x / y,
    "floordiv": lambda x, y: x // y,
    "mod": lambda x, y: x % y,
    "pow": lambda x, y: x**y,
    "radd": lambda x, y: 3 + x,
    "rsub": lambda x, y: 3 - x,
    "rmul": lambda x, y: 3 * x,
    "rtruediv": lambda x, y: 3 / x,
    "rfloordiv": lambda x, y: 30 // x,
    "rpow": lambda x, y: 2**x,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
    "neg": lambda x, y: -x,
}
INTEGER_OPERATORS = {
    "and": lambda x, y: x & y,
    "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y,
    "invert": lambda x, y: ~x,
    "lshift": lambda x, y: x << y,
    "rand": lambda x, y: 6 & x,
}


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("name", OPERATORS)
def test_operator(name, dtype):
    x, y = I.astype(dtype), np.array([[2, 2, 3], [4, 5, 1]], dtype)
    expected = OPERATORS[name](x, y)
    np.testing.assert_allclose(OPERATORS[name](t(x), t(y)).numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("name", INTEGER_OPERATORS)
def test_operator_of_integers(name):
    x, y = I, np.array([[2, 2, 3], [4, 5, 1]], "int32")
    np.testing.assert_array_equal(INTEGER_OPERATORS[name](t(x), t(y)).numpy(), INTEGER_OPERATORS[name](x, y))


def test_matrix_product_operators():
    np.testing.assert_allclose((t(A) @ t(A.T)).numpy(), A @ A.T, rtol=1e-6)
    np.testing.assert_allclose(t(A.T).__rmatmul__(t(A)).numpy(), A @ A.T, rtol=1e-6)


def test_conversions_to_python():
    one = t(np.array(2.75, "float32"))
    assert (float(one), int(one), len(t(A)), str(t(I)).startswith("Tensor(shape=[2, 3], dtype=int32")) == (
        2.75,
        2,
        2,
        True,
    )
    x = t(A)
    assert x[1, 2].item() == -2.0 and x[0].tolist() == A[0].tolist()
    x[0, 1:] = 5.0
    assert x.tolist() == [[3.0, 5.0, 5.0], [0.5, 4.0, -2.0]]


def test_where_a_tensor_lives_and_whether_it_wants_a_gradient():
    x = t(A)
    assert x.place == paddle.CPUPlace() and x._is_initialized() and not x.requires_grad
    assert x.requires_grad_() is x and x.requires_grad and not x.stop_gradient
    (x * x).sum().backward()
    np.testing.assert_array_equal(x._grad_ivar().numpy(), 2 * A)
    assert paddle.nn.Linear(2, 2).weight.is_distributed is False


def test_memory_can_be_given_back_or_zeroed():
    for give_back in (paddle.Tensor._clear_to_zero_allocation, paddle.Tensor._clear):
        x = t(A)
        give_back(x)
        assert x.size == 0 or not x._is_initialized()


def test_random_tensors_like_another():
    paddle.seed(5)
    like = t(np.zeros((400, 50), "float32"))
    normal, integers = paddle.randn_like(like), paddle.randint_like(like, 2, 6)
    assert normal.shape == [400, 50] and abs(normal.mean().item()) < 0.03 and abs(normal.std().item() - 1) < 0.03
    assert integers.dtype == like.dtype and sorted(set(integers.flatten().tolist())) == [2, 3, 4, 5]


def test_empty_has_shape_and_dtype():
    assert paddle.empty([2, 3], dtype="int64").dtype == paddle.int64 and paddle.empty([2, 3]).shape == [2, 3]
    other = paddle.empty_like(t(I))
    assert (other.dtype, other.shape) == (paddle.int32, [2, 3])


def test_dtype_names():
    assert (paddle.float, paddle.long) == (paddle.float32, paddle.int64)
    assert t(A).astype(paddle.float8_e5m2).astype("float32").tolist() == A.tolist()


def test_grad_modes_by_function():
    x = t(A, True)
    with paddle.no_grad(), paddle.enable_grad():
        assert not (x * 2).stop_gradient
    with paddle.set_grad_enabled(False):
        assert (x * 2).stop_gradient
    assert not (x * 2).stop_gradient


def test_saved_tensors_pass_through_hooks():
    seen = []
    x = t(A, True)
    with paddle.autograd.saved_tensors_hooks(
        lambda v: seen.append(v.shape) or v.numpy(), lambda v: paddle.to_tensor(v)
    ):
        y = x * x
    y.sum().backward()
    assert seen and all(shape == [2, 3] for shape in seen)
    np.testing.assert_array_equal(x.grad.numpy(), 2 * A)


def test_a_copied_parameter_keeps_its_value():
    layer = paddle.nn.Linear(2, 2)
    np.testing.assert_array_equal(copy.deepcopy(layer.weight).numpy(), layer.weight.numpy())


@pytest.mark.parametrize("length", [1, 4, 5])
@pytest.mark.parametrize("periodic", [True, False])
def test_cosine_windows(length, periodic):
    k, n = np.arange(length), length if periodic else max(length - 1, 1)
    for window, alpha, beta in ((paddle.hann_window, 0.5, 0.5), (paddle.hamming_window, 0.54, 0.46)):
        expected = np.ones(1) if length == 1 else alpha - beta * np.cos(2 * np.pi * k / n)
        np.testing.assert_allclose(window(length, periodic, dtype="float64").numpy(), expected, atol=1e-12)
    assert paddle.hann_window(0).shape == [0] and not paddle.hann_window(3, requires_grad=True).stop_gradient


def test_modules_of_functions():
    x = t(A)
    np.testing.assert_allclose(paddle.special.expm1(x).numpy(), np.expm1(A), rtol=1e-6)
    np.testing.assert_allclose(paddle.special.logsumexp(x).item(), np.log(np.exp(A).sum()), rtol=1e-6)
    weights = np.exp(A) / np.exp(A).sum(1, keepdims=True)
    np.testing.assert_allclose(paddle.special.softmax(x, 1, dtype="float64").numpy(), weights, rtol=1e-6)
    np.testing.assert_allclose(paddle.functional.norm(x).item(), np.linalg.norm(A), rtol=1e-6)
    assert [part.shape for part in paddle.functional.split(x, 2, 1)] == [[2, 2], [2, 1]]
    paddle.seed(11)
    assert paddle.random.initial_seed() == 11
    pair = paddle.view_as_real(paddle.view_as_complex(t(A[:, :2].copy())))
    np.testing.assert_array_equal(pair.numpy(), A[:, :2])


def test_increment_gives_a_leaf_another_value():
    x = t(np.array([2.0], "float32"), grad=True)
    assert paddle.increment(x, 3.0) is x and x.item() == 5 and x.is_leaf
    (x * x).backward()
    assert x.grad.item() == 10
    y = x * 2
    y.increment()
    (y * y).backward()
    assert y.item() == 11 and x.grad.item() == 10 + 2 * 11 * 2


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_where_takes_a_float_as_float32(dtype):
    x, mask = paddle.ones([2]).astype(dtype), paddle.to_tensor([True, False])
    for mixed in (paddle.where(mask, x, 0.5), paddle.where(~mask, 0.5, x)):
        assert mixed.dtype == paddle.float32 and mixed.tolist() == [1.0, 0.5]
    assert paddle.where(mask, x, paddle.to_tensor(0.5, dtype)).dtype == x.dtype


def test_sgn_of_complex_numbers_has_a_gradient():
    z, e = np.array([1 + 2j, 0.5 - 0.3j]), 1e-6
    x = t(z, grad=True)
    y = paddle.sgn(x)
    np.testing.assert_allclose(y.numpy(), z / abs(z))
    (y.real() + 2 * y.imag()).sum().backward()

    def value(z):
        return (z / abs(z)).real + 2 * (z / abs(z)).imag

    slopes = (value(z + e) - value(z - e) + 1j * (value(z + e * 1j) - value(z - e * 1j))) / (2 * e)
    np.testing.assert_allclose(x.grad.numpy(), slopes, atol=1e-8)
    assert paddle.sgn(paddle.zeros([1], "complex64")).item() == 0


def test_logspace_of_integers_is_exact():
    assert paddle.logspace(0, 3, 4, 2.0, "int32").tolist() == [1, 2, 4, 8]
    assert paddle.logspace(0, 3, 4, -2.0).tolist() == [1.0, -2.0, 4.0, -8.0]


@pytest.mark.parametrize("maxlen", [None, -1, -5])
def test_masks_of_sequences_reach_the_longest_one(maxlen):
    found = paddle.nn.functional.sequence_mask(paddle.to_tensor([1, 3, 2]), maxlen)
    assert found.tolist() == [[1, 0, 0], [1, 1, 1], [1, 1, 0]]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_means_of_whole_segments_are_cut_towards_zero(dtype):
    rows = paddle.to_tensor([[7, -2, 2], [4, -3, -3]], dtype=dtype)
    assert paddle.geometric.segment_mean(rows, paddle.to_tensor([0, 0])).tolist() == [[5, -2, 0]]
