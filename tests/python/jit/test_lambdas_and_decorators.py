# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Control flow on tensors in lambdas, and in functions behind decorators of PaddlePaddle and of Python, is captured."""

import contextlib
import linecache

import numpy as np
import paddle
import pytest
from paddle.jit import to_static


def _raised(x):
    if x.sum() > 1:
        x = x + 1
    return x


def _check(function, *given):
    captured = to_static(function, full_graph=True)
    for values in given:
        np.testing.assert_allclose(captured(paddle.to_tensor(values)).numpy(), function(paddle.to_tensor(values)))


_BOTH = [2.0, 3.0], [-2.0, -3.0]
_OF_ONE_LINE = [lambda x: _raised(x) * 2, lambda x: _raised(x) * 3 if x.sum() > 0 else x, lambda x: _raised(-x)]


@pytest.mark.parametrize("function", _OF_ONE_LINE)
def test_lambda_that_calls_or_chooses(function):
    _check(function, *_BOTH)


def test_lambda_of_a_lambda_with_its_variables():
    of = lambda k: lambda x, more=1: x * k if x.sum() > k else _raised(x) - k * more
    _check(of(3), *_BOTH)
    _check(of(7), *_BOTH)


class _PrivateScale(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.__scale = 3.0
        self.act = lambda v: v * self.__scale if v.sum() > 0 else v

        def clipped(v):
            if v.sum() > self.__scale:
                v = v / self.__scale
            return v

        self.clipped = clipped

    def forward(self, x):
        return self.act(x) + self.clipped(x)


def test_functions_made_in_a_constructor_know_private_names():
    _check(_PrivateScale(), *_BOTH)


@contextlib.contextmanager
def _nothing():
    yield


@paddle.no_grad()
def _without_gradient(x):
    if x.sum() > 1:
        x = x + 1
    return x


@_nothing()
def _in_a_context(x):
    while x.sum() < 20:
        x = x + 1
    return x


def test_functions_behind_decorators():
    _check(_without_gradient, *_BOTH)
    _check(_in_a_context, *_BOTH)
    _check(lambda x: _without_gradient(x) + _in_a_context(x), *_BOTH)


def test_no_grad_of_a_forward_with_a_loop():
    class Repeated(paddle.nn.Layer):
        def __init__(self):
            super().__init__()
            self.linear = paddle.nn.Linear(2, 2)

        @paddle.no_grad()
        def forward(self, x, times):
            i = paddle.zeros([], "int64")
            while i < times:
                x = self.linear(x)
                i += 1
            return x

    layer = Repeated()
    x = paddle.to_tensor([[1.0, -2.0]], stop_gradient=False)
    plain = {n: layer(x, paddle.to_tensor(n)).numpy() for n in (0, 3)}
    captured = to_static(layer, full_graph=True)
    for n, expected in plain.items():
        found = captured(x, paddle.to_tensor(n))
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-6)
        assert found.stop_gradient == (n > 0)  # without a round it is the argument


def test_function_that_was_typed():
    source = "def typed(x):\n    if x.sum() > 0:\n        x = x * 2\n    return x\n"
    name = "<ipython-input-7-of-a-test>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names = {}
    exec(compile(source, name, "exec"), names)
    _check(names["typed"], *_BOTH)


def test_locals_are_those_of_the_source():
    def summed(x, scale):
        if x.sum() > 0:
            doubled = x * 2
        else:
            doubled = x
        for later in ():
            print(later)
        names = locals()
        return doubled * len(names) + scale, sorted(names)

    given = paddle.to_tensor([1.0, 2.0]), 3
    found, names = to_static(summed, full_graph=True)(*given)
    expected, plain_names = summed(*given)
    assert names == plain_names == ["doubled", "scale", "x"]
    np.testing.assert_array_equal(found.numpy(), expected.numpy())


class _Base(paddle.nn.Layer):
    def raised(self, x):
        return x + 1


class _OwnSuper(_Base):
    def forward(self, x):
        def super():
            return _Doubled()

        return super().raised(x) if x.sum() > 0 else x


class _Doubled:
    def raised(self, x):
        return x * 2


def test_a_function_named_super_is_the_function():
    _check(_OwnSuper(), *_BOTH)


class _Kinds:
    scale = 3

    @to_static(full_graph=True)
    @staticmethod
    def inside(x):
        return _raised(x)

    @staticmethod
    @to_static(full_graph=True)
    def outside(x):
        return _raised(x)

    @to_static(full_graph=True)
    @classmethod
    def of_class(cls, x):
        return _raised(x) * cls.scale


def test_static_methods_and_class_methods():
    x = paddle.to_tensor(_BOTH[0])
    for owner in (_Kinds, _Kinds()):
        np.testing.assert_array_equal(owner.inside(x).numpy(), [3.0, 4.0])
        np.testing.assert_array_equal(owner.outside(x).numpy(), [3.0, 4.0])
        np.testing.assert_array_equal(owner.of_class(x).numpy(), [9.0, 12.0])
