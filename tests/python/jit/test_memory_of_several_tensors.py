# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured functions in which several tensors are over one memory: detach() and `.data`."""

import numpy as np
import paddle
import pytest
from paddle import nn

FORMS = pytest.mark.parametrize("full_graph", [True, False])


def assigned(x):
    y = x * 1
    y.data = x * 3
    return y * 2


def cast_and_assigned(x):
    y = x * 1
    y.data = (x * 3).astype("float64")
    return y.t() * 2


def written_through_data(x):
    y = x * 1
    y.data.add_(x)
    return y


def written_through_a_detached_one(x):
    y = x * 1
    z = y.detach().detach()
    z.add_(x)
    y.add_(x)
    return y + z


def written_in_a_branch(x):
    y = x * 1
    if x.sum() > 0:
        paddle.assign(x * 5, output=y.data)
    return y


def assigned_in_a_branch(x):
    y = x * 1
    if x.sum() > 0:
        y.data = x * 7
    return y


def no_more_of_that_memory(x):
    y = x * 1
    z = y.detach()
    y.data = x * 3
    y.add_(x)
    return y + z


FUNCTIONS = (
    assigned,
    cast_and_assigned,
    written_through_data,
    written_through_a_detached_one,
    written_in_a_branch,
    assigned_in_a_branch,
    no_more_of_that_memory,
)


@FORMS
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_tensors_of_the_program(function, full_graph):
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    captured = paddle.jit.to_static(function, full_graph=full_graph)
    for given in (x, -x, x):
        out = captured(given)
        assert out.dtype == function(given).dtype
        np.testing.assert_array_equal(out.numpy(), function(given).numpy())


class Weighted(nn.Layer):
    def __init__(self, write):
        super().__init__()
        self.w = self.create_parameter([2], default_initializer=nn.initializer.Constant(1.0))
        self.write = write

    def forward(self, x):
        with paddle.no_grad():
            self.write(self, x[0])
        return x * self.w


def assign_data(layer, row):
    paddle.assign(row * 5, output=layer.w.data)


def exchange_data(layer, row):
    layer.w.data = row * layer.w


def add_to_detached(layer, row):
    layer.w.detach().add_(row)
    layer.w.add_(row)


@FORMS
@pytest.mark.parametrize("write", [assign_data, exchange_data, add_to_detached], ids=lambda f: f.__name__)
def test_parameters(write, full_graph):
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    plain, captured = Weighted(write), paddle.jit.to_static(Weighted(write), full_graph=full_graph)
    for _ in range(3):
        outs = plain(x), captured(x)
        np.testing.assert_array_equal(outs[1].numpy(), outs[0].numpy())
        np.testing.assert_array_equal(captured.w.numpy(), plain.w.numpy())
        for out in outs:
            out.sum().backward()
        np.testing.assert_array_equal(captured.w.grad.numpy(), plain.w.grad.numpy())


def test_a_parameter_keeps_its_dtype():
    def cast(layer, row):
        layer.w.data = row.astype("float64")

    layer = paddle.jit.to_static(Weighted(cast), full_graph=True)
    with pytest.raises(NotImplementedError, match="data: a tensor of shape .* dtype float32 from outside"):
        layer(paddle.ones([2, 2]))
    assert layer.w.tolist() == [1, 1] and layer.w.dtype == paddle.float32


def test_layers_that_are_made_and_cast_in_the_function():
    class Scaled(nn.Layer):
        def __init__(self):
            super().__init__()
            self.w = paddle.to_tensor(np.arange(4.0).reshape(2, 2)) * 2

        def forward(self, x):
            return paddle.matmul(x, self.w.t())

    def function(x):
        return Scaled().astype("float32")(x)

    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    out = paddle.jit.to_static(function, full_graph=True)(x)
    assert out.dtype == paddle.float32
    np.testing.assert_array_equal(out.numpy(), x.numpy() @ (np.arange(4.0).reshape(2, 2).T * 2))
