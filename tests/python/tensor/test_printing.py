# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors print as PaddlePaddle 3.3.1 prints them."""

import numpy as np
import paddle
import pytest

CASES = [
    ([0.0, 0.5], "[0.        , 0.50000000]"),
    ([1.0, 2.5, -3.0], "[ 1.       , 2.50000000, -3.       ]"),
    ([0, 1, -20], "[ 0 ,  1 , -20]"),
    ([1e10, 1.0], "[10000000000., 1.          ]"),
    ([True, False], "[True , False]"),
    ([float("nan"), 1.5, float("inf")], "[nan       , 1.50000000, inf.      ]"),
    ([-0.5, 0.25], "[-0.50000000,  0.25000000]"),
    ([1.0, float("-inf")], "[ 1.  , -inf.]"),
    ([1e-20, 1e20], "[0.00000000            , 100000002004087734272.]"),
    ([1 + 2j, -3.5j], "[ (1.00000000+2.00000000j), (-0.00000000-3.50000000j)]"),
    ([[1.0, 20.0], [300.0, -4.5]], "[[ 1.        ,  20.       ],\n        [ 300.      , -4.50000000]]"),
]


@pytest.mark.parametrize("values, text", CASES)
def test_values(values, text):
    assert str(paddle.to_tensor(values)).split("\n", 1)[1].strip() == text + ")"


def test_long_tensors_are_cut():
    lines = str(paddle.arange(2000).reshape([50, 40])).splitlines()
    assert lines[0] == "Tensor(shape=[50, 40], dtype=int64, place=Place(cpu), stop_gradient=True,"
    assert lines[1] == "       [[0   , 1   , 2   , ..., 37  , 38  , 39  ],"
    assert lines[-1] == "        [1960, 1961, 1962, ..., 1997, 1998, 1999]])"


def test_options():
    try:
        paddle.set_printoptions(precision=3, sci_mode=True)
        assert "[ 1.000e+00, -2.005e+02]" in str(paddle.to_tensor([1.0, -200.5]))
        paddle.set_printoptions(precision=4, sci_mode=False)
        assert "[ 1.      , -200.5000]" in str(paddle.to_tensor([1.0, -200.5]))
    finally:
        paddle.set_printoptions(precision=8, sci_mode=False)


def test_rows_are_broken_at_the_width_of_a_line():
    numbers = paddle.arange(40, dtype="float32")
    try:
        paddle.set_printoptions(linewidth=40, threshold=20)
        assert str(numbers).split("\n", 1)[1] == "       [0. , 1. , 2. , ..., 37., 38.,\n        39.])"
        expected = "       [[0 , 1 , 2 , ..., 27, 28, 29],\n        [30, 31, 32, ..., 57, 58, 59]])"
        assert str(paddle.arange(60).reshape([2, 30])).split("\n", 1)[1] == expected
        paddle.set_printoptions(linewidth=30)
        assert str(paddle.to_tensor([1.25, 1e-7])).endswith("\n       [1.25000000,\n        0.00000010])")
        paddle.set_printoptions(precision=2, sci_mode=True)
        assert "[(1.50e-01+4.44e+00j)]" in str(paddle.to_tensor([0.15 + 4.44j]))
    finally:
        paddle.set_printoptions(precision=8, threshold=1000, linewidth=80, sci_mode=False)


def test_a_negative_zero_is_no_number_below_zero():
    assert "[-0., 1. , 2. ]" in str(paddle.to_tensor([-0.0, 1.0, 2.0]))
    assert "[-1. , 100.,  -0.]" in str(paddle.to_tensor([-1.0, 100.0, -0.0]))


def test_formats_take_the_number_of_a_tensor_without_axes():
    assert f"{paddle.to_tensor(2.5)} {paddle.to_tensor(3)} {paddle.to_tensor(True)}" == "2.5 3 True"
    assert f"{paddle.to_tensor(2.5):.2f}" == "2.50"
    assert f"{paddle.to_tensor([2.5])}" == str(paddle.to_tensor([2.5]))
    with pytest.raises(TypeError):
        f"{paddle.to_tensor([2.5]):.2f}"


def test_a_captured_function_may_format_its_values():
    seen = []

    @paddle.jit.to_static(full_graph=True)
    def total(x):
        y = x.sum()
        seen.append(f"total {y}")
        return y

    assert total(paddle.ones([3])).item() == 3.0
    assert seen[0].startswith("total Value(")


def test_of_a_large_tensor_only_its_ends_are_read():
    large = paddle.as_strided(paddle.to_tensor([7], "uint8"), [2**30, 2**20], [0, 0])
    assert repr(large).count("[7, 7, 7, ..., 7, 7, 7]") == 6


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([complex(0, -0.0), complex(-0.0, 1)], "[(0.00000000+-0.00000000j), (-0.00000000+1.00000000j)]"),
        (
            [complex(-1, 0), complex(0, -0.0), complex(-0.0, -0.0)],
            "[(-1.00000000+0.00000000j) ,  (0.00000000+-0.00000000j),\n        (-0.00000000+-0.00000000j)]",
        ),
        ([complex(1, 2), complex(float("nan"), float("-inf"))], "[(1.00000000+2.00000000j), (nan-infj)              ]"),
    ],
)
def test_parts_of_complex_numbers_that_are_negative_zeros(values, text):
    printed = str(paddle.to_tensor(np.array(values, "complex64"))).partition("\n")[2].strip()
    assert printed == text + ")"


def test_dtypes_of_layers_that_were_cast():
    linear = paddle.nn.Linear
    for cast, shown in (
        (lambda layer: layer.float(), "paddle.float32"),
        (lambda layer: layer.astype("float64"), "paddle.float64"),
        (lambda layer: layer.to(dtype=paddle.float64), "paddle.float64"),
        (lambda layer: layer.to(dtype="float64"), "float64"),
        (lambda layer: layer, "float32"),
    ):
        assert repr(cast(linear(2, 3))) == f"Linear(in_features=2, out_features=3, dtype={shown})"


def test_a_sparse_sum_of_everything():
    x = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    total = paddle.sparse.sum(x)
    assert "indices=[0], " in str(total) and "values=3.)" in str(total)
    assert list(total.shape) == [1] and list(total.values().shape) == [] and total.to_dense().tolist() == [3.0]
    assert "values=[3.])" in str(paddle.sparse.sum(x, keepdim=True))
