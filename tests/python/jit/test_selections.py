# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""any, all, filter and sorted over tensors, functions made in loops, and no_grad in loops that write: as plain Python."""

import pathlib
import sys

import paddle
import pytest
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [1.0, -2.0, 3.0])


def any_of_tensors(x):
    if any(t.sum() > 0 for t in [x, x - 2, x + 5]):
        return x * 2
    return x - 1


def all_of_a_tensor(x):
    return x * 2 if all(t > 0 for t in x) else x - 1


def any_beside_numbers(x):
    return (x * 2 if any([False, x[0] > 0]) else x), (x * 3 if all([1, x[1] > 0]) else x)


def filtered(x):
    kept = list(filter(lambda t: t.sum() > 0, [x, x - 2, x + 5]))
    return sum(kept) if len(kept) else x * 0


def filtered_by_numbers(x):
    return sum(t for _, t in filter(lambda pair: pair[0] > 1, [(1, x), (2, x * 2), (3, x * 3)]))


def sorted_elements(x):
    return paddle.stack(sorted([x[0], x[1], x[2]], reverse=True))


def sorted_by_a_key(x):
    rows = sorted([x, x * 2, -x], key=lambda t: t.sum())
    return rows[0], rows[-1]


def functions_made_in_a_loop(x):
    made = []
    for i in range(3):
        made.append(lambda t: t * i)  # noqa: B023
    bound = [lambda t, j=j: t * j for j in range(3)]
    return sum(f(x) for f in made), sum(f(x) for f in bound)


def functions_called_in_their_round(x):
    y = x
    for i in range(3):
        add = lambda t: t + i  # noqa: B023
        y = add(y) if x.sum() > 0 else y - i
    return y


def no_grad_behind_a_write(x):
    y, z, i = x * 1, x * 2, paddle.zeros([], "int64")
    while i < 2:
        i += 1
        y[0:1] = y[1:2] * 3
        with paddle.no_grad():
            z = y * 1
    return y, z + x


def rounds_give_a_gradient(x):
    rows = paddle.zeros([3])
    for i in range(paddle.to_tensor(3)):
        rows[i] = x[i] * 2
    return rows


PROGRAMS = [
    any_of_tensors,
    all_of_a_tensor,
    any_beside_numbers,
    filtered,
    filtered_by_numbers,
    sorted_elements,
    sorted_by_a_key,
    functions_made_in_a_loop,
    functions_called_in_their_round,
    no_grad_behind_a_write,
    rounds_give_a_gradient,
]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("full_graph", [True, False])
def test_values_and_gradients_are_those_of_the_plain_function(f, full_graph):
    check_beside_plain(f, full_graph, INPUTS)


def test_sorted_values_that_are_no_tensors_are_refused():
    @to_static(full_graph=True)
    def f(x):
        return sorted(["a", "b"], key=lambda k: x[0] if k == "a" else x[1])

    with pytest.raises(TypeError, match=r"sorted\(\).*argsort"):
        f(paddle.to_tensor([2.0, 1.0]))
