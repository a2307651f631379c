# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions, finally and jumps in captured functions: what they do beside the plain functions."""

import paddle
import pytest


def value_of_a_return_raises(x, n):
    try:
        return {0: x}[n]
    except KeyError:
        y = x * 2
    return y + 1


def finally_returns(x, n):
    try:
        x = x + 1
        {}[n]
    finally:
        return x * 2  # noqa: B012


def finally_returns_sometimes(x, n):
    try:
        return {0: x, 1: x + 5}[n]
    finally:
        if n < 1:
            return x * 3  # noqa: B012


def finally_ends_rounds(x, n):
    for i in range(4):
        try:
            x = x + i
            {}[i]
        finally:
            if i < n:
                continue  # noqa: B012
            break  # noqa: B012
    return x


def finally_has_a_loop_that_returns(x, n):
    try:
        return x
    finally:
        for i in range(n + 1):
            return x + i + 10  # noqa: B012


def else_behind_a_return(x, n):
    for _ in range(2):
        try:
            if n > 0:
                return x
        except KeyError:
            x = x - 1
        else:
            x = x * 2
    return x


def handler_sees_what_a_branch_assigned(x, n):
    try:
        if n < 2:
            x = x + 3
            {}[n]
        x = x + 100
    except KeyError:
        x = x * 2
    return x


def handler_sees_what_rounds_assigned(x, n):
    count = 0
    try:
        for i in range(5):
            count += 1
            while i >= n:
                x = x + count
                {}[i]
            x = x * 2
    except KeyError:
        x = x - 1
    return x, count


class Swallows:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


def with_swallows(x, n):
    with Swallows():
        if n >= 0:
            x = x + 1
            raise ValueError
    return x


def named_exceptions(x, n):
    said = ""
    for i in range(3):
        if i != n:
            try:
                {}[i]
            except KeyError as error:
                said += str(error)
                x = x + 1
    return x, said


def exception_of_a_finally(x, n):
    try:
        try:
            return x
        finally:
            {0: 0}[n]
    except KeyError:
        x = x * 7
    return x + 1


def rest_behind_a_break(x, n):
    items = iter([1, 2, 3, 4])
    for i in items:
        if i > n:
            break
        x = x + i
    return x, list(items)


FUNCTIONS = [
    v for v in list(globals().values()) if getattr(v, "__module__", "") == __name__ and not isinstance(v, type)
]


def outcome(function, n):
    try:
        result = function(paddle.to_tensor([1.0, 2.0]), n)
    except Exception as error:
        return next(t for t in type(error).__mro__ if t.__module__ == "builtins")
    rest = result[1:] if isinstance(result, tuple) else ()
    return (result[0] if isinstance(result, tuple) else result).tolist(), *rest


@pytest.mark.parametrize("n", [0, 1, 2])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_as_the_plain_function(function, n):
    assert outcome(paddle.jit.to_static(function, full_graph=True), n) == outcome(function, n)
