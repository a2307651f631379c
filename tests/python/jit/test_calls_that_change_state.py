# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions, methods and properties that change variables, lists and attributes, called in branches and loops on
tensors: a captured function leaves what plain Python leaves."""

import collections

import numpy as np
import paddle
import pytest
from paddle.jit import to_static

INPUTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [1.0, -2.0, 3.0])
TOTAL = [0]


def three():
    return paddle.full([], 3, "int64")


def variables_of_enclosing_functions(x):
    total, calls = x * 0, 0

    def add():
        nonlocal total, calls
        total, calls = total + x, calls + 1

    for _ in range(three()):
        add()
    if x.sum() > 0:
        add()
    return total, x * calls


def lists_of_enclosing_functions(x):
    rows = []

    def keep(v):
        rows.append(v * 2)

    i = paddle.zeros([], "int64")
    while i < 3:
        keep(x + i)
        i += 1
    return paddle.stack(rows)


def globals_of_functions(x):
    TOTAL[0] = x * 0

    def add():
        TOTAL[0] = TOTAL[0] + x

    for _ in range(three()):
        add()
    return TOTAL[0]


class Counter:
    made = 0

    def __init__(self, value):
        self.value, self._step = value, 1

    @property
    def step(self):
        return self._step * 2

    @step.setter
    def step(self, step):
        self._step = step

    def count(self, by):
        self.made += 1
        if by.sum() > 0:
            self.value = self.value + by


def methods(x):
    counter = Counter(x * 0)
    for row in x:
        if row > 0:
            counter.count(row)
    i = paddle.zeros([], "int64")
    while i < 2:
        counter.count(x)
        i += 1
    return counter.value, x * counter.made


def properties(x):
    counter = Counter(x)
    if x.sum() > 0:
        counter.step = 5
    return x * counter.step


def objects_that_are_returned_from_branches(x):
    found = {"k": x}
    if x.sum() > 0:
        return x, found
    found["k"] = found["k"] + 1
    return x + 1, found


def queues(x):
    last = collections.deque([x, x], maxlen=2)
    i = paddle.zeros([], "int64")
    while i < 3:
        last.append(last[0] + i)
        i += 1
    return last[0], last[1]


FUNCTIONS = (
    variables_of_enclosing_functions,
    lists_of_enclosing_functions,
    globals_of_functions,
    methods,
    properties,
    objects_that_are_returned_from_branches,
    queues,
)


def flat(value):
    if isinstance(value, (tuple, list, dict)):
        parts = value.values() if isinstance(value, dict) else value
        return [a for v in parts for a in flat(v)]
    return [value.numpy() if isinstance(value, paddle.Tensor) else np.asarray(value)]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_state_is_that_of_plain_python(function):
    captured = to_static(function, full_graph=True)
    for values in INPUTS:
        x = paddle.to_tensor(values)
        for got, wanted in zip(flat(captured(x)), flat(function(x)), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-6)


def tuple_from_a_loop(x):
    total = x * 1
    for _ in range(three()):
        total = total + x
        if total.sum() > 10:
            return total, 1
    return x, 1


def break_behind_a_loop(x):
    for _ in range(three()):
        x = x + 1
        for _ in range(2):
            x = x * 2
        else:
            if x.sum() > 20:
                break
    return x


def patterns(x):
    for item in [1, (2, 3), {"a": 4}]:
        match item:
            case int():
                x = x + item
            case (first, second):
                if x.sum() > 10:
                    return x * first
                x = x * second
            case {"a": by}:
                return x - by
    return x


@pytest.mark.parametrize("function", [tuple_from_a_loop, break_behind_a_loop, patterns], ids=lambda f: f.__name__)
def test_jumps_out_of_nested_statements(function):
    captured = to_static(function, full_graph=True)
    for values in INPUTS:
        x = paddle.to_tensor(values)
        for got, wanted in zip(flat(captured(x)), flat(function(x)), strict=True):
            np.testing.assert_allclose(got, wanted, rtol=1e-6)


def test_no_gradient_goes_into_a_loop_through_constants():
    @to_static(full_graph=True)
    def f(x):
        with paddle.no_grad():
            a = x * 3
        i = paddle.zeros([], "int64")
        while i < 2:
            a = a * 1
            i += 1
        return a + x

    x = paddle.to_tensor([1.0], stop_gradient=False)
    f(x).backward()
    np.testing.assert_array_equal(x.grad.numpy(), [1.0])


@pytest.mark.parametrize("values", [[1.0, 2.0], [-1.0, -2.0]])
def test_no_gradient_goes_through_constants_that_are_written_in_branches(values):
    def f(x):
        with paddle.no_grad():
            a, b = x * 0.5, x * 3
        if x.sum() < 0:
            a = a * 1
        elif x.min() > 0:
            a[0] = x[1]
        for _ in range(three() - 3):
            for _ in range(three()):
                b[0] = x[1]
        return a + b

    grads = []
    for function in (f, to_static(f, full_graph=True)):
        x = paddle.to_tensor(values, stop_gradient=False)
        (function(x) + x).sum().backward()
        grads.append(x.grad.numpy())
    np.testing.assert_array_equal(*grads)


class CountsCalls(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.calls, self.scale = 0, 1.5

    def forward(self, x):
        self.calls += 1
        if x.sum() > 0:
            self.scale = self.scale * 2
        return x * self.scale + self.calls


class CallsInRounds(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.inner = CountsCalls()

    def forward(self, x):
        i = paddle.zeros([], "int64")
        while i < (x > 0).astype("int64").sum():
            i += 1
            x = self.inner(x) * 0.1
        return x


def test_a_layer_counts_its_calls_in_rounds_of_a_loop_on_a_tensor():
    plain, captured = CallsInRounds(), to_static(CallsInRounds(), full_graph=True)
    for values in ([1.0, 2.0], [1.0, -3.0], [-1.0, -1.0], [4.0, 4.0]):
        x = paddle.to_tensor(values)
        np.testing.assert_allclose(captured(x).numpy(), plain(x).numpy(), rtol=1e-6)
        assert int(captured.inner.calls) == plain.inner.calls
        assert float(captured.inner.scale) == plain.inner.scale
    assert not captured.inner.state_dict()
