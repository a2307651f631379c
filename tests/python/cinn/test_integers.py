# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Integers, casts and positions inside of groups: the values and errors of eager."""

import numpy as np
import paddle
import pytest
from paddle.jit import to_static

INTS = ["int8", "int16", "int32", "int64", "uint8"]


def compiled(function):
    return to_static(function, backend="CINN", full_graph=True)


def assert_same(function, *inputs):
    result, want = compiled(function)(*inputs), function(*inputs)
    assert result.dtype == want.dtype
    np.testing.assert_array_equal(result.numpy(), want.numpy())


@pytest.mark.parametrize("dtype", INTS)
def test_arithmetic_wraps(at_once, counts, dtype):
    limits = np.iinfo(dtype)
    x = paddle.to_tensor(np.array([limits.min, limits.max, 0, 1, limits.max // 2 + 1, 7], dtype))
    y = paddle.to_tensor(np.array([limits.max, limits.max, limits.min, 3, 2, 5], dtype))
    count = counts()
    assert_same(lambda x, y: x * y + x - y, x, y)
    assert_same(lambda x, y: paddle.maximum(paddle.abs(x), y) - paddle.square(y), x, y)
    assert_same(lambda x, y: paddle.bitwise_and(~x, y) | (x ^ y), x, y)
    assert count.launches == 3


@pytest.mark.parametrize("operation", ["floor_divide", "remainder", "trunc_divide"])
@pytest.mark.parametrize("dtype", INTS)
def test_division_is_that_of_eager(at_once, counts, operation, dtype):
    operation = getattr(paddle._core.ops, operation)
    limits = np.iinfo(dtype)
    x = paddle.to_tensor(np.array([limits.min, 7, limits.min, 7, 0, 5, 1, limits.max], dtype))
    y = paddle.to_tensor(np.array([2, 2, limits.max, 5, 3, limits.min or 9, limits.max, 1], dtype))
    count = counts()
    divided = lambda x, y: operation(x * 3 + 1, y) * 2 - x
    assert_same(divided, x, y)
    if limits.min:
        assert_same(divided, x, -y)
        assert_same(divided, x, paddle.full_like(y, -1))
    assert count.launches == (3 if limits.min else 1)
    program, zero = compiled(divided), paddle.zeros_like(y)
    with pytest.raises(Exception) as eager:
        divided(x, zero)
    with pytest.raises(type(eager.value)) as of_group:
        program(x, zero)
    assert str(eager.value).split(" It was recorded")[0] in str(of_group.value)
    np.testing.assert_array_equal(program(x, y).numpy(), divided(x, y).numpy())


@pytest.mark.parametrize("dtype", INTS)
def test_numbers_beside_integers(at_once, counts, dtype):
    limits = np.iinfo(dtype)
    x = paddle.to_tensor(np.array([limits.min, limits.max, 0, 1, limits.max // 2 + 1, 7], dtype))
    count = counts()
    assert_same(lambda x: x * 3 + 5 - x, x)
    assert_same(lambda x: paddle.clip(x, -3, 100) + paddle.clip(x, 1) - paddle.clip(x, max=10**12), x)
    assert_same(lambda x: paddle.sign(x) + x**3 - x // 2 + x % 5, x)
    assert_same(lambda x: paddle.floor(x) + paddle.ceil(x) - paddle.trunc(x), x)
    assert_same(lambda x: paddle.isnan(x + x) | paddle.isinf(x) | paddle.isfinite(x - x), x)
    assert count.launches == 5


@pytest.mark.parametrize("dtype", [*INTS, "bool"])
def test_functions_of_integers_give_float32(at_once, counts, dtype):
    x = paddle.to_tensor(np.array([0, 1, 1, 0, 1], dtype)) if dtype == "bool" else paddle.arange(9).astype(dtype)
    count = counts()
    for name in ("exp", "sqrt", "tanh", "atan"):
        function = getattr(paddle, name)
        got, want = compiled(lambda x: function(x) * 2)(x), function(x) * 2  # noqa: B023
        assert got.dtype == want.dtype == paddle.float32
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=5e-7)
    if dtype != "bool":
        assert_same(lambda x: x / (x + 1) * 2, x)
    assert count.launches == (4 if dtype == "bool" else 5)


@pytest.mark.parametrize("arithmetic", [True, False])
@pytest.mark.parametrize("dtype", INTS)
def test_shifts_are_those_of_eager(at_once, counts, dtype, arithmetic):
    limits = np.iinfo(dtype)
    some = np.array([limits.min, limits.max, 0, 1, limits.max // 3, 5], dtype)
    places = np.array([0, 1, 2, limits.bits - 1, limits.bits, limits.bits + 1, 100, limits.min, limits.max], dtype)
    x, y = paddle.to_tensor(some[:, None]), paddle.to_tensor(places)
    count = counts()
    assert_same(lambda x, y: paddle.bitwise_left_shift(x, y, arithmetic) + x, x, y)
    assert_same(lambda x, y: paddle.bitwise_right_shift(x, y, arithmetic) + x, x, y)
    assert count.launches == 2


@pytest.mark.parametrize("to", ["int32", "int64", "int8", "uint8", "bool"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_casts_of_numbers_that_fit_are_those_of_eager(at_once, counts, dtype, to):
    x = paddle.to_tensor([0.0, -0.0, 0.49, 0.5, 1.0, 1.99, 100.5, 63.0] * 5).astype(dtype)
    count = counts()
    assert_same(lambda x: paddle.abs(x).astype(to).astype("int32") + 1, x)
    assert count.launches == 1


@pytest.mark.parametrize("to", ["int32", "int64"])
def test_casts_of_what_does_not_fit_saturate_in_a_kernel(at_once, to):
    """Eager gives what the processor does, which depends on the instruction; a kernel the nearest integer, NaN as 0."""
    x = paddle.to_tensor([np.nan, np.inf, -np.inf, 1e30, -1e30] * 5)
    got = compiled(lambda x: paddle.abs(-x).astype(to) - (x < 0).astype(to))(x).numpy()
    most = np.iinfo(to).max
    np.testing.assert_array_equal(got[:5], np.array([0, most, most - 1, most, most - 1], to))


GATHERS = {
    "gather": (lambda x, i: paddle.gather(x * 2, i, 0) + 1, [3]),
    "gather from below": (lambda x, i: paddle.gather(x * 2, i, 0) + 1, [-4]),
    "index_select": (lambda x, i: paddle.index_select(x * 2, i, 1) + 1, [2]),
    "gather_nd": (lambda x, i: paddle.gather_nd(x * 2, i.unsqueeze(-1)) + 1, [3]),
    "take_along_axis": (lambda x, i: paddle.take_along_axis(x * 2, i.unsqueeze(0), 0, broadcast=False) + 1, [3]),
    "embedding": (lambda x, i: paddle.nn.functional.embedding(i, x * 2) + 1, [-1]),
    "put_along_axis": (lambda x, i: paddle.put_along_axis(x * 2, i.expand([3, 1]), paddle.ones([3, 1]), 1) + 1, [2]),
    "one_hot": (lambda x, i: paddle.nn.functional.one_hot(i, 3) + x[0, 0], [-1]),
}


@pytest.mark.parametrize("name", GATHERS)
def test_a_position_out_of_range_is_the_error_of_eager(at_once, counts, name):
    function, bad = GATHERS[name]
    program, x = compiled(function), paddle.rand([3, 2])
    count = counts()
    good = paddle.to_tensor([1])
    np.testing.assert_allclose(program(x, good).numpy(), function(x, good).numpy(), rtol=3e-7)
    assert count.launches > 0
    with pytest.raises(Exception) as eager:
        function(x, paddle.to_tensor(bad))
    with pytest.raises(type(eager.value)) as of_group:
        program(x, paddle.to_tensor(bad))
    assert str(eager.value).split(" It was recorded")[0] in str(of_group.value)
    np.testing.assert_allclose(program(x, good).numpy(), function(x, good).numpy(), rtol=3e-7)
