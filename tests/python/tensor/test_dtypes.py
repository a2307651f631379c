# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Result dtypes and 0-d results that PaddlePaddle 3.3.1 gives, recorded from it."""

import math

import paddle
import pytest

I, F, B = [[7, -3, 2], [0, 5, -4]], [[3.5, -1.25, 2.0], [0.0, 5.0, -4.0]], [[True, False, True]]


def t(values, dtype=None):
    return paddle.to_tensor(values, dtype)


CASES = {
    "full of an int": (lambda: paddle.full([2], 3), "float32"),
    "full of a bool": (lambda: paddle.full([2], True), "bool"),
    "shape": (lambda: paddle.shape(t(F)), "int64"),
    "rank": (lambda: paddle.rank(t(F)), "int32"),
    "sum of int32": (lambda: t(I, "int32").sum(), "int64"),
    "sum of bool": (lambda: t(B).sum(), "int64"),
    "cumsum of int32": (lambda: paddle.cumsum(t(I, "int32")), "int64"),
    "mean of int64": (lambda: paddle.mean(t(I)), "int64"),
    "divide int64": (lambda: t(I) / t([2]), "float32"),
    "atan2 of int32": (lambda: paddle.atan2(t(I, "int32"), t(I, "int32")), "float64"),
    "logsumexp of int64": (lambda: paddle.logsumexp(t(I)), "float32"),
    "ldexp of float16": (lambda: paddle.ldexp(t(F, "float16"), t(F, "float16")), "float32"),
    "ldexp with float64": (lambda: paddle.ldexp(t(F), t(F, "float64")), "float64"),
    "median of float16": (lambda: paddle.median(t(F, "float16")), "float32"),
    "median of int64": (lambda: paddle.median(t(I)), "float32"),
    "argmax": (lambda: paddle.argmax(t(F)), "int64"),
    "gcd of float32": (lambda: paddle.gcd(t([3.5]), t([2.0])), "float32"),
}


@pytest.mark.parametrize("name", CASES)
def test_dtypes(name):
    make, dtype = CASES[name]
    assert str(make().dtype).removeprefix("paddle.") == dtype


def test_a_0_d_tensor_has_the_axes_0_and_minus_1():
    x = t(2.5)
    for axis in (0, -1):
        assert paddle.argmax(x, axis).shape == []
        assert paddle.cummax(x, axis)[0].shape == []
    with pytest.raises(ValueError):
        paddle.argmax(x, 1)


def test_reductions_of_nothing():
    empty = paddle.zeros([0, 3])
    assert float(paddle.logsumexp(empty)) == -math.inf
    assert paddle.median(empty, 0).shape == [3] and paddle.median(empty, 1).shape == [0]
    assert float(paddle.sum(empty)) == 0


def test_divisors_of_fractions():
    assert paddle.gcd(t([3.5, -1.25, 0.0]), t([2.0, 2.0, -4.0])).tolist() == [0.5, 0.25, 4.0]
    assert paddle.lcm(t([3.5, -1.25, 0.0]), t([2.0, 2.0, 0.0])).tolist() == [14.0, 10.0, 0.0]
