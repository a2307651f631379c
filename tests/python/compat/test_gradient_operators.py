# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`_C_ops.<operator>_grad`: gradients of operators by position, against the gradients of the operators themselves and
closed forms."""

import numpy as np
import paddle
import pytest
from paddle import _C_ops
from paddle._legacy.operators import gradient_arguments, gradient_ops

rng = np.random.default_rng(3)


def tensor(*shape):
    return paddle.to_tensor(rng.standard_normal(shape).astype("float32"))


def by_engine(function, inputs, g):
    leaves = [paddle.to_tensor(t.numpy(), stop_gradient=False) for t in inputs]
    return paddle.grad(function(*leaves), leaves, [g])


X, Y, G, M = tensor(2, 3), tensor(2, 3), tensor(2, 3), tensor(3, 3)
IMAGE, FILTER = tensor(2, 3, 5, 5), tensor(4, 3, 3, 3)
CASES = {
    "of an input": (lambda: _C_ops.gelu_grad(X, G, False), lambda: by_engine(paddle.nn.functional.gelu, [X], G)),
    "of a result": (lambda: _C_ops.sigmoid_grad(X.sigmoid(), G), lambda: by_engine(paddle.sigmoid, [X], G)),
    "of a result by its sign": (
        lambda: _C_ops.selu_grad(paddle.nn.functional.selu(X), G, 1.0507009873554805, 1.6732632423543772),
        lambda: by_engine(paddle.nn.functional.selu, [X], G),
    ),
    "of both": (
        lambda: _C_ops.silu_grad(X, paddle.nn.functional.silu(X), G),
        lambda: by_engine(paddle.nn.functional.silu, [X], G),
    ),
    "with an attribute": (lambda: _C_ops.softmax_grad(paddle.nn.functional.softmax(X), G, -1), None),
    "broadcast": (
        lambda: _C_ops.multiply_grad(X, Y[0], G, -1),
        lambda: by_engine(paddle.multiply, [X, Y[0]], G),
    ),
    "of a quotient": (
        lambda: _C_ops.divide_grad(X, Y, X / Y, G, -1),
        lambda: by_engine(paddle.divide, [X, Y], G),
    ),
    "of a sum": (
        lambda: _C_ops.sum_grad(X, G[:, 0], [1], False, False),
        lambda: by_engine(lambda x: x.sum(1), [X], G[:, 0]),
    ),
    "of all of a sum": (
        lambda: _C_ops.sum_grad(X, paddle.to_tensor(2.0), [0], False, True),
        lambda: [paddle.full([2, 3], 2.0)],
    ),
    "of a transposition": (lambda: _C_ops.transpose_grad(G, [1, 0]), lambda: [G.t()]),
    "of a shape": (lambda: _C_ops.reshape_grad(X, G.reshape([6])), lambda: [G]),
    "of a list": (
        lambda: _C_ops.concat_grad([X, Y], paddle.concat([G, G * 2]), 0),
        lambda: [G, G * 2],
    ),
    "that is a list": (lambda: _C_ops.split_with_num_grad([X, Y], 0), lambda: [paddle.concat([X, Y])]),
    "of rows": (
        lambda: _C_ops.index_add_grad(paddle.to_tensor([0, 2]), Y, M, 0),
        lambda: [M, paddle.stack([M[0], M[2]])],
    ),
    "of a convolution": (
        lambda: _C_ops.conv2d_grad(
            IMAGE, FILTER, paddle.ones([2, 4, 3, 3]), [1, 1], [0, 0], "EXPLICIT", [1, 1], 1, "NCHW"
        ),
        lambda: by_engine(paddle.nn.functional.conv2d, [IMAGE, FILTER], paddle.ones([2, 4, 3, 3])),
    ),
    "of a norm": (
        lambda: _C_ops.layer_norm_grad(
            X, paddle.ones([3]), paddle.zeros([3]), X.mean(1), X.var(1, unbiased=False), G, 1e-5, 1
        ),
        lambda: by_engine(
            lambda x, w, b: paddle.nn.functional.layer_norm(x, [3], w, b), [X, paddle.ones([3]), paddle.zeros([3])], G
        ),
    ),
    "of a composition": (
        lambda: _C_ops.renorm_grad(X, G, 2.0, 0, 1.0),
        lambda: by_engine(lambda x: paddle.renorm(x, 2.0, 0, 1.0), [X], G),
    ),
}


def softmax_gradient():
    p = paddle.nn.functional.softmax(X)
    return [p * (G - (p * G).sum(-1, keepdim=True))]


@pytest.mark.parametrize("name", CASES)
def test_gradients_by_position(name):
    given, expected = CASES[name]
    made = given()
    made = [made] if isinstance(made, paddle.Tensor) else list(made)
    made = made[0] if isinstance(made[0], list) else made
    wanted = softmax_gradient() if expected is None else expected()
    assert len(made) == len(wanted)
    for a, b in zip(made, wanted, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=2e-5, atol=2e-6)


def test_a_gradient_of_a_gradient():
    x = paddle.to_tensor([3.0, -2.0], stop_gradient=False)
    g = _C_ops.square_grad(x, paddle.ones([2]))
    assert g.tolist() == [6.0, -4.0] and not g.stop_gradient
    assert paddle.grad(g.sum(), x)[0].tolist() == [2.0, 2.0]


def test_dropout_and_losses_need_no_forward():
    mask = paddle.to_tensor([1, 0, 1], dtype="uint8")
    assert _C_ops.dropout_grad(mask, paddle.ones([3]), 0.5, False, "upscale_in_train").tolist() == [2.0, 0.0, 2.0]
    assert _C_ops.dropout_grad(mask, paddle.ones([3]), 0.5, True, "downgrade_in_infer").tolist() == [0.5] * 3
    p = paddle.to_tensor([[0.25, 0.75]])
    g = _C_ops.cross_entropy_with_softmax_grad(
        paddle.to_tensor([[1]]), p, paddle.ones([1, 1]), False, True, True, -100, -1
    )
    np.testing.assert_allclose(g.numpy(), [[0.25, -0.25]], rtol=1e-6)


def test_flat_ends_of_activations_by_their_results():
    g = paddle.ones([4])
    assert _C_ops.relu6_grad(paddle.to_tensor([0.0, 3.0, 5.99, 6.0]), g).tolist() == [0.0, 1.0, 1.0, 0.0]
    found = _C_ops.hardsigmoid_grad(paddle.to_tensor([0.0, 0.02, 0.98, 1.0]), g, 0.25, 0.5)
    np.testing.assert_allclose(found.numpy(), [0.0, 0.25, 0.25, 0.0])


def test_the_form_that_writes_into_the_gradient():
    g = paddle.to_tensor([5.0, 7.0])
    assert _C_ops.relu_grad_(paddle.to_tensor([1.0, -1.0]), g) is g and g.tolist() == [5.0, 0.0]


def test_wrong_arguments_of_a_gradient():
    with pytest.raises(TypeError, match="argument out_grad is NoneType"):
        _C_ops.relu_grad(paddle.ones([2]))
    with pytest.raises(TypeError, match="takes at most 2: out, out_grad"):
        _C_ops.relu_grad(paddle.ones([2]), paddle.ones([2]), 1)
    with pytest.raises(ValueError, match=r"shape \[3\]"):
        _C_ops.abs_grad(paddle.ones([2]), paddle.ones([3]))
    with pytest.raises(TypeError, match="given as list"):
        _C_ops.cos_grad(paddle.ones([2]), [paddle.ones([2])])
    with pytest.raises(TypeError, match="argument out_grad is list"):
        _C_ops.cos_grad(paddle.ones([2]), [paddle.ones([2]), 1])


@pytest.mark.parametrize("by_times", [False, True])
def test_the_gradient_of_ctc_by_what_the_forward_kept(by_times):
    logits, labels, steps = tensor(5, 2, 4), paddle.to_tensor([[1, 2], [3, 1]]), paddle.to_tensor([5, 4])
    g = paddle.to_tensor([[2.0], [3.0]])
    arguments = (labels, steps, paddle.to_tensor([2, 1]), 0, by_times)
    (wanted,) = by_engine(lambda x: paddle._core.ops.warpctc(x, *arguments)[0], [logits], g)
    kept = paddle._core.ops.warpctc(logits, *arguments)[1]
    got = _C_ops.warpctc_grad(logits, steps, kept, g, 0, by_times)
    np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-5, atol=1e-6)


def test_the_gradient_of_a_transducer_by_what_the_forward_kept():
    scores, labels, g = tensor(2, 4, 3, 5), paddle.to_tensor([[1, 2], [3, 1]], "int32"), tensor(2)
    arguments = (labels, paddle.to_tensor([4, 3], "int32"), paddle.to_tensor([2, 1], "int32"), 0, 0.0)
    (wanted,) = by_engine(lambda x: paddle._core.ops.warprnnt(x, *arguments)[0], [scores], g)
    kept = paddle._core.ops.warprnnt(scores, *arguments)[1]
    got = _C_ops.warprnnt_grad(scores, arguments[1], kept, g, 0, 0.0)
    np.testing.assert_allclose(got.numpy(), wanted.numpy(), rtol=1e-5, atol=1e-6)


def test_every_gradient_has_a_function():
    assert {"matmul_grad", "pool2d_grad", "gather_grad"} <= set(dir(_C_ops))
    absent = []
    for operator in gradient_arguments.names():
        try:
            gradient_ops.find(operator + "_grad")
        except AttributeError:
            absent.append(operator)
    assert absent == []
