# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured functions: higher derivatives through control flow, hooks, sizes that vary, copies and roll-back."""

import math
from copy import deepcopy
from types import MethodType

import numpy as np
import paddle
import pytest
from paddle.jit import to_static
from paddle.jit.api import StaticFunction
from paddle.static import InputSpec

FORMS = pytest.mark.parametrize("full_graph", [True, False])


def leaf(*values):
    return paddle.to_tensor(values, stop_gradient=False)


@FORMS
def test_second_derivatives_go_through_control_flow(full_graph):
    @to_static(full_graph=full_graph)
    def slope(x):
        y = x**3 if x.sum() > 0 else x
        i = paddle.zeros([1])
        while i < 1:
            y, i = y * x, i + 1
        return paddle.grad(y, x, create_graph=True)[0].sum()

    x = leaf(1.0, 2.0)
    out = slope(x)
    out.backward()
    assert float(out) == 36 and x.grad.tolist() == [12, 48]


@FORMS
def test_a_gradient_without_graph_is_a_constant(full_graph):
    @to_static(full_graph=full_graph)
    def slope(x):
        y = x**3 if x.sum() > 0 else x
        return (paddle.grad(y, x, retain_graph=True)[0] * x).sum()

    x = leaf(1.0, 2.0)
    slope(x).backward()
    assert x.grad.tolist() == [3, 12]


@FORMS
def test_hooks_of_inputs_and_values_count(full_graph):
    def f(x):
        y = x + 4
        z = (y + x) ** 2
        y.register_hook(lambda g: 2 * g)
        x.register_hook(lambda g: 3 * g)
        x.register_hook(lambda g: None)
        return z

    wanted, x = leaf(2.0), leaf(2.0)
    f(wanted).backward()
    to_static(f, full_graph=full_graph)(x).backward()
    assert x.grad.tolist() == wanted.grad.tolist() == [144]


@FORMS
def test_hooks_count_beside_control_flow(full_graph):
    def f(x):
        y = x + 4 if x > 1 else x - 4
        removed = y.register_hook(lambda g: g * 100)
        removed.remove()
        if x > 1:
            y.register_hook(lambda g: 2 * g)
        else:
            y.register_hook(lambda g: 3 * g)
        for _ in range(paddle.full([], 2, "int32")):
            y = y * 2
            y.register_hook(lambda g: g + 1)
        return y**2

    captured = to_static(f, full_graph=full_graph)
    for value in (2.0, -2.0):
        wanted, x = leaf(value), leaf(value)
        f(wanted).backward()
        captured(x).backward()
        assert x.grad.tolist() == wanted.grad.tolist()
    assert wanted.grad.tolist() == [((2 * -24 + 1) * 2 + 1) * 2 * 3]


def test_hooks_seen_in_two_halves_are_refused():
    @to_static(full_graph=True)
    def slope(x):
        y = x * 2 if x > 1 else x
        y.register_hook(lambda g: 2 * g)
        return paddle.grad(y**2, x)[0]

    with pytest.raises(NotImplementedError, match="register_hook"):
        slope(leaf(2.0))


def test_attributes_with_gradients_are_replaced_in_each_capture():
    class Remembers(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.last = None

        def forward(self, x):
            self.last = x * 2
            return self.last * 3

    layer = to_static(Remembers(), full_graph=True)
    for count in (2, 3):
        x = leaf(*map(float, range(count)))
        layer(x).sum().backward()
        assert x.grad.tolist() == [6] * count and layer.last.tolist() == [2 * k for k in range(count)]


class SteepTanh(paddle.autograd.PyLayer):
    """tanh with seven times its gradient; decides by values in backward."""

    @staticmethod
    def forward(ctx, x, power=1):
        y = paddle.tanh(x) if x.sum() > 0 else paddle.tanh(x) * 2
        ctx.save_for_backward(y)
        ctx.power = power
        return y, None

    @staticmethod
    def backward(ctx, dy):
        (y,) = ctx.saved_tensor()
        if y.sum() > 0:
            return dy * (1 - y * y) * 7 * ctx.power
        return dy * y


@FORMS
def test_own_gradients_count_beside_control_flow(full_graph):
    def f(x, w):
        for _ in range(paddle.full([], 2, "int32")):
            x, _ = SteepTanh.apply(x * w, power=2)
        return x * 3 if x.max() > 0 else x

    captured = to_static(f, full_graph=full_graph)
    for values in ([1.0, 0.5], [-1.0, -0.5]):
        given = [leaf(*values), leaf(0.5, 0.25)]
        wanted = [leaf(*values), leaf(0.5, 0.25)]
        f(*wanted).sum().backward()
        captured(*given).sum().backward()
        for a, b in zip(given, wanted, strict=True):
            assert a.grad.tolist() == pytest.approx(b.grad.tolist())


@FORMS
def test_own_gradients_have_gradients_beside_control_flow(full_graph):
    def f(x):
        y, _ = SteepTanh.apply(x)
        return y * y if y.sum() > 0 else y

    @to_static(full_graph=full_graph)
    def slope(x):
        return paddle.grad(f(x).sum(), x, create_graph=True)[0]

    x = leaf(0.5, 0.25)
    t = [math.tanh(v) for v in (0.5, 0.25)]
    assert slope(x).tolist() == pytest.approx([14 * v * (1 - v * v) for v in t])
    (second,) = paddle.grad(paddle.grad(to_static(f, full_graph=full_graph)(x).sum(), x, create_graph=True)[0].sum(), x)
    # d/dx of 14 y (1 - y^2), where dy/dx is 7 (1 - y^2)
    assert second.tolist() == pytest.approx([14 * (1 - 3 * v * v) * 7 * (1 - v * v) for v in t], rel=1e-5)


def test_sizes_and_paddings_follow_varying_extents():
    @to_static(full_graph=True, input_spec=[InputSpec([None, 3])])
    def size(x):
        return x.reshape([-1]).size * paddle.ones([1])

    assert [float(size(paddle.ones([n, 3]))) for n in (2, 5)] == [6, 15]

    @to_static(full_graph=True)
    def padded(x, n):
        pads = paddle.zeros([4], "int32")
        pads[3], pads[1] = n // 2, n // 3
        return paddle.nn.functional.pad(x, pads, data_format="NHWC")

    assert padded(paddle.ones([1, 6, 6, 3]), paddle.full([1], 6, "int32")).shape == [1, 9, 8, 3]


class Net(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.linear = paddle.nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x)

    @to_static(full_graph=True)
    def doubled(self, x):
        return x * 2


def test_copies_of_captured_functions_and_layers():
    x, net = paddle.ones([2, 4]), to_static(Net(), full_graph=True)
    copied = deepcopy(net)
    assert isinstance(copied.forward, StaticFunction) and copied.forward.class_instance is copied
    assert isinstance(copied.linear.forward, MethodType) and copied.linear.forward.__self__ is copied.linear
    np.testing.assert_array_equal(copied(x).numpy(), net(x).numpy())
    plain = deepcopy(to_static(lambda a: a + 1))
    assert not isinstance(plain, StaticFunction) and float(plain(paddle.ones([1]))) == 2


def test_roll_back_gives_plain_methods():
    net, x = Net(), paddle.ones([2, 4])
    net.doubled(x)
    net.doubled.rollback()
    assert not isinstance(net.doubled, StaticFunction) and net.doubled(x).tolist() == (x * 2).tolist()
    assert isinstance(Net().doubled, StaticFunction)


def test_saved_layers_have_their_hooks(tmp_path):
    net, x = paddle.nn.Linear(4, 4), paddle.rand([2, 4])
    net.register_forward_pre_hook(lambda layer, given: (given[0] * 2,))
    net.register_forward_post_hook(lambda layer, given, out: out + given[0])
    want = net(x).numpy()
    paddle.jit.save(to_static(net, full_graph=True), str(tmp_path / "m"), input_spec=[InputSpec([None, 4])])
    np.testing.assert_allclose(paddle.jit.load(str(tmp_path / "m"))(x).numpy(), want, rtol=1e-6)
    assert isinstance(net.forward, StaticFunction)


def test_layers_that_take_gradients_are_saved(tmp_path):
    class Slope(paddle.nn.Layer):
        def forward(self, x):
            x.stop_gradient = False
            return paddle.grad((x**3).sum(), x)[0]

    paddle.jit.save(Slope(), str(tmp_path / "s"), input_spec=[InputSpec([None, 2])])
    found = paddle.jit.load(str(tmp_path / "s"))(paddle.to_tensor([[1.0, 2.0]]))
    assert found.tolist() == [[3, 12]]


@FORMS
def test_recomputed_calls_count_beside_control_flow(full_graph):
    from paddle.distributed.fleet.utils import recompute

    linear = paddle.nn.Linear(2, 2)

    def f(x):
        shift = x * 2
        y = recompute(lambda t: paddle.tanh(linear(t)) * t + shift, x)
        y = y * 2 if y.sum() > -9 else y
        return recompute(linear, y).sum()

    found = []
    for function in (f, to_static(f, full_graph=full_graph)):
        x = leaf([0.5, -1.0])
        function(x).backward()
        found.append([x.grad.numpy(), *(p.grad.numpy() for p in linear.parameters())])
        linear.clear_gradients()
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


class Counted(paddle.nn.Layer):
    """x**3 times a count that each call raises, beside a batch norm of its own statistics."""

    def __init__(self, normed):
        super().__init__()
        self.register_buffer("count", paddle.ones([1]))
        self.norm = paddle.nn.BatchNorm1D(2) if normed else paddle.nn.Identity()

    def forward(self, x):
        y = self.norm(x) ** 3 * self.count.clone()
        self.count.set_value(self.count + 1)
        return y


@pytest.mark.parametrize("normed", [False, True])
@FORMS
def test_higher_derivatives_read_state_as_the_call_found_it(full_graph, normed):
    def slopes(wrap):
        layer = Counted(normed)
        f, found = wrap(layer), []
        for _ in range(2):
            x = paddle.to_tensor([[1.0, 2.0], [3.0, 1.0], [2.5, 4.0]], stop_gradient=False)
            (first,) = paddle.grad(f(x).sum(), x, create_graph=True)
            for _ in range(2):  # the state is not used up
                found.append(paddle.grad((first**2).sum(), x, retain_graph=True)[0].numpy())
        return found, layer.state_dict()

    (wanted, left), (given, kept) = slopes(lambda f: f), slopes(lambda f: to_static(f, full_graph=full_graph))
    np.testing.assert_allclose(given, wanted, 1e-4, 1e-4)
    if not normed:
        assert given[2][0].tolist() == [144, 1152]  # d/dx of (2 * 3x^2)^2
    for name, value in left.items():
        np.testing.assert_allclose(kept[name].numpy(), value.numpy(), 1e-5)


def test_higher_derivatives_of_large_state_are_refused():
    cache = paddle.zeros([1024, 512])

    @to_static(full_graph=True)
    def f(x):
        y = x * x + cache.sum()
        cache.set_value(cache + 1)
        return y

    x = leaf(1.0, 2.0)
    with pytest.raises(NotImplementedError, match="state of 2097152 bytes"):
        paddle.grad(f(x).sum(), x, create_graph=True)
