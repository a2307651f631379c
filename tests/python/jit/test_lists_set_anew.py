# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Loops on tensors whose rounds set a longer list in the place of the one that functions inside of the function share."""

import pathlib
import sys

import paddle
import pytest
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0, 3.0], [-1.0, 2.0, -3.0], [-1.0, -2.0, -3.0])


def by_a_nested_function(x):
    made = [x * 1]

    def add(v):
        nonlocal made
        made = made + [v]

    for i in range((x > 0).astype("int64").sum()):
        add(x * i)
    return paddle.stack(made)


def of_other_elements(x):
    made = [x * 1]

    def add(v):
        nonlocal made
        made = [q * 2 for q in made] + [v]

    i = paddle.zeros([], "int64")
    while i < 2:
        i += 1
        add(x * i)
        made.append(x + i)
    return paddle.stack(made)


def read_by_a_nested_function(x):
    made = [x * 1, x * 2]

    def second(u):
        return made[1] + u

    i = paddle.zeros([], "int64")
    while i < (x > 0).astype("int64").sum():
        i += 1
        made = [q for q in made] + [second(x)]
    return sum(made), second(x)


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("f", [by_a_nested_function, of_other_elements, read_by_a_nested_function])
def test_results_and_gradients_are_those_of_the_plain_function(f, full_graph):
    check_beside_plain(f, full_graph, INPUTS)


def test_a_list_that_another_variable_holds_too_is_refused():
    def f(x):
        made = [x * 1]
        other = [made]

        def add(v):
            nonlocal made
            made = made + [v]
            other[0].append(v)

        for i in range((x > 0).astype("int64").sum()):
            add(x * i)
        return paddle.stack(made), len(other[0]) * x

    with pytest.raises(TypeError, match="a loop on a tensor gives variable 'made'"):
        to_static(f, full_graph=True)(paddle.to_tensor(INPUTS[0]))
