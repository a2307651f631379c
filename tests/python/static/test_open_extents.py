# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs over data whose extents are all declared as -1."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import static

X = np.arange(6, dtype="float32").reshape(2, 3) / 4
RANDOM = np.random.RandomState(0)


def found(fresh, function, *arrays):
    """What a function of data gives, and its gradients where the data are real."""
    data = [static.data(f"d{i}", [-1] * a.ndim, str(a.dtype)) for i, a in enumerate(arrays)]
    for x, a in zip(data, arrays, strict=True):
        x.stop_gradient = a.dtype.kind != "f"
    outs = function(*data)
    outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
    loss = sum((out * out).mean() for out in outs)
    real = [x for x in data if not x.stop_gradient]
    feed = {f"d{i}": a for i, a in enumerate(arrays)}
    static.Executor().run(fresh[1])
    return static.Executor().run(fresh[0], feed=feed, fetch_list=[*outs, *static.gradients(loss, real)])


def expected(function, *arrays):
    """The same in dynamic mode."""
    paddle.disable_static()
    data = [paddle.to_tensor(a, stop_gradient=a.dtype.kind != "f") for a in arrays]
    outs = function(*data)
    outs = list(outs) if isinstance(outs, (list, tuple)) else [outs]
    real = [x for x in data if not x.stop_gradient]
    return [*outs, *paddle.grad(sum((out * out).mean() for out in outs), real)]


CASES = {
    "add, broadcast": (lambda a, b: a + b, X, X[:, :1]),
    "matmul, broadcast": (paddle.matmul, RANDOM.rand(2, 1, 2, 3).astype("f4"), RANDOM.rand(4, 3, 2).astype("f4")),
    "where": (lambda a, b: paddle.where(a > 0.5, a, b), X, X[:1]),
    "mse_loss": (F.mse_loss, X, X[:, :1]),
    "tensor_split": (lambda a: paddle.tensor_split(a, 2, 1), X),
    "tensor_split at": (lambda a: paddle.tensor_split(a, [1, -1], 1), X),
    "diff": (paddle.diff, X),
    "expand_as": (lambda a, b: paddle.expand_as(b, a) * a, X, X[:1]),
    "multi_dot": (lambda a, b, c: paddle.linalg.multi_dot([a, b, c]), X, X.T.copy(), X),
    "fft, longer": (lambda a: paddle.fft.rfft(a, n=6).abs(), X + 1),
    "fft, shorter": (lambda a: paddle.fft.rfft(a, n=2).abs(), X + 1),
    "rfft": (lambda a: paddle.fft.rfft(a).abs(), X + 1),
    "stft": (lambda a: paddle.signal.stft(a, 4).abs(), RANDOM.rand(2, 16).astype("f4")),
    "layer_norm": (lambda a: F.layer_norm(a, [3]), X * X),
    "embedding": (F.embedding, np.array([0, 1, 1]), X),
    "embedding, last row zero": (lambda i, w: F.embedding(i, w, padding_idx=-1), np.array([0, 1, 1]), X),
    "cov": (paddle.linalg.cov, X * X),
    "class weights": (lambda a, i: F.cross_entropy(a, i, weight=paddle.ones([3])), X, np.array([0, 2])),
    "adaptive pool": (lambda a: F.adaptive_avg_pool2d(a, [None, 2]), RANDOM.rand(1, 2, 4, 4).astype("f4")),
    "unfold": (lambda a: F.unfold(a, 2), RANDOM.rand(1, 2, 4, 4).astype("f4")),
    "transposed, same": (
        lambda a, w: F.conv2d_transpose(a, w, stride=2, padding="SAME"),
        RANDOM.rand(1, 2, 4, 5).astype("f4"),
        RANDOM.rand(2, 3, 3, 2).astype("f4"),
    ),
    "batchmean": (lambda a, b: F.kl_div(a, b.detach(), "batchmean") + 0 * b.sum(), X, X),
    "segment_max": (lambda a, i: paddle.geometric.segment_max(a, i), X, np.array([0, 1])),
}


@pytest.mark.parametrize("case", CASES)
def test_as_in_dynamic_mode(fresh, case):
    function, *arrays = CASES[case]
    ours = found(fresh, function, *arrays)
    for a, b in zip(ours, expected(function, *arrays), strict=True):
        assert a.shape == tuple(b.shape)
        assert np.allclose(a, b.numpy(), atol=1e-5)


def test_what_a_comparison_took_for_granted_holds_or_is_refused(fresh):
    x, y = static.data("x", [-1, -1]), static.data("y", [-1, -1])
    same = x.shape[0] == y.shape[0]  # both are -1 while the program is built
    out = x + y if same else paddle.concat([x, y])
    exe = static.Executor()
    assert np.array_equal(exe.run(fresh[0], feed={"x": X, "y": X}, fetch_list=[out])[0], X + X)
    with pytest.raises(ValueError, match="contradict"):
        exe.run(fresh[0], feed={"x": X, "y": X[:1]}, fetch_list=[out])


def test_scale_by_a_tensor_has_a_gradient(fresh):
    x, factor = static.data("x", [2, 3]), static.data("factor", [1])
    x.stop_gradient = False
    slope = static.gradients(paddle.scale(x, factor, 1.0, False).sum(), x)
    feed = {"x": X, "factor": np.array([0.5], "float32")}
    assert np.array_equal(static.Executor().run(fresh[0], feed=feed, fetch_list=slope)[0], np.full((2, 3), 0.5))


def test_limits_of_complex_numbers_are_refused(fresh):
    x = static.data("x", [2], "complex64")
    x.stop_gradient = False
    out = paddle.clip(x, min=0.0)
    slope = static.gradients(out.real().sum(), x)
    with pytest.raises(TypeError, match="complex64"):
        static.Executor().run(fresh[0], feed={"x": np.ones(2, "complex64")}, fetch_list=slope)


def test_class_centers_are_sampled_when_the_program_runs(fresh):
    label = static.data("label", [-1], "int64")
    outs = F.class_center_sample(label, 10, 4)
    for given in ([7, 2, 7], [0, 1, 2, 3, 9]):
        place, classes = static.Executor().run(fresh[0], feed={"label": np.array(given)}, fetch_list=outs)
        assert np.array_equal(classes[place], given) and len(classes) == max(4, len(set(given)))
