# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""x[i] at a place that only the running program knows, and rows of tensors in loops, are views as they are in Python:
what is written to one stands in the tensor, and the other way round."""

import pathlib
import sys

import paddle
import pytest
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], [[-1.0, 2.0], [0.0, -4.0], [5.0, -6.0]])


def index(x):
    return (x > 0).astype("int64").sum() % 3


def row(x):
    b, i = x * 1, index(x)
    e = b[i]
    e.add_(x[0] * x[1])
    return b, e


def row_of_the_last_ones(x):
    b, i = x * 1, index(x)
    e = b[-1 - i]
    e[0] = 7.0
    return b, e * x[0]


def column_and_element(x):
    b, i = x * 2, index(x)
    column, element = b[:, i % 2], b[i, i % 2 - 1]
    column.scale_(3.0)
    element.add_(x[0, 0])
    return b, column, element


def written_tensor(x):
    b, i = x * 1, index(x)
    e = b[i]
    b[1] = x[0] * 5
    return e, b


def index_that_changes_later(x):
    b, i = x * 1, index(x)
    e = b[i]
    i.add_(paddle.to_tensor(1)).remainder_(paddle.to_tensor(3))
    e.add_(x[0])
    return b, b[i]


def in_a_while(x):
    b, i = x * 1, index(x)
    while i < 3:
        e = b[i]
        e.add_(x[0])
        b[0].add_(e)
        i += 1
    return b


def in_a_range(x):
    b = x * 1
    for i in range(index(x) + 1):
        b[i][0] = 7.0
        b[i].add_(x[0])
    return b


def rows_of_an_open_extent(x):
    b = x * 1
    for e in b[: index(x) + 1]:
        e.add_(x[1])
    return b


def numbered_rows(x):
    b = x * 1
    for i, e in enumerate(b[: index(x) + 1]):
        e.add_(x[1] * i)
    return b


def rows_of_two(x):
    b, c = x * 1, x * 2
    for e, g in zip(b[: index(x) + 1], c, strict=False):
        e.add_(g)
        g.scale_(0.5)
    return b, c


def elements_of_a_list(x):
    made = []
    for i in range(index(x) + 1):
        made.append(x * i)
    made[index(x)].add_(x)
    made[0].add_(x)
    return paddle.stack(made)


def a_stack_of_its_own(x):
    made = []
    for i in range(index(x) + 1):
        made.append(x * i)
    s = paddle.stack(made)
    s[0] = 5.0
    return s, made[0]


FUNCTIONS = (
    row,
    row_of_the_last_ones,
    column_and_element,
    written_tensor,
    index_that_changes_later,
    in_a_while,
    in_a_range,
    rows_of_an_open_extent,
    numbered_rows,
    rows_of_two,
    elements_of_a_list,
    a_stack_of_its_own,
)


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_and_gradients_are_those_of_the_plain_function(function, full_graph):
    check_beside_plain(function, full_graph, INPUTS)


def written_element_of_a_list(x):
    several = [x * 1, x * 2, x * 3]
    several[index(x)].add_(x)
    return several[1] * 2


def written_after_it_was_appended(x):
    made, h = [], x * 1
    for _ in range(index(x) + 1):
        made.append(h)
    h.add_(x)
    return paddle.stack(made)


def appended_and_written_in_every_round(x):
    made, h = [], x * 1
    for _ in range(index(x) + 1):
        h.add_(x)
        made.append(h)
    return paddle.stack(made)


@pytest.mark.parametrize(
    "function", [written_element_of_a_list, written_after_it_was_appended, appended_and_written_in_every_round]
)
def test_writes_to_what_may_stand_in_a_list_are_refused_where_it_is_used_next(function):
    with pytest.raises(RuntimeError, match="may be the one that is written"):
        to_static(function, full_graph=True)(paddle.to_tensor(INPUTS[0]))
