# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Axes out of range, dtypes that are none: exceptions of PaddlePaddle's types."""

import paddle
import pytest


@pytest.mark.parametrize("name", ["cummax", "cummin", "diff", "trapezoid", "repeat_interleave", "chunk", "narrow"])
@pytest.mark.parametrize("axis", [2, -3])
def test_an_axis_out_of_range_is_an_index_error(name, axis):
    x = paddle.zeros([2, 3])
    arguments = {"repeat_interleave": (2, axis), "chunk": (2, axis), "narrow": (axis, 0, 1)}.get(name)
    with pytest.raises(IndexError, match=f"^{name}: axis has value"):
        getattr(paddle, name)(x, *arguments) if arguments else getattr(paddle, name)(x, axis=axis)


def test_what_is_no_dtype_is_a_type_and_value_error():
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match="is no data type"):
            paddle.zeros([2], dtype=paddle.ones([1]))
        with pytest.raises(kind, match="is no data type"):
            paddle.cumsum(paddle.ones([2]), dtype="abc")
