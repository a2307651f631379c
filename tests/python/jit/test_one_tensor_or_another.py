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
from jit_beside_plain import check_beside_plain  # noqa: E402

INPUTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [1.0, -2.0, 3.0])


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


PROGRAMS = [
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
