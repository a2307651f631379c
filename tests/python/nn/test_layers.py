# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers against NumPy, and the machinery of Layer."""

import copy
import pickle

import numpy as np
import paddle
import pytest
from paddle import nn

F = nn.functional
X = np.random.RandomState(1).randn(6, 5).astype("float32")


def softmax(a):
    e = np.exp(a - a.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_parameters_have_paddle_names():
    with paddle.utils.unique_name.guard():
        first, second = nn.Linear(2, 3), nn.Linear(3, 1)
        norm = nn.BatchNorm2D(4)
    assert [p.name for p in first.parameters()] == ["linear_0.w_0", "linear_0.b_0"]
    assert second.full_name() == "linear_1" and norm.full_name() == "batch_norm2d_0"
    assert [p.name for p in norm.parameters() if not p.trainable] == ["batch_norm2d_0.w_1", "batch_norm2d_0.w_2"]


def test_linear_and_its_gradients():
    layer = nn.Linear(5, 3)
    x = paddle.to_tensor(X, stop_gradient=False)
    layer(x).sum().backward()
    w = layer.weight.numpy()
    np.testing.assert_allclose(layer(x).numpy(), X @ w + layer.bias.numpy(), atol=1e-5)
    np.testing.assert_allclose(layer.weight.grad.numpy(), np.tile(X.sum(0)[:, None], 3), rtol=1e-5)
    np.testing.assert_allclose(layer.bias.grad.numpy(), np.full(3, 6.0))
    np.testing.assert_allclose(x.grad.numpy(), np.tile(w.sum(1), (6, 1)), rtol=1e-5)


def test_cross_entropy_with_weights_and_an_ignored_index():
    label = np.array([0, 4, 2, -100, 1, 1])
    weight = np.linspace(0.5, 1.5, 5).astype("float32")
    keep = label != -100
    rows = -np.log(softmax(X))[keep, label[keep]]
    loss = nn.CrossEntropyLoss(paddle.to_tensor(weight))(paddle.to_tensor(X), paddle.to_tensor(label))
    expected = (rows * weight[label[keep]]).sum() / weight[label[keep]].sum()
    assert loss.item() == pytest.approx(expected, rel=1e-5)
    none = F.cross_entropy(paddle.to_tensor(X), paddle.to_tensor(label), reduction="none")
    assert none.shape == [6] and none.numpy()[3] == 0


def test_label_smoothing():
    label = np.array([0, 4, 2, 3, 1, 1])
    soft = np.eye(5)[label] * 0.9 + 0.02
    loss = F.cross_entropy(paddle.to_tensor(X), paddle.to_tensor(label), label_smoothing=0.1)
    assert loss.item() == pytest.approx(-(soft * np.log(softmax(X))).sum(1).mean(), rel=1e-5)


@pytest.mark.parametrize(
    "ours, theirs",
    [
        (F.mse_loss, lambda x, y: ((x - y) ** 2).mean()),
        (F.l1_loss, lambda x, y: abs(x - y).mean()),
        (F.smooth_l1_loss, lambda x, y: np.where(abs(x - y) < 1, (x - y) ** 2 / 2, abs(x - y) - 0.5).mean()),
        (
            F.binary_cross_entropy_with_logits,
            lambda x, y: (np.maximum(x, 0) - x * y + np.log1p(np.exp(-abs(x)))).mean(),
        ),
    ],
)
def test_losses_equal_numpy(ours, theirs):
    y = (X[::-1] > 0).astype("float32")
    loss = ours(paddle.to_tensor(X), paddle.to_tensor(y))
    assert loss.item() == pytest.approx(theirs(X, y), rel=1e-5)


@pytest.mark.parametrize(
    "layer, theirs",
    [
        (nn.ReLU(), lambda x: np.maximum(x, 0)),
        (nn.Tanh(), np.tanh),
        (nn.Sigmoid(), lambda x: 1 / (1 + np.exp(-x))),
        (nn.Silu(), lambda x: x / (1 + np.exp(-x))),
        (nn.LeakyReLU(0.1), lambda x: np.where(x > 0, x, 0.1 * x)),
        (nn.Softmax(), softmax),
        (nn.LogSoftmax(), lambda x: np.log(softmax(x))),
        (nn.Hardtanh(), lambda x: x.clip(-1, 1)),
        (nn.Softsign(), lambda x: x / (1 + abs(x))),
        (nn.ELU(2.0), lambda x: np.where(x > 0, x, 2 * np.expm1(x))),
        (nn.LayerNorm(5), lambda x: (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5)),
        (nn.RMSNorm(5, 1e-5), lambda x: x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5)),
    ],
)
def test_layers_equal_numpy(layer, theirs):
    np.testing.assert_allclose(layer(paddle.to_tensor(X)).numpy(), theirs(X), rtol=1e-4, atol=1e-5)


def test_batch_norm_trains_and_evaluates():
    layer = nn.BatchNorm1D(5)
    out = layer(paddle.to_tensor(X))
    np.testing.assert_allclose(out.numpy(), (X - X.mean(0)) / np.sqrt(X.var(0) + 1e-5), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(layer._mean.numpy(), 0.1 * X.mean(0), rtol=1e-4, atol=1e-6)
    layer.eval()
    expected = (X - layer._mean.numpy()) / np.sqrt(layer._variance.numpy() + 1e-5)
    np.testing.assert_allclose(layer(paddle.to_tensor(X)).numpy(), expected, rtol=1e-4, atol=1e-5)


def test_attention_equals_its_formula():
    q = np.random.RandomState(2).randn(2, 4, 2, 8).astype("float32")
    t = paddle.to_tensor(q)
    out = F.scaled_dot_product_attention(t, t, t, is_causal=True)
    h = q.transpose(0, 2, 1, 3)
    scores = h @ h.swapaxes(2, 3) / np.sqrt(8)
    scores[..., np.triu(np.ones((4, 4), bool), 1)] = -np.inf
    np.testing.assert_allclose(out.numpy(), (softmax(scores) @ h).transpose(0, 2, 1, 3), rtol=1e-4, atol=1e-5)


def test_transformer_encoder_keeps_the_shape():
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), 2)
    out = encoder(paddle.randn([2, 3, 8]))
    out.sum().backward()
    assert out.shape == [2, 3, 8] and len(encoder.parameters()) == 32
    assert all(p.grad is not None for p in encoder.parameters())


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.scale = self.create_parameter([1], default_initializer=nn.initializer.Constant(2.0))
        self.register_buffer("count", paddle.zeros([1]))
        self.register_buffer("scratch", paddle.zeros([1]), persistable=False)

    def forward(self, x):
        return self.fc(x) * self.scale


def test_state_dict_round_trip():
    a, b = Net(), Net()
    assert list(a.state_dict()) == ["scale", "count", "fc.weight", "fc.bias"]
    missing, unexpected = b.set_state_dict({**a.state_dict(), "extra": paddle.ones([1])})
    assert (missing, unexpected) == ([], ["extra"])
    np.testing.assert_array_equal(a.fc.weight.numpy(), b.fc.weight.numpy())


def test_deepcopy_and_pickle_make_independent_layers():
    net = Net()
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):
        np.testing.assert_array_equal(other.fc.weight.numpy(), net.fc.weight.numpy())
        assert isinstance(other.fc.weight, nn.Parameter) and other.fc.weight is not net.fc.weight


def test_assignment_rules():
    net = Net()
    with pytest.raises(TypeError):
        net.fc = 3
    with pytest.raises(TypeError):
        net.scale = paddle.ones([1])
    net.extra = nn.Linear(1, 1)
    assert "extra.weight" in dict(net.named_parameters())
    del net.extra
    assert not hasattr(net, "extra")


def test_hooks_change_inputs_and_outputs():
    layer = nn.Identity()
    pre = layer.register_forward_pre_hook(lambda layer, inputs: inputs[0] + 1)
    layer.register_forward_post_hook(lambda layer, inputs, out: out * 10)
    assert layer(paddle.ones([1])).item() == 20
    pre.remove()
    assert layer(paddle.ones([1])).item() == 10


def test_cast_keeps_the_parameter_objects():
    net = Net()
    weight = net.fc.weight
    net.to(dtype="bfloat16")
    assert net.fc.weight is weight and weight.dtype == paddle.bfloat16


@pytest.mark.parametrize(
    "init, check",
    [
        (nn.initializer.Constant(3.0), lambda a: (a == 3).all()),
        (nn.initializer.XavierUniform(), lambda a: abs(a).max() <= np.sqrt(6 / 400)),
        (nn.initializer.KaimingNormal(), lambda a: abs(a.std() - np.sqrt(2 / 200)) < 0.01),
        (nn.initializer.TruncatedNormal(0.0, 1.0), lambda a: abs(a).max() <= 2),
        (nn.initializer.Assign(np.ones((200, 200), "float32")), lambda a: (a == 1).all()),
    ],
)
def test_initializers(init, check):
    p = paddle.create_parameter([200, 200], "float32", default_initializer=init)
    assert check(p.numpy())


def test_dirac_filters_pass_channels_on():
    w = paddle.create_parameter([4, 2, 3], "float32", default_initializer=nn.initializer.Dirac(2))
    x = paddle.to_tensor(np.arange(12.0, dtype="float32").reshape(1, 2, 6))
    out = nn.functional.conv1d(x, w, padding=1)
    np.testing.assert_array_equal(out.numpy(), np.concatenate([x.numpy(), x.numpy()], 1))
    with pytest.raises(AssertionError):
        paddle.create_parameter([3, 3], "float32", default_initializer=nn.initializer.Dirac())


def test_bilinear_filters():
    w = paddle.create_parameter([2, 1, 3, 3], "float32", default_initializer=nn.initializer.Bilinear())
    golden = [0.0625, 0.3125, 0.4375, 0.1875, 0.6875, 0.6875, 0.1875, 0.4375, 0.3125]  # PaddlePaddle 3.3.1
    np.testing.assert_allclose(w.numpy().reshape(2, 9), [golden] * 2, rtol=1e-6)


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (lambda: nn.BatchNorm(4), "BatchNorm()"),
        (
            lambda: nn.BatchNorm1D(4, name="q"),
            "BatchNorm1D(num_features=4, momentum=0.9, epsilon=1e-05, data_format=NCL, name=q)",
        ),
        (lambda: nn.PReLU(), "PReLU(num_parameters=1, data_format=NCHW, init=0.25, dtype=float32)"),
        (lambda: nn.Silu(), "Silu(inplace=False)"),
        (lambda: nn.CosineSimilarity(), "CosineSimilarity(axis=1, eps=1e-08)"),
        (lambda: nn.Bilinear(4, 5, 3), "Bilinear(in1_features=4, in2_features=5, out_features=3, dtype=float32)"),
        (lambda: nn.Unflatten(1, [2, 2]), "Unflatten(axis=1, shape=[2, 2])"),
        (lambda: nn.Embedding(4, 3, sparse=True), "Embedding(4, 3, sparse=True, scale_grad_by_freq=False)"),
    ],
)
def test_layers_print_what_they_were_made_of(layer, text):
    assert str(layer()) == text


def test_an_assigned_value_gives_the_parameter_its_shape():
    p = paddle.create_parameter([3], "float32", default_initializer=nn.initializer.Assign(np.ones((4, 2), "float32")))
    assert p.shape == [4, 2] and not p.stop_gradient and p.sum().item() == 8


def test_the_slopes_of_prelu_are_stored_as_paddlepaddle_stores_them():
    assert list(nn.PReLU().state_dict()) == ["_weight"]


def test_eval_does_not_go_through_an_overridden_train():
    class Merged(nn.Linear):
        def train(self):
            self.seen = "train"
            return super().train()

    layer = Merged(2, 2)
    assert layer.eval() is layer and not layer.training and not hasattr(layer, "seen")
    assert layer.train().training and layer.seen == "train"


def test_programs_may_give_linear_its_sizes_as_properties():
    class Sized(nn.Linear):
        in_features = property(lambda self: self.weight.shape[0])

    assert Sized(2, 3).in_features == 2 and not hasattr(nn.Linear(2, 3), "in_features")
    assert repr(nn.Linear(2, 3)) == "Linear(in_features=2, out_features=3, dtype=float32)"


def test_layers_keep_the_attributes_of_their_parameters():
    attr = paddle.ParamAttr(learning_rate=0.5)
    layers = [nn.LayerNorm(4, weight_attr=attr, bias_attr=False), nn.BatchNorm2D(4, weight_attr=attr, bias_attr=False)]
    layers += [nn.GroupNorm(2, 4, weight_attr=attr, bias_attr=False), nn.Linear(2, 2, attr, False)]
    layers += [nn.InstanceNorm2D(4, weight_attr=attr, bias_attr=False)]
    for layer in layers:
        assert layer._weight_attr is attr and layer._bias_attr is False and layer.bias is None
    assert nn.Embedding(3, 2, weight_attr=attr)._weight_attr is attr


def test_attributes_that_are_computed_can_be_assigned():
    layer = nn.Embedding(3, 2, padding_idx=-1)
    assert layer.padding_idx == -1
    layer.padding_idx = 0
    assert (
        layer.padding_idx == 0 and (layer(paddle.to_tensor([0])) != 0).any() and not layer(paddle.to_tensor([2])).any()
    )

    class Pooled(nn.AdaptiveAvgPool2D):
        def __init__(self):
            super().__init__(1)
            self.kept, self.output_size = self.output_size, nn.Linear(2, 2)

    pooled = Pooled()
    assert pooled.kept == 1 and isinstance(pooled.output_size, nn.Linear) and len(pooled.parameters()) == 2


def test_a_hook_that_is_always_called_runs_after_errors_once():
    calls = []

    class Failing(nn.Layer):
        def forward(self, x, fail=True):
            if fail:
                raise RuntimeError("forward fails")
            return x

    def refuse(*_):
        raise RuntimeError("a hook fails")

    net, x = Failing(), paddle.ones([2])
    handle = net.register_forward_post_hook(lambda layer, inputs, out: calls.append(out), always_call=True)
    with pytest.raises(RuntimeError, match="forward fails"):
        net(x)
    assert net(x, fail=False) is x
    assert calls == [None, x] and len(net._forward_post_hooks_always_called) == 1
    net.register_forward_pre_hook(refuse)
    net.register_forward_post_hook(refuse, prepend=True, always_call=True)
    with pytest.warns(UserWarning, match="forward hook"), pytest.raises(RuntimeError, match="a hook fails"):
        net(x, fail=False)
    handle.remove()
    assert calls == [None, x, None] and len(net._forward_post_hooks_always_called) == 1


def test_lists_of_layers_are_joined():
    first, second = nn.Linear(1, 2), nn.ReLU()
    assert list(nn.LayerList([first]) + nn.LayerList([second])) == [first, second]


def test_gradients_of_rows_are_divided_by_how_often_they_are_taken():
    table = nn.Embedding(4, 2, padding_idx=3, scale_grad_by_freq=True)
    table(paddle.to_tensor([[0, 1, 1], [1, 3, 3]])).sum().backward()
    np.testing.assert_allclose(table.weight.grad.numpy(), [[1, 1], [1, 1], [0, 0], [0, 0]], rtol=1e-6)
    with pytest.raises(AttributeError, match="needs sparse=False"):
        nn.Embedding(4, 2, sparse=True, scale_grad_by_freq=True)(paddle.to_tensor([0]))


def test_names_of_a_subclass_stay_out_of_loading():
    class Renamed(nn.Layer):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 1)

        def state_dict(self, *args, **kwargs):
            return {f"outer.{name}": value for name, value in super().state_dict(*args, **kwargs).items()}

    layer = Renamed()
    values = {"inner.weight": np.ones([2, 1], "float32"), "inner.bias": np.zeros([1], "float32")}
    assert layer.set_state_dict(values) == ([], []) and layer.inner.weight.tolist() == [[1.0], [1.0]]
    assert list(layer.state_dict()) == ["outer.inner.weight", "outer.inner.bias"]
    assert list(nn.Sequential(layer).state_dict()) == ["0.inner.weight", "0.inner.bias"]
