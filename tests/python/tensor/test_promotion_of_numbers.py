# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Dtypes of results where one operand is 0-d: arithmetic takes it for a number, as PaddlePaddle 3.3.1."""

import numpy as np
import paddle
import pytest

ARITHMETIC = [
    paddle.add,
    paddle.subtract,
    paddle.multiply,
    paddle.divide,
    paddle.pow,
    paddle.remainder,
    paddle.copysign,
]


@pytest.mark.parametrize("fn", ARITHMETIC, ids=lambda fn: fn.__name__)
def test_a_number_of_the_same_kind_does_not_widen_a_tensor(fn):
    x, number = paddle.ones([2]), paddle.to_tensor(2.0, dtype="float64")
    assert fn(x, number).dtype == fn(number, x).dtype == paddle.float32
    assert fn(paddle.ones([1]), number).dtype == paddle.float32


def test_an_integer_number_does_not_widen_integers():
    x = paddle.ones([2], "int32")
    assert (x + paddle.to_tensor(2)).dtype == paddle.int32
    assert (x * paddle.to_tensor(2, dtype="int64")).tolist() == [2, 2]


def test_a_number_of_a_higher_kind_widens():
    number = paddle.to_tensor(2.0, dtype="float64")
    assert (paddle.ones([2], "int64") * number).dtype == paddle.float64
    assert (paddle.ones([2], "bool") + paddle.to_tensor(1)).dtype == paddle.int64
    assert (paddle.ones([2]) * paddle.to_tensor(1j)).dtype == paddle.complex64


def test_two_numbers_and_two_tensors_widen():
    number = paddle.to_tensor(2.0, dtype="float64")
    assert (paddle.to_tensor(1.0) + number).dtype == paddle.float64
    assert (paddle.ones([2]) + number.reshape([1])).dtype == paddle.float64
    assert paddle.maximum(paddle.ones([2]), number).dtype == paddle.float64


def test_an_array_without_axes_is_such_a_number():
    x = paddle.ones([2])
    assert (x * np.array(2.0)).dtype == (np.array(2.0) * x).dtype == paddle.float32
    assert (x * np.array([2.0])).dtype == paddle.float64


def test_the_gradient_has_the_dtype_of_its_operand():
    x, number = paddle.ones([2]), paddle.to_tensor(2.0, dtype="float64")
    x.stop_gradient = number.stop_gradient = False
    (x * number).sum().backward()
    assert x.grad.dtype == paddle.float32 and number.grad.dtype == paddle.float64
    assert x.grad.tolist() == [2.0, 2.0] and number.grad.item() == 2.0


def test_a_captured_program_has_the_same_dtypes():
    fn = paddle.jit.to_static(lambda x, number: x * number, full_graph=True)
    assert fn(paddle.ones([2]), paddle.to_tensor(2.0, dtype="float64")).dtype == paddle.float32


def test_a_product_of_two_widths_has_the_dtype_of_the_tensor_on_the_left():
    narrow, wide = paddle.ones([2, 2]), paddle.ones([2, 2], "float64")
    assert (narrow @ wide).dtype == paddle.float32 and (wide @ narrow).dtype == paddle.float64
    array = np.ones([2, 2])
    assert (narrow @ array).dtype == (array @ narrow).dtype == paddle.float32
    assert (paddle.ones([2, 2], "int64") @ narrow).dtype == paddle.float32
    assert paddle.matmul(narrow, wide).dtype == paddle.float64
    x = paddle.ones([2, 2], "bfloat16")
    x.stop_gradient = False
    (x @ narrow).sum().backward()
    assert (x @ narrow).dtype == paddle.bfloat16 and x.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert isinstance(narrow @ array.astype("float32"), paddle.Tensor)
    with pytest.raises(TypeError):
        narrow @ "a"
