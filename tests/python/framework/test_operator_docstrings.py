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
        ("paddle.concat", "x: A list of Tensors."),
        ("paddle.matmul", "transpose_x: A bool."),
        ("paddle.matmul", "name: Unused."),
        ("paddle.matmul", "out: A Tensor that takes the result."),
        ("paddle.nn.functional.linear", "bias: A Tensor, or None."),
        ("paddle.divide", "rounding_mode: None, 'floor' or 'trunc': how the quotient is rounded."),
        ("paddle.add_", "The first Tensor, which holds the result."),
        ("paddle.unstack", "A list of Tensors."),
        ("paddle.topk", "The Tensors (out, indices)."),
    ],
)
def test_a_line_says_what_an_argument_is(path, line):
    assert f"    {line}\n" in paddle._core.function(path).__doc__
