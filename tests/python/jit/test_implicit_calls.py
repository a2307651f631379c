# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Properties and operators of classes that branch on tensors, in captured functions."""

import pathlib
import sys

import numpy as np
import paddle
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [1.0, -2.0, 3.0])


class Signed:
    def __init__(self, value):
        self.value = value

    @property
    def size(self):
        if self.value.sum() > 0:
            return self.value * 2
        return -self.value

    def __add__(self, other):
        if self.value.sum() > 0:
            other = -other
        return Signed(self.value - other)

    def __getitem__(self, index):
        if self.value[index] > 0:
            return self.value[index]
        return self.value[index] * 3


class Scaled(paddle.nn.Layer):
    @property
    def scale(self):
        if self.given.sum() > 0:
            return self.given * 2
        return self.given

    def forward(self, x):
        self.given = x
        return x * self.scale


class Counted:
    def __init__(self):
        self.entered = self.added = self.read = self.taken = 0

    def __enter__(self):
        self.entered += 1

    def __exit__(self, *error):
        return False

    def __add__(self, other):
        self.added += 1
        return other

    def __getitem__(self, index):
        self.read += 1
        return index

    def __iter__(self):
        self.taken += 1
        return iter([1, 2])


def state_of_implicit_calls(x):
    counted, k = Counted(), paddle.zeros([], "int64")
    while k < (x > 0).astype("int64").sum():
        k += 1
        with counted:
            x = counted + x
        x = x + counted[0]
        for item in counted:
            x = x * item
    return x * (counted.entered + 10 * counted.added + 100 * counted.read + 1000 * counted.taken)


def a_property(x):
    return Signed(x).size


def an_operator(x):
    return (Signed(x) + x * 2).value


def an_item(x):
    return Signed(x)[1] * x


def a_property_of_a_layer(x):
    return Scaled()(x)


@pytest.mark.parametrize("f", [a_property, an_operator, an_item, a_property_of_a_layer, state_of_implicit_calls])
@pytest.mark.parametrize("full_graph", [True, False])
def test_they_decide_as_in_plain_python(f, full_graph):
    before = dict(vars(Signed))
    check_beside_plain(f, full_graph, INPUTS)
    assert dict(vars(Signed)) == before


@pytest.mark.parametrize("digits", [None, 0, 1, 2, -1])
def test_round_of_a_number_of_a_tensor_goes_to_the_nearest_and_from_halves_to_the_even_one(digits):
    def rounded(x):
        return paddle.zeros([1]) + (round(x.item()) if digits is None else round(x.item(), digits))

    captured = paddle.jit.to_static(rounded, full_graph=True)
    for value in (0.125, 0.375, 2.5, 3.5, -2.5, -0.2, 25.0, 35.0, 2.675, 1.005, 7.96):
        x = paddle.to_tensor(value)
        exact = float(np.float32(value))
        assert captured(x).item() == np.float32(round(exact) if digits is None else round(exact, digits))


def test_round_of_an_extent_and_of_an_integer_is_that_integer():
    captured = paddle.jit.to_static(
        lambda x: paddle.arange(round(x.max().item()) + round(x.shape[0], 1)), full_graph=True
    )
    for values in ([3, 1], [2, 4, 1]):
        assert captured(paddle.to_tensor(values)).tolist() == list(range(max(values) + len(values)))
