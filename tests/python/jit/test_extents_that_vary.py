# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions whose input specification leaves every extent open: values and gradients are those of eager calls."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest


def rand(*shape):
    return np.random.RandomState(sum(shape)).uniform(0.1, 0.9, shape).astype("float32")


FILTER, INSTANCE = paddle.to_tensor(rand(3, 2, 3, 3)), paddle.nn.InstanceNorm2D(4)
LABELS = np.array([[0], [2], [1]])
CASES = {
    "cumprod": (lambda x: paddle.cumprod(x, 1), [(2, 3, 4)]),
    "logcumsumexp": (lambda x: paddle.logcumsumexp(x, 1), [(2, 3, 4)]),
    "expand to a size": (lambda x: paddle.expand(x, [3, 4, 5]), [(1, 4, 5)]),
    "expand as another": (paddle.expand_as, [(1, 4), (3, 4)]),
    "eye": (lambda x: x + paddle.eye(x.shape[0], x.shape[1]), [(3, 4)]),
    "full_like of an extent": (lambda x: x * paddle.full_like(x, x.shape[1]), [(3, 4)]),
    "clip by an extent": (lambda x: paddle.clip(x * 9, 0, x.shape[0]), [(3, 4)]),
    "quantile": (lambda x: paddle.quantile(x, 0.3, axis=1), [(3, 4)]),
    "masked_scatter": (lambda x, y: paddle.masked_scatter(x, x > 0.5, y), [(3, 4), (12,)]),
    "tensor_split": (lambda x: paddle.tensor_split(x, 2, 1)[0], [(3, 5)]),
    "label smoothing": (lambda x: F.cross_entropy(x, paddle.to_tensor(LABELS), label_smoothing=0.1), [(3, 5)]),
    "instance_norm": (lambda x: INSTANCE(x), [(2, 4, 5, 5)]),
    "grid_sample": (F.grid_sample, [(2, 3, 5, 4), (2, 3, 3, 2)]),
    "grid_sample by reflection": (
        lambda x, g: F.grid_sample(x, g * 3, padding_mode="reflection", align_corners=False),
        [(2, 3, 5, 4), (2, 3, 3, 2)],
    ),
    "grid_sample to the border": (
        lambda x, g: F.grid_sample(x, g * 3, padding_mode="border"),
        [(2, 3, 5, 4), (2, 3, 3, 2)],
    ),
    "deform_conv2d": (lambda x, o: paddle.vision.ops.deform_conv2d(x, o, FILTER), [(2, 2, 6, 5), (2, 18, 4, 3)]),
}


def tensors(shapes):
    made = [paddle.to_tensor(rand(*shape)) for shape in shapes]
    for t in made:
        t.stop_gradient = False
    return made


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients(name):
    function, shapes = CASES[name]
    spec = [paddle.static.InputSpec([None] * len(shape)) for shape in shapes]
    program = paddle.jit.to_static(lambda *inputs: function(*inputs), input_spec=spec, full_graph=True)
    first, second = tensors(shapes), tensors(shapes)
    eager, captured = function(*first), program(*second)
    np.testing.assert_allclose(captured.numpy(), eager.numpy(), rtol=1e-5, atol=1e-6)
    eager.sum().backward()
    captured.sum().backward()
    for one, other in zip(first, second, strict=True):
        if one.grad is not None:
            np.testing.assert_allclose(other.grad.numpy(), one.grad.numpy(), rtol=1e-4, atol=1e-5)


def test_one_program_serves_several_sizes():
    spec = [paddle.static.InputSpec([None, 3, None, None]), paddle.static.InputSpec([None, None, None, 2])]
    program = paddle.jit.to_static(F.grid_sample, input_spec=spec, full_graph=True)
    for batch, size in ((1, 4), (3, 7)):
        x, grid = paddle.to_tensor(rand(batch, 3, size, 5)), paddle.to_tensor(rand(batch, 2, size, 2))
        np.testing.assert_allclose(program(x, grid).numpy(), F.grid_sample(x, grid).numpy(), rtol=1e-5, atol=1e-6)


def test_divmod_of_an_extent():
    def split(x):
        half, rest = divmod(x.shape[0], 2)
        return x[:half].sum() + rest

    program = paddle.jit.to_static(split, input_spec=[paddle.static.InputSpec([None])], full_graph=True)
    assert [program(paddle.ones([n])).item() for n in (4, 7)] == [2, 4]
