# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Generators that branch on tensors, in captured functions."""

import itertools
import pathlib
import sys

import paddle
import pytest
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [1.0, -2.0, 3.0])


def either(x):
    for i in range(3):
        if x.sum() > i:
            yield x * (i + 1)
        else:
            yield x + i


def some(x):
    for i in range(3):
        if x.sum() > i:
            yield x * (i + 1)


def in_rounds(x):
    y = x
    while y.sum() < 20:
        y = abs(y) * 2 + 1
        yield y


def from_another(x):
    yield x
    yield from some(x * 2)


def to_the_first_small_one(x):
    for i in range(5):
        if x.sum() < i:
            return
        yield x * i
    yield x


def returned_in_rounds(x):
    y = x
    while True:
        y = y * 2
        if y.abs().sum() > 20:
            return y
        yield y


def broken_off(x):
    y = x.abs() + 1
    while True:
        y = y * 2
        if y.sum() > 30:
            break
        yield y
    yield y * 3


def tried(x):
    try:
        if x.sum() > 0:
            yield x * 2
        yield x.reshape([7])
    except ValueError:
        yield x * 3
    finally:
        yield x * 5


class Noted:
    def __init__(self, notes):
        self.notes = notes

    def __enter__(self):
        self.notes.append(1)

    def __exit__(self, *error):
        self.notes.append(2)


def within(x):
    notes = []
    with Noted(notes):
        if x.sum() > 0:
            yield x * 2
        yield x
    yield x * len(notes)


def from_one_that_returns(x):
    yield from to_the_first_small_one(x)
    yield x * 7


def items_added(generator):
    def f(x):
        total = x * 0
        for item in generator(x):
            total = total + item * item
        return total

    return f


MORE = [to_the_first_small_one, returned_in_rounds, broken_off, tried, within, from_one_that_returns]


@pytest.mark.parametrize("generator", [either, some, in_rounds, from_another, *MORE])
@pytest.mark.parametrize("full_graph", [True, False])
def test_what_is_yielded_is_what_plain_python_yields(generator, full_graph):
    check_beside_plain(items_added(generator), full_graph, INPUTS)


def test_a_generator_that_decides_by_python_values_goes_step_by_step():
    def work(queue):
        while queue:
            yield queue.pop()

    def f(x):
        queue, total = [1], x * 0
        for item in work(queue):
            total = total + item
            if item < 3:
                queue.append(item + 1)
        return total

    x = paddle.to_tensor(INPUTS[0])
    assert to_static(f, full_graph=True)(x).tolist() == f(x).tolist() == [6.0, 6.0, 6.0]


def test_a_generator_that_waits_where_no_gradients_are_taken_is_refused():
    def without_gradients(x):
        with paddle.no_grad():
            if x.sum() > 0:
                yield x * 2
            yield x

    with pytest.raises(RuntimeError, match="asks for the values"):
        to_static(items_added(without_gradients), full_graph=True)(paddle.to_tensor(INPUTS[0]))


def test_a_generator_without_an_end_that_branches_on_tensors_is_refused():
    def endless(x):
        for i in itertools.count():
            if x.sum() > i:
                yield x * i
            else:
                yield x

    def f(x):
        return next(endless(x))

    with pytest.raises(RuntimeError, match="asks for the values"):
        to_static(f, full_graph=True)(paddle.to_tensor(INPUTS[0]))
