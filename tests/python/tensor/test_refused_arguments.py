# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What no function takes in place of a Tensor, and the types of the errors that say so."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

ARRAY = np.ones((2, 2), "float32")
OTHERS = [1, 1.5, "text", [1.0, 2.0], ARRAY]
FUNCTIONS = [
    paddle.sqrt,
    paddle.sum,
    paddle.fft.fft,
    paddle.fft.fftshift,
    paddle.is_complex,
    paddle.is_floating_point,
    paddle.linalg.norm,
    paddle.median,
    paddle.signbit,
    paddle.isneginf,
    paddle.flatten,
    paddle.clip,
    paddle.cumsum,
    F.silu,
    F.relu,
]


@pytest.mark.parametrize("value", OTHERS, ids=lambda v: type(v).__name__)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_that_are_no_tensors(function, value):
    for kind in (TypeError, ValueError):
        with pytest.raises(kind):
            function(value)


@pytest.mark.parametrize(
    "function", [paddle.add, paddle.matmul, paddle.maximum, paddle.equal, paddle.kron, paddle.atan2]
)
def test_operands_without_a_tensor(function):
    for x, y in [(1, 2.5), (ARRAY, ARRAY), (paddle.to_tensor(ARRAY), ARRAY), (ARRAY, paddle.to_tensor(ARRAY))]:
        with pytest.raises(TypeError):
            function(x, y)


def test_lists_of_tensors_hold_no_arrays():
    for function in (paddle.concat, paddle.stack, paddle.add_n):
        with pytest.raises(TypeError):
            function([ARRAY, ARRAY])


def test_numbers_stand_beside_a_tensor_and_arrays_beside_an_operator():
    x = paddle.to_tensor(ARRAY)
    assert paddle.add(x, 1).tolist() == (x + 1).tolist() == (x + ARRAY).tolist() == (ARRAY + x).tolist()


def test_wrong_numbers_of_elements_are_assertions_too():
    x = paddle.ones([2, 3])
    for call in (lambda: bool(x), lambda: int(x), lambda: len(paddle.ones([])), lambda: x.set_value(np.ones(2))):
        for kind in (AssertionError, ValueError):
            with pytest.raises(kind):
                call()


def test_formats_are_for_numbers():
    assert f"{paddle.to_tensor(1.5):.3f}" == "1.500"
    assert f"{paddle.to_tensor(7):5x}" == "    7"
    assert f"{paddle.ones([1])}" == str(paddle.ones([1]))
    with pytest.raises(TypeError):
        format(paddle.ones([1]), ".3f")
    with pytest.raises(ValueError, match="d"):
        format(paddle.to_tensor(1.5), "3d")
