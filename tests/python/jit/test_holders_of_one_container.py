# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A list, dict or object that a branch or round gives to two variables is one behind it, too: what is changed by one name
is seen by the other, as in plain Python, or the program is refused."""

import pathlib
import sys

import paddle
import pytest
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0], [-1.0, -2.0], [-1.0, 2.0])


class Holder:
    def __init__(self, value):
        self.value = value


def an_object(x):
    a = b = Holder(x)
    if x.sum() > 0:
        a = b = Holder(x * 2)
    a.value = a.value + 1
    return a.value, b.value


def a_list(x):
    a = b = [x]
    if x.sum() > 0:
        a = b = [x * 2, x]
    a.append(x * 3)
    return sum(a), sum(b)


def a_dict_of_a_loop(x):
    a = b = {"k": x}
    for i in range((x > 0).astype("int64").sum()):
        a = b = {"k": x * i}
    a["k"] = a["k"] + 5
    return a["k"], b["k"]


def a_list_that_rounds_keep_in_two_names(x):
    a = b = [x]
    i = paddle.zeros([])
    while i < x.sum():
        a.append(x * i)
        a[0] = a[0] + 1
        i = i + 1
    b[0] = b[0] * 2
    return sum(a), sum(b)


def first_set_by_a_branch(x):
    if x.sum() > 0:
        a = b = [x * 2]
    else:
        a = b = [x * 3]
    b[0] = b[0] + 1
    return a[0], b[0]


def _push(many, value):
    if value.sum() > 0:
        many.append(value)
    return many


def grown_by_a_function(x):
    a = [x]
    b = _push(a, x * 2)
    c = _push(b, x - 1)
    c[0] = c[0] * 5
    return sum(a), sum(b), sum(c)


def grown_as_elements(x):
    rows, named = [[x], [x * 2]], {}
    named["last"] = rows[1]
    for k, row in enumerate(rows):
        if x.sum() > k:
            row.append(x * k)
    return sum(rows[0]), sum(rows[1]), sum(named["last"])


def grown_in_nested_branches(x):
    a = b = [x]
    if x.sum() > 0:
        if x.sum() > 2:
            a.append(x * 2)
        b.append(x * 3)
        y = x * len(a)
    else:
        b.append(x * 4)
        y = x + len(a)
    return sum(a), sum(b), y


def grown_in_an_attribute(x):
    holder = Holder([x])
    many = holder.value

    def grow(inner):
        while inner[-1].sum() < 9 and len(inner) < 5:
            inner.append(inner[-1] + 2)

    grow(holder.value)
    return sum(many), x * len(holder.value)


@pytest.mark.parametrize("f", [grown_by_a_function, grown_as_elements, grown_in_nested_branches, grown_in_an_attribute])
def test_a_list_that_grows_is_one_wherever_it_stands(f):
    check_beside_plain(f, True, INPUTS)


@pytest.mark.parametrize(
    "f", [an_object, a_list, a_dict_of_a_loop, a_list_that_rounds_keep_in_two_names, first_set_by_a_branch]
)
def test_it_stays_one(f):
    check_beside_plain(f, True, INPUTS)


def one_in_some_runs(x):
    a, b = [x], [x * 2]
    if x.sum() > 0:
        a = b = [x * 3]
    a.append(x)
    return sum(b)


def one_behind_some_rounds(x):
    a, b = {"k": x}, {"k": x * 2}
    while x.sum() < 5:
        a = b = {"k": x}
        x = x + 3
    a["k"] = x
    return b["k"]


def a_variable_and_an_attribute(x):
    a, holder = [x], Holder([x])
    if x.sum() > 0:
        a = [x * 2]
        holder.value = a
    a.append(x)
    return sum(holder.value)


@pytest.mark.parametrize("f", [one_in_some_runs, one_behind_some_rounds, a_variable_and_an_attribute])
def test_one_in_some_runs_alone_is_refused(f):
    with pytest.raises(TypeError, match="'a' and .* hold one list, dict or object behind .* give one of them a copy"):
        to_static(f, full_graph=True)(paddle.to_tensor(INPUTS[0]))


def _chosen(x):
    a, b = [x], [x * 2]
    chosen = a if x.sum() > 0 else b
    return a, b, chosen


def chosen_and_read(x):
    a, b, chosen = _chosen(x)
    c = {"k": x}
    d = c
    if x.sum() > 0:
        c = {"k": x * 2}
    return sum(chosen), sum(a), sum(b), c["k"], d["k"]


def chosen_and_changed(x):
    a, _, chosen = _chosen(x)
    chosen[0] = x * 5
    return sum(a)


def changed_and_replaced(x):
    a = {"k": x}
    b = a
    if x.sum() > 0:
        a["k"] = x * 2
        a = {"k": x * 3}
    return a["k"], b["k"]


def replaced_in_some_runs_and_changed(x):
    a = [x]
    b = a
    if x.sum() > 0:
        a = [x * 3]
    a.append(x)
    return sum(b)


def test_one_of_two_lists_may_be_read():
    check_beside_plain(chosen_and_read, True, INPUTS)


@pytest.mark.parametrize("f", [chosen_and_changed, changed_and_replaced, replaced_in_some_runs_and_changed])
def test_one_of_two_lists_is_not_changed(f):
    with pytest.raises(TypeError, match="hold one list, dict or object behind an if on a tensor in some runs"):
        to_static(f, full_graph=True)(paddle.to_tensor(INPUTS[0]))
