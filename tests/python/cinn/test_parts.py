# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Tensors that are cut and put together again, inside of groups."""

import numpy as np
import paddle
import pytest
from paddle.jit import to_static

CUTS = {
    "chunk": lambda x: paddle.chunk(x, 2, axis=-1),
    "split": lambda x: paddle.split(x, [8, 8], axis=-1),
    "unbind": lambda x: [t for t in paddle.unbind(x.reshape([x.shape[0], -1, 2, 8]), axis=2)],
}


def rotate(cut):
    def function(x, cos, sin):
        left, right = cut(x)
        return x * cos + paddle.concat([-right, left], axis=-1) * sin

    return function


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", CUTS)
def test_a_rotation_is_one_kernel(at_once, counts, name, known):
    function = rotate(CUTS[name])
    spec = None if known else [paddle.static.InputSpec([None, 5, 16])] + [paddle.static.InputSpec([5, 16])] * 2
    program = to_static(function, backend="CINN", full_graph=True, input_spec=spec)
    cos, sin = paddle.rand([5, 16]), paddle.rand([5, 16])
    for rows in (3, 4):
        x = paddle.rand([rows, 5, 16])
        with paddle.no_grad():
            count = counts()
            np.testing.assert_allclose(
                program(x, cos, sin).numpy(), function(x, cos, sin).numpy(), rtol=1e-5, atol=1e-6
            )
            assert count.launches == 1
            text = str(paddle.jit.explain(program)(x, cos, sin))
        assert "slice*2+multiply+scale+concat+multiply+add" in text and "pd_op." not in text


@pytest.mark.parametrize("name", CUTS)
def test_the_gradient_of_a_rotation(at_once, counts, name):
    function = rotate(CUTS[name])
    program = to_static(function, backend="CINN", full_graph=True)
    x, cos, sin = paddle.rand([3, 5, 16]), paddle.rand([5, 16]), paddle.rand([5, 16])
    weight = paddle.rand([3, 5, 16])
    gradients = []
    count = counts()
    for call in (program, function):
        x = x.detach()
        x.stop_gradient = False
        (call(x, cos, sin) * weight).sum().backward()
        gradients.append(x.grad.numpy())
    assert count.launches > 1 and count.failed == 0
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-5, atol=1e-6)


def test_parts_that_are_results_are_those_of_eager(at_once):
    def function(x):
        left, right = paddle.chunk(x, 2, axis=-1)
        return left, -right, paddle.concat([left * 2, right], -1)

    x = paddle.rand([3, 8])
    program = to_static(function, backend="CINN", full_graph=True)
    for got, want in zip(program(x), function(x), strict=True):
        np.testing.assert_array_equal(got.numpy(), want.numpy())
    left, _, _ = program(x)
    left.add_(paddle.ones([3, 4]))  # of its own memory
    np.testing.assert_array_equal(x[:, :4].numpy() + 1, left.numpy())
