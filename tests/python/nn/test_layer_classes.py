# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers as classes: each gives what its function does, holds what it is given, and changes as a container does."""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn import functional as F

X = np.array([[-2.0, -0.5, 0.25, 3.0], [1.0, 0.0, -1.0, 7.0]], "float32")
Y = np.array([[0.5, 0.5, 0.0, 1.0], [2.0, -1.0, 1.0, 6.0]], "float32")
P = np.array([[0.1, 0.2, 0.3, 0.4], [0.25, 0.25, 0.4, 0.1]], "float32")


def t(a):
    return paddle.to_tensor(a)


def softplus(x):
    return np.log1p(np.exp(x))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {
    "Mish": (nn.Mish(), lambda x: x * np.tanh(softplus(x))),
    "ReLU6": (nn.ReLU6(), lambda x: x.clip(0, 6)),
    "SELU": (
        nn.SELU(),
        lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * (np.exp(x) - 1)),
    ),
    "Softplus": (nn.Softplus(), softplus),
    "Swish": (nn.Swish(), lambda x: x * sigmoid(x)),
    "Hardsigmoid": (nn.Hardsigmoid(), lambda x: (x / 6 + 0.5).clip(0, 1)),
    "Hardswish": (nn.Hardswish(), lambda x: x * (x + 3).clip(0, 6) / 6),
    "PReLU": (nn.PReLU(init=0.1), lambda x: np.where(x > 0, x, 0.1 * x)),
    "softsign": (F.softsign, lambda x: x / (1 + np.abs(x))),
    "glu": (F.glu, lambda x: x[:, :2] * sigmoid(x[:, 2:])),
    "normalize": (F.normalize, lambda x: x / np.linalg.norm(x, axis=1, keepdims=True)),
    "swiglu": (lambda x: F.swiglu(x, x + 1), lambda x: x * sigmoid(x) * (x + 1)),
    "layer_norm": (
        lambda x: F.layer_norm(x, 4),
        lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5),
    ),
}


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activation(name):
    layer, reference = ACTIVATIONS[name]
    np.testing.assert_allclose(layer(t(X)).numpy(), reference(X), rtol=1e-5, atol=1e-6)


LOSSES = {
    "L1Loss": (lambda: nn.L1Loss()(t(X), t(Y)), np.abs(X - Y).mean()),
    "NLLLoss": (
        lambda: nn.NLLLoss()(t(np.log(P)), t(np.array([3, 0]))),
        -(np.log(P[0, 3]) + np.log(P[1, 0])) / 2,
    ),
    "square_error_cost": (lambda: F.square_error_cost(t(X), t(Y)), (X - Y) ** 2),
    "kl_div": (lambda: F.kl_div(t(np.log(P)), t(P[::-1].copy())), (P[::-1] * (np.log(P[::-1]) - np.log(P))).mean()),
    "softmax_with_cross_entropy": (
        lambda: F.softmax_with_cross_entropy(t(X), t(np.array([[3], [0]]))),
        np.log(np.exp(X).sum(1, keepdims=True)) - X[[0, 1], [3, 0]][:, None],
    ),
    "cosine_similarity": (
        lambda: F.cosine_similarity(t(X), t(Y), axis=1),
        (X * Y).sum(1) / np.linalg.norm(X, axis=1) / np.linalg.norm(Y, axis=1),
    ),
    "CosineSimilarity": (
        lambda: nn.CosineSimilarity(axis=1)(t(X), t(Y)),
        (X * Y).sum(1) / np.linalg.norm(X, axis=1) / np.linalg.norm(Y, axis=1),
    ),
    "sequence_mask": (
        lambda: F.sequence_mask(t(np.array([2, 0, 3])), maxlen=4),
        np.array([[1, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 0]]),
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_loss(name):
    compute, expected = LOSSES[name]
    np.testing.assert_allclose(compute().numpy(), expected, rtol=1e-5, atol=1e-6)


def test_reduction_is_kept():
    assert nn.L1Loss(reduction="sum").reduction == "sum"
    np.testing.assert_allclose(nn.L1Loss(reduction="sum")(t(X), t(Y)).item(), np.abs(X - Y).sum(), rtol=1e-6)


def test_dropout_of_whole_channels():
    paddle.seed(1)
    for layer, shape in ((nn.Dropout2D(0.5), [4, 64, 3, 3]), (nn.Dropout3D(0.5), [4, 64, 2, 2, 2])):
        out = layer(paddle.ones(shape)).numpy().reshape(256, -1)
        assert set(np.unique(out)) == {0.0, 2.0} and (out == out[:, :1]).all()
        assert 80 < (out[:, 0] > 0).sum() < 176
        layer.eval()
        assert (layer(paddle.ones(shape)) == 1).all()
    assert nn.Dropout(0.25).p == 0.25


def test_pad1d_reflects():
    out = nn.Pad1D([1, 2], mode="reflect")(t(np.arange(4, dtype="float32").reshape(1, 1, 4)))
    assert out.flatten().tolist() == [1, 0, 1, 2, 3, 2, 1]


def test_gradient_clips():
    weight = paddle.create_parameter([2], "float32")
    gradient = t(np.array([3.0, -4.0], "float32"))
    by_norm = nn.ClipGradByNorm(clip_norm=1.0)([(weight, gradient)])
    np.testing.assert_allclose(by_norm[0][1].numpy(), [0.6, -0.8], rtol=1e-6)
    by_value = nn.ClipGradByValue(max=3.5, min=-2.0)([(weight, gradient)])
    assert by_value[0][1].tolist() == [3.0, -2.0]


# -- what layers hold -----------------------------------------------------------------------------


def test_weights_and_biases_are_attributes():
    conv, norm, group, embed = nn.Conv2D(2, 3, 1), nn.LayerNorm(4), nn.GroupNorm(2, 4), nn.Embedding(5, 3)
    assert (norm.bias.tolist(), norm.weight.tolist()) == ([0.0] * 4, [1.0] * 4)
    assert group.bias.shape == [4] and embed.weight.shape == [5, 3] and conv.weight.shape == [3, 2, 1, 1]
    for batch in (nn.BatchNorm1D(3), nn.BatchNorm2D(3)):
        assert batch.weight.tolist() == [1.0] * 3 and batch.bias.tolist() == [0.0] * 3
    image = t(np.random.default_rng(0).normal(size=(2, 2, 3, 3)).astype("float32"))
    weight, bias = conv.weight.numpy()[:, :, 0, 0], conv.bias.numpy()
    expected = np.einsum("oc,nchw->nohw", weight, image.numpy()) + bias[None, :, None, None]
    np.testing.assert_allclose(conv.forward(image).numpy(), expected, rtol=1e-4, atol=1e-5)
    ids = t(np.array([[1, 4]]))
    np.testing.assert_array_equal(embed.forward(ids).numpy(), embed.weight.numpy()[[[1, 4]]])
    rows = t(X)
    np.testing.assert_allclose(norm.forward(rows).numpy(), ACTIVATIONS["layer_norm"][1](X), rtol=1e-4, atol=1e-5)
    grouped = group.forward(t(X.reshape(2, 4, 1))).numpy().reshape(2, 2, 2)
    np.testing.assert_allclose(grouped.mean(-1), np.zeros((2, 2)), atol=1e-5)


def test_attention_and_transformer_parts():
    attention = nn.MultiHeadAttention(8, 2)
    assert (attention.num_heads, attention.head_dim) == (2, 4)
    x = t(np.random.default_rng(1).normal(size=(1, 3, 8)).astype("float32"))
    parts = [getattr(attention, name) for name in ("q_proj", "k_proj", "v_proj", "out_proj")]
    assert all(part.weight.shape == [8, 8] for part in parts)
    q, k, v = (
        p(x).numpy().reshape(3, 2, 4).transpose(1, 0, 2) for p in (attention.q_proj, attention.k_proj, attention.v_proj)
    )
    scores = q @ k.transpose(0, 2, 1) / 2
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    joined = (weights @ v).transpose(1, 0, 2).reshape(1, 3, 8)
    np.testing.assert_allclose(attention(x, x, x).numpy(), attention.out_proj(t(joined)).numpy(), rtol=1e-4, atol=1e-5)
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 3, norm=nn.LayerNorm(8))
    decoder = nn.TransformerDecoder(
        nn.TransformerDecoderLayer(8, 2, 16, normalize_before=True), 2, norm=nn.LayerNorm(8)
    )
    assert (
        len(encoder.layers) == 3 and isinstance(encoder.norm, nn.LayerNorm) and isinstance(decoder.norm, nn.LayerNorm)
    )
    assert decoder.layers[0].normalize_before is True
    encoder.eval()
    np.testing.assert_allclose(encoder(x).mean(-1).numpy(), np.zeros((1, 3)), atol=1e-5)


# -- containers ----------------------------------------------------------------------------------


def test_layer_list():
    items = nn.LayerList([nn.Linear(2, 2)])
    items.append(nn.ReLU())
    items.extend([nn.Tanh()])
    items.insert(0, nn.Sigmoid())
    assert [type(item).__name__ for item in items] == ["Sigmoid", "Linear", "ReLU", "Tanh"]
    assert len(items.parameters()) == 2 and len(items[1:3]) == 2


def test_layer_dict():
    items = nn.LayerDict({"a": nn.Linear(2, 3), "b": nn.ReLU()})
    assert list(items.keys()) == ["a", "b"] and items["a"].weight.shape == [2, 3] and len(items) == 2
    assert set(items.state_dict()) == {"a.weight", "a.bias"}


def test_parameter_list_and_dict():
    first, second = (paddle.create_parameter([2], "float32") for _ in range(2))
    held = nn.ParameterList([first])
    held.append(second)
    assert len(held) == 2 and held[1] is second and list(held.state_dict()) == ["0", "1"]
    named = nn.ParameterDict({"w": first})
    assert named["w"] is first and len(named.parameters()) == 1


class Nested(nn.Layer):
    def __init__(self):
        super().__init__()
        self.add_sublayer("inner", nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1D(2)))
        self.add_parameter("scale", self.create_parameter([1]))
        self.register_buffer("count", paddle.zeros([1]))

    def forward(self, x):
        return self.inner(x) * self.scale


def test_layers_know_what_they_hold():
    net = Nested()
    assert [type(s).__name__ for s in net.sublayers()] == ["Sequential", "Linear", "BatchNorm1D"]
    assert [name for name, _ in net.named_sublayers()] == ["inner", "inner.0", "inner.1"]
    assert [name for name, _ in net.named_children()] == ["inner"] and list(net.children()) == [net.inner]
    assert next(iter(net.named_buffers()))[0] == "count"
    assert [name for name, _ in net.named_modules()][-2:] == ["inner.0", "inner.1"]
    assert net.get_sublayer("inner.0") is net.inner[0]
    assert list(net._parameters) == ["scale"] and list(net._sub_layers) == ["inner"] and list(net._buffers) == ["count"]
    assert net._dtype in ("float32", paddle.float32)


def test_training_mode_reaches_all_layers():
    net = Nested()
    assert net.training
    net.eval()
    assert not net.training and not net.inner[1].training
    net.train()
    assert net.training and net.inner[1].training
    net.requires_grad_(False)
    assert all(p.stop_gradient for p in net.parameters())


def test_convert_sync_batchnorm_keeps_values():
    net = nn.Sequential(nn.Conv2D(1, 2, 1), nn.BatchNorm2D(2))
    net[1].weight.set_value(np.array([2.0, 3.0], "float32"))
    made = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    assert isinstance(made[1], nn.SyncBatchNorm) and made[1].weight.tolist() == [2.0, 3.0]
    assert isinstance(nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1D(2)), nn.SyncBatchNorm)


# -- initializers ----------------------------------------------------------------------------------


def drawn(initializer, shape):
    paddle.seed(7)
    return paddle.create_parameter(shape, "float32", default_initializer=initializer).numpy()


def test_initializers_draw_from_their_distributions():
    shape, fan_in, fan_out = [300, 200], 300, 200
    init = nn.initializer
    uniform = drawn(init.Uniform(-0.5, 1.5), shape)
    assert uniform.min() >= -0.5 and uniform.max() < 1.5 and abs(uniform.mean() - 0.5) < 0.02
    kaiming = drawn(init.KaimingUniform(), shape)
    assert np.abs(kaiming).max() <= np.sqrt(6 / fan_in) and abs(kaiming.std() * np.sqrt(fan_in / 2) - 1) < 0.03
    xavier = drawn(init.XavierNormal(), shape)
    assert abs(xavier.std() * np.sqrt((fan_in + fan_out) / 2) - 1) < 0.03
    orthogonal = drawn(init.Orthogonal(), [20, 10])
    np.testing.assert_allclose(orthogonal.T @ orthogonal, np.eye(10), atol=1e-5)


def test_functions_that_initialize():
    weight = paddle.create_parameter([100, 50], "float32")
    nn.init.normal_(weight, mean=2.0, std=0.5)
    assert abs(weight.mean().item() - 2) < 0.05 and abs(weight.std().item() - 0.5) < 0.02
    nn.init.zeros_(weight)
    assert (weight == 0).all()


def test_global_initializer():
    nn.initializer.set_global_initializer(nn.initializer.Constant(3.0), nn.initializer.Constant(-1.0))
    try:
        layer = nn.Linear(2, 2)
        assert layer.weight.flatten().tolist() == [3.0] * 4 and layer.bias.tolist() == [-1.0] * 2
        one = nn.initializer.Constant(1.0)
        assert paddle.create_parameter([1], "float32", default_initializer=one).item() == 3
        assert paddle.create_parameter([1], "float32", attr=one).item() == 1
        for norm in (nn.BatchNorm2D(2), nn.BatchNorm(2), nn.SyncBatchNorm(2), paddle.sparse.nn.BatchNorm(2)):
            start = {k: v.tolist() for k, v in norm.state_dict().items()}
            assert start == {"weight": [3.0] * 2, "bias": [-1.0] * 2, "_mean": [0.0] * 2, "_variance": [1.0] * 2}
    finally:
        nn.initializer.set_global_initializer(None)
    assert nn.Linear(2, 2).weight.flatten().tolist() != [3.0] * 4


def test_members_by_dotted_names():
    net = Nested()
    net.inner[1].register_buffer("kept", paddle.ones([1]))
    assert net.get_parameter("inner.0.weight") is net.inner[0].weight and net.get_parameter("scale") is net.scale
    assert net.get_buffer("inner.1.kept").item() == 1.0 and net.get_submodule("inner.0") is net.inner[0]
    net.set_sublayer("inner.0", nn.Linear(2, 2, bias_attr=False))
    assert net.inner[0].bias is None
    net.set_submodule("inner.extra", nn.ReLU())
    assert isinstance(net.inner.extra, nn.ReLU)
    for call in (
        lambda: net.get_parameter("inner.0.nope"),
        lambda: net.get_buffer("nope"),
        lambda: net.set_sublayer("inner.none", nn.ReLU(), strict=True),
        lambda: net.get_submodule("nowhere.at.all"),
    ):
        with pytest.raises(AttributeError):
            call()
    with pytest.raises(RuntimeError):
        net.get_extra_state()
    with pytest.raises(ValueError, match="shouldn't implement backward"):
        net.backward()
    assert nn.Linear(2, 2).type("float64").weight.dtype == paddle.float64


def test_containers_change():
    items = nn.LayerList([nn.ReLU(), nn.Tanh(), nn.Sigmoid()])
    assert isinstance(items.pop(1), nn.Tanh) and [type(i).__name__ for i in items] == ["ReLU", "Sigmoid"]
    chain = nn.Sequential(nn.ReLU())
    chain.extend(nn.Sequential(nn.Tanh())).insert(1, nn.Sigmoid())
    assert [type(i).__name__ for i in chain] == ["ReLU", "Sigmoid", "Tanh"]
    np.testing.assert_allclose(chain(t(X)).numpy(), np.tanh(sigmoid(X.clip(0))), rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("nn.InstanceNorm1D", "nn.InstanceNorm2D"),
        ("nn.InstanceNorm3D", "nn.InstanceNorm2D"),
        ("nn.LogSoftmax", "nn.Softmax"),
        ("sparse.nn.ReLU6", "sparse.nn.ReLU"),
        ("sparse.nn.LeakyReLU", "sparse.nn.ReLU"),
        ("sparse.nn.Softmax", "sparse.nn.ReLU"),
        ("optimizer.AdamW", "optimizer.Adam"),
    ],
)
def test_classes_that_programs_tell_apart_are_no_subclasses(name, other):
    first, second = (eval(f"paddle.{path}", {"paddle": paddle}) for path in (name, other))
    assert not issubclass(first, second)
