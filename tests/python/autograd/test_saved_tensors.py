# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`saved_tensors_hooks`: what calls keep for their gradients goes through pack and unpack."""

import weakref

import numpy as np
import paddle
import pytest
from paddle.autograd import saved_tensors_hooks

X = np.array([1.0, 2.0, 3.0], "float32")


def tensor(a):
    return paddle.to_tensor(a, stop_gradient=False)


class Log:
    def __init__(self):
        self.packed, self.unpacked = [], []

    def pack(self, t):
        self.packed.append(t.numpy())
        return t.numpy()

    def unpack(self, array):
        self.unpacked.append(array.shape)
        return paddle.to_tensor(array)

    def hooks(self):
        return saved_tensors_hooks(self.pack, self.unpack)


def test_inputs_and_outputs_that_gradients_read_pass_through():
    log, x, w = Log(), tensor(X), tensor(2 * np.ones(3, "float32"))
    with log.hooks():
        loss = paddle.exp(x * w).sum()
    for packed, value in zip(log.packed, (X, 2 * np.ones(3), np.exp(2 * X)), strict=True):
        np.testing.assert_allclose(packed, value, rtol=1e-6)
    assert log.unpacked == []
    loss.backward()
    assert log.unpacked == [(3,)] * 3
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.exp(2 * X), rtol=1e-6)
    np.testing.assert_allclose(w.grad.numpy(), X * np.exp(2 * X), rtol=1e-6)


def test_what_unpack_gives_is_what_the_gradient_reads():
    x = tensor(X)
    with saved_tensors_hooks(lambda t: None, lambda _: paddle.full([3], 10.0)):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [20.0] * 3


def test_calls_outside_keep_their_tensors():
    log, x = Log(), tensor(X)
    with log.hooks():
        inside = x * x
    (inside + x * x).sum().backward()
    assert len(log.packed) == len(log.unpacked) == 2
    np.testing.assert_array_equal(x.grad.numpy(), 4 * X)


def test_lists_of_tensors():
    log, xs = Log(), [tensor(X), tensor(2 * X), tensor(3 * X)]
    with log.hooks():
        out = paddle.einsum("i,i,i->", *xs)
    out.backward()
    np.testing.assert_allclose(xs[0].grad.numpy(), 6 * X * X, rtol=1e-6)
    assert log.packed and len(log.packed) == len(log.unpacked)


def test_higher_derivatives_go_through():
    log, x = Log(), tensor(X)
    with log.hooks():
        y = paddle.exp(x) * x
    (first,) = paddle.grad(y.sum(), x, create_graph=True)
    (second,) = paddle.grad(first.sum(), x)
    np.testing.assert_allclose(second.numpy(), np.exp(X) * (X + 2), rtol=1e-5)


def test_the_node_holds_the_packed_form_only():
    x = tensor(X)
    with saved_tensors_hooks(lambda t: t.numpy(), lambda a: paddle.to_tensor(a)):
        hidden = x * 2
        y = hidden * hidden
    gone = weakref.ref(hidden)
    del hidden
    assert gone() is None
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 8 * X)


def test_an_in_place_write_after_packing_does_no_harm():
    x = tensor(X)
    with saved_tensors_hooks(lambda t: t.numpy().copy(), lambda a: paddle.to_tensor(a)):
        hidden = x * 2
        y = hidden * hidden
    hidden.detach().fill_(100.0)
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 8 * X)


def test_nested_hooks_and_pylayers():
    class Double(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensor()
            return 2 * x * g

    outer, inner, x = Log(), Log(), tensor(X)
    with outer.hooks():
        a = x * x
        with inner.hooks():
            b = Double.apply(x)
        c = x * x
    (a + b + c).sum().backward()
    assert len(outer.packed) == 4 and len(inner.packed) >= 1
    np.testing.assert_allclose(x.grad.numpy(), 6 * X)


def test_wrong_hooks_are_told():
    x = tensor(X)
    with pytest.raises(TypeError, match="callable"), saved_tensors_hooks(None, None):
        pass
    with saved_tensors_hooks(lambda t: t, lambda t: 3):
        y = x * x
    with pytest.raises(TypeError, match="unpack_hook must return a Tensor"):
        y.sum().backward()
    with saved_tensors_hooks(lambda t: t, lambda t: paddle.zeros([2])):
        y = x * x
    with pytest.raises(ValueError, match=r"unpack_hook gave shape \[2\].*shape \[3\]"):
        y.sum().backward()


def _of(*shape):
    return paddle.to_tensor(np.random.default_rng(sum(shape)).standard_normal(shape).astype("float32"))


_PRODUCTS = {
    "matmul": (lambda x, w: paddle.matmul(x, w), (5, 6, 7), (7, 8)),
    "matmul transposed": (lambda x, w: paddle.matmul(x, w, transpose_y=True), (6, 7), (8, 7)),
    "matrix times vector": (lambda x, w: paddle.matmul(x, w), (5, 6, 7), (7,)),
    "vector times matrix": (lambda x, w: paddle.matmul(x, w), (7,), (7, 8)),
    "linear": (lambda x, w: paddle.nn.functional.linear(x, w), (5, 6, 7), (7, 8)),
    "bmm": (lambda x, w: paddle.bmm(x, w), (3, 6, 7), (3, 7, 8)),
    "mv": (lambda x, w: paddle.mv(x, w), (6, 7), (7,)),
    "dot": (lambda x, w: paddle.dot(x, w), (3, 7), (3, 7)),
    "addmm": (lambda x, w: paddle.addmm(paddle.ones([6, 8]), x, w), (6, 7), (7, 8)),
    "einsum": (lambda x, w: paddle.einsum("bij,jk->bik", x, w), (5, 6, 7), (7, 8)),
    "conv1d": (lambda x, w: paddle.nn.functional.conv1d(x, w), (2, 3, 9), (4, 3, 3)),
    "conv2d": (lambda x, w: paddle.nn.functional.conv2d(x, w, stride=2), (2, 3, 9, 8), (4, 3, 3, 2)),
    "conv2d by channel": (lambda x, w: paddle.nn.functional.conv2d(x, w, groups=4), (2, 4, 9, 8), (4, 1, 3, 2)),
    "conv3d": (lambda x, w: paddle.nn.functional.conv3d(x, w), (2, 3, 5, 5, 4), (4, 3, 3, 2, 2)),
    "conv2d_transpose": (lambda x, w: paddle.nn.functional.conv2d_transpose(x, w), (2, 3, 6, 5), (3, 4, 3, 2)),
    "outer": (lambda x, w: paddle.outer(x, w), (5,), (7,)),
    "kron": (lambda x, w: paddle.kron(x, w), (5, 2), (7, 3)),
}


@pytest.mark.parametrize("trained", [0, 1])
@pytest.mark.parametrize("name", _PRODUCTS)
def test_a_product_with_a_frozen_factor_keeps_that_factor_alone(name, trained):
    product, *shapes = _PRODUCTS[name]

    def gradients(*with_gradient):
        factors, kept = [_of(*shape) for shape in shapes], []
        for i in with_gradient:
            factors[i].stop_gradient = False
        activations = [factor * 2 for factor in factors]
        with saved_tensors_hooks(lambda t: kept.append(t.data_ptr()) or t, lambda t: t):
            out = product(*activations)
        (first,) = paddle.grad([(out * out).sum()], [factors[trained]], create_graph=True)
        (second,) = paddle.grad([(first * first).sum()], [factors[trained]])
        return first.numpy(), second.numpy(), [a.data_ptr() in kept for a in activations]

    *alone, kept = gradients(trained)
    assert kept[trained] is False
    *both, kept = gradients(0, 1)
    assert kept == [True, True]
    for result, expected in zip(alone, both, strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())
