# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""One branch gives a variable another tensor, the other writes into the one it holds; results are those of the plain
function, as are gradients."""

import pathlib
import sys

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.autograd import PyLayer
from paddle.distributed.fleet.utils import recompute
from paddle.jit import to_static

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from jit_beside_plain import check_beside_plain

INPUTS = ([1.0, -2.0, 3.0], [4.0, 5.0, 6.0])


def set_in_one(x):
    y = x * 1
    if x.sum() > 2:
        y = y + 1
    else:
        y[1:] = x[:2]
    return y


def set_in_the_first(x):
    y = x * 1
    if x.sum() <= 2:
        y[0] = 7.0
        y *= x
    else:
        y = x - 3
    return y


def added_in_one(x):
    y, z = x * 1, x * 2
    if x.sum() > 2:
        y, z = z, y
    else:
        y.add_(z)
        z[0] = y[1]
    return y, z


def in_a_loop(x):
    y, i = x * 1, paddle.zeros([], "int64")
    while i < 3:
        if y.sum() > 4:
            y = y * 0.5
        else:
            y[1:] = y[:2] + 3
        i += 1
    return y


def in_nested_branches(x):
    y = x * 1
    if x.max() > 2:
        if x.sum() > 2:
            y = y + 1
        else:
            y[0] = 9.0
        y = y * 2
    else:
        y[2] = 1.0
    return y


def returned_or_written_in_a_loop(x):
    y, i = x * 1, paddle.zeros([], "int64")
    while i < 3:
        if y.mean() > 2:
            return y
        y[i] += 4
        i += 1
    return y * 2


def returned_or_written_in_branches(x):
    y, z = x * 1, x + 1
    if x[1] > 0:
        if x[2] > 3:
            y, z = z + 1, y + 1
            return y * z
        part = y[1:]
        part[0] = part[1]
    return y + z


def returned_in_front_of_a_finally_that_may_return(x):
    try:
        return x * 2
    finally:
        for i in range(2):
            if x[i] > 4:
                return x * 3  # noqa: B012


FUNCTIONS = [
    set_in_one,
    set_in_the_first,
    added_in_one,
    in_a_loop,
    in_nested_branches,
    returned_or_written_in_a_loop,
    returned_or_written_in_branches,
    returned_in_front_of_a_finally_that_may_return,
]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("full_graph", [True, False])
def test_writes_are_kept(f, full_graph):
    check_beside_plain(f, full_graph, INPUTS)


@pytest.mark.parametrize("branch", [False, True])
def test_recomputed_blocks_give_parameters_their_gradients(branch):
    layer = nn.Linear(3, 2)

    def f(x):
        if branch:
            return recompute(layer, x) * 2 if x.sum() > 0 else recompute(layer, x) * 3
        return recompute(layer, x) * 2

    gradients = []
    for call in (f, to_static(f, full_graph=True)):
        x = paddle.ones([2, 3])
        x.stop_gradient = False
        call(x).sum().backward()
        gradients.append([t.grad.numpy() for t in (x, layer.weight, layer.bias)])
        layer.clear_gradients(set_to_zero=False)
    for plain, captured in zip(*gradients, strict=True):
        np.testing.assert_allclose(captured, plain, rtol=1e-6)


def test_a_backward_that_calls_backward_gives_parameters_their_gradients():
    layer = nn.Linear(3, 2)

    class Again(PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            with paddle.no_grad():
                return layer(x)

        @staticmethod
        def backward(ctx, gradient):
            (x,) = ctx.saved_tensor()
            x = x.detach()
            x.stop_gradient = False
            with paddle.enable_grad():
                y = layer(x)
            paddle.autograd.backward([y], [gradient])
            return x.grad

    def f(x):
        return Again.apply(x) * 2

    gradients = []
    captured = to_static(f, full_graph=True)
    for call in (f, captured, captured):
        x = paddle.ones([2, 3])
        x.stop_gradient = False
        call(x).sum().backward()
        gradients.append([t.grad.numpy() for t in (x, layer.weight, layer.bias)])
        layer.clear_gradients(set_to_zero=False)
    for other in gradients[1:]:
        for plain, found in zip(gradients[0], other, strict=True):
            np.testing.assert_allclose(found, plain, rtol=1e-6)


def test_blocks_that_are_recomputed_are_captured_once():
    layer, calls = nn.Linear(3, 2), []

    @to_static(full_graph=True)
    def f(x):
        calls.append(1)
        y = recompute(layer, x)
        return y * 2 if x.sum() > 0 else y

    x = paddle.ones([2, 3])
    x.stop_gradient = False
    f(x).sum().backward()
    assert len(calls) == 1 and layer.weight.grad is not None
