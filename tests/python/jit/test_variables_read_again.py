# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables that nobody reads behind a branch or loop are no results of it: they may be anything there, and cost
nothing."""

import pathlib
import sys

import paddle
import pytest
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, 3.0], [-3.0, -5.0, -1.0])


def positive(x):
    return (x > 0).astype("int64").sum()


class Sums:
    def __init__(self, x):
        self.total = x * 0

    def add(self, x):
        for i in range(4):
            if (x * i).sum() > 4:
                break
            if i == 2:
                continue
            self.total = self.total + x


def a_procedure_with_jumps(x):
    sums = Sums(x)
    for _ in range(positive(x)):
        sums.add(x)
    return sums.total


def another_kind_in_every_branch(x):
    if x.sum() > 0:
        part = x[1:], "text"
        y = x + part[0].sum()
    else:
        part = None
        y = x * 2
    part = y
    return part * 2


def written_view_of_a_round(x):
    y = x * 1
    for i in range(positive(x)):
        if i > 0:
            part = y[1:]
            part[0] = part[1] * 2
    return y


def read_by_the_next_round(x):
    first, y, last = True, x, x * 0
    for i in range(positive(x)):
        if i > 0:
            y = y + last
        last = y * i
        if first:
            first = last.sum() > 3
    return y


def read_in_a_handler(x):
    y = x
    try:
        if x.sum() > 0:
            y = x * 2
        paddle.reshape(x, [5])
    except ValueError:
        y = y * 3
    return y


def read_by_a_function_later(x):
    k = x

    def later():
        return k * 2

    if x.sum() > 0:
        k = x * 5
    return later()


def changed_and_read_in_one(x):
    y, z = x, x
    if x.sum() > 0:
        z = y + z
        y = z * 2
        if x[0] > 0:
            z = z * y
    return z


def targets_of_inner_loops(x):
    y = x
    for i in range(positive(x)):
        for j in range(i + 1):
            y = y + j
        if i > 0:
            for j in range(2):
                y = y * (j + 1)
    return y


FUNCTIONS = [
    a_procedure_with_jumps,
    another_kind_in_every_branch,
    written_view_of_a_round,
    read_by_the_next_round,
    read_in_a_handler,
    read_by_a_function_later,
    changed_and_read_in_one,
    targets_of_inner_loops,
]


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_and_gradients_are_those_of_the_plain_function(f, full_graph):
    check_beside_plain(f, full_graph, INPUTS)


def test_a_loop_carries_what_is_read_again():
    def f(x):
        y = x
        for _ in range(positive(x)):
            a = y * 2
            b = a + 1
            y = b.mean() * x
        return y

    captured = to_static(f, full_graph=True)
    captured(paddle.to_tensor(INPUTS[0]))
    (loop,) = [op for op in captured.concrete_program.main_program.global_block().ops if op.name() == "pd_op.while"]
    assert loop.num_results() == 2  # the counter and y
