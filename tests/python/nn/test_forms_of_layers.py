# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Forms of calls that PyTorch has too: `Layer.to` and transposed convolutions."""

import numpy as np
import paddle
import pytest
from paddle import nn

like = paddle.to_tensor([1.0], dtype="float64")


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [
        (("float64", True, True), {}),
        ((paddle.float64,), {"blocking": True, "copy": True}),
        ((like, True, True), {}),
        ((), {"other": like}),
        ((), {"tensor": like, "copy": False}),
        (("cpu", "float64", True, True), {}),
        ((), {"device": "cpu", "dtype": "float64", "blocking": True, "copy": True}),
    ],
)
def test_layers_take_a_dtype_a_tensor_or_a_device(args, kwargs):
    layer = nn.Linear(2, 2)
    assert layer.to(*args, **kwargs) is layer and layer.weight.dtype == paddle.float64


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [(("float64",), {"copy": "yes"}), (("float64",), {"dtype": "float32"}), ((like, like), {})],
)
def test_other_arguments_of_to_are_refused(args, kwargs):
    with pytest.raises(TypeError, match="Layer.to"):
        nn.Linear(2, 2).to(*args, **kwargs)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_transposed_convolutions_in_the_order_of_pytorch(axes):
    own = getattr(nn, f"Conv{axes}DTranspose")(2, 4, 3, stride=2, groups=2, bias=False)
    other = getattr(nn, f"ConvTranspose{axes}d")(2, 4, 3, 2, 0, 0, 2, False, 1, "zeros", None, None)
    assert own.bias is None and other.bias is None
    other.set_state_dict(own.state_dict())
    x = paddle.randn([1, 2, *[4] * axes])
    np.testing.assert_array_equal(other(x).numpy(), own(x).numpy())
    function = getattr(nn.functional, f"conv_transpose{axes}d")
    np.testing.assert_array_equal(function(input=x, weight=own.weight, stride=2, groups=2).numpy(), own(x).numpy())
    with pytest.raises(ValueError, match="padding_mode"):
        type(other)(2, 4, 3, padding_mode="reflect")


def test_gradients_are_cast_with_their_parameters():
    layer = nn.Linear(2, 2)
    layer(paddle.ones([1, 2])).sum().backward()
    layer.to(dtype="float64")
    assert layer.weight.grad.dtype == paddle.float64 and layer.weight.grad.tolist() == [[1, 1], [1, 1]]
    layer(paddle.ones([1, 2], "float64")).sum().backward()
    assert layer.weight.grad.tolist() == [[2, 2], [2, 2]]


@pytest.mark.parametrize("name, kind", [("weight", "parameter"), ("inner", "sublayer"), ("mean", "buffers")])
def test_members_take_values_of_their_kind(name, kind):
    layer = nn.Linear(2, 2)
    layer.inner = nn.ReLU()
    layer.register_buffer("mean", paddle.ones([1]))
    with pytest.raises(TypeError, match=f"assignment to {kind} '{name}' should be of type"):
        setattr(layer, name, "text")
