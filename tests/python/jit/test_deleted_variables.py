# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`del` in captured functions: behind branches and rounds the variable is as gone as in plain Python."""

import paddle
import pytest


def deletes_in_a_branch(x):
    y, kept = x * 2, {"a": 1, "b": 2}
    if x.ndim == 1:
        del (x, kept["a"])
    else:
        del y
    x = y + len(kept)
    return x


def deletes_in_a_branch_on_a_tensor(x):
    y = x * 2
    if x.sum() > 0:
        made = y + 1
        del y
        y = made
    else:
        y = y - 1
    return y


def deletes_in_rounds(x):
    for i in range(3):
        made = x + i
        x = made
        del made
    i = paddle.zeros([1])
    while i < 3:
        made = x + i
        x = made
        del made
        i = i + 1
    return x


@pytest.mark.parametrize(
    "function, expected",
    [(deletes_in_a_branch, 3.0), (deletes_in_a_branch_on_a_tensor, 3.0), (deletes_in_rounds, 7.0)],
)
def test_variables_may_be_deleted_in_branches_and_rounds(function, expected):
    for full_graph in (True, False):
        assert paddle.jit.to_static(function, full_graph=full_graph)(paddle.ones([2])).tolist() == [expected] * 2


def test_a_deleted_variable_is_no_variable():
    def used(x):
        y = x + 1
        if x.ndim == 1:
            del y
        return y * 2

    with pytest.raises(UnboundLocalError, match="y"):
        paddle.jit.to_static(used, full_graph=True)(paddle.ones([2]))
