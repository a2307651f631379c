# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Docstrings of the functions that operator records spell: made from the record."""

import inspect

import paddle
import pytest

FUNCTIONS = [row[0] for row in paddle._core.spellings()]


def test_every_parameter_and_the_result_are_described():
    for path in FUNCTIONS:
        function = paddle._core.function(path)
        _, _, described = function.__doc__.partition("\nArgs:\n")
        described, _, results = described.partition("\nReturns:\n")
        names = [line.strip().split(":")[0] for line in described.splitlines() if line]
        assert names == list(inspect.signature(function).parameters), path
        assert results.strip(), path


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("paddle.concat", "x: A list of Tensors of one dtype whose shapes differ along axis at most."),
        ("paddle.matmul", "transpose_x: Whether the last two axes of x are swapped first."),
        ("paddle.matmul", "name: Unused."),
        ("paddle.matmul", "out: A Tensor that takes the result."),
        ("paddle.mv", "vec: A Tensor."),
        ("paddle.amax", "axis: An axis, a list of axes, or None for all."),
        ("paddle.amax", "keepdim: Whether the reduced axes stay, with extent 1."),
        ("paddle.divide", "rounding_mode: None, 'floor' or 'trunc': how the quotient is rounded."),
        ("paddle.add_", "The first Tensor, which holds the result."),
        ("paddle.unstack", "A list of Tensors."),
        ("paddle.topk", "(values, indices) with extent k along axis; indices are int64."),
        ("paddle.add", "A Tensor of the shape to which the arguments broadcast."),
        ("paddle.expm1", "A Tensor of the same shape."),
        ("paddle.expm1", ">>> paddle.expm1(paddle.to_tensor([0.0])).tolist()\n    [0.0]"),
        ("paddle.matmul", "ValueError: The inner extents differ, or the axes in front do not broadcast."),
    ],
)
def test_a_line_says_what_an_argument_is(path, line):
    assert f"    {line}\n" in paddle._core.function(path).__doc__
