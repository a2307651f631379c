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


@pytest.mark.parametrize(
    "kind, dtype",
    [("f8", "float32"), ("f4", "float32"), ("f2", "float32"), ("c16", "complex64"), ("i4", "int64"), ("i8", "int64")]
    + [("i1", "int8"), ("i2", "int16"), ("u1", "uint8"), ("?", "bool")],
)
def test_a_list_of_arrays_has_the_dtype_of_a_list_of_numbers(kind, dtype):
    ones = np.ones(2, kind)
    for data in ([ones, ones], (ones, ones), [[ones]], [ones[0], ones[1]], [np.array(1, kind)]):
        assert paddle.to_tensor(data).dtype == getattr(paddle, dtype)
    assert paddle.to_tensor([ones], dtype="float64").dtype == paddle.float64
    assert paddle.to_tensor(ones).numpy().dtype == ones.dtype


def test_a_list_of_arrays_of_several_dtypes_keeps_every_value():
    made = paddle.to_tensor([np.array([1, 2]), [1.5, 2]])
    assert made.dtype == paddle.float32 and made.tolist() == [[1.0, 2.0], [1.5, 2.0]]
    mixed = paddle.to_tensor([np.ones(2, "int32"), np.array([0.5, 1])])
    assert mixed.dtype == paddle.float32 and mixed.tolist() == [[1.0, 1.0], [0.5, 1.0]]
