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


def test_a_complex_tensor_widens_by_a_float_number_and_not_by_a_complex_one():
    z = paddle.to_tensor([1j], dtype="complex64")
    assert (z + paddle.to_tensor(1.0, dtype="float64")).dtype == paddle.complex128
    assert (z + paddle.to_tensor(1j, dtype="complex128")).dtype == paddle.complex64
    assert (paddle.ones([1]) + paddle.to_tensor(1j, dtype="complex128")).dtype == paddle.complex128


def test_a_quotient_of_integers_keeps_the_value_of_the_number():
    x = paddle.to_tensor([2, 3], dtype="uint8")
    np.testing.assert_allclose((x / -3).numpy(), [-2 / 3, -1], rtol=1e-6)
    np.testing.assert_allclose((-3 / x).numpy(), [-1.5, -1], rtol=1e-6)
    np.testing.assert_allclose((paddle.to_tensor([2], dtype="int32") / 2**40).numpy(), [2.0**-39])
    assert (paddle.to_tensor([True]) / 2).tolist() == [0.5]


def test_an_integer_beyond_64_bits_is_a_float_beside_floats():
    assert (paddle.ones([1], "float64") + 2**70).tolist() == [2.0**70]
    assert (2**70 - paddle.ones([1], "float64")).tolist() == [2.0**70]
    assert (paddle.ones([1]) < 2**70).tolist() == [True]
    with pytest.raises(OverflowError):
        paddle.ones([1], "int64") + 2**70
    with pytest.raises(OverflowError):
        paddle.ones([1]) * 10**400


def test_where_with_a_complex_number_is_complex():
    mask = paddle.to_tensor([True, False])
    assert paddle.where(mask, paddle.to_tensor([1, 2]), 1 + 2j).tolist() == [1, 1 + 2j]
    assert paddle.where(mask, 2j, paddle.ones([2], "float64")).dtype == paddle.complex128
    assert paddle.where(mask, paddle.ones([2]), paddle.to_tensor([1j, 2j])).tolist() == [1, 2j]
