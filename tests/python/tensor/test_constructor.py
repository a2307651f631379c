# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Tensor(...)` with a place, a name and other settings, or of a dtype and a shape."""

import numpy as np
import paddle
import pytest
from paddle.base import core

ARRAY = np.arange(6, dtype="float32").reshape(2, 3)


def test_settings_of_an_array_by_position_and_by_name():
    by_name = paddle.Tensor(value=ARRAY, place=paddle.CPUPlace(), persistable=True, name="n", stop_gradient=False)
    by_place = core.eager.Tensor(ARRAY, core.CPUPlace(), True, False, "p", False)
    for made, name in ((by_name, "n"), (by_place, "p")):
        assert (made.name, made.persistable, made.stop_gradient) == (name, True, False)
        np.testing.assert_array_equal(made.numpy(), ARRAY)


def test_a_tensor_under_another_name():
    held = core.DenseTensor()
    held.set(ARRAY)
    for value in (paddle.to_tensor(ARRAY), held):
        made = paddle.Tensor(value, paddle.CPUPlace(), "other")
        assert made.name == "other"
        np.testing.assert_array_equal(made.numpy(), ARRAY)


def test_a_dtype_and_a_shape():
    kind = core.VarDesc.VarType
    made = core.eager.Tensor(kind.FP32, [3, 2], "w", kind.DENSE_TENSOR, True)
    assert (made.dtype, made.shape, made.name, made.persistable) == (paddle.float32, [3, 2], "w", True)
    with pytest.raises(NotImplementedError, match="SELECTED_ROWS"):
        core.eager.Tensor(kind.FP32, [3, 2], "w", kind.SELECTED_ROWS, True)


def test_unknown_arguments_are_refused():
    with pytest.raises(TypeError, match="colour"):
        paddle.Tensor(ARRAY, colour="red")
    with pytest.raises(TypeError, match="twice"):
        paddle.Tensor(ARRAY, paddle.CPUPlace(), place=paddle.CPUPlace())


def test_a_bfloat16_number_is_an_index():
    assert [1, 2, 3][paddle.to_tensor(2.0, dtype="bfloat16")] == 3
    with pytest.raises(TypeError, match="index"):
        [1, 2, 3][paddle.to_tensor(2.0)]


def test_where_the_memory_of_a_view_begins():
    x = paddle.to_tensor(ARRAY)
    assert (x._offset(), x[1]._offset(), x[1, 1]._offset()) == (0, 12, 16)


def test_a_tensor_of_a_tensor_shares_its_memory_whatever_an_array_would_do():
    x = paddle.to_tensor([1.0, 2.0])
    for settings in ({"zero_copy": True}, {"zero_copy": False}, {"persistable": True}, {"stop_gradient": False}):
        y = paddle.Tensor(x, **settings)
        assert y.stop_gradient and not y.persistable
        x[0] = x[0] + 1
        assert y.tolist() == x.tolist()
