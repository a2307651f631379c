# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Normalisation layers, weights under a norm, dropout and other functions against NumPy."""

import numpy as np
import paddle
import pytest
from paddle import nn
from scipy import spatial, special

F = nn.functional
RNG = np.random.RandomState(1)
IMAGE = RNG.randn(2, 4, 6, 6).astype("float32")
W = np.linspace(0.5, 2, 4).astype("float32")


def t(a):
    return paddle.to_tensor(a)


def close(ours, theirs, rtol=1e-4):
    np.testing.assert_allclose(ours.numpy(), theirs, rtol=rtol, atol=1e-5)


def standard(x, axes):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


def test_group_and_instance_norm_layers():
    group = nn.GroupNorm(2, 4)
    group.weight.set_value(W)
    expected = standard(IMAGE.reshape(2, 2, -1), 2).reshape(IMAGE.shape) * W[:, None, None]
    close(group(t(IMAGE)), expected)
    last = nn.GroupNorm(2, 4, data_format="NHWC")
    last.weight.set_value(W)
    close(last(t(IMAGE.transpose(0, 2, 3, 1).copy())), expected.transpose(0, 2, 3, 1))
    close(nn.InstanceNorm2D(4)(t(IMAGE)), standard(IMAGE, (2, 3)))
    close(nn.InstanceNorm1D(4)(t(IMAGE[..., 0])), standard(IMAGE[..., 0], 2))
    for groups in (0, 3, 8):
        layer = nn.GroupNorm(groups, 4)
        with pytest.raises(ValueError, match="groups"):
            layer(t(IMAGE))


def test_batch_norm_of_volumes_and_channels_last():
    volume = RNG.randn(3, 4, 2, 2, 2).astype("float32")
    close(nn.BatchNorm3D(4)(t(volume)), standard(volume, (0, 2, 3, 4)))
    close(nn.SyncBatchNorm(4)(t(IMAGE)), standard(IMAGE, (0, 2, 3)))
    last = nn.BatchNorm2D(4, data_format="NHWC")
    close(last(t(IMAGE.transpose(0, 2, 3, 1).copy())), standard(IMAGE, (0, 2, 3)).transpose(0, 2, 3, 1))


@pytest.mark.parametrize("size", [3, 4])
def test_local_response_norm(size):
    squares = np.pad(IMAGE**2, ((0, 0), (size // 2, (size - 1) // 2), (0, 0), (0, 0)))
    mean = sum(squares[:, i : i + 4] for i in range(size)) / size
    close(nn.LocalResponseNorm(size, 0.1, 0.6, 2.0)(t(IMAGE)), IMAGE / (2 + 0.1 * mean) ** 0.6)


def test_weight_norm_splits_and_joins():
    layer = nn.Conv2D(3, 4, 3)
    x, before = t(RNG.randn(1, 3, 5, 5).astype("float32")), layer.weight.numpy()
    out = layer(x).numpy()
    nn.utils.weight_norm(layer)
    assert [n for n, _ in layer.named_parameters()] == ["bias", "weight_v", "weight_g"]
    np.testing.assert_allclose(layer.weight_g.numpy(), np.sqrt((before**2).sum((1, 2, 3))), rtol=1e-5)
    close(layer(x), out)
    layer(x).sum().backward()
    assert layer.weight_g.grad is not None and layer.weight_v.grad is not None
    layer.weight_g.set_value(layer.weight_g.numpy() * 2)
    with pytest.raises(RuntimeError):
        nn.utils.weight_norm(layer)
    nn.utils.remove_weight_norm(layer)
    np.testing.assert_allclose(layer.weight.numpy(), before * 2, rtol=1e-5)
    with pytest.raises(ValueError):
        nn.utils.remove_weight_norm(layer)


def test_spectral_norm_finds_the_largest_singular_value():
    layer = nn.utils.spectral_norm(nn.Linear(5, 3), n_power_iterations=30)
    weight = layer.weight_orig.numpy()
    layer(t(RNG.randn(2, 5).astype("float32")))
    close(layer.weight, weight / np.linalg.svd(weight)[1][0], rtol=1e-3)
    assert list(layer.state_dict()) == ["bias", "weight_orig", "weight_u", "weight_v"]
    layer(t(np.ones((2, 5), "float32"))).sum().backward()
    assert layer.weight_orig.grad is not None
    fixed = nn.SpectralNorm([3, 4], dim=1, power_iters=40)
    matrix = RNG.randn(3, 4).astype("float32")
    close(fixed(t(matrix)), matrix / np.linalg.svd(matrix)[1][0], rtol=1e-3)


def test_spectral_norm_leaves_weight_and_vectors_until_the_first_forward():
    layer = nn.utils.spectral_norm(nn.Linear(5, 3))
    close(layer.weight, layer.weight_orig)
    u, v = layer.weight_u.numpy(), layer.weight_v.numpy()
    layer.eval()
    layer(t(np.ones((2, 5), "float32")))
    close(layer.weight, layer.weight_orig.numpy() / (u @ layer.weight_orig.numpy().T @ v), rtol=1e-4)


def test_dropout_forms():
    paddle.seed(5)
    x = t(np.ones((8, 16, 10), "float32"))
    rows = F.dropout1d(x, 0.5).numpy()
    assert set(np.unique(rows)) == {0, 2} and (rows == rows[..., :1]).all()
    assert F.dropout(x, 0.5, training=False, mode="downscale_in_infer").numpy().mean() == 0.5
    one = F.dropout(x, 0.5, axis=1).numpy()
    assert (one == one[:1, :, :1]).all() and 0 < (one == 0).mean() < 1
    noise = t(RNG.randn(2000, 16).astype("float32"))
    for layer in (nn.AlphaDropout(0.2), nn.FeatureAlphaDropout(0.2)):
        y = layer(noise).numpy()
        assert abs(y.mean()) < 0.05 and abs(y.std() - 1) < 0.05
        layer.eval()
        close(layer(noise), noise.numpy())
    with pytest.raises(ValueError):
        F.alpha_dropout(x, 1.5)


def test_random_slopes_and_gumbel():
    paddle.seed(7)
    x = t(-np.ones(1000, "float32"))
    slopes = -nn.RReLU(0.1, 0.3)(x).numpy()
    assert 0.1 <= slopes.min() < 0.12 and 0.28 < slopes.max() <= 0.3
    eval_layer = nn.RReLU(0.1, 0.3)
    eval_layer.eval()
    close(eval_layer(x), np.full(1000, -0.2))
    logits = t(np.log(np.array([[0.7, 0.2, 0.1]], "float32")).repeat(4000, 0))
    logits.stop_gradient = False
    hot = F.gumbel_softmax(logits, hard=True)
    assert set(np.unique(hot.numpy())) == {0, 1} and (hot.numpy().sum(1) == 1).all()
    np.testing.assert_allclose(hot.numpy().mean(0), [0.7, 0.2, 0.1], atol=0.03)
    (hot * t(np.arange(3, dtype="float32"))).sum().backward()
    assert abs(logits.grad.numpy()).sum() > 0


def test_gated_activations():
    x = RNG.randn(2, 6, 4).astype("float32")
    first, second = np.split(x, 2, 1)
    close(nn.GLU(1)(t(x)), first * special.expit(second))
    close(nn.Maxout(3)(t(x)), x.reshape(2, 2, 3, 4).max(2))
    close(F.gelu(t(x), "tanh"), F.gelu(t(x), True).numpy())
    with pytest.raises(ValueError):
        F.gelu(t(x), "erf")


@pytest.mark.parametrize(
    "name, args", [("elu_", (0.5,)), ("leaky_relu_", (0.2,)), ("hardtanh_", (-0.3, 0.4)), ("thresholded_relu_", ()),
                   ("softmax_", ()), ("relu_", ()), ("tanh_", ())],
)  # fmt: skip
def test_in_place_forms(name, args):
    x = t(RNG.randn(3, 4).astype("float32"))
    expected = getattr(F, name[:-1])(x, *args).numpy()
    out = getattr(F, name)(x, *args)
    close(x, expected)
    close(out, expected)


def test_distances():
    x, y = RNG.randn(5, 3), RNG.randn(5, 3)
    close(F.pdist(t(x)), spatial.distance.pdist(x))
    close(F.pdist(t(x), 1.0), spatial.distance.pdist(x, "cityblock"))
    close(nn.PairwiseDistance(3.0, 0.0, True)(t(x), t(y)), (abs(x - y) ** 3).sum(1, keepdims=True) ** (1 / 3))


def test_functions_that_move_values():
    x = np.arange(4 * 4 * 1 * 1, dtype="float32").reshape(4, 4, 1, 1)
    out = F.temporal_shift(t(x), 2, 0.25).numpy()[..., 0, 0]
    frames = x[..., 0, 0].reshape(2, 2, 4)
    expected = frames.copy()
    expected[:, 0, 0], expected[:, 1, 0] = 0, frames[:, 0, 0]
    expected[:, 0, 1], expected[:, 1, 1] = frames[:, 1, 1], 0
    np.testing.assert_array_equal(out, expected.reshape(4, 4))
    close(F.zeropad2d(t(IMAGE), [1, 2, 0, 3]), np.pad(IMAGE, ((0, 0), (0, 0), (0, 3), (1, 2))))
    ids, parents = np.array([[[2, 5]], [[3, 6]], [[4, 7]]]), np.array([[[0, 0]], [[1, 0]], [[1, 0]]])
    assert F.gather_tree(t(ids), t(parents)).numpy()[:, 0].tolist() == [[2, 5], [6, 3], [4, 7]]


def test_embedding_rows_are_limited_in_place():
    weight = t(np.array([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]], "float32"))
    out = F.embedding(t(np.array([0, 1])), weight, max_norm=1.0)
    close(out, [[0.6, 0.8], [0.3, 0.4]])
    close(weight, [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]])


def test_sparse_attention_equals_a_mask():
    q = RNG.randn(1, 1, 3, 4).astype("float32")
    offset, columns = np.array([[[0, 2, 3, 5]]], "int32"), np.array([[[0, 1, 1, 0, 2]]], "int32")
    allowed = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 1]], bool)
    scores = np.where(allowed, q[0, 0] @ q[0, 0].T / 2, -np.inf)
    out = F.sparse_attention(t(q), t(q), t(q), t(offset), t(columns))
    close(out[0, 0], special.softmax(scores, -1) @ q[0, 0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: F.dropout2d(paddle.ones([2, 3]), 0.5),
        lambda: F.dropout2d(paddle.ones([2, 3, 4, 4]), 0.5, data_format="NCX"),
        lambda: F.dropout3d(paddle.ones([2, 3, 4, 4]), 0.5),
        lambda: F.batch_norm(paddle.ones([2, 3, 4]), paddle.zeros([3]), paddle.ones([3]), data_format="X"),
        lambda: nn.InstanceNorm2D(3)(paddle.ones([2, 3, 4])),
        lambda: nn.InstanceNorm3D(3)(paddle.ones([2, 3, 4, 4])),
    ],
)
def test_wrong_ranks_and_formats_are_refused(call):
    with pytest.raises(ValueError):
        call()


def test_checks_of_normalisations_serve_their_subclasses():
    layer = nn.BatchNorm1D(2)
    layer._check_data_format("NLC")
    assert layer._data_format == "NHWC"
    with pytest.raises(ValueError, match="NCDHW"):
        layer._check_data_format("NCDHW")
    nn.SyncBatchNorm(2)._check_data_format()
    for rank, layer in ((3, nn.InstanceNorm2D(2)), (4, nn.BatchNorm3D(2))):
        with pytest.raises(ValueError, match=f"{rank} dimensions"):
            layer._check_input_dim(paddle.ones([2] * rank))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape, axis", [([3, 19, 40], 1), ([33, 21], 0), ([2, 5, 3, 37], 1)])
def test_softmax_of_lanes_beside_each_other_equals_that_of_rows(dtype, shape, axis):
    values = np.random.default_rng(0).standard_normal(shape)
    values[0, 0, ...] = -np.inf
    weights = np.cos(np.arange(values.size)).reshape(shape)
    for function in (F.softmax, F.log_softmax):
        results = []
        for along, moved in ((axis, values), (-1, np.moveaxis(values, axis, -1))):
            x = paddle.to_tensor(moved, dtype, stop_gradient=False)
            out = function(x, along)
            w = weights if along == axis else np.moveaxis(weights, axis, -1)
            paddle.where(
                paddle.isfinite(out), out * paddle.to_tensor(w, dtype), paddle.zeros_like(out)
            ).sum().backward()
            results.append([out.numpy(), x.grad.numpy()])
        for lanes, rows in zip(*results, strict=True):
            np.testing.assert_allclose(np.moveaxis(lanes, axis, -1), rows, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(2, 0, 4), (2, 3, 0), (0, 3, 4)])
def test_instance_norm_of_nothing(shape):
    x, scale = paddle.ones(shape), paddle.ones(shape[1:2])
    x.stop_gradient = scale.stop_gradient = False
    out = F.instance_norm(x, weight=scale)
    assert out.shape == list(shape)
    out.sum().backward()
    assert x.grad.shape == list(shape) and scale.grad.tolist() == [0.0] * shape[1]


@pytest.mark.parametrize(
    "act, expected",
    [
        ("relu", [0.0, 0.0, 3.0]),
        ("hard_swish", [0.0, -1 / 3, 3.0]),
        ("hard_sigmoid", [0.0, 0.3, 1.0]),
        ("brelu", [0.0, 0.0, 3.0]),
        ("square", [16.0, 1.0, 9.0]),
    ],
)
def test_batch_norm_names_its_activation_as_programs_of_all_versions_do(act, expected):
    layer = nn.BatchNorm(1, act=act, epsilon=0.0, is_test=True)
    x = paddle.to_tensor([-4.0, -1.0, 3.0]).reshape([3, 1])
    np.testing.assert_allclose(layer(x).flatten().numpy(), expected, rtol=1e-6, atol=1e-7)
    with pytest.raises(ValueError, match="there is no activation 'nothing'"):
        nn.BatchNorm(1, act="nothing")(x)


def test_weights_that_norms_recompute_are_buffers_without_a_place_in_the_state():
    layer = nn.utils.weight_norm(nn.Linear(2, 3))
    assert [name for name, _ in layer.named_buffers()] == ["weight"]
    assert sorted(layer.state_dict()) == ["bias", "weight_g", "weight_v"]
    assert list(nn.utils.remove_weight_norm(layer).named_buffers()) == []
    layer = nn.utils.spectral_norm(nn.Linear(2, 3))
    assert [name for name, _ in layer.named_buffers()] == ["weight", "weight_u", "weight_v"]
    assert sorted(layer.state_dict()) == ["bias", "weight_orig", "weight_u", "weight_v"]
