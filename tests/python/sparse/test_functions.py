# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of sparse tensors against NumPy on the dense ones."""

import numpy as np
import paddle
import pytest

sparse = paddle.sparse


def random(shape, seed=0):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(shape) < 0.4, rng.uniform(0.1, 0.9, shape), 0)


def forms(array):
    """The tensor in both forms (the first only where there is no other), with gradients."""
    dense = paddle.to_tensor(array)
    made = [dense.to_sparse_coo(dense.ndim)] + ([dense.to_sparse_csr()] if dense.ndim in (2, 3) else [])
    for one in made:
        one.stop_gradient = False
    return made


UNARY = {
    "sin": np.sin,
    "tan": np.tan,
    "asin": np.arcsin,
    "atan": np.arctan,
    "sinh": np.sinh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "atanh": np.arctanh,
    "sqrt": np.sqrt,
    "square": np.square,
    "log1p": np.log1p,
    "abs": np.abs,
    "expm1": np.expm1,
    "deg2rad": np.deg2rad,
    "rad2deg": np.rad2deg,
    "neg": np.negative,
    "isnan": np.isnan,
}


@pytest.mark.parametrize("name", UNARY)
def test_unary_functions_map_the_values(name):
    array = random([4, 5])
    for x in forms(array):
        out = getattr(sparse, name)(x)
        assert out.is_sparse_csr() == x.is_sparse_csr()
        np.testing.assert_allclose(out.to_dense().numpy(), UNARY[name](array), rtol=1e-12)
    with pytest.raises(TypeError, match="sparse"):
        getattr(sparse, name)(paddle.to_tensor(array))


def test_pow():
    np.testing.assert_allclose(sparse.pow(forms(random([4, 5]))[1], 3).to_dense().numpy(), random([4, 5]) ** 3)


BINARY = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide}


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("shape", [[4, 5], [2, 3, 4], [7]])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_binary_functions_join_the_patterns(name, shape):
    a, b = random(shape), random(shape, 1)
    for x, y in zip(forms(a), forms(b), strict=True):
        out = getattr(sparse, name)(x, y)
        assert out.is_sparse_csr() == x.is_sparse_csr()
        np.testing.assert_allclose(out.to_dense().numpy(), BINARY[name](a, b))


def test_gradients_of_joined_patterns():
    a, b = random([4, 5]), random([4, 5], 1)
    for x, y in zip(forms(a), forms(b), strict=True):
        sparse.multiply(x, y).to_dense().sum().backward()
        np.testing.assert_allclose(x.grad.to_dense().numpy(), np.where(a != 0, b, 0))
        np.testing.assert_allclose(y.grad.to_dense().numpy(), np.where(b != 0, a, 0))


def test_numbers_and_dense_tensors_scale_values():
    a, b = random([4, 5]), 1 + random([4, 5], 1)
    for x in forms(a):
        np.testing.assert_allclose(sparse.multiply(x, 2).to_dense().numpy(), a * 2)
        np.testing.assert_allclose((x / 4.0).to_dense().numpy(), a / 4)
        np.testing.assert_allclose(sparse.divide(x, paddle.to_tensor(b)).to_dense().numpy(), a / b)
    with pytest.raises(TypeError):
        sparse.add(forms(a)[0], 2.0)
    with pytest.raises(ValueError, match="shape"):
        sparse.add(forms(a)[0], forms(a.T)[0])


@pytest.mark.parametrize("batch", [[], [2]])
def test_products_and_their_gradients(batch):
    a, b = random([*batch, 4, 5]), random([*batch, 5, 3], 1)
    weight = np.random.default_rng(2).standard_normal([*batch, 4, 3])
    grad_a, grad_b = weight @ np.swapaxes(b, -1, -2), np.swapaxes(a, -1, -2) @ weight
    for x, z in zip(forms(a), forms(b), strict=True):
        y = paddle.to_tensor(b, stop_gradient=False)
        out = sparse.matmul(x, y)
        np.testing.assert_allclose(out.numpy(), a @ b)
        (out * paddle.to_tensor(weight)).sum().backward()
        np.testing.assert_allclose(x.grad.to_dense().numpy(), np.where(a != 0, grad_a, 0))
        np.testing.assert_allclose(y.grad.numpy(), grad_b)
        x.clear_grad(False)
        both = x @ z
        assert both.is_sparse_csr() == x.is_sparse_csr()
        np.testing.assert_allclose(both.to_dense().numpy(), a @ b)
        (both.to_dense() * paddle.to_tensor(weight)).sum().backward()
        np.testing.assert_allclose(x.grad.to_dense().numpy(), np.where(a != 0, grad_a, 0))
        np.testing.assert_allclose(z.grad.to_dense().numpy(), np.where(b != 0, grad_b, 0))
        np.testing.assert_allclose(sparse.matmul(paddle.to_tensor(a), z).numpy(), a @ b)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("columns", [1, 3, 8, 11])
def test_rows_without_elements_and_indices_in_any_order(columns, dtype):
    rng = np.random.default_rng(0)
    place = rng.choice(np.setdiff1d(np.arange(12 * 9), np.arange(27, 54)), 30, replace=False)  # rows 3 to 5 are empty
    values, dense = rng.standard_normal(30).astype("float32"), np.zeros(12 * 9)
    dense[place] = values
    y = rng.standard_normal([9, columns]).astype("float32")
    for order in (slice(None), np.argsort(place)):
        index = paddle.to_tensor(np.stack([place[order] // 9, place[order] % 9]).astype(dtype))
        x = sparse.sparse_coo_tensor(index, paddle.to_tensor(values[order]), [12, 9])
        got = sparse.matmul(x, paddle.to_tensor(y))
        np.testing.assert_allclose(got.numpy(), dense.reshape(12, 9) @ y, rtol=1e-5, atol=1e-5)


def test_products_follow_a_pattern_that_was_written():
    crows = paddle.to_tensor([0, 2, 3])
    x = sparse.sparse_csr_tensor(crows, [0, 1, 1], [1.0, 2.0, 3.0], [2, 2])
    y = paddle.to_tensor([[1.0], [10.0]])
    assert sparse.matmul(x, y).tolist() == [[21.0], [30.0]]
    x.crows()[1] = 1
    assert sparse.matmul(x, y).tolist() == [[1.0], [50.0]]


def test_masked_products_compute_what_the_mask_stores():
    rng = np.random.default_rng(0)
    for batch in ([], [2]):
        a, b = rng.standard_normal([*batch, 4, 6]), rng.standard_normal([*batch, 6, 5])
        for mask in forms(random([*batch, 4, 5])):
            x = paddle.to_tensor(a, stop_gradient=False)
            out = sparse.masked_matmul(x, paddle.to_tensor(b), mask)
            stored = mask.to_dense().numpy() != 0
            np.testing.assert_allclose(out.to_dense().numpy(), np.where(stored, a @ b, 0))
            out.to_dense().sum().backward()
            np.testing.assert_allclose(x.grad.numpy(), stored.astype(float) @ np.swapaxes(b, -1, -2))


def test_mv_and_addmm():
    a, b, c = random([4, 5]), random([5, 3], 1), random([4, 3], 2)
    for x, y, z in zip(forms(a), forms(b), forms(c), strict=True):
        np.testing.assert_allclose(sparse.mv(x, paddle.to_tensor(b[:, 0])).numpy(), a @ b[:, 0])
        out = sparse.addmm(paddle.to_tensor(c), x, paddle.to_tensor(b), beta=2.0, alpha=3.0)
        np.testing.assert_allclose(out.numpy(), 2 * c + 3 * a @ b)
        np.testing.assert_allclose(sparse.addmm(z, x, y, 2.0, 3.0).to_dense().numpy(), 2 * c + 3 * a @ b)
    with pytest.raises(ValueError, match="shape"):
        sparse.matmul(forms(a)[0], paddle.ones([4, 3], "float64"))
    with pytest.raises(TypeError):
        sparse.matmul(paddle.ones([2, 2]), paddle.ones([2, 2]))


def test_transpose_reshape_and_slice():
    a = random([3, 4, 5])
    for x in forms(a):
        np.testing.assert_array_equal(sparse.transpose(x, [2, 0, 1]).to_dense().numpy(), a.transpose(2, 0, 1))
        np.testing.assert_array_equal(sparse.reshape(x, [0, -1, 2]).to_dense().numpy(), a.reshape(3, 10, 2))
        out = sparse.slice(x, [0, -1], [1, -3], [9, -1])
        np.testing.assert_array_equal(out.to_dense().numpy(), a[1:, :, -3:-1])
        out.to_dense().sum().backward()
        want = np.zeros_like(a)
        want[1:, :, -3:-1] = a[1:, :, -3:-1] != 0
        np.testing.assert_array_equal(x.grad.to_dense().numpy(), want)
    hybrid = paddle.to_tensor(a).to_sparse_coo(2)
    np.testing.assert_array_equal(sparse.transpose(hybrid, [1, 0, 2]).to_dense().numpy(), a.transpose(1, 0, 2))
    np.testing.assert_array_equal(sparse.reshape(hybrid, [12, 5]).to_dense().numpy(), a.reshape(12, 5))
    np.testing.assert_array_equal(sparse.slice(hybrid, [2], [1], [3]).to_dense().numpy(), a[:, :, 1:3])
    for call in (
        lambda: sparse.transpose(hybrid, [2, 1, 0]),
        lambda: sparse.reshape(hybrid, [3, 20]),
        lambda: sparse.reshape(forms(a)[0], [7, -1]),
        lambda: sparse.slice(hybrid, [3], [0], [1]),
        lambda: sparse.sum(hybrid, 3),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize("axis", [0, 1, -1, [0, 2], None])
@pytest.mark.parametrize("keepdim", [False, True])
def test_sums(axis, keepdim):
    a = random([3, 4, 5])
    axes = tuple(axis) if isinstance(axis, list) else axis
    for x in [*forms(a), paddle.to_tensor(a).to_sparse_coo(2)]:
        want = a.sum(axes, keepdims=keepdim or x.is_sparse_csr())
        out = sparse.sum(x, axis, keepdim=keepdim)
        np.testing.assert_allclose(out.to_dense().numpy(), want.reshape(want.shape or (1,)))
    assert sparse.sum(forms(a)[0], dtype="float32").dtype == paddle.float32


def test_mask_as_and_is_same_shape():
    a = np.arange(20.0).reshape(4, 5)
    for mask in forms(random([4, 5])):
        x = paddle.to_tensor(a, stop_gradient=False)
        out = sparse.mask_as(x, mask)
        stored = mask.to_dense().numpy() != 0
        np.testing.assert_array_equal(out.to_dense().numpy(), np.where(stored, a, 0))
        out.to_dense().sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), stored)
        assert sparse.is_same_shape(mask, x) and not sparse.is_same_shape(mask, x.T)


def test_pca_lowrank_finds_the_principal_components():
    a = random([8, 6])
    paddle.seed(0)
    centred = a - a.mean(0)
    for x in forms(a):
        u, s, v = sparse.pca_lowrank(x, q=6, niter=4)
        np.testing.assert_allclose(s.numpy(), np.linalg.svd(centred)[1], atol=1e-8)
        np.testing.assert_allclose((u * s).numpy() @ v.numpy().T, centred, atol=1e-8)


def test_a_bias_is_added_to_stored_vectors():
    x = paddle.sparse.sparse_coo_tensor([[0, 2]], [[1.0, 2.0], [3.0, 4.0]], [3, 2], stop_gradient=False)
    bias = paddle.to_tensor([10.0, 20.0], stop_gradient=False)
    made = paddle.sparse.add(x, bias)
    assert made.to_dense().tolist() == [[11.0, 22.0], [0.0, 0.0], [13.0, 24.0]]
    made.values().sum().backward()
    assert bias.grad.tolist() == [2.0, 2.0] and x.grad.values().tolist() == [[1.0, 1.0], [1.0, 1.0]]
    with pytest.raises(TypeError, match="to_dense"):
        paddle.sparse.add(x, paddle.ones([3, 2]))


def test_gradient_that_a_matrix_in_compressed_form_keeps():
    dense = paddle.to_tensor([[0.0, 1.0], [2.0, 0.0]], stop_gradient=False)
    x = dense.to_sparse_csr()
    made = paddle.sparse.sin(x)
    made.values().sum().backward()
    np.testing.assert_allclose(x.grad.values().numpy(), np.cos([1.0, 2.0]), rtol=1e-6)
    np.testing.assert_allclose(dense.grad.numpy(), [[0.0, np.cos(1.0)], [np.cos(2.0), 0.0]], rtol=1e-6)
