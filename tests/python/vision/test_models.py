# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Models of images: names and shapes of parameters, and outputs, as those of PaddlePaddle 3.3.1."""

import hashlib

import numpy as np
import paddle
import pytest
from paddle.vision import models

# model: (entries of its state, MD5 of "name shape" lines, begun)
STATES = {
    "resnet18": (102, "4ab163bd9f56"),
    "resnet50": (267, "ba6149fd234e"),
    "resnext50_32x4d": (267, "c8ff5dfb2aca"),
    "mobilenet_v1": (137, "7a03637d7c44"),
    "mobilenet_v2": (262, "07331a618bde"),
    "mobilenet_v3_small": (210, "96ba0ba285d1"),
    "mobilenet_v3_large": (266, "5a68e2037ca8"),
    "densenet121": (606, "9be64bbc53af"),
    "inception_v3": (472, "8abd580c1969"),
    "squeezenet1_0": (52, "908533f19620"),
    "squeezenet1_1": (52, "04c7f3584d7b"),
    "googlenet": (69, "30e86b746025"),
    "shufflenet_v2_x0_25": (282, "2aa283059464"),
    "shufflenet_v2_swish": (282, "2b4c31edc077"),
    "LeNet": (10, "0ad9a22f62cb"),
}

# model: (size of the image, mean of absolute scores, sum of scores times sin(0, 1, 2, ...)), with `fill`
SCORES = {
    "resnet18": (64, 16.746301651, 123.5523986816),
    "mobilenet_v2": (64, 2.4748237133, 102.7563934326),
    "mobilenet_v3_small": (64, 0.1924435496, 4.2790908813),
    "densenet121": (64, 0.7933314443, 13.5441551208),
    "squeezenet1_1": (64, 0.1678531766, -3.3161990643),
    "shufflenet_v2_x0_5": (64, 14.1124410629, -582.7708129883),
    "LeNet": (28, 2.1053528786, -6.9036912918),
}


def fill(network):
    """Weights that do not depend on how layers draw them."""
    rng = np.random.RandomState(0)
    for name, value in network.state_dict().items():
        shape = list(value.shape)
        if name.endswith("_variance"):
            array = rng.uniform(0.5, 1.5, shape)
        elif name.endswith("_mean"):
            array = rng.normal(size=shape) * 0.1
        elif len(shape) > 1:
            array = rng.normal(size=shape) * np.sqrt(2 / np.prod(shape[1:] if len(shape) > 2 else shape[:1]))
        elif name.endswith("bias"):
            array = rng.normal(size=shape) * 0.1
        else:
            array = rng.uniform(0.8, 1.2, shape)
        value.set_value(array.astype("float32"))


@pytest.mark.parametrize("name", STATES)
def test_parameters_have_paddlepaddle_names_and_shapes(name):
    state = getattr(models, name)().state_dict()
    text = "\n".join(f"{key} {list(value.shape)}" for key, value in state.items())
    assert (len(state), hashlib.md5(text.encode()).hexdigest()[:12]) == STATES[name]


@pytest.mark.parametrize("name", SCORES)
def test_scores_are_those_of_paddlepaddle(name):
    size, mean, projected = SCORES[name]
    network = getattr(models, name)()
    network.eval()
    fill(network)
    image = np.random.RandomState(1).rand(1, 1 if name == "LeNet" else 3, size, size).astype("float32")
    with paddle.no_grad():
        scores = network(paddle.to_tensor(image)).numpy().astype("float64").ravel()
    assert np.abs(scores).mean() == pytest.approx(mean, rel=1e-3)
    assert (scores * np.sin(np.arange(scores.size))).sum() == pytest.approx(projected, rel=2e-3, abs=2e-3)


def test_classifier_and_pooling_can_be_left_out():
    image = paddle.ones([1, 3, 32, 32])
    with paddle.no_grad():
        assert models.resnet18(num_classes=0)(image).shape == [1, 512, 1, 1]
        assert models.resnet18(num_classes=0, with_pool=False)(paddle.ones([1, 3, 64, 64])).shape == [1, 512, 2, 2]
        assert models.mobilenet_v1(scale=0.25, num_classes=7)(image).shape == [1, 7]


def test_a_model_trains():
    network = models.ResNet(models.resnet.BasicBlock, 18, num_classes=4)
    loss = paddle.nn.functional.cross_entropy(network(paddle.ones([2, 3, 32, 32])), paddle.to_tensor([1, 2]))
    loss.backward()
    assert all(p.grad is not None for p in network.parameters() if p.trainable)


def test_pretrained_weights_are_read_from_a_file_or_refused(tmp_path, monkeypatch):
    from paddle.utils import download

    monkeypatch.setattr(download, "WEIGHTS_HOME", str(tmp_path))
    with pytest.raises(RuntimeError, match="squeezenet1_1.pdparams"):
        models.squeezenet1_1(pretrained=True)
    saved = models.squeezenet1_1()
    paddle.save(saved.state_dict(), str(tmp_path / "squeezenet1_1.pdparams"))
    loaded = models.squeezenet1_1(pretrained=True)
    np.testing.assert_array_equal(loaded._conv.weight.numpy(), saved._conv.weight.numpy())


def test_unknown_variants_are_refused():
    with pytest.raises(AssertionError, match="layers"):
        models.DenseNet(layers=100)
    with pytest.raises(NotImplementedError, match="scale"):
        models.ShuffleNetV2(scale=0.75)
    with pytest.raises(ValueError, match="depth"):
        models.ResNet(models.resnet.BasicBlock, 20)


def test_alexnet_draws_its_classifier_within_the_bound_of_the_first_layer():
    net = paddle.vision.models.AlexNet(num_classes=8)
    for layer in (net._fc6, net._fc7, net._fc8):
        assert 0.99 / 96 < float(layer.weight.abs().max()) <= 1 / 96 + 1e-7


@pytest.mark.parametrize("make", [models.squeezenet1_0, models.squeezenet1_1])
def test_maps_of_scores_of_a_squeezenet_have_either_sign(make):
    scores = make(num_classes=7, with_pool=False)
    pooled = make(num_classes=7)
    pooled.set_state_dict(scores.state_dict())
    scores.eval(), pooled.eval()
    x = paddle.randn([1, 3, 64, 64])
    assert float(scores(x).min()) < 0
    want = paddle.nn.functional.relu(scores(x)).mean(axis=[2, 3])
    assert paddle.allclose(pooled(x), want, rtol=1e-4, atol=1e-5)
