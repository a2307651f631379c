# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors: forms, conversions, printing, gradients through the values."""

import copy
import operator
import pickle

import numpy as np
import paddle
import pytest

sparse = paddle.sparse
INDEX = [[0, 1, 2], [1, 2, 0]]


def coo(values=(1.0, 2.0, 3.0), **options):
    return sparse.sparse_coo_tensor(INDEX, list(values), [3, 3], **options)


def random(shape, dense_axes=0, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    x[rng.random(shape[: len(shape) - dense_axes]) < 0.6] = 0
    return x


def test_attributes_are_those_of_a_tensor():
    x = coo()
    assert isinstance(x, paddle.Tensor)
    assert (x.shape, x.dtype, x.ndim, x.size, len(x), x.nnz()) == ([3, 3], paddle.float32, 2, 9, 3, 3)
    assert x.is_sparse() and x.is_sparse_coo() and not x.is_sparse_csr() and not x.is_dense()
    assert x.indices().tolist() == INDEX
    assert x.values().tolist() == [1, 2, 3]
    y = x.to_sparse_csr()
    assert y.is_sparse_csr() and not y.is_sparse_coo()
    assert (y.crows().tolist(), y.cols().tolist(), y.values().tolist()) == ([0, 1, 2, 3], [1, 2, 0], [1, 2, 3])


def test_repr_shows_pattern_and_values():
    assert repr(coo()) == (
        "Tensor(shape=[3, 3], dtype=paddle.float32, place=Place(cpu), stop_gradient=True, \n"
        "       indices=[[0, 1, 2],\n"
        "                [1, 2, 0]], \n"
        "       values=[1., 2., 3.])"
    )
    assert repr(coo().to_sparse_csr()).endswith(
        "crows=[0, 1, 2, 3], \n       cols=[1, 2, 0], \n       values=[1., 2., 3.])"
    )


@pytest.mark.parametrize(("shape", "sparse_dim"), [([4, 5], 2), ([3, 4, 5], 3), ([4, 5, 2], 2), ([6], 1), ([3, 0], 2)])
def test_coordinate_form_goes_there_and_back(shape, sparse_dim):
    x = random(shape, len(shape) - sparse_dim)
    made = paddle.to_tensor(x).to_sparse_coo(sparse_dim)
    assert made.nnz() == np.count_nonzero((x != 0).any(axis=tuple(range(sparse_dim, len(shape)))))
    np.testing.assert_array_equal(made.to_dense().numpy(), x)


@pytest.mark.parametrize("shape", [[4, 5], [3, 4, 5], [0, 4]])
def test_row_form_goes_there_and_back(shape):
    x = random(shape)
    made = paddle.to_tensor(x).to_sparse_csr()
    np.testing.assert_array_equal(made.to_dense().numpy(), x)
    np.testing.assert_array_equal(made.to_sparse_coo(len(shape)).to_dense().numpy(), x)
    np.testing.assert_array_equal(made.to_sparse_coo(len(shape)).to_sparse_csr().crows().numpy(), made.crows().numpy())


def test_coalesce_sorts_and_adds():
    x = sparse.sparse_coo_tensor([[1, 0, 0], [2, 1, 1]], [3.0, 1.0, 2.0], stop_gradient=False)
    made = sparse.coalesce(x)
    assert not x.is_coalesced() and made.is_coalesced()
    assert (made.shape, made.indices().tolist(), made.values().tolist()) == ([2, 3], [[0, 1], [1, 2]], [3, 3])
    np.testing.assert_array_equal(made.to_dense().numpy(), x.to_dense().numpy())
    (made.values() * paddle.to_tensor([5.0, 7.0])).sum().backward()
    assert x.grad.values().tolist() == [7, 5, 5]


def test_shape_and_types_are_found():
    x = sparse.sparse_coo_tensor([[0, 1]], [[1.0, 2], [3, 4]])
    assert (x.shape, x.indices().dtype) == ([2, 2], paddle.int64)
    assert sparse.sparse_coo_tensor([[0, 1]], [1, 2], [3], dtype="float64").dtype == paddle.float64
    x = sparse.sparse_csr_tensor([0, 1, 2, 0, 1, 2], [0, 1, 0, 1], [1.0, 2, 3, 4], [2, 2, 2])
    assert x.to_dense().tolist() == [[[1, 0], [0, 2]], [[3, 0], [0, 4]]]
    made = sparse.cast(x, "int32", "float64")
    assert (made.crows().dtype, made.cols().dtype, made.dtype) == (paddle.int32, paddle.int32, paddle.float64)


@pytest.mark.parametrize(
    "call",
    [
        lambda: sparse.sparse_coo_tensor([[0, 3]], [1.0, 2.0], [3]),
        lambda: sparse.sparse_coo_tensor([[0, -1]], [1.0, 2.0], [3]),
        lambda: sparse.sparse_coo_tensor([0, 1], [1.0, 2.0], [3]),
        lambda: sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0, 3.0], [3]),
        lambda: sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [2, 3]),
        lambda: sparse.sparse_csr_tensor([0, 1], [0, 1], [1.0, 2.0], [2, 3]),
        lambda: sparse.sparse_csr_tensor([0, 2, 1], [0, 1], [1.0, 2.0], [2, 3]),
        lambda: sparse.sparse_csr_tensor([0, 1, 2], [0, 5], [1.0, 2.0], [2, 3]),
        lambda: paddle.ones([2, 2]).to_sparse_coo(3),
        lambda: paddle.ones([2]).to_sparse_csr(),
        lambda: coo().crows(),
        lambda: paddle.ones([2]).values(),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises(ValueError):
        call()


def test_dense_operators_refuse_sparse_tensors():
    for function in (paddle.sin, paddle.sum, lambda x: paddle.concat([x, x]), lambda x: paddle.ones([3, 3]) + x):
        with pytest.raises(TypeError):
            function(coo())
    with pytest.raises(AttributeError, match="to_dense"):
        coo().reshape([9])
    with pytest.raises(TypeError):
        sparse.sparse_coo_tensor([[0, 1.5]], [1.0, 2.0], [3])


def test_gradients_flow_through_values():
    values = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    x = sparse.sparse_coo_tensor(INDEX, values, [3, 3], stop_gradient=False)
    sparse.square(x).to_dense().sum().backward()
    assert values.grad.tolist() == [2, 4, 6]
    assert coo().stop_gradient and sparse.sparse_coo_tensor(INDEX, values, [3, 3]).stop_gradient

    x = coo()
    x.stop_gradient = False
    out = sparse.square(x)
    out.backward(out.detach())
    assert x.grad.is_sparse_coo()
    assert x.grad.values().tolist() == [2, 16, 54]
    x.clear_grad(False)
    assert x.grad is None

    dense = paddle.to_tensor([[0, 1.0], [2, 0]], stop_gradient=False)
    for form in (dense.to_sparse_coo(2), dense.to_sparse_csr()):
        sparse.square(form).to_dense().sum().backward()
        assert dense.grad.tolist() == [[0, 2], [4, 0]]
        dense.clear_grad()


@pytest.mark.parametrize("convert", [lambda x: x, lambda x: x.to_sparse_csr()])
def test_copies_keep_form_and_values(convert, tmp_path):
    x = convert(coo(stop_gradient=False))
    for made in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.clone(), x.detach()):
        assert made.is_sparse_csr() == x.is_sparse_csr()
        assert made.shape == x.shape and made.values().tolist() == [1, 2, 3]
    with pytest.raises(AttributeError, match="to_dense"):
        paddle.save({"x": x}, str(tmp_path / "x.pd"))
    with pytest.raises(TypeError):
        bool(x)
    with pytest.raises(TypeError):
        operator.eq(x, x.clone())


def test_tensors_without_values_work():
    x = sparse.sparse_coo_tensor(paddle.zeros([2, 0], "int64"), paddle.zeros([0]), [3, 3])
    for made in (x, x.to_sparse_csr()):
        assert made.nnz() == 0
        assert made.to_dense().tolist() == [[0] * 3] * 3
        assert sparse.add(made, made).to_dense().tolist() == [[0] * 3] * 3
        assert sparse.matmul(made, made).to_dense().tolist() == [[0] * 3] * 3
        assert sparse.matmul(made, paddle.ones([3, 1])).tolist() == [[0]] * 3
        assert sparse.sum(made).to_dense().sum() == 0
        assert sparse.nn.functional.softmax(made).nnz() == 0
