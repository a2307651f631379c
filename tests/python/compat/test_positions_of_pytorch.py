# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions that take positional arguments in PyTorch's order too, and what PyTorch programs find in results."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import nn


def channels():
    return paddle.arange(8, dtype="float32").reshape([1, 4, 2])


WEIGHT, BIAS = paddle.to_tensor([1.0, 2.0, 3.0, 4.0]), paddle.to_tensor([4.0, 3.0, 2.0, 1.0])


@pytest.mark.parametrize(
    ("args", "given"),
    [
        ((WEIGHT, BIAS, 1e-3), {"weight": WEIGHT, "bias": BIAS, "epsilon": 1e-3}),
        ((WEIGHT,), {"weight": WEIGHT}),
        ((None, BIAS), {"bias": BIAS}),
        ((None,), {}),
        ((WEIGHT, None, 1e-3), {"weight": WEIGHT, "epsilon": 1e-3}),
        ((1e-3, WEIGHT, BIAS), {"weight": WEIGHT, "bias": BIAS, "epsilon": 1e-3}),
    ],
)
def test_group_norm_in_both_orders(args, given):
    made = F.group_norm(channels(), 2, *args)
    np.testing.assert_array_equal(made.numpy(), F.group_norm(channels(), 2, **given).numpy())


def test_an_argument_of_group_norm_that_is_given_twice():
    with pytest.raises(TypeError, match="weight"):
        F.group_norm(channels(), 2, WEIGHT, weight=WEIGHT)
    np.testing.assert_array_equal(
        F.group_norm(channels(), 2, WEIGHT, BIAS, eps=1e-3).numpy(),
        F.group_norm(channels(), 2, 1e-3, WEIGHT, BIAS).numpy(),
    )


@pytest.mark.parametrize(
    ("args", "given"),
    [
        ((None, 0.7, "bilinear", False, True), {"scale_factor": 0.7, "recompute_scale_factor": True}),
        ((None, 0.7, "bilinear", False, None), {"scale_factor": 0.7}),
        (([3, 3], None, "bilinear", False, None, True), {"size": [3, 3], "antialias": True}),
        (([3, 3], None, "bilinear", False, 1, "NCHW"), {"size": [3, 3], "align_mode": 1}),
    ],
)
def test_interpolate_in_both_orders(args, given):
    x = paddle.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    np.testing.assert_array_equal(F.interpolate(x, *args).numpy(), F.interpolate(x, mode="bilinear", **given).numpy())


def test_softmax_with_the_level_of_its_warnings():
    softmax = paddle.compat.nn.functional.softmax
    x = paddle.to_tensor([[0.0, 1.0], [2.0, 4.0]])
    made = softmax(x, 0, 3, paddle.float64)
    np.testing.assert_array_equal(made.numpy(), softmax(x, 0, paddle.float64).numpy())
    assert made.dtype == paddle.float64


def test_gains_that_are_whole_numbers():
    gain = nn.initializer.calculate_gain
    assert [type(gain(name)) for name in ("linear", "sigmoid", "conv2d", "tanh", "relu")] == [
        int,
        int,
        int,
        float,
        float,
    ]
    assert gain("linear") == 1 and gain("leaky_relu", 1) == 1.0


def test_rank_of_least_squares_that_take_it_for_granted():
    x, y = paddle.to_tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]), paddle.ones([3, 1])
    rank = paddle.linalg.lstsq(x, y, driver="gels")[2]
    assert list(rank.shape) == [0] and rank.dtype == paddle.int64
    assert int(paddle.linalg.lstsq(x, y, driver="gelsy")[2]) == 2


@pytest.mark.parametrize("imaginary", [0, 1j])
def test_conjugate_transposed_equations(imaginary):
    a = np.array([[2.0, 1.0], [1.0, 3.0]]) + imaginary * np.array([[1.0, 2.0], [3.0, 4.0]])
    b = np.ones((2, 1), a.dtype)
    factors = paddle.linalg.lu(paddle.to_tensor(a))
    for trans in ("H", "C"):
        made = paddle.linalg.lu_solve(paddle.to_tensor(b), *factors, trans)
        np.testing.assert_allclose(made.numpy(), np.linalg.solve(a.conj().T, b))


def test_strides_by_keyword():
    x = paddle.ones([2, 3])
    assert x.stride(dim=0) == 3 and x.stride(dim=-1) == 1 and list(x.stride()) == [3, 1]


def test_state_dict_with_a_prefix_in_the_second_place():
    layer, destination = nn.Linear(1, 1), {}
    state = layer.state_dict(destination, "first.", False)
    assert list(state) == ["first.weight", "first.bias"] and state is destination
    assert state["first.weight"].stop_gradient
    assert not next(iter(layer.state_dict(None, "first.", True).values())).stop_gradient
    assert list(layer.state_dict(None, True, "last.")) == ["last.weight", "last.bias"]


def test_limits_of_uint16():
    info = paddle.iinfo(paddle.uint16)
    assert (info.min, info.max, info.bits, info.dtype) == (0, 65535, 16, "uint16")
