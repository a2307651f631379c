# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Under no_grad(), branches and loops that choose among tensors, and writes in place, leave each tensor the history that it
has: gradients are those that PaddlePaddle 3.3 gives without capture."""

import numpy as np
import paddle
import pytest
from paddle.jit import to_static

POSITIVE, NEGATIVE = [1.0, 2.0, 3.0], [-1.0, -2.0, -3.0]


def chosen_by_a_branch(x, y):
    x, y = x * 1, y * 2
    with paddle.no_grad():
        if x.sum() > 0:
            z = x
        else:
            z = y
    return z * 3


def chosen_or_computed(x, y):
    x, y = x * 1, y * 2
    with paddle.no_grad():
        z = x if x.sum() > 0 else y * 2
    return z * 3


@paddle.no_grad()
def _pick(a, b):
    if a.sum() > 0:
        return a
    return b


def returned_by_a_function(x, y):
    return _pick(x * 1, y * 2) * 3


def exchanged_in_a_dict(x, y):
    d = {"a": x * 1, "b": y * 2}
    with paddle.no_grad():
        if x.sum() > 0:
            d["a"], d["b"] = d["b"], d["a"]
    return d["a"] * 2 + d["b"] * 3


def a_loop_that_may_run_no_round(x, y):
    z = y * 2
    with paddle.no_grad():
        while z.sum() < 0:
            z = x + 30
    return z * 3


def a_loop_that_gives_an_outer_tensor(x, y):
    x, z = x * 1, y.detach()
    i = paddle.zeros([])
    with paddle.no_grad():
        while i < x.sum():
            i = i + 1
            if i > 1:
                z = x
    return z * 3 + x


def a_loop_that_exchanges(x, y):
    a, b = x * 1, y * 2
    i = paddle.zeros([])
    with paddle.no_grad():
        while i < x.sum() / 2:
            a, b = b, a
            i = i + 1
    return a * 3 + b


def a_written_alternative(x, y):
    x, z = x * 1, y * 2
    with paddle.no_grad():
        w = z if x.sum() > 0 else x
        w.add_(paddle.ones([3]))
    return z * 3 + x + w


def grad_mode_inside(x, y):
    with paddle.no_grad():
        if x.sum() > 0:
            with paddle.enable_grad():
                v = x * 2
        else:
            v = x * 4
    return v * 3 + y


def stopped_in_a_branch(x, y):
    x, z = x * 1, y * 2
    if x.sum() > 0:
        z.stop_gradient = True
    return z * 3 + x


def scaled_in_place(x, y):
    x = x * 1
    with paddle.no_grad():
        x.multiply_(y)
    if x.sum() > 0:
        x = x + 1
    return x * 2


def scaled_in_a_branch(x, y):
    x = x * 1
    with paddle.no_grad():
        if x.sum() > 0:
            x.multiply_(y)
    return x * 3


def scaled_in_a_loop(x, y):
    x = x * 1
    i = paddle.zeros([])
    with paddle.no_grad():
        while i < 2:
            x.multiply_(y)
            i = i + 1
    return x * 3


def set_through_a_view(x, y):
    x = x * 1
    view = x[1:]
    with paddle.no_grad():
        view.multiply_(y[1:])
        x[0] = x[1] * 5
    if x.sum() > 0:
        x = x + 1
    return x * 3


def set_by_another_tensor_over_its_memory(x, y):
    x = x * 1
    x.detach().multiply_(y)
    if x.sum() > 0:
        x = x + 1
    return x * 3


def set_to_a_value(x, y):
    x = x * 1
    with paddle.no_grad():
        x.set_value(paddle.ones([3]))
    if y.sum() > 0:
        x = x + 1
    return x * 3


def _push(many, value):
    if value.sum() > 0:
        many.append(value)


def pushed_to_a_list(x, y):
    many = [x * 1, y * 1]
    with paddle.no_grad():
        _push(many, y)
        many[0] = many[-1]
    return sum(many)


def ordered_by_what_tensors_decide(x, y):
    with paddle.no_grad():
        first = sorted([x, y], key=lambda t: t.sum())[0]
        last = max(x.sum(), y.sum(), x.mean())
    return first * 3 + last


# For each: the factors of the gradients of x and y for sums above zero, and for those below.
CASES = {
    chosen_by_a_branch: ((3, 0), (0, 6)),
    chosen_or_computed: ((3, 0), (0, 0)),
    returned_by_a_function: ((3, 0), (0, 6)),
    exchanged_in_a_dict: ((3, 4), (2, 6)),
    a_loop_that_may_run_no_round: ((0, 6), (0, 0)),
    a_loop_that_gives_an_outer_tensor: ((4, 0), (1, 0)),
    a_loop_that_exchanges: ((1, 6), (3, 2)),
    a_written_alternative: ((1, 8), (2, 6)),
    grad_mode_inside: ((6, 1), (0, 1)),
    stopped_in_a_branch: ((1, 0), (1, 6)),
    scaled_in_place: ((2, 0), (2, 0)),
    scaled_in_a_branch: ((3, 0), (3, 0)),
    scaled_in_a_loop: ((3, 0), (3, 0)),
    set_through_a_view: ((3, 0), (3, 0)),
    set_by_another_tensor_over_its_memory: ((3, 0), (3, 0)),
    set_to_a_value: ((3, 0), (3, 0)),
    pushed_to_a_list: ((0, 3), (0, 2)),
    ordered_by_what_tensors_decide: ((3, 0), (0, 3)),
}


def _gradients(f, given):
    x, y = (paddle.to_tensor(np.array(given, "float32") * k, stop_gradient=False) for k in (1, 2))
    out = f(x, y)
    if not out.stop_gradient:
        out.sum().backward()
    return out, [0 if t.grad is None else t.grad.numpy() for t in (x, y)]


@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_gradients_are_those_of_plain_python(f):
    captured = to_static(f, full_graph=True)
    for given, factors in zip((POSITIVE, NEGATIVE), CASES[f], strict=True):
        plain = f(*(paddle.to_tensor(np.array(given, "float32") * k) for k in (1, 2)))
        for _ in range(2):
            out, found = _gradients(captured, given)
            np.testing.assert_allclose(out.numpy(), plain.numpy(), rtol=1e-6)
            for gradient, factor in zip(found, factors, strict=True):
                np.testing.assert_allclose(gradient, np.full(np.shape(gradient), factor))


def test_a_parameter_that_is_clipped_before_it_is_used_gets_its_gradient():
    class Clipped(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.w = self.create_parameter([3], default_initializer=paddle.nn.initializer.Constant(2.0))

        def forward(self, x):
            with paddle.no_grad():
                self.w.clip_(-1.0, 1.0)
            y = self.w * x
            if y.sum() > 0:
                y = y * 2
            return y

    for is_captured in (False, True):
        layer = Clipped()
        forward = to_static(layer, full_graph=True) if is_captured else layer
        for factor, given in ((2, POSITIVE), (1, NEGATIVE)):
            forward(paddle.to_tensor(given)).sum().backward()
            np.testing.assert_allclose(layer.w.grad.numpy(), factor * np.array(given))
            np.testing.assert_allclose(layer.w.numpy(), np.ones(3))
            layer.w.clear_gradient(set_to_zero=False)


def test_a_loss_in_the_function_that_reads_a_parameter_before_and_behind_a_write():
    w = paddle.create_parameter([1], "float32", default_initializer=paddle.nn.initializer.Constant(2.0))

    def loss(x):
        first = (w * x).sum()
        with paddle.no_grad():
            w.scale_(0.5)
        second = (w * x).sum() * 3
        if x.sum() > 0:
            second = second * 2
        (first + second).backward()
        return first + second

    loss(paddle.to_tensor([3.0]))
    np.testing.assert_allclose(w.grad.numpy(), [3.0 + 18.0])
    w.clear_gradient(set_to_zero=False)
    w.set_value(paddle.to_tensor([2.0]))
    out = to_static(loss, full_graph=True)(paddle.to_tensor([3.0]))
    np.testing.assert_allclose(out.numpy(), 6.0 + 18.0)
    np.testing.assert_allclose(w.grad.numpy(), [3.0 + 18.0])


def test_stop_gradient_of_an_outer_tensor_in_a_branch_is_refused():
    w = paddle.create_parameter([1], "float32")

    def f(x):
        if x.sum() > 0:
            w.stop_gradient = True
        return w * x

    with pytest.raises(NotImplementedError, match="stop_gradient of a tensor of shape .1. from outside"):
        to_static(f, full_graph=True)(paddle.ones([1]))
    assert not w.stop_gradient
