# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Cross entropy and writes at one position of each row, inside of groups."""

import numpy as np
import paddle
import pytest
from paddle.jit import to_static
from paddle.nn import functional as F


def compiled(function):
    return to_static(function, backend="CINN", full_graph=True)


def loss_and_gradient(function, x, *rest):
    x = x.detach()
    x.stop_gradient = False
    loss = function(x, *rest)
    (gradient,) = paddle.grad(loss, x)
    return loss.numpy(), gradient.numpy()


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("axis", [-1, 1])
def test_cross_entropy_and_its_gradient_are_exact(at_once, counts, reduction, axis):
    rng = np.random.default_rng(4)
    shape = (6, 11) if axis == -1 else (3, 11, 2)
    logits, label = rng.normal(size=shape).astype("float32"), rng.integers(0, 11, (6,) if axis == -1 else (3, 2))
    label.flat[2] = label.flat[4] = 7
    program = compiled(
        lambda x, y: F.cross_entropy(x * 2, y.unsqueeze(axis), ignore_index=7, reduction=reduction, axis=axis)
    )
    count = counts()
    loss, gradient = loss_and_gradient(program, paddle.to_tensor(logits), paddle.to_tensor(label))
    assert count.launches >= 2 and count.failed == 0
    z = np.moveaxis(2 * logits.astype("float64"), axis, -1)
    p = np.exp(z) / np.exp(z).sum(-1, keepdims=True)
    kept = (label != 7).astype("float64")
    each = -kept * np.log(np.take_along_axis(p, label[..., None], -1)[..., 0])
    by = kept.sum() if reduction == "mean" else 1
    np.testing.assert_allclose(loss, each.sum() / by, rtol=1e-6)
    hot = np.arange(11) == label[..., None]
    want = np.moveaxis(2 * kept[..., None] * (p - hot) / by, -1, axis)
    np.testing.assert_allclose(gradient, want, rtol=1e-5, atol=1e-6)


def test_the_gradient_of_cross_entropy_is_one_kernel(at_once):
    program = compiled(lambda x, y: F.cross_entropy(x * 2, y))
    x, y = paddle.randn([8, 1000]), paddle.randint(0, 1000, [8])
    x.stop_gradient = False
    program(x, y).backward()
    text = str(paddle.jit.explain(program)(x, y))
    groups = [line.split()[1] for line in text.splitlines() if line.strip().startswith("group ")]
    (forward,) = [g for g in groups if "cross_entropy_with_softmax" in g and "grad" not in g]
    (backward,) = [g for g in groups if "cross_entropy_with_softmax_grad" in g]
    assert "multiply" in forward and "multiply" in backward  # x * 2 and its gradient, in the same pass


def test_a_class_out_of_range_is_what_eager_makes_of_it(at_once):
    def gradient(x, y, g):
        return paddle._core.ops.cross_entropy_with_softmax_grad(y, x * 2, g, False, True, True, -100, -1) * 2

    x, g = paddle.rand([2, 3]), paddle.ones([2, 1])
    program = compiled(gradient)
    for label in ([[0], [2]], [[0], [3]], [[0], [-100]]):
        y = paddle.to_tensor(label)
        np.testing.assert_allclose(program(x, y, g).numpy(), gradient(x, y, g).numpy(), rtol=1e-6)


@pytest.mark.parametrize("reduce", ["assign", "add"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_position_for_each_row(at_once, counts, axis, reduce):
    x = paddle.rand([3, 4, 5])
    extents = [1 if i == axis else n for i, n in enumerate(x.shape)]
    index, values = paddle.randint(-x.shape[axis], x.shape[axis], extents), paddle.rand(extents)

    def put(x, index, values):
        return paddle.put_along_axis(x * 2, index, values + 1, axis, reduce, include_self=True) - 1

    count = counts()
    got = compiled(put)(x, index, values)
    assert count.launches == 1
    np.testing.assert_array_equal(got.numpy(), put(x, index, values).numpy())


def test_many_positions_of_a_row_stay_outside_with_the_reason(at_once):
    program = compiled(lambda x, i, v: paddle.put_along_axis(x * 2 + 1, i, v, 0, "add") - 1)
    text = str(paddle.jit.explain(program)(paddle.rand([4, 3]), paddle.zeros([2, 3], "int64"), paddle.rand([2, 3])))
    assert "pd_op.put_along_axis: cinn: put_along_axis needs one position for each row" in text
    program = compiled(lambda x, i, v: paddle.index_add(x * 2 + 1, i, 0, v) - 1)
    text = str(paddle.jit.explain(program)(paddle.rand([4, 3]), paddle.to_tensor([1, 1]), paddle.rand([2, 3])))
    assert "pd_op.index_add: cinn: pd_op.index_add: several rows may add to one place" in text


def test_one_hot_is_part_of_a_kernel(at_once, counts):
    x = paddle.randint(0, 5, [3, 2])
    count = counts()
    got = compiled(lambda x: F.one_hot(x, 5) * 0.9 + 0.02)(x)
    assert count.launches == 1
    np.testing.assert_array_equal(got.numpy(), (F.one_hot(x, 5) * 0.9 + 0.02).numpy())
