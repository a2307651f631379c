# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Layers keep what they were made with as attributes, which programs read and change: the next call follows them, as in
PaddlePaddle 3.3.1."""

import numpy as np
import paddle
import pytest
from paddle import nn

X = paddle.to_tensor([[-1.0, 0.75, 2.0], [0.25, -3.0, 1.5]])

ACTIVATIONS = [
    (nn.LeakyReLU(), nn.LeakyReLU(0.5), "_negative_slope", 0.5),
    (nn.ELU(), nn.ELU(0.5), "_alpha", 0.5),
    (nn.CELU(), nn.CELU(0.5), "_alpha", 0.5),
    (nn.SELU(), nn.SELU(1.0507009873554805, 3.0), "_alpha", 3.0),
    (nn.GELU(), nn.GELU(True), "_approximate", True),
    (nn.Hardtanh(), nn.Hardtanh(max=1.75), "_max", 1.75),
    (nn.Softplus(), nn.Softplus(beta=5.0), "_beta", 5.0),
    (nn.Hardshrink(), nn.Hardshrink(1.75), "_threshold", 1.75),
    (nn.Softshrink(), nn.Softshrink(1.0), "_threshold", 1.0),
    (nn.ThresholdedReLU(), nn.ThresholdedReLU(1.75), "_threshold", 1.75),
    (nn.Softmax(0), nn.Softmax(1), "_axis", 1),
    (nn.LayerNorm(3), nn.LayerNorm(3, 0.001), "_epsilon", 0.001),
]


@pytest.mark.parametrize(("layer", "other", "name", "value"), ACTIVATIONS, ids=lambda v: type(v).__name__)
def test_a_call_follows_the_attribute(layer, other, name, value):
    assert not np.array_equal(layer(X).numpy(), other(X).numpy())
    setattr(layer, name, value)
    np.testing.assert_array_equal(layer(X).numpy(), other(X).numpy())
    assert layer.extra_repr() == other.extra_repr()


def test_a_loss_follows_its_reduction():
    loss, label = nn.NLLLoss(), paddle.to_tensor([0, 2])
    loss._reduction = "sum"
    assert loss(X, label).item() == -0.5


@pytest.mark.parametrize(
    "settings, of_batch",
    [
        ({"_use_global_stats": True}, False),
        ({"_use_global_stats": False}, False),
        ({"_trainable_statistics": True}, True),
        ({"_trainable_statistics": True, "_use_global_stats": True}, False),
    ],
)
def test_the_statistics_of_evaluation(settings, of_batch):
    norm = nn.BatchNorm(3)
    norm.eval()
    for name, value in settings.items():
        setattr(norm, name, value)
    expected = (X - X.mean(0)) / (X.var(0, unbiased=False) + 1e-5).sqrt() if of_batch else X / (1 + 1e-5) ** 0.5
    np.testing.assert_allclose(norm(X).numpy(), expected.numpy(), rtol=1e-4, atol=1e-5)


def test_a_layer_that_stays_in_float32():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    model[0]._cast_to_low_precision = False
    paddle.amp.decorate(model, level="O2", dtype="bfloat16")
    assert [p.dtype for p in model.parameters()] == [paddle.float32] * 2 + [paddle.bfloat16] * 2


SETTINGS = [
    (nn.Embedding(5, 4), {"_size": [5, 4]}),
    (nn.Bilinear(3, 4, 5), {"_in1_features": 3, "_in2_features": 4, "_out_features": 5, "_weight_attr": None}),
    (nn.SpectralNorm([3, 4]), {"_weight_shape": [3, 4]}),
    (nn.InstanceNorm2D(3, momentum=0.25), {"_momentum": 0.25}),
]


@pytest.mark.parametrize(("layer", "settings"), SETTINGS, ids=lambda v: type(v).__name__)
def test_layers_keep_what_they_were_made_with(layer, settings):
    assert {name: getattr(layer, name) for name in settings} == settings
