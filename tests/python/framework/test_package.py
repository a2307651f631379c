# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The package: import, modes, dtypes, composites against NumPy."""

import importlib
import subprocess
import sys

import numpy as np
import paddle
import pytest


def test_import_does_not_load_numpy():
    code = "import sys, paddle; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("name", ["fft", "nn.initializer", "optimizer.lr", "signal", "static.nn", "vision.ops"])
def test_dir_lists_what_a_module_offers(name):
    module = importlib.import_module(f"paddle.{name}")
    assert [n for n in dir(module) if not n.startswith("__")] == sorted(module.__all__)


def test_a_rival_distribution_is_named_in_the_error(tmp_path):
    from paddle import _conflict

    (tmp_path / "paddle").mkdir()
    (tmp_path / "paddlepaddle-3.3.1.dist-info").mkdir()
    with pytest.raises(ImportError, match="paddlepaddle.*paddle-core"):
        _conflict.check([str(tmp_path / "paddle")])


def test_no_grad_is_a_context_and_a_decorator():
    x = paddle.ones([2])
    x.stop_gradient = False

    @paddle.no_grad()
    def double(x):
        return x * 2

    with paddle.no_grad():
        assert (x * 2).stop_gradient
    assert double(x).stop_gradient and paddle.no_grad(lambda: x * 2)().stop_gradient
    assert not (x * 2).stop_gradient and paddle.is_grad_enabled()


def test_default_dtype_is_used_by_creation():
    paddle.set_default_dtype("float64")
    try:
        assert paddle.zeros([1]).dtype == paddle.float64
        assert paddle.nn.Linear(1, 1).weight.dtype == paddle.float64
    finally:
        paddle.set_default_dtype("float32")
    assert paddle.get_default_dtype() == "float32"


A = np.random.RandomState(0).rand(3, 4, 5).astype("float32")


@pytest.mark.parametrize(
    "ours, theirs",
    [
        (lambda x: paddle.std(x, axis=1), lambda a: a.std(1, ddof=1)),
        (lambda x: paddle.var(x), lambda a: a.var(ddof=1)),
        (lambda x: paddle.norm(x, p=2, axis=-1), lambda a: np.linalg.norm(a, axis=-1)),
        (lambda x: paddle.moveaxis(x, 0, 2), lambda a: np.moveaxis(a, 0, 2)),
        (lambda x: paddle.swapaxes(x, 0, 1), lambda a: a.swapaxes(0, 1)),
        (lambda x: paddle.flatten(x, 1), lambda a: a.reshape(3, 20)),
        (lambda x: paddle.chunk(x, 2, axis=1)[1], lambda a: a[:, 2:]),
        (lambda x: paddle.split(x, [1, -1], axis=2)[1], lambda a: a[:, :, 1:]),
        (lambda x: paddle.median(x, axis=2), lambda a: np.median(a, 2)),
        (lambda x: paddle.diff(x, axis=1), lambda a: np.diff(a, axis=1)),
        (lambda x: paddle.diagonal(x), lambda a: np.diagonal(a)),
        (lambda x: paddle.tensordot(x, x, [[2], [2]]), lambda a: np.tensordot(a, a, [[2], [2]])),
        (lambda x: paddle.einsum("bij,bkj->bik", x, x), lambda a: np.einsum("bij,bkj->bik", a, a)),
        (lambda x: paddle.einsum("...ij->...ji", x), lambda a: a.swapaxes(1, 2)),
        (lambda x: paddle.einsum("bij->j", x), lambda a: a.sum((0, 1))),
        (lambda x: paddle.repeat_interleave(x, 2, axis=1), lambda a: a.repeat(2, 1)),
        (
            lambda x: paddle.meshgrid(x[0, 0], x[0, :, 0])[1],
            lambda a: np.meshgrid(a[0, 0], a[0, :, 0], indexing="ij")[1],
        ),
        (lambda x: paddle.diag(x[0, 0], 1), lambda a: np.diag(a[0, 0], 1)),
        (lambda x: paddle.kron(x[0], x[1]), lambda a: np.kron(a[0], a[1])),
    ],
)
def test_composites_equal_numpy(ours, theirs):
    np.testing.assert_allclose(ours(paddle.to_tensor(A)).numpy(), theirs(A), rtol=2e-5, atol=1e-6)


def test_random_tensors_follow_the_seed():
    paddle.seed(3)
    a = [paddle.rand([4]).numpy(), paddle.randn([4]).numpy(), paddle.randperm(4).numpy()]
    paddle.seed(3)
    b = [paddle.rand([4]).numpy(), paddle.randn([4]).numpy(), paddle.randperm(4).numpy()]
    for x, y in zip(a, b, strict=False):
        np.testing.assert_array_equal(x, y)


def test_pylayer_uses_its_own_backward():
    class Cube(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensor()
            return grad * 3 * x * x

    x = paddle.to_tensor([2.0], stop_gradient=False)
    Cube.apply(x).backward()
    assert x.grad.item() == 12.0


def test_hessian_of_a_cubic():
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    h = paddle.autograd.hessian((x * x * x).sum(), x)
    np.testing.assert_allclose(h.numpy(), [[6.0, 0.0], [0.0, 12.0]])
