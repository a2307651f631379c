# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Dtypes that functions refuse while a static program is recorded, and dtypes of the parameters of its layers."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import static

_REFUSED = {
    "bool": ["is_empty", "prod", "max", "amin", "nansum", "mode", "isposinf", "signbit", "real"],
    "int32": ["var", "std", "angle", "real"],
}


@pytest.mark.parametrize(("dtype", "name"), [(d, n) for d, names in _REFUSED.items() for n in names])
def test_functions_of_one_tensor_refuse_it_in_programs_only(fresh, dtype, name):
    x = static.data("x", [3], dtype)
    with pytest.raises(TypeError, match=name):
        getattr(paddle, name)(x)
    paddle.disable_static()
    getattr(paddle, name)(paddle.ones([3], dtype))


@pytest.mark.parametrize("name", ["bmm", "mm", "isclose", "dist", "inner"])
def test_functions_of_two_tensors_refuse_integers_in_programs(fresh, name):
    shape = [2, 3, 3] if name == "bmm" else [3, 3]
    x, y = static.data("x", shape, "int32"), static.data("y", shape, "int32")
    with pytest.raises(TypeError, match=name):
        getattr(paddle, name)(x, y)
    static.data("z", shape, "float32").equal(x.astype("float32"))


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.local_response_norm(x, 5),
        lambda x: F.dropout2d(x),
        lambda x: F.mse_loss(x, x),
        lambda x: F.pixel_shuffle(x, 2),
        lambda x: F.unfold(x, 2),
        lambda x: F.temporal_shift(x, 2),
        lambda x: F.margin_ranking_loss(x, x, x),
    ],
)
def test_layers_refuse_integers_in_programs(fresh, call):
    call(static.data("x", [2, 4, 4, 4], "float32"))
    with pytest.raises(TypeError, match="int64"):
        call(static.data("y", [2, 4, 4, 4], "int64"))


def test_hierarchical_sigmoid_refuses_other_labels_in_programs(fresh):
    def call(x="float32", label="int64", weight="float32", table=None):
        table = table and static.data(f"t{table}", [3, 2], table)
        code = None if table is None else static.data("code", [3, 2], "int64")
        args = static.data(f"x{x}", [3, 4], x), static.data(f"l{label}", [3, 1], label)
        return F.hsigmoid_loss(*args, 5, static.data(f"w{weight}", [4, 4], weight), None, table, code)

    assert call().shape == [3, 1]
    for other in ({"x": "int32"}, {"label": "float32"}, {"weight": "int32"}, {"table": "int32"}):
        with pytest.raises(TypeError, match="hsigmoid_loss"):
            call(**other)


@pytest.mark.parametrize("name", ["conv2d", "conv2d_transpose"])
def test_convolutions_have_filters_of_the_dtype_of_their_input(fresh, name):
    main, startup = fresh
    x = static.data("x", [1, 3, 4, 4], "float64")
    out = getattr(static.nn, name)(x, 2, filter_size=3)
    assert out.dtype == paddle.float64 and paddle.get_default_dtype() == "float32"
    executor = static.Executor()
    executor.run(startup)
    (found,) = executor.run(main, feed={"x": np.ones([1, 3, 4, 4])}, fetch_list=[out])
    assert found.dtype == np.float64
