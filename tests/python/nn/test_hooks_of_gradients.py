# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Hooks on the gradients of a layer: when they are called, with what, and what they change."""

import paddle
import pytest
from paddle import nn


class Twice(nn.Layer):
    def forward(self, x, y=None):
        return x * 2 if y is None else (x * 2, y * 3)


def leaf(*values):
    return paddle.to_tensor(list(values), stop_gradient=False)


def test_gradients_are_changed_before_and_after():
    layer, seen = Twice(), []

    def before(layer, grads):
        seen.append(grads[0].item())
        return (grads[0] * 3,)

    def after(layer, inputs, outputs):
        seen.append((inputs[0].item(), outputs[0].item()))
        return (inputs[0] * 5,)

    layer.register_full_backward_pre_hook(before)
    layer.register_full_backward_hook(after)
    x = leaf(1.0)
    layer(x).backward()
    assert seen == [1.0, (6.0, 3.0)] and x.grad.item() == 30.0


def test_all_inputs_and_outputs_are_given_together():
    layer, seen = Twice(), []
    handle = layer.register_full_backward_hook(lambda _, grads, outs: seen.append((len(grads), len(outs))))
    x, y = leaf(1.0), leaf(2.0)
    first, second = layer(x, y)
    (first + second).backward()
    assert seen == [(2, 2)] and (x.grad.item(), y.grad.item()) == (2.0, 3.0)
    handle.remove()
    layer(x).backward()
    assert seen == [(2, 2)]


def test_inputs_without_gradient_are_none():
    layer, seen = nn.Linear(2, 1), []
    layer.register_full_backward_hook(lambda _, grads, outs: seen.append((grads, outs[0].shape)))
    layer(paddle.ones([3, 2])).sum().backward()
    assert seen == [((None,), [3, 1])] and layer.weight.grad.tolist() == [[3.0], [3.0]]


def test_hooks_run_in_order_and_nested_calls_are_told_apart():
    layer, seen = Twice(), []
    layer.register_full_backward_hook(lambda *_: seen.append("second"))
    layer.register_full_backward_hook(lambda *_: seen.append("first"), prepend=True)
    layer(layer(leaf(1.0))).backward()
    assert seen == ["first", "second"] * 2


def test_the_two_kinds_of_names_are_not_mixed():
    layer = Twice()
    layer.register_backward_hook(lambda _, grads, outs: (grads[0] * 4,))
    x = leaf(1.0)
    layer(x).backward()
    assert x.grad.item() == 8.0
    with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks"):
        layer.register_full_backward_hook(lambda *_: None)


def test_a_hook_gives_as_many_gradients_as_there_are():
    layer = Twice()
    layer.register_full_backward_hook(lambda _, grads, outs: (grads[0], grads[0]))
    with pytest.raises(ValueError, match="returned 2 gradients; there are 1"):
        layer(leaf(1.0)).backward()


def test_without_gradients_nothing_is_hooked():
    layer = Twice()
    layer.register_full_backward_hook(lambda *_: pytest.fail("called"))
    with paddle.no_grad():
        assert layer(leaf(1.0)).item() == 2.0
    assert layer(paddle.ones([1])).item() == 2.0
