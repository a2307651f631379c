# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured methods of objects that are equal, have slots, or go away; constants that are equal."""

import dataclasses
import gc
import weakref

import paddle
import pytest
from paddle.jit import to_static

ONES = [1.0, 1.0]


class _Slotted:
    __slots__ = ("factor",)

    @to_static(full_graph=True)
    def whole(self, x):
        return x * self.factor

    @to_static
    def in_segments(self, x):
        return x * self.factor


@pytest.mark.parametrize("name", ["whole", "in_segments"])
def test_an_object_with_slots_is_read_at_every_call(name):
    scaled = _Slotted()
    for factor in (2.0, 2.0, 7.0):
        scaled.factor = factor
        assert getattr(scaled, name)(paddle.to_tensor(ONES)).tolist() == [factor, factor]


@pytest.mark.parametrize("frozen", [False, True])
def test_equal_objects_have_programs_of_their_own(frozen):
    @dataclasses.dataclass(frozen=frozen)
    class Scaled:
        name: str
        factor: float = dataclasses.field(compare=False)

        @to_static(full_graph=True)
        def forward(self, x):
            return x * self.factor

    two, five = Scaled("a", 2.0), Scaled("a", 5.0)
    assert two == five
    assert two.forward(paddle.to_tensor(ONES)).tolist() == [2.0, 2.0]
    assert five.forward(paddle.to_tensor(ONES)).tolist() == [5.0, 5.0]


class _Scale:
    factor = 3.0

    @to_static(full_graph=True)
    @classmethod
    def of_class(cls, x):
        return x * cls.factor


def test_attributes_of_a_class_are_read_at_every_call(monkeypatch):
    for factor in (3.0, 3.0, 4.0, 3.0):
        monkeypatch.setattr(_Scale, "factor", factor)
        assert _Scale.of_class(paddle.to_tensor(ONES)).tolist() == [factor, factor]


@pytest.mark.parametrize("full_graph", [True, False])
def test_a_layer_with_a_captured_method_goes_away(full_graph):
    class Net(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = paddle.nn.Linear(2, 2)

        @to_static(full_graph=full_graph)
        def forward(self, x):
            return self.inner(x)

    net = Net()
    for _ in range(3):
        net(paddle.ones([1, 2]))
    seen = weakref.ref(net)
    del net
    gc.collect()
    assert seen() is None


@pytest.mark.parametrize("full_graph", [True, False])
def test_one_as_int_float_and_bool_are_three_constants(full_graph):
    class Scaled(paddle.nn.Layer):
        def forward(self, x):
            return x * self.factor

    net = Scaled()
    captured = to_static(net, full_graph=full_graph)
    for factor in (1, 1.0, True, 1.0, 1):
        net.factor = factor
        expected = paddle.float32 if isinstance(factor, float) else paddle.int64
        assert captured(paddle.to_tensor([3])).dtype == expected
