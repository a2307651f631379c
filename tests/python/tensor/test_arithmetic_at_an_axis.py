# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Arithmetic whose second operand lies at an axis of the first; bits of bfloat16 numbers as integers."""

import operator

import numpy as np
import paddle
import pytest
from paddle.base.data_feeder import convert_float_to_uint16, convert_uint16_to_float


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide"])
def test_the_second_operand_lies_at_an_axis(name):
    function = getattr(paddle.tensor.math, f"_{name}_with_axis")
    calculate = {"divide": operator.truediv, "add": operator.add, "subtract": operator.sub, "multiply": operator.mul}
    x, y = np.arange(24, dtype="float32").reshape(2, 3, 4) + 1, np.arange(3, dtype="float32") + 2
    found = function(paddle.to_tensor(x), paddle.to_tensor(y), axis=1)
    np.testing.assert_allclose(found.numpy(), calculate[name](x, y[:, None]), rtol=1e-6)
    last = function(paddle.to_tensor(x), paddle.to_tensor(x[0, 0]))
    np.testing.assert_allclose(last.numpy(), calculate[name](x, x[0, 0]), rtol=1e-6)
    with pytest.raises(ValueError, match="axis"):
        function(paddle.to_tensor(x), paddle.to_tensor(y), axis=3)


def test_bits_of_bfloat16_are_cut_off_float32():
    bits = convert_float_to_uint16(np.array([1.0, 1.005859375, 3.14159, -2.7], "float32"))
    assert bits.tolist() == [16256, 16256, 16457, 49196]
    assert convert_uint16_to_float(bits).tolist() == [1.0, 1.0, 3.140625, -2.6875]
