# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""vjp and jvp: what they give back, and vectors that do not fit."""

import numpy as np
import paddle
import pytest
from paddle.incubate.autograd import jvp, vjp


def square(x):
    return paddle.matmul(x, x)


@pytest.mark.parametrize("product", [vjp, jvp])
def test_vectors_that_do_not_fit_are_refused(product):
    x = paddle.ones([2, 2])
    with pytest.raises(RuntimeError, match="shape"):
        product(square, x, paddle.ones([3, 2]))
    with pytest.raises(RuntimeError, match="holds 2"):
        product(square, x, [x, x])
    with pytest.raises(TypeError, match="xs"):
        product(square, 3)
    with pytest.raises(TypeError, match="v must"):
        product(square, x, 3)


def test_results_are_tuples_as_the_inputs_are_sequences():
    x = paddle.ones([2])
    assert isinstance(vjp(lambda a, b: a * b, [x, x])[1], tuple)
    assert isinstance(jvp(lambda a: (a, a * a), x)[1], tuple)
    assert not jvp(lambda a: a * a, x)[1].stop_gradient


def test_batches_of_numbers_have_no_further_axes():
    x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    each = paddle.autograd.jacobian(x * x, x, batch_axis=0)
    assert each[:].shape == [3] and each[:].tolist() == [2.0, 4.0, 6.0]
    pairs = paddle.autograd.jacobian(paddle.stack([x, x * x], 1), x, batch_axis=0)
    assert pairs[:].tolist() == [[1.0, 2.0], [1.0, 4.0], [1.0, 6.0]]
    assert paddle.autograd.hessian(x * x, x, batch_axis=0)[:].tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(ValueError, match="axis of samples"):
        paddle.autograd.jacobian(x.sum(), x, batch_axis=0)


@pytest.mark.parametrize("name", ["jvp", "vjp", "Jacobian", "Hessian"])
def test_derivatives_of_tensors_that_need_a_gradient_stay_in_the_graph(name):
    from paddle.incubate import autograd

    x = paddle.to_tensor([1.5, 2.0], stop_gradient=False)

    def cube(t):
        return (t * t * t).sum() if name == "Hessian" else t * t * t

    found = getattr(autograd, name)(cube, x * 1.0)
    (found[1] if name.islower() else found[:]).sum().backward()
    # Of 3 x^2, summed over a direction or the diagonal; of 6 x.
    np.testing.assert_allclose(x.grad.numpy(), [6.0, 6.0] if name == "Hessian" else [9.0, 12.0], rtol=1e-6)
