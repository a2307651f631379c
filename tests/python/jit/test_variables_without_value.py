# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Variables that a run leaves without a value, as it takes another branch or no round: it raises where it reads them, at
the user's line, and is what Python gives where it does not."""

import traceback

import numpy as np
import paddle
import pytest
from paddle.jit import to_static

INPUTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, 4.0], [-3.0, -5.0, -1.0])


def positive(x):
    return (x > 0).astype("int64").sum()


def set_in_one_branch(x):
    if x.sum() > 0:
        y = x * 2
    return y + 1


def a_number_of_one_branch(x):
    if x.sum() > 0:
        k = 3
    return x * k


def read_under_the_same_condition(x):
    if x.sum() > 0:
        y = x * 2
    z = x
    if x.sum() > 0:
        z = y + 1
    return z


def set_in_a_round(x):
    for i in range(positive(x)):
        y = x * i
    return y


def set_behind_a_break(x):
    for row in x:
        if row > 3:
            break
        y = row * 2
    return y


def left_by_while(x):
    n = positive(x)
    while n > 1:
        n = n - 1
        last = x * n
    return last.sum() + n


def deleted_in_a_branch(x):
    y = x * 2
    if x[2] < 4:
        del y
    return y


def changed_in_place(x):
    if x[2] < 4:
        y = x * 2
    y += 1
    return y


def read_in_a_lazy_term(x):
    if x[0] > 0:
        y = x * 2
    return x if x[0] < 0 else y


def read_in_a_comprehension(x):
    if x[0] > 0:
        y = x * 2
    return sum([y[k] for k in range(3)])


def read_by_a_function(x):
    def later():
        return y * 2

    if x[0] > 0:
        y = x * 2
    return later()


def read_in_the_branch_before_it_is_set(x):
    if x[0] > 0:
        return y  # noqa: F821
    y = x * 2
    return y


def returned_before_the_read(x):
    if x[2] > 3:
        y = x * 2
    elif x.sum() < 0:
        return x
    else:
        y = x
    return y


def jumps_past_the_others(x):
    for row in x:
        if row < 0:
            continue
        y = row * 2
        x = x + y
    return x


def continued_at_the_end(x):
    k = paddle.zeros([], "int64")
    n = 1
    while k < 2:
        k += 1
        if x.sum() > 0:
            n -= 1
            if n < 1:
                continue
        else:
            pass
    return x * n


def a_target_that_keeps_its_value(x):
    i = paddle.full([], 7, "int64")
    for i in range(positive(x)):
        x = x + i
    return x * i.astype("float32") if isinstance(i, paddle.Tensor) else x * i


FUNCTIONS = [
    set_in_one_branch,
    a_number_of_one_branch,
    read_under_the_same_condition,
    set_in_a_round,
    set_behind_a_break,
    left_by_while,
    deleted_in_a_branch,
    changed_in_place,
    read_in_a_lazy_term,
    read_in_a_comprehension,
    read_by_a_function,
    read_in_the_branch_before_it_is_set,
    continued_at_the_end,
    returned_before_the_read,
    jumps_past_the_others,
    a_target_that_keeps_its_value,
]


def outcome(f, values):
    """What a call gives: an array, or the variable that has no value and the line that reads it."""
    try:
        return f(paddle.to_tensor(values)).numpy()
    except NameError as error:  # of a comprehension Python says that the variable is free
        assert "is not associated with a value" in str(error)
        return str(error).split("'")[1], traceback.extract_tb(error.__traceback__)[-1].lineno


@pytest.mark.parametrize("full_graph", [True, False])
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_runs_give_or_raise_what_the_plain_function_does(f, full_graph):
    captured = to_static(f, full_graph=full_graph)
    for values in (*INPUTS, INPUTS[0]):
        plain, ours = outcome(f, values), outcome(captured, values)
        if isinstance(plain, tuple):
            assert ours == plain
        else:
            np.testing.assert_allclose(ours, plain)


def test_some_of_the_functions_raise():
    raised = {f.__name__ for f in FUNCTIONS for v in INPUTS if isinstance(outcome(f, v), tuple)}
    assert {"set_in_one_branch", "set_in_a_round", "deleted_in_a_branch", "read_in_a_comprehension"} <= raised


def test_an_exception_of_a_branch_is_raised_at_its_line():
    def f(x):
        if x.sum() < 0:
            raise ValueError("negative")
        return x

    def line(function):
        with pytest.raises(ValueError, match="^negative$") as raised:
            function(paddle.to_tensor([-1.0]))
        last = traceback.extract_tb(raised.value.__traceback__)[-1]
        return last.filename, last.lineno, last.name

    assert line(to_static(f, full_graph=True)) == line(f)
