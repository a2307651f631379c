# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects that branches on tensors make, with tensors of theirs as attributes; objects that yield what tensors decide."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0], [-1.0, -2.0], [-1.0, 2.0])


class Held:
    def __init__(self, value):
        self.value, self.uses = value, 0

    def __add__(self, other):
        return Held(self.value + other) if other.sum() > 0 else Held(self.value - other * 2)

    def __iter__(self):
        yield self.value
        if self.value.sum() > 0:
            yield self.value * 3


def one_of_each_branch(x):
    if x.sum() > 0:
        held = Held(x * 2)
    else:
        held = Held(x * 3)
    held.uses += 1
    return held.value * held.uses


def the_old_one_or_a_new_one(x):
    held = Held(x)
    if x.sum() > 0:
        held = Held(x * 2)
    held.value = held.value + 1
    return held.value


def made_by_an_operator(x):
    return (Held(x) + x).value


def made_and_used_under_one_condition(x):
    y = x
    if x.sum() > 0:
        held = Held(x * 2)
        held.parts = {"a": x * 5}
    if x.sum() > 0:
        y = held.value + held.parts["a"]
    return y


def what_it_yields(x):
    total = x * 0
    for part in Held(x):
        total = total + part
    return total + sum([part * 2 for part in Held(x)])


FUNCTIONS = [
    one_of_each_branch,
    the_old_one_or_a_new_one,
    made_by_an_operator,
    made_and_used_under_one_condition,
    what_it_yields,
]


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_and_gradients_are_those_of_the_plain_function(f, full_graph):
    check_beside_plain(f, full_graph, INPUTS)
