# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions against closed forms."""

import numpy as np
import paddle
import pytest
from paddle.incubate import autograd

A = np.random.default_rng(0).standard_normal((3, 4))
X = np.random.default_rng(1).standard_normal((4,))


def test_products_with_jacobians():
    v = np.arange(4.0)
    ys, product = autograd.jvp(lambda x: paddle.sin(paddle.to_tensor(A) @ x), paddle.to_tensor(X), paddle.to_tensor(v))
    np.testing.assert_allclose(ys.numpy(), np.sin(A @ X), rtol=1e-12)
    np.testing.assert_allclose(product.numpy(), np.cos(A @ X) * (A @ v), rtol=1e-12)
    u = np.arange(3.0)
    _, product = autograd.vjp(lambda x: paddle.sin(paddle.to_tensor(A) @ x), paddle.to_tensor(X), paddle.to_tensor(u))
    np.testing.assert_allclose(product.numpy(), A.T @ (np.cos(A @ X) * u), rtol=1e-12)


def test_jacobian_of_several_inputs():
    def func(x, y):
        return paddle.to_tensor(A) @ x + paddle.sum(y * y)

    y = np.array([1.0, 2.0])
    matrix = autograd.Jacobian(func, [paddle.to_tensor(X), paddle.to_tensor(y)])
    assert matrix.shape == [3, 6]
    expected = np.concatenate([A, np.tile(2 * y, (3, 1))], 1)
    np.testing.assert_allclose(matrix[:, :].numpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(matrix[1, 2:5].numpy(), expected[1, 2:5], rtol=1e-12)


def test_batches_are_independent():
    rows = np.random.default_rng(2).standard_normal((5, 3))
    jacobian = autograd.Jacobian(lambda x: x**2, paddle.to_tensor(rows), is_batched=True)
    assert jacobian.shape == [5, 3, 3]
    np.testing.assert_allclose(jacobian[:].numpy(), np.stack([np.diag(2 * r) for r in rows]), rtol=1e-12)
    hessian = autograd.Hessian(lambda x: (x**3).sum(1, keepdim=True), paddle.to_tensor(rows), is_batched=True)
    np.testing.assert_allclose(hessian[:].numpy(), np.stack([np.diag(6 * r) for r in rows]), rtol=1e-12)


def test_hessian():
    q = A.T @ A
    hessian = autograd.Hessian(lambda x: (x * (paddle.to_tensor(q) @ x)).sum(), paddle.to_tensor(X))
    assert hessian.shape == [4, 4]
    np.testing.assert_allclose(hessian[:, :].numpy(), 2 * q, rtol=1e-10)
    with pytest.raises(RuntimeError, match="one number"):
        autograd.Hessian(lambda x: x * 2, paddle.to_tensor(X))


def test_forward_and_reverse_of_computed_values():
    x = paddle.to_tensor(X, stop_gradient=False)
    y = paddle.exp(x)
    (tangent,) = autograd.forward_grad([y], [x])
    np.testing.assert_allclose(tangent.numpy(), np.exp(X), rtol=1e-12)
    second = autograd.grad(autograd.grad(y, x), x)
    np.testing.assert_allclose(second.numpy(), np.exp(X), rtol=1e-12)


def test_names_of_graphs():
    data = paddle.to_tensor([[1.0], [2.0], [4.0]])
    total = paddle.incubate.segment_sum(data, paddle.to_tensor([0, 0, 1]))
    assert total.numpy().tolist() == [[3.0], [4.0]]
    sent = paddle.incubate.graph_send_recv(data, paddle.to_tensor([0, 1]), paddle.to_tensor([2, 2]))
    assert sent.numpy().tolist() == [[0.0], [0.0], [3.0]]


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(RuntimeError, match="shape"):
        paddle.incubate.autograd.vjp(lambda x: x * x, paddle.ones([3]), paddle.ones([1]))
    x = paddle.ones([3])
    x.stop_gradient = False
    with pytest.raises(ValueError, match="one element"):
        paddle.autograd.hessian(x * x, x)
