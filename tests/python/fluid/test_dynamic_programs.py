# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Programs of dynamic mode as the guides of PaddlePaddle 1.8 and 2.0 write them, training until they are right."""

import numpy as np
import paddle
import pytest
from paddle import fluid
from paddle.fluid.dygraph import Conv2D, Embedding, GRUUnit, Linear, Pool2D, to_variable


@pytest.fixture(autouse=True)
def eager():
    paddle.seed(3)
    with fluid.dygraph.guard(), fluid.unique_name.guard():
        yield
    fluid.dygraph.Layer._last_mode = True


def test_a_line_is_fitted_from_static_mode_too():
    paddle.enable_static()
    try:
        with fluid.dygraph.guard(fluid.CPUPlace()):
            layer = Linear(3, 1)
            sgd = fluid.optimizer.SGD(learning_rate=0.1, parameter_list=layer.parameters())
            rng = np.random.RandomState(0)
            for _ in range(200):
                rows = rng.randn(16, 3).astype("float32")
                x, y = to_variable(rows), to_variable(rows.sum(1, keepdims=True) + 1.0)
                loss = fluid.layers.mean(fluid.layers.square_error_cost(layer(x), y))
                loss.backward()
                sgd.minimize(loss)
                layer.clear_gradients()
            assert loss.shape == [1] and loss.numpy()[0] < 1e-4
            np.testing.assert_allclose(layer.weight.numpy(), np.ones([3, 1]), atol=0.05)
    finally:
        paddle.disable_static()


class ConvBNLayer(fluid.dygraph.Layer):
    def __init__(self, num_channels, num_filters, filter_size, stride=1, act=None):
        super().__init__()
        self._conv = Conv2D(
            num_channels=num_channels,
            num_filters=num_filters,
            filter_size=filter_size,
            stride=stride,
            padding=(filter_size - 1) // 2,
            act=None,
            bias_attr=False,
        )
        self._batch_norm = fluid.dygraph.BatchNorm(num_filters, act=act)

    def forward(self, inputs):
        return self._batch_norm(self._conv(inputs))


class ResNet(fluid.dygraph.Layer):
    def __init__(self, classes):
        super().__init__()
        self.first = ConvBNLayer(3, 8, 3, act="relu")
        self.blocks = fluid.dygraph.LayerList()
        for i in range(2):
            self.blocks.append(self.add_sublayer(f"b{i}", ConvBNLayer(8, 8, 3)))
        self.pool2d_max = Pool2D(pool_size=3, pool_stride=2, pool_padding=1, pool_type="max")
        self.pool2d_avg = Pool2D(pool_size=7, pool_type="avg", global_pooling=True)
        self.out = Linear(8, classes, act="softmax")

    def forward(self, inputs):
        y = self.pool2d_max(self.first(inputs))
        for block in self.blocks:
            y = fluid.layers.elementwise_add(x=y, y=block(y), act="relu")
        y = self.pool2d_avg(y)
        y = fluid.layers.dropout(y, 0.1)
        return self.out(fluid.layers.reshape(y, shape=[-1, 8]))


def test_images_are_classified_saved_and_loaded(tmp_path):
    rng = np.random.RandomState(0)
    patterns = 2 * rng.randn(5, 3, 1, 1).astype("float32") + rng.randn(5, 3, 16, 16).astype("float32")

    def batch():
        labels = rng.randint(0, 5, [32, 1]).astype("int64")
        return to_variable(patterns[labels[:, 0]] + 0.3 * rng.randn(32, 3, 16, 16).astype("float32")), to_variable(
            labels
        )

    model = ResNet(5)
    momentum = fluid.optimizer.Momentum(
        learning_rate=fluid.layers.piecewise_decay([30], [0.1, 0.01]),
        momentum=0.9,
        parameter_list=model.parameters(),
        regularization=fluid.regularizer.L2Decay(1e-4),
    )
    model.train()
    rates = []
    for _ in range(40):
        img, label = batch()
        label.stop_gradient = True
        out = model(img)
        avg_loss = fluid.layers.mean(x=fluid.layers.cross_entropy(input=out, label=label))
        avg_loss.backward()
        momentum.minimize(avg_loss)
        model.clear_gradients()
        rates.append(momentum.current_step_lr())
    assert rates[:30] == [0.1] * 30 and rates[30:] == [0.01] * 10
    model.eval()
    img, label = batch()
    accuracy = fluid.layers.accuracy(input=model(img), label=label)
    assert accuracy.shape == [1] and float(accuracy) > 0.9

    fluid.save_dygraph(model.state_dict(), str(tmp_path / "resnet"))
    fluid.save_dygraph(momentum.state_dict(), str(tmp_path / "resnet"))
    parameters, state = fluid.dygraph.load_dygraph(str(tmp_path / "resnet"))
    other = ResNet(5)
    other.set_dict(parameters)
    other.eval()
    np.testing.assert_allclose(other(img).numpy(), model(img).numpy(), rtol=1e-5)
    assert any("velocity" in name for name in state)


class Sentiment(fluid.dygraph.Layer):
    def __init__(self, size, width):
        super().__init__()
        self.embedding = Embedding(size=[size, width], dtype="float32", is_sparse=False)
        self.fc1 = Linear(width, 3 * width)
        self.gru = GRUUnit(3 * width)
        self.fc2 = Linear(width, 2, act="softmax")
        self.width = width

    @fluid.dygraph.declarative
    def forward(self, words):
        emb = self.embedding(words)
        hidden = fluid.layers.fill_constant_batch_size_like(emb, [-1, self.width], "float32", 0.0)
        for i in range(emb.shape[1]):
            hidden, _, _ = self.gru(self.fc1(emb[:, i]), hidden)
        return self.fc2(hidden)


def test_sentiment_is_understood_by_units_in_a_declarative_layer():
    rng = np.random.RandomState(0)
    model = Sentiment(20, 8)
    adam = fluid.optimizer.AdamOptimizer(
        0.02, parameter_list=model.parameters(), grad_clip=fluid.clip.GradientClipByGlobalNorm(5.0)
    )
    for _ in range(60):
        labels = rng.randint(0, 2, [32, 1]).astype("int64")
        words = (rng.randint(0, 10, [32, 6]) + 10 * labels).astype("int64")
        loss = fluid.layers.mean(fluid.layers.cross_entropy(model(to_variable(words)), to_variable(labels)))
        loss.backward()
        adam.minimize(loss)
        adam.clear_gradients()
    assert float(loss) < 0.1


def test_a_layer_that_evaluates_switches_functions_of_dropout():
    class Dropped(fluid.dygraph.Layer):
        def forward(self, x):
            return fluid.layers.dropout(x, 0.5)

    layer, x = Dropped(), paddle.ones([1000])
    assert 0.0 in layer(x).numpy()
    layer.eval()
    np.testing.assert_allclose(layer(x).numpy(), np.full([1000], 0.5, "float32"))


def test_a_layer_is_traced_and_saved(tmp_path):
    layer = Linear(4, 2, act="relu")
    x = to_variable(np.random.RandomState(0).randn(3, 4).astype("float32"))
    out, traced = fluid.dygraph.TracedLayer.trace(layer, [x])
    np.testing.assert_allclose(traced([x])[0].numpy(), out.numpy(), rtol=1e-6)
    traced.save_inference_model(str(tmp_path / "linear"))
    np.testing.assert_allclose(fluid.dygraph.jit.load(str(tmp_path / "linear"))(x).numpy(), out.numpy(), rtol=1e-6)


@pytest.mark.parametrize(
    ("decay", "wanted"),
    [
        (lambda d: d.NaturalExpDecay(0.1, 2, 0.5), lambda i: 0.1 * np.exp(-0.25 * i)),
        (lambda d: d.ExponentialDecay(0.1, 2, 0.5, staircase=True), lambda i: 0.1 * 0.5 ** (i // 2)),
        (lambda d: d.InverseTimeDecay(0.1, 2, 0.5), lambda i: 0.1 / (1 + 0.25 * i)),
        (lambda d: d.PolynomialDecay(0.1, 4, 0.01, 2.0), lambda i: 0.09 * (1 - min(i, 4) / 4) ** 2 + 0.01),
        (lambda d: d.CosineDecay(0.1, 2, 5), lambda i: 0.05 * (np.cos((i // 2) * np.pi / 5) + 1)),
        (lambda d: d.NoamDecay(64, 3), lambda i: 64**-0.5 * min((i + 1) ** -0.5, (i + 1) * 3**-1.5)),
        (lambda d: d.LinearLrWarmup(0.1, 4, 0.0, 0.1, begin=0), lambda i: min(i / 4, 1) * 0.1),
    ],
)
def test_learning_rates_follow_their_formulas(decay, wanted):
    weight = paddle.create_parameter([1], "float32", default_initializer=fluid.initializer.Constant(0.0))
    sgd = fluid.optimizer.SGD(decay(fluid.dygraph), parameter_list=[weight])
    before = 0.0
    for i in range(8):
        loss = fluid.layers.reduce_sum(weight)
        loss.backward()
        sgd.minimize(loss)
        sgd.clear_gradients()
        np.testing.assert_allclose(before - float(weight), wanted(i), rtol=1e-4, atol=1e-7)
        before = float(weight)
