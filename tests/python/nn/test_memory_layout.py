# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of convolutions, whose memory may be in an order of its own, behave as tensors made from NumPy."""

import copy
import pickle
import threading

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest
from paddle import nn

RNG = np.random.default_rng(0)
X = paddle.to_tensor(RNG.standard_normal((2, 16, 24, 20)).astype("float32"))
W = paddle.to_tensor(RNG.standard_normal((32, 16, 3, 3)).astype("float32"))


def fresh():
    return F.conv2d(X, W, padding=1)


PLAIN = fresh().numpy()


def write_view(t):
    t.reshape([2, 32, -1])[0] = 3.0
    return t


def write_detached(t):
    t.detach()[0] = 1.0
    return t


def write_item(t):
    t[0, 1] = 5.0
    return t


USES = {
    "strides": lambda t: list(t.strides),
    "is_contiguous": lambda t: t.is_contiguous(),
    "reshape": lambda t: t.reshape([2, -1]),
    "transpose": lambda t: t.transpose([0, 2, 3, 1]),
    "slice": lambda t: t[:, 3:7, ::2],
    "iterate": lambda t: next(iter(t)),
    "relu": lambda t: F.relu(t),
    "add": lambda t: t + t,
    "add to another": lambda t: t + paddle.to_tensor(PLAIN),
    "add a bias": lambda t: t + paddle.arange(32.0).reshape([1, 32, 1, 1]),
    "multiply a row": lambda t: t * paddle.arange(20.0),
    "add a number": lambda t: 2.0 - t,
    "compare": lambda t: (t > 0).astype("int32"),
    "where": lambda t: paddle.where(t > 0, t, -t),
    "clip": lambda t: t.clip(-1, 1),
    "cast": lambda t: t.astype("float64"),
    "sum": lambda t: t.sum([2, 3]),
    "sum of batch and space": lambda t: t.sum([0, 2, -1]),
    "sum of channels": lambda t: t.sum(1),
    "sum of rows": lambda t: t.sum(2),
    "sum of rows kept": lambda t: t.sum([0, 2], keepdim=True),
    "max of channels kept": lambda t: t.max(1, keepdim=True),
    "any": lambda t: (t > 3).any([1, -2]),
    "logsumexp": lambda t: t.logsumexp([1, 2]),
    "std": lambda t: t.std([2, 3]),
    "argmax": lambda t: t.argmax(),
    "mean": lambda t: t.mean(),
    "softmax": lambda t: F.softmax(t, 1),
    "concat": lambda t: paddle.concat([t, t], 1),
    "stack": lambda t: paddle.stack([t, t]),
    "matmul": lambda t: t @ t.transpose([0, 1, 3, 2]),
    "clone": lambda t: t.clone(),
    "detach": lambda t: t.detach(),
    "deepcopy": lambda t: copy.deepcopy(t),
    "pickle": lambda t: pickle.loads(pickle.dumps(t)),
    "numpy": lambda t: paddle.to_tensor(np.asarray(t)),
    "tolist": lambda t: t[0, 0, 0].tolist(),
    "max_pool": lambda t: F.max_pool2d(t, 3, 2, 1),
    "avg_pool": lambda t: F.avg_pool2d(t, 2),
    "positions": lambda t: F.max_pool2d(t, 2, return_mask=True)[1],
    "global pool": lambda t: F.adaptive_avg_pool2d(t, 1).flatten(1),
    "conv": lambda t: F.conv2d(t, W.transpose([1, 0, 2, 3]), padding=1),
    "conv of a volume": lambda t: F.conv3d(t.unsqueeze(2), W.transpose([1, 0, 2, 3]).unsqueeze(2)),
    "batch_norm": lambda t: nn.BatchNorm2D(32)(t),
    "add_": lambda t: t.add_(paddle.ones([1])),
    "relu_": lambda t: F.relu_(t),
    "write an item": write_item,
    "write a view": write_view,
    "write detached": write_detached,
}


@pytest.mark.parametrize("use", USES)
def test_every_use_gives_what_a_plain_tensor_gives(use):
    got, expected = USES[use](fresh()), USES[use](paddle.to_tensor(PLAIN.copy()))
    if not isinstance(expected, paddle.Tensor):
        assert got == expected
        return
    assert got.shape == expected.shape and got.dtype == expected.dtype
    np.testing.assert_allclose(got.numpy(), expected.numpy(), rtol=1e-5, atol=1e-4)
    assert list(got.strides) == list(expected.strides)


def test_dropout_draws_the_same_elements():
    paddle.seed(1)
    got = F.dropout(fresh(), 0.5)
    paddle.seed(1)
    np.testing.assert_array_equal(got.numpy() == 0, F.dropout(paddle.to_tensor(PLAIN), 0.5).numpy() == 0)


def network():
    paddle.seed(0)
    return nn.Sequential(
        nn.Conv2D(16, 32, 3, padding=1),
        nn.BatchNorm2D(32),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Conv2D(32, 32, 3, padding=1),
        nn.Sigmoid(),
        nn.AvgPool2D(2),
        nn.Conv2DTranspose(32, 8, 3, stride=2),
        nn.AdaptiveAvgPool2D(2),
        nn.Flatten(),
        nn.Linear(32, 3),
    )


def gradients(model, x):
    x = x.clone()
    x.stop_gradient = False
    (model(x) ** 2).mean().backward()
    return [x.grad.numpy()] + [p.grad.numpy() for p in model.parameters() if p.trainable]


def test_gradients_equal_those_in_float64():
    single = gradients(network(), X)
    double = gradients(network().astype("float64"), X.astype("float64"))
    for a, b in zip(single, double, strict=True):
        np.testing.assert_allclose(a, b, atol=2e-4 * np.abs(b).max() + 1e-7)


def test_pointwise_convolutions_keep_the_order_of_their_input():
    paddle.seed(0)
    model = nn.Sequential(nn.Conv2D(16, 32, 1), nn.GELU(), nn.Conv2D(32, 7, 1), nn.Tanh(), nn.Conv2D(7, 33, 1))
    for x in (X, X.transpose([0, 1, 3, 2]), F.relu(fresh()[:, :16])):
        single = gradients(copy.deepcopy(model), x)
        double = gradients(copy.deepcopy(model).astype("float64"), x.astype("float64"))
        for a, b in zip(single, double, strict=True):
            np.testing.assert_allclose(a, b, atol=2e-5 * np.abs(b).max() + 1e-8)


def test_programs_give_what_eager_calls_give():
    model = network()
    model.eval()
    captured = paddle.jit.to_static(lambda t: model(t), full_graph=True)
    np.testing.assert_allclose(captured(X).numpy(), model(X).numpy(), atol=1e-5)


def test_a_changed_weight_is_packed_again():
    weight = paddle.to_tensor(W.numpy())
    with paddle.no_grad():
        for _ in range(3):
            F.conv2d(X, weight)
        weight[0] = 0.0
        assert float(F.conv2d(X, weight)[:, 0].abs().max()) == 0.0


@pytest.mark.threads
def test_threads_may_read_one_result():
    for _ in range(5):
        t, got = fresh(), []
        threads = [threading.Thread(target=lambda t=t, got=got: got.append(float((t * 2.0).sum()))) for _ in range(4)]
        threads.append(threading.Thread(target=t.numpy))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(set(got)) <= 2 and abs(got[0] - 2 * PLAIN.sum()) < 1.0


def test_sizes_may_be_tensors():
    size = paddle.shape(paddle.ones([1, 1, 30, 26]))[-2:]
    made = F.interpolate(fresh(), size, mode="bilinear")
    expected = F.interpolate(paddle.to_tensor(PLAIN), [30, 26], mode="bilinear")
    np.testing.assert_allclose(made.numpy(), expected.numpy(), rtol=1e-5, atol=1e-5)
