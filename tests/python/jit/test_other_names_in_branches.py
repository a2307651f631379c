# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a branch or round changes by another name, which it gave to an object or list itself, is changed in the runs that
take it, and in no other."""

import pathlib
import sys

import paddle
import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain


class Counted:
    def __init__(self, value):
        self.value, self.count = value, 0

    def __enter__(self):
        self.count += 1
        return self

    def __exit__(self, *_):
        return False


class Owner:
    def __init__(self, inner):
        self.inner, self.numbers = inner, [1]


def assigned(x):
    held = Counted(x * 2)
    if x.sum() > 0:
        other = held
        other.count += 1
    return held.value, x * held.count


def assigned_and_replaced(x):
    held = Counted(x * 2)
    if x.sum() > 0:
        other = held
        other.count += 1
        held = Counted(x)
        other.value = x * 7
    return held.value, x * held.count


def attribute(x):
    owner = Owner(Counted(x * 2))
    if x.sum() > 0:
        inner = owner.inner
        inner.count += 1
        inner.value = x * 5
        numbers = owner.numbers
        numbers[0] = 5
    return owner.inner.value, x * owner.inner.count, x * owner.numbers[0]


def pair(x):
    first, second = Counted(x), Counted(x * 3)
    if x.sum() > 0:
        a, b = first, second
        a.count += 1
        b.value = x * 5
    return x * first.count, second.value


def one_of_two(x):
    first, second = Counted(x), Counted(x * 3)
    wanted = True
    if x.sum() > 0:
        chosen = first if wanted else second
        chosen.count += 1
        (named := second).count += 2
        named.value = x * 4
    return x * first.count, x * second.count


def each_of_two(x):
    first, second = Counted(x), Counted(x * 3)
    if x.sum() > 0:
        for one in (first, second):
            one.count += 1
    return x * first.count, x * second.count


def managed_and_replaced(x):
    held = Counted(x * 2)
    if x.sum() > 0:
        with held as _:
            pass
        held = Counted(x)
    return held.value, x * held.count


def list_of_tensors(x):
    held = [x]
    if x.sum() > 0:
        other = held
        other[0] = x * 9
    return held[0]


def nested_function(x):
    held = Counted(x * 2)
    if x.sum() > 0:

        def count():
            held.count += 1

        count()
        held = Counted(x)
    return held.value, x * held.count


def passed_and_replaced(x):
    held = Counted(x * 2)

    def count(one):
        one.count += 1

    if x.sum() > 0:
        count(held)
        held = Counted(x)
    return held.value, x * held.count


def rounds(x):
    held = Owner(x)
    i = paddle.zeros([])
    while i < x.sum():
        other = held
        other.inner = other.inner + 1
        i = i + 1
    return held.inner


@pytest.mark.parametrize(
    "function",
    [
        assigned,
        assigned_and_replaced,
        attribute,
        pair,
        one_of_two,
        each_of_two,
        managed_and_replaced,
        list_of_tensors,
        nested_function,
        passed_and_replaced,
        rounds,
    ],
    ids=lambda f: f.__name__,
)
def test_changes_by_another_name_are_those_of_the_branch(function):
    check_beside_plain(function, True, ([1.0, 2.0], [-1.0, -2.0]))
