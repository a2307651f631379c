# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Captured functions that raise in branches on tensors, and whose variables are None in one branch: what plain Python
gives, on every run."""

import queue

import numpy as np
import paddle
import pytest
from paddle.jit import to_static

INPUTS = ([1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [1.0, -2.0, 3.0])


def at_once(x):
    if x.sum() < 0:
        raise ValueError("the sum is negative")
    return x * 2


def in_the_other_branch(x):
    if x.sum() > 0:
        y = x * 2
    else:
        raise ValueError(f"the sum is {float(x.sum()):.1f}")
    return y + 1


def behind_other_statements(x):
    if x.sum() < 0:
        smallest = x.min()
        message = "the smallest is {}"
        raise ValueError(message.format(int(smallest)))
    elif x.min() < 0:
        raise KeyError
    return x


def in_a_loop(x):
    i = paddle.zeros([], "int64")
    while i < 3:
        if x[i] < 0:
            raise ValueError(f"element {int(i)} is negative")
        i += 1
    return x * i


def check(x):
    if x.max() < 0:
        raise NotImplementedError("no element is positive")


def in_a_called_function(x):
    total = x * 0
    for row in x:
        check(x)
        total = total + row
    return total


@pytest.mark.parametrize(
    "function", [at_once, in_the_other_branch, behind_other_statements, in_a_loop, in_a_called_function]
)
def test_exceptions_are_raised_when_the_program_runs(function):
    captured = to_static(function, full_graph=True)
    for values in INPUTS * 2:
        x = paddle.to_tensor(values, stop_gradient=False)
        try:
            wanted = function(x)
        except Exception as error:
            with pytest.raises(type(error)) as raised:
                captured(x)
            assert str(raised.value) == str(error)
        else:
            np.testing.assert_allclose(captured(x).numpy(), wanted.numpy())


def none_before_a_branch(x):
    y = None
    if x.sum() > 0:
        y = x * 2
    return x if y is None else y


def none_in_either(x):
    if x.sum() > 0:
        y, z = x * 2, None
    else:
        y, z = None, x - 1
    if y is not None:
        return y
    return z


def none_is_false(x):
    y = x * 2 if x.sum() > 0 else None
    if y is not None and y.max() > 5:
        x = x + y
    elif not isinstance(y, paddle.Tensor):
        x = x - 1
    return x


def results_that_may_be_none(x):
    if x.sum() > 0:
        return x
    return None


def words(x):
    how = "mean" if x.sum() > 0 else "sum"
    z = x * 2 if how == "mean" else x
    return getattr(x, how)() + z


def functions(x):
    if x.sum() > 0:

        def f(v):
            return v * 2

    else:

        def f(v):
            return v - 1

    return f(x)


@pytest.mark.parametrize(
    "function", [none_before_a_branch, none_in_either, none_is_false, results_that_may_be_none, words, functions]
)
def test_variables_are_one_of_two_values(function):
    captured = to_static(function, full_graph=True)
    for values in INPUTS:
        x, same = (paddle.to_tensor(values, stop_gradient=False) for _ in range(2))
        wanted, got = function(x), captured(same)
        assert (wanted is None) == (got is None)
        if wanted is not None:
            np.testing.assert_allclose(got.numpy(), wanted.numpy())
            wanted.sum().backward()
            got.sum().backward()
            np.testing.assert_allclose(same.grad.numpy(), x.grad.numpy())


def test_none_that_is_used_is_an_error_of_the_run():
    @to_static(full_graph=True)
    def f(x):
        y = None
        if x.sum() > 0:
            y = x * 2
        return y + 1

    np.testing.assert_array_equal(f(paddle.ones([2])).numpy(), [3.0, 3.0])
    with pytest.raises(TypeError, match="'y' is None"):
        f(-paddle.ones([2]))


def views_of_what_was_written(x):
    base = x * 1
    view = base[1:]
    base[1] = 7.0
    if x.sum() > 0:
        y = view * 2
    else:
        y = view
    i = paddle.zeros([], "int64")
    while i < 2:
        y = y + view
        base[2] = base[2] + 1
        i += 1
    return base, view, y


def test_views_follow_their_base_through_branches_and_loops():
    captured = to_static(views_of_what_was_written, full_graph=True)
    for values in INPUTS:
        x = paddle.to_tensor(values)
        for got, wanted in zip(captured(x), views_of_what_was_written(x), strict=True):
            np.testing.assert_allclose(got.numpy(), wanted.numpy())


def variable_of_a_closure(x):
    scale = 1

    def scaled(v):
        return v * scale

    if x.sum() > 0:
        scale = 3
        return scaled(x)
    scale = 2
    return scaled(x)


def test_closures_see_what_branches_assign():
    captured = to_static(variable_of_a_closure, full_graph=True)
    for values in INPUTS:
        x = paddle.to_tensor(values)
        np.testing.assert_allclose(captured(x).numpy(), variable_of_a_closure(x).numpy())


def test_a_tensor_of_a_round_that_was_recorded_anew_is_refused():
    kept = queue.SimpleQueue()

    @to_static(full_graph=True)
    def grow(x, n):
        i = paddle.zeros([1])
        while i < n:
            if not kept.empty():
                x = x + kept.get()
            kept.put(x * 2)
            x = paddle.concat([x, x])
            i = i + 1
        return x

    with pytest.raises(RuntimeError, match="recorded again"):
        grow(paddle.ones([4]), paddle.to_tensor(3.0))


@pytest.mark.parametrize("limit", [None, 2])
def test_terms_behind_one_that_is_known_are_not_computed(limit):
    def shifted(x):
        if x > 1 or limit is None or limit > 3:
            x = x - 1
        if x < 1 and limit is not None and limit > 1:
            x = x + 7
        return x

    captured = paddle.jit.to_static(shifted, full_graph=True)
    for value in (3, 0, 1):
        assert int(captured(paddle.to_tensor(value))) == int(shifted(paddle.to_tensor(value)))
