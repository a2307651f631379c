# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Behind a branch or loop a variable is the tensor from before it or another: writes go to the one that it is, and whoever
else holds that one sees them, as in plain Python."""

import pathlib
import sys

import numpy as np
import paddle
import pytest
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [1.0, -2.0, 3.0], [0.5, 0.25, 0.5], [-1.0, 2.0, 3.0])


def a_view_of_the_old_one(x):
    y = x + 0.5
    view = y[1:]
    if x.sum() > 0:
        y = x * 1
    y[2] = 0.5
    return y, view


def the_old_one_is_a_view(x):
    y = x + 0.5
    view = y[1:]
    if x.sum() > 0:
        view = x[:2] * 3
    view[0] = 0.5
    view *= 2
    return y, view


def the_old_one_is_written(x):
    y = x + 0.5
    kept = y
    if x.sum() > 0:
        y = y * 2
    kept += 1
    return y, kept


def either_of_two(x):
    y, z = x + 0.5, x - 1
    chosen = y if x.sum() > 0 else z
    chosen[0] = 7
    z[1] = 5
    chosen *= 2
    return y, z, chosen


def the_second_of_two_is_written(x):
    y, z = x + 0.5, x - 1
    if x.sum() > 0:
        chosen = y
    else:
        chosen = z
    z[0] = 9
    return y, z, chosen


def exchanged(x):
    y, z = x + 0.5, x - 1
    if x.sum() > 0:
        y, z = z, y
    y *= 2
    z[0] = y[1]
    return y, z


def in_nested_branches(x):
    y = x + 0.5
    view = y[:2]
    if x.sum() > 0:
        if x.max() > 2:
            y = y * 2
        y[0] = 3
    else:
        y = y - 1
    y[1] = 11
    view *= 2
    return y, view


def views_of_one_tensor(x):
    y = x * 1
    part = y[0]
    if x.sum() > 0:
        part = y[1]
        if x.max() > 1:
            part = y[2]
            y[0:2] += x[:2]
    y[1] *= 3
    return y, part


def elements_of_what_is_written(x):
    y = x * 1
    for element in y:
        if y.sum() + element > 4:
            break
        y[0:2] += x[:2]
    return y, element * 2


def an_element_of_a_list(x):
    held = [x + 1]
    first = held[0]
    if x.sum() > 0:
        held[0] = held[0] * 2
    held[0][0] = 3
    return held[0], first


def a_constant_of_a_branch(x):
    y = x * 1
    if x.sum() > 0:
        y = paddle.to_tensor([1.0, 2.0, 3.0])
    y += 1
    return y, x * 1


def rounds_write_and_replace(x):
    y = x + 0.5
    z, i = y, paddle.zeros([], "int64")
    while i < 4:
        i += 1
        z += 1
        if z.sum() > 6:
            z = z * 0.5
    z[1] = 4
    return y, z


def rounds_write_the_old_one(x):
    y = x + 0.5
    z, i = y, paddle.zeros([], "int64")
    while i < 3:
        i += 1
        y[0] += 1
        if z.sum() > 6:
            z = z * 0.5
    return y, z


def no_round_replaces(x):
    y = x + 0.5
    z, i = y, (x.sum() < 0).astype("int64") * 2
    while i < 2:
        i += 1
        z = z * 2
    z += 1
    return y, z


def rounds_in_rounds(x):
    y = x + 0.5
    z, i = y, paddle.zeros([], "int64")
    while i < 3:
        i += 1
        j = paddle.zeros([], "int64")
        while j < i:
            j += 1
            z[0] += 1
            if z.sum() > 6:
                z = z * 0.5
        z[1] += 1
    return y, z


def a_loop_that_breaks(x):
    y = x + 0.5
    z = y
    for i in range(paddle.to_tensor(4)):
        z[0] += i
        if z.sum() > 6:
            break
        z = z * 2
    return y, z


def a_loop_that_may_not_run_around_another(x):
    y = x + 0.5
    z = y
    while z.sum() < -5:
        for _ in range((z < 0).sum()):
            z = x * 1
    z[1] = 4
    return y, z


def rounds_replace_it_under_a_condition(x):
    y = x + 0.5
    z, i = y, paddle.zeros([], "int64")
    while i < 3:
        i += 1
        if x.sum() > 1 + i:
            z = x * i
    z[1] = 4
    return y, z


def returned_from_a_nested_branch(x):
    kept = x * 0.1

    def pick(y):
        if kept[2] > 0:
            if y[0] > 0:
                return kept
        return y * 0.5

    z = pick(x)
    z[2] = 0.5
    return kept, z


def one_of_three(x):
    a, b = x * 1, x + 5
    z = b
    if x[0] > 0:
        z = a
        if x[1] > 0:
            z = b
    z[0] = 9
    a[1] = 8
    return a, b, z


def neither_branch_sets_it_alone(x):
    a, b, z = x * 1, x + 5, x * 3
    if x[0] > 0:
        if x[1] > 0:
            z = b
    elif x[1] < 0:
        z = a
    view = z[1:]
    a[1] = 8
    view[1] = 9
    return a, b, z


def rounds_exchange_them(x):
    y, z = x + 0.5, x * 2
    for _ in range((x > 0).sum()):
        y, z = z, y
        y[0] += 1
    z[1] = 4
    return y, z


def the_former_one(x):
    h, last = x * 1, x * 0
    for _ in range((x > 0).astype("int64").sum()):
        last = h
        h = h + x
    h[0] = 2.0
    last[1] = h[0] + 1
    return h, last


def the_former_one_is_kept(x):
    h, last, before = x * 1, x * 0, x * 3
    for _ in range((x > 0).astype("int64").sum()):
        before, last, h = last, h, h * 2
        h.add_(x)
    last.add_(h)
    before[0] = 5.0
    return h, last, before


def an_outer_one_in_every_round(x):
    h, outer, last = x * 1, x * 5, x * 0
    for _ in range((x > 0).astype("int64").sum()):
        outer[0] = h[0]
        last = h
        h = outer * 1
    h[1] = 2.0
    return h, last, outer


def new_under_two_names(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x * 3
    if x[1] > 0:
        a = b = y + 1
    else:
        a = b = y * 2
    b[0] = 3.0
    a[1] = b[0] + x[2]
    return a, b, y


def kept_by_branches_in_branches(x):
    y, z = x * 1, x * 2
    if y.sum() > 0:
        pass
    else:
        y = z * 1
    if x[0] < 1:
        if y.sum() > 0:
            pass
        else:
            y = z * 3
    y[2] = y[1]
    return y


def kept_until_a_break(x):
    y, z = x * 1, x * 2
    for _ in range(3):
        if y.sum() > 0:
            break
        y = z - y
    y[2] = y[1]
    return y, z


PROGRAMS = [
    kept_by_branches_in_branches,
    kept_until_a_break,
    the_former_one,
    the_former_one_is_kept,
    an_outer_one_in_every_round,
    new_under_two_names,
    a_view_of_the_old_one,
    the_old_one_is_a_view,
    the_old_one_is_written,
    either_of_two,
    the_second_of_two_is_written,
    exchanged,
    in_nested_branches,
    views_of_one_tensor,
    elements_of_what_is_written,
    an_element_of_a_list,
    a_constant_of_a_branch,
    rounds_write_and_replace,
    rounds_write_the_old_one,
    no_round_replaces,
    rounds_in_rounds,
    a_loop_that_breaks,
    a_loop_that_may_not_run_around_another,
    rounds_replace_it_under_a_condition,
    returned_from_a_nested_branch,
    one_of_three,
    neither_branch_sets_it_alone,
    rounds_exchange_them,
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("full_graph", [True, False])
def test_values_and_gradients_are_those_of_the_plain_function(f, full_graph):
    check_beside_plain(f, full_graph, INPUTS)


@pytest.mark.parametrize("full_graph", [True, False])
def test_an_argument_is_written_where_it_was_not_replaced(full_graph):
    def f(x):
        if x.sum() > 0:
            x = x * 2
        x += 1
        return x

    g = to_static(f, full_graph=full_graph)
    for given in (INPUTS[0], INPUTS[1]):
        pair = [paddle.to_tensor(given) for _ in range(2)]
        np.testing.assert_array_equal(g(pair[0]).numpy(), f(pair[1]).numpy())
        np.testing.assert_array_equal(pair[0].numpy(), pair[1].numpy())


def a_round_takes_another(x):
    y, z = x + 0.5, x * 1
    for i in range((x > 0).sum()):
        if i > 0:
            z = y
    z[0] = 5
    return y, z


def one_tensor_by_two_names(x):
    y, z = x + 0.5, x * 1
    if x.sum() > 0:
        y = z = x * 2
    y[0] = 5
    return y, z


def a_part_that_a_round_takes(x):
    y = x * 1
    part = y[:2]
    for _ in range((x > 0).sum()):
        part = y[1:]
    y[1] = 5
    return part, y


def an_argument_that_a_round_takes(x):
    z = x * 1
    for i in range((x > 0).sum()):
        if i > 0:
            z = x
    z[0] = 5
    return z * 1


@pytest.mark.parametrize(
    "f", [a_round_takes_another, one_tensor_by_two_names, a_part_that_a_round_takes, an_argument_that_a_round_takes]
)
def test_a_write_that_the_program_cannot_follow_is_refused_at_the_next_use(f):
    with pytest.raises(RuntimeError, match=r"may be the one that is written at .*test_one_tensor_or_another.py:\d+"):
        to_static(f, full_graph=True)(paddle.to_tensor(INPUTS[0]))


def test_after_a_refusal_nothing_is_recorded():
    with pytest.raises(RuntimeError, match="may be the one that is written"):
        to_static(an_argument_that_a_round_takes, full_graph=True)(paddle.to_tensor(INPUTS[0]))
    np.testing.assert_array_equal((paddle.ones([2]) + 1).numpy(), [2, 2])
    given = paddle.to_tensor(INPUTS[0])
    np.testing.assert_array_equal(to_static(lambda x: x * 2, full_graph=True)(given).numpy(), 2 * given.numpy())


@pytest.mark.parametrize("f", [a_round_takes_another, one_tensor_by_two_names, a_part_that_a_round_takes])
def test_segments_follow_every_write(f):
    for given in INPUTS:
        plain, ours = (g(paddle.to_tensor(given)) for g in (f, to_static(f, full_graph=False)))
        for a, b in zip(plain, ours, strict=True):
            np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_a_write_that_touches_nothing_else_that_is_used_is_none_to_refuse():
    def f(x):
        y, z = x + 0.5, x * 1
        for i in range((x > 0).sum()):
            if i > 0:
                z = y
        z[0] = 5
        return z

    for given in INPUTS:
        x = paddle.to_tensor(given)
        np.testing.assert_array_equal(to_static(f, full_graph=True)(x).numpy(), f(x).numpy())


def appended(x):
    made = []
    if x.sum() > 0:
        made.append(paddle.ones([3]))
        made.append(x)
    else:
        made.append(paddle.ones([2, 2]))
        made.append(x)
    return made[0] * 2.0, made[1]


def replaced(x):
    made = [x]
    if x.sum() > 0:
        made[0] = paddle.ones([3], "float64")
    else:
        made[0] = paddle.ones([2, 2])
    return made


def appended_in_rounds(x):
    made = []
    for i in range(2):
        if x.sum() > i:
            made.append(paddle.ones([3]))
        else:
            made.append(x.reshape([1, 2]))
    return made


@pytest.mark.parametrize("function", [appended, replaced, appended_in_rounds])
@pytest.mark.parametrize("values", [[1.0, 2.0], [0.25, 0.5], [-1.0, -2.0]])
def test_items_of_different_ranks_in_a_list(function, values):
    x = paddle.to_tensor(values)
    for own, expected in zip(paddle.jit.to_static(function, full_graph=True)(x), function(x), strict=True):
        assert own.dtype == expected.dtype
        np.testing.assert_array_equal(own.numpy(), expected.numpy())
