# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Settings that layers, clippings and schedules show under further names."""

import numpy as np
import paddle
import pytest
from paddle import nn


def test_they_are_what_the_constructor_was_given():
    assert nn.AdaptiveAvgPool2D(3).output_size == nn.AdaptiveAvgPool3D(3).output_size == 3
    assert nn.AdaptiveMaxPool1D(2, True).return_indices and not nn.AdaptiveMaxPool2D(2).return_indices
    assert nn.AdaptiveMaxPool3D(2, True).return_indices
    assert nn.CosineSimilarity(axis=0).dim == 0 and nn.GLU(axis=1).dim == 1
    assert nn.Hardshrink(0.3).lambd == 0.3 and nn.Softshrink(0.2).lambd == 0.2
    assert nn.Sigmoid(name="gate").name == "gate" and nn.Hardsigmoid().name is None
    assert nn.ClipGradByGlobalNorm(1.0).should_comm_on_shard_dim is False
    weight = paddle.create_parameter([2], "float32")
    assert (
        paddle.optimizer.Adagrad(0.1, parameters=[weight], initial_accumulator_value=0.5).initial_accumulator_value
        == 0.5
    )
    assert paddle.optimizer.lr.CyclicLR(0.1, 0.2, 3, exp_gamma=0.9, mode="exp_range").gamma == 0.9


def test_further_keywords_and_names():
    x, y = paddle.ones([2, 3]), paddle.zeros([2, 3])
    pair = nn.PairwiseDistance(eps=0.0)
    assert abs(float(pair(x1=x, x2=y)[0]) - 3**0.5) < 1e-6
    assert float(nn.HuberLoss()(x, target=y)) == 0.5
    outer = nn.Sequential(nn.Linear(2, 2))
    outer.set_sublayer("0", module=nn.ReLU())
    outer.set_submodule("0", module=nn.Tanh())
    assert isinstance(outer[0], nn.Tanh)
    seen = []
    outer.register_forward_hook(lambda layer, inputs, outputs: seen.append(outputs.shape))
    outer(x)
    assert seen == [[2, 3]]
    assert nn.spectral_norm is nn.utils.spectral_norm and paddle.autograd.Function is paddle.autograd.PyLayer
    sparse = paddle.sparse.sparse_coo_tensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    assert paddle.sparse.reshape(input=sparse, shape=[4]).to_dense().tolist() == [0, 1, 2, 0]
    with pytest.raises(ValueError, match="XPU"):
        outer.xpu()


def test_shared_layers_have_a_name_at_each_place():
    layer = nn.Linear(2, 2)
    pair = nn.LayerList([layer, layer])
    assert [name for name, _ in pair.named_sublayers()] == ["0"]
    assert [name for name, _ in pair.named_sublayers(remove_duplicate=False)] == ["0", "1"]


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (nn.ReLU(name="q"), "ReLU(name=q)"),
        (nn.GELU(True, name="q"), "GELU(approximate=True, name=q)"),
        (nn.Hardtanh(name="q"), "Hardtanh(min=-1.0, max=1.0, name=q)"),
        (nn.LogSoftmax(name="q"), "LogSoftmax(axis=-1, name=q)"),
        (nn.Softmax2D(name="q"), "Softmax2D(name=q)"),
        (nn.Dropout(name="q"), "Dropout(p=0.5, axis=None, mode=upscale_in_train, name=q, inplace=False)"),
        (nn.Dropout3D(name="q"), "Dropout3D(p=0.5, data_format=NCDHW, name=q)"),
        (nn.Maxout(2, name="q"), "Maxout(groups=2, axis=1, name=q)"),
        (nn.PairwiseDistance(name="q"), "PairwiseDistance(p=2.0, name=q)"),
        (nn.LocalResponseNorm(2, name="q"), "LocalResponseNorm(size=2, alpha=0.0001, beta=0.75, k=1.0, name=q)"),
        (nn.UpsamplingNearest2D(size=12), "UpsamplingNearest2D(size=[12, 12], data_format=NCHW)"),
    ],
)
def test_the_text_of_a_layer_has_its_name(layer, text):
    assert str(layer) == text


def test_parameters_have_the_default_dtype_whatever_the_layer_says():
    layer = nn.Layer(dtype="float64")
    assert layer.create_parameter([2]).dtype == layer.create_variable().dtype == paddle.float32
    assert layer.create_parameter([2], dtype="float64").dtype == paddle.float64


def test_clipping_set_for_parameters_holds_for_optimizers_without_one():
    weight, other = (paddle.create_parameter([2], "float32") for _ in range(2))
    nn.clip.set_gradient_clip(nn.ClipGradByValue(0.5), [weight])
    before = weight.numpy() - other.numpy()
    (weight * 2 + other * 2).sum().backward()
    paddle.optimizer.SGD(1.0, parameters=[weight, other]).step()
    assert abs(weight.numpy() - other.numpy() - before - 1.5).max() < 1e-6
    (pair,) = nn.clip.append_gradient_clip_ops([(weight, paddle.full([2], 3.0))])
    assert pair[1].tolist() == [0.5, 0.5]
    with pytest.raises(TypeError, match="clip has type int"):
        nn.clip.set_gradient_clip(3)


def test_global_norm_of_half_gradients_may_stay_half():
    from paddle.nn.clip import _allow_pure_fp16_global_norm_clip as allow

    pairs = lambda: [(paddle.create_parameter([2], "float32"), paddle.full([2], 300.0, "float16"))]
    clip = nn.ClipGradByGlobalNorm(1.0)
    assert abs(float(clip(pairs())[0][1].sum()) - 2**0.5) < 1e-2
    assert allow(True) is False
    try:
        assert clip(pairs())[0][1].tolist() == [0.0, 0.0]  # the squares overflow
    finally:
        allow(False)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_dtype_of_a_batch_norm(dtype):
    layer = nn.BatchNorm(3, dtype=dtype)
    assert {v.dtype.name for v in layer.state_dict().values()} == {dtype}
    assert layer(paddle.ones([2, 3, 4], dtype)).dtype.name == dtype


@pytest.mark.parametrize("kind", [nn.BatchNorm1D, nn.BatchNorm2D, nn.BatchNorm3D, nn.BatchNorm, nn.SyncBatchNorm])
def test_batch_norms_where_float16_is_the_default(kind):
    paddle.set_default_dtype("float16")
    try:
        layer = kind(3)
    finally:
        paddle.set_default_dtype("float32")
    assert {v.dtype for v in layer.state_dict().values()} == {paddle.float32}
    shape = {nn.BatchNorm1D: [2, 3, 4], nn.BatchNorm3D: [2, 3, 4, 1, 1]}.get(kind, [2, 3, 4, 1])
    for dtype in ("float16", "float32"):
        x = paddle.arange(24, dtype=dtype).reshape(shape)
        made = layer(x)
        expected = nn.functional.batch_norm(
            x.astype("float32"), paddle.zeros([3]), paddle.ones([3]), paddle.ones([3]), paddle.zeros([3]), True
        )
        assert made.dtype.name == dtype
        np.testing.assert_allclose(made.astype("float32").numpy(), expected.numpy(), atol=2e-3)


def test_a_tensor_as_the_cache_of_a_decoder_layer_is_handed_on():
    layer = nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0)
    x, memory, cache = paddle.ones([1, 3, 8]), paddle.ones([1, 4, 8]), paddle.ones([2, 1, 2])
    made, kept = layer(x, memory, cache=cache)
    np.testing.assert_allclose(made.numpy(), layer(x, memory).numpy(), rtol=1e-5, atol=1e-6)
    assert [k.tolist() for k in kept] == [[[1.0, 1.0]], [[1.0, 1.0]]]
