# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers on sparse tensors against loops over windows in NumPy."""

import itertools

import numpy as np
import paddle
import pytest

nn = paddle.sparse.nn
F = nn.functional


def volume(shape=(2, 4, 5, 3, 2), seed=0, part=0.3):
    """A dense array that is zero at most sites, and its sparse tensor with dense channels."""
    rng = np.random.default_rng(seed)
    stored = rng.random(shape[:-1]) < part
    array = np.where(stored[..., None], rng.standard_normal(shape), 0)
    x = paddle.to_tensor(array).to_sparse_coo(len(shape) - 1)
    x.stop_gradient = False
    return array, stored, x


def windows(array, kernel, stride, padding, dilation):
    """(site of the result, its window) for all windows of an array [N, spatial..., C]."""
    axes = len(kernel)
    padded = np.pad(array, [(0, 0)] + [(p, p) for p in padding] + [(0, 0)] * (array.ndim - 1 - axes))
    lengths = [
        (n - (k - 1) * d - 1) // s + 1 for n, k, s, d in zip(padded.shape[1:], kernel, stride, dilation, strict=False)
    ]
    for batch, *site in itertools.product(range(array.shape[0]), *map(range, lengths)):
        cut = tuple(
            slice(o * s, o * s + (k - 1) * d + 1, d) for o, k, s, d in zip(site, kernel, stride, dilation, strict=True)
        )
        yield (batch, *site), padded[(batch, *cut)], [array.shape[0], *lengths]


def convolved(array, stored, weight, stride, padding, dilation):
    kernel = weight.shape[:-2]
    sums = {s: (w * 1, shape) for s, w, shape in windows(array, kernel, stride, padding, dilation)}
    reached = {s: w.any() for s, w, _ in windows(stored, kernel, stride, padding, dilation)}
    shape = next(iter(sums.values()))[1]
    out = np.zeros([*shape, weight.shape[-1]])
    for site, (window, _) in sums.items():
        out[site] = np.tensordot(window, weight, window.ndim)
    return out, reached


@pytest.mark.parametrize(
    ("stride", "padding", "dilation"), [(1, 0, 1), (2, 1, 1), (1, 2, 2), ([1, 2, 1], [1, 0, 1], 1)]
)
def test_conv3d_stores_the_sites_that_windows_reach(stride, padding, dilation):
    array, stored, x = volume()
    weight = np.random.default_rng(1).standard_normal([2, 3, 2, 2, 4])
    w = paddle.to_tensor(weight, stop_gradient=False)
    out = F.conv3d(x, w, None, stride, padding, dilation)
    each = [[v] * 3 if isinstance(v, int) else v for v in (stride, padding, dilation)]
    want, reached = convolved(array, stored, weight, *each)
    np.testing.assert_allclose(out.to_dense().numpy(), want, atol=1e-12)
    assert out.indices().numpy().T.tolist() == [list(s) for s in sorted(s for s, hit in reached.items() if hit)]
    dense = paddle.nn.functional.conv3d(
        paddle.to_tensor(array, stop_gradient=False).transpose([0, 4, 1, 2, 3]),
        w.transpose([4, 3, 0, 1, 2]),
        None,
        stride,
        padding,
        dilation,
    )
    (of_dense,) = paddle.grad((dense**2).sum(), w)
    (out.to_dense() ** 2).sum().backward()
    np.testing.assert_allclose(w.grad.numpy(), of_dense.numpy(), rtol=1e-9, atol=1e-9)
    assert x.grad.shape == x.shape


def test_conv2d_and_bias():
    array, stored, x = volume((2, 5, 4, 3))
    weight, bias = np.random.default_rng(1).standard_normal([3, 2, 3, 2]), np.array([1.0, -2.0])
    out = F.conv2d(x, paddle.to_tensor(weight), paddle.to_tensor(bias), padding=1)
    want, reached = convolved(array, stored, weight, [1, 1], [1, 1], [1, 1])
    for site, hit in reached.items():
        want[site] += bias * hit
    np.testing.assert_allclose(out.to_dense().numpy(), want, atol=1e-12)


@pytest.mark.parametrize("dilation", [1, 2])
def test_submanifold_convolution_keeps_the_sites(dilation):
    array, stored, x = volume()
    weight = np.random.default_rng(1).standard_normal([3, 3, 3, 2, 4])
    want, _ = convolved(array, stored, weight, [1] * 3, [dilation] * 3, [dilation] * 3)
    for function in (F.subm_conv3d, F.subm_conv3d_igemm):
        out = function(x, paddle.to_tensor(weight), dilation=dilation, padding=1)
        np.testing.assert_array_equal(out.indices().numpy(), x.indices().numpy())
        np.testing.assert_allclose(out.to_dense().numpy(), np.where(stored[..., None], want, 0), atol=1e-12)
    array, stored, x = volume((2, 5, 4, 3))
    want, _ = convolved(array, stored, weight[0, :, :, :1].repeat(3, 2), [1] * 2, [1] * 2, [1] * 2)
    for function in (F.subm_conv2d, F.subm_conv2d_igemm):
        out = function(x, paddle.to_tensor(weight[0, :, :, :1].repeat(3, 2)))
        np.testing.assert_allclose(out.to_dense().numpy(), np.where(stored[..., None], want, 0), atol=1e-12)


@pytest.mark.parametrize(("kernel", "stride", "padding"), [(2, None, 0), (2, 1, 1), (3, 2, 1)])
def test_max_pool_takes_the_largest_stored_value(kernel, stride, padding):
    array, stored, x = volume()
    out = F.max_pool3d(x, kernel, stride, padding)
    low = np.where(stored[..., None], array, -np.inf)
    each = [[kernel] * 3, [stride or kernel] * 3, [padding] * 3, [1] * 3]
    shifted = low - low.max() - 1  # padding by 0 is then larger than all; mark it
    want = np.zeros(out.shape)
    for site, window, _ in windows(np.where(np.isfinite(shifted), shifted, 0), *each):
        inside = window[(window < 0).any(-1)]
        if len(inside):
            want[site] = inside.max(0) + low.max() + 1
    np.testing.assert_allclose(out.to_dense().numpy(), want, atol=1e-12)
    out.to_dense().sum().backward()
    assert float(x.grad.values().sum()) == out.nnz() * 2


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_softmax_runs_over_stored_values(axis):
    rng = np.random.default_rng(0)
    array = np.where(rng.random([3, 4, 5]) < 0.5, rng.standard_normal([3, 4, 5]), 0)
    shown = np.where(array != 0, array, -np.inf)
    with np.errstate(invalid="ignore"):
        want = np.exp(shown - shown.max(axis, keepdims=True))
        want = np.nan_to_num(want / want.sum(axis, keepdims=True))
    dense = paddle.to_tensor(array, stop_gradient=False)
    x = dense.to_sparse_coo(3)
    out = F.softmax(x, axis)
    np.testing.assert_allclose(out.to_dense().numpy(), want, atol=1e-12)
    weight = paddle.to_tensor(rng.standard_normal([3, 4, 5]))
    (out.to_dense() * weight).sum().backward()
    inner = (want * weight.numpy()).sum(axis, keepdims=True)
    np.testing.assert_allclose(dense.grad.numpy(), want * (weight.numpy() - inner), atol=1e-12)
    if axis == -1:
        np.testing.assert_allclose(nn.Softmax()(dense.to_sparse_csr()).to_dense().numpy(), want, atol=1e-12)
    else:
        with pytest.raises(NotImplementedError):
            F.softmax(dense.to_sparse_csr(), axis)


def test_activations_map_values():
    x = paddle.sparse.sparse_coo_tensor([[0, 1, 2]], [-2.0, 3.0, 8.0], [4])
    assert nn.ReLU()(x).values().tolist() == [0, 3, 8]
    assert nn.ReLU6()(x).values().tolist() == [0, 3, 6]
    assert nn.LeakyReLU(0.5)(x).values().tolist() == [-1, 3, 8]
    assert repr(nn.ReLU("a")) == "ReLU(name=a)"


def test_batch_norm_uses_stored_sites_only():
    array, stored, x = volume()
    values = x.values().numpy()
    for layer in (nn.BatchNorm(2), nn.SyncBatchNorm(2)):
        layer = layer.astype("float64")
        out = layer(x)
        want = (values - values.mean(0)) / np.sqrt(values.var(0) + 1e-5)
        np.testing.assert_allclose(out.values().numpy(), want, rtol=1e-6)
        np.testing.assert_allclose(layer._mean.numpy(), 0.1 * values.mean(0), rtol=1e-6)
        layer.eval()
        want = (values - layer._mean.numpy()) / np.sqrt(layer._variance.numpy() + 1e-5)
        np.testing.assert_allclose(layer(x).values().numpy(), want, rtol=1e-6)
    net = nn.SyncBatchNorm.convert_sync_batchnorm(paddle.nn.Sequential(nn.BatchNorm(2)))
    assert repr(net[0]) == "SyncBatchNorm(num_features=2, momentum=0.9, epsilon=1e-05, data_format=NDHWC)"


def test_a_network_of_sparse_layers_learns():
    paddle.seed(0)
    array, _, _ = volume()
    x = paddle.to_tensor(array.astype("float32")).to_sparse_coo(4)
    net = paddle.nn.Sequential(
        nn.SubmConv3D(2, 4, 3, padding=1), nn.BatchNorm(4), nn.ReLU(), nn.Conv3D(4, 3, 2), nn.MaxPool3D(2)
    )
    assert repr(net[0]) == "SubmConv3D(2, 4, kernel_size=[3, 3, 3], padding=1, data_format=NDHWC)"
    assert {k: v.shape for k, v in net[3].state_dict().items()} == {"weight": [2, 2, 2, 4, 3], "bias": [3]}
    opt = paddle.optimizer.Adam(0.05, parameters=net.parameters())
    losses = []
    for _ in range(10):
        loss = ((net(x).values() - 1.0) ** 2).mean()
        loss.backward()
        opt.step()
        opt.clear_grad()
        losses.append(float(loss))
    assert losses[-1] < 0.5 * losses[0]
    assert nn.Conv2D(2, 3, 3, stride=2)(volume((1, 6, 6, 2))[2].astype("float32")).shape == [1, 2, 2, 3]
    assert nn.SubmConv2D(2, 3, 3)(volume((1, 6, 6, 2))[2].astype("float32")).shape == [1, 6, 6, 3]


def test_attention_sees_what_the_mask_names():
    rng = np.random.default_rng(0)
    q, k, v = rng.standard_normal([3, 2, 2, 4, 5])
    mask = rng.random([4, 4, 4]) < 0.6
    mask[:, range(4), range(4)] = True
    keys, pairs = np.array([[1, 1, 1, 0], [1, 1, 1, 1]]), np.array(rng.random([4, 4]) < 0.8)
    pairs[range(4), 0], mask[:, :, 0] = True, True
    tensors = [paddle.to_tensor(one, stop_gradient=False) for one in (q, k, v)]
    sparse_mask = paddle.to_tensor(mask.astype("float64")).to_sparse_csr()
    for options, seen in (
        ({}, mask.reshape(2, 2, 4, 4)),
        (
            {"key_padding_mask": paddle.to_tensor(keys), "attn_mask": paddle.to_tensor(pairs.astype("float64"))},
            mask.reshape(2, 2, 4, 4) & (keys != 0)[:, None, None, :] & pairs,
        ),
    ):
        scores = np.where(seen, q @ k.swapaxes(-1, -2) / np.sqrt(5), -np.inf)
        weight = np.exp(scores - scores.max(-1, keepdims=True))
        want = weight / weight.sum(-1, keepdims=True) @ v
        out = F.attention(*tensors, sparse_mask, **options)
        np.testing.assert_allclose(out.numpy(), want, atol=1e-12)
    out.sum().backward()
    assert all(bool(paddle.isfinite(one.grad).all()) for one in tensors)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.conv3d(x, paddle.ones([2, 2, 2, 2, 1], "float64"), groups=2),
        lambda x: F.conv3d(x, paddle.ones([2, 2, 2, 3, 1], "float64")),
        lambda x: F.conv3d(x, paddle.ones([9, 2, 2, 2, 1], "float64")),
        lambda x: F.conv3d(x, paddle.ones([2, 2, 2, 2, 1], "float64"), data_format="NCDHW"),
        lambda x: F.conv3d(x, paddle.ones([2, 2, 2, 2, 1], "float64"), stride=0),
        lambda x: F.conv2d(x, paddle.ones([2, 2, 2, 1], "float64")),
        lambda x: F.max_pool3d(x, [2, 2]),
        lambda x: F.softmax(x),
        lambda x: nn.MaxPool3D(2, return_mask=True),
    ],
)
def test_what_does_not_fit_is_refused(call):
    with pytest.raises((ValueError, AssertionError)):
        call(volume()[2])
