# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Groups behind convolutions, whose results have the channels last in memory."""

import numpy as np
import paddle
import pytest
from paddle import nn
from paddle.jit import to_static
from paddle.nn import functional as F

SHAPE, CHANNELS = [2, 3, 24, 20], 16  # large enough that the convolution leaves its own order


def compiled(function):
    return to_static(function, backend="CINN", full_graph=True)


def per_channel(values):
    return values.reshape([1, -1, 1, 1])


# Of the result of a convolution y, another one z and a vector per channel.
GROUPS = {
    "function": lambda y, z, v: F.relu(y * 2),
    "residual": lambda y, z, v: F.relu(y + z) - 1,
    "scale and shift": lambda y, z, v: y * per_channel(v) + per_channel(v * v),
    "plain residual": lambda y, z, v: paddle.tanh(y + paddle.ones_like(y) * 0.5) * paddle.arange(20.0),
    "over positions": lambda y, z, v: y * F.sigmoid((y * y).mean([2, 3], keepdim=True)),
    "over channels": lambda y, z, v: paddle.exp(y - y.max(1, keepdim=True)) / 2,
    "pooled": lambda y, z, v: paddle.tanh((y + z).mean([2, 3])) * v,
    "over examples": lambda y, z, v: (y * z).sum(0) * 2,
    "over all": lambda y, z, v: (y * z).sum() * 2,
    "two results": lambda y, z, v: [y + z, (y - z) * per_channel(v)],
    "to a row": lambda y, z, v: (y.mean([2, 3], keepdim=True).flatten(1) + v) * 2,
    "comparison": lambda y, z, v: paddle.where(y > z, y, -z),
}
# These need the order that values have in a program.
PLAIN = {
    "rows": lambda y, z, v: (y.reshape([2, -1]) * 2).sum(-1) + 1,
    "transposed": lambda y, z, v: y.transpose([0, 2, 3, 1]) * v + 1,
    "part": lambda y, z, v: y[:, 2:9] * 2 + 1,
}


@pytest.mark.parametrize("name", [*GROUPS, *PLAIN])
def test_values_are_those_of_eager(at_once, counts, name):
    first, second, after = (nn.Conv2D(n, CHANNELS, 3, padding=1) for n in (3, 3, CHANNELS))
    group, v = {**GROUPS, **PLAIN}[name], paddle.rand([CHANNELS])

    def forward(x):
        made = group(first(x), second(x), v)
        made = made if isinstance(made, list) else [made]
        return [after(m) if m.shape == [2, CHANNELS, 24, 20] and m.dtype == x.dtype else m for m in made]

    x, program = paddle.randn(SHAPE), compiled(forward)
    with paddle.no_grad():
        count = counts()
        for _ in range(2):
            for got, want in zip(program(x), forward(x), strict=True):
                assert got.shape == want.shape
                np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=2e-5, atol=2e-5)
        assert count.failed == 0
        assert count.launches > 0 or name in PLAIN
        if name in GROUPS:
            assert "channels last, " in str(paddle.jit.explain(program)(x))


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("training", [False, True])
def test_batch_norm_and_its_statistics(at_once, counts, axes, training):
    convolution = [nn.Conv1D, nn.Conv2D, nn.Conv3D][axes - 1](3, CHANNELS, 3, padding=1)
    kind = [nn.BatchNorm1D, nn.BatchNorm2D, nn.BatchNorm3D][axes - 1]
    x = paddle.randn([4, 3, *([1200] if axes == 1 else [40, 20] if axes == 2 else [10, 8, 8])])
    layers = []
    for _ in range(2):
        norm = kind(CHANNELS)
        norm.weight.set_value(paddle.linspace(0.5, 2, CHANNELS))
        norm._mean.set_value(paddle.linspace(-1, 1, CHANNELS))
        norm.train() if training else norm.eval()
        layers.append(norm)
    with paddle.no_grad():
        program = compiled(lambda x: F.relu(layers[0](convolution(x))) + 1)
        count = counts()
        for _ in range(3):
            got, want = program(x), F.relu(layers[1](convolution(x))) + 1
            np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-4, atol=1e-5)
        # A convolution along one axis gives a view of its result, whose order its group cannot keep.
        assert (count.launches >= 3 or axes == 1) and count.failed == 0
    for name in ("_mean", "_variance"):
        got, want = getattr(layers[0], name), getattr(layers[1], name)
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-5, atol=1e-6)


def test_training_through_convolutions(at_once, counts):
    def train(wrap):
        paddle.seed(7)
        model = nn.Sequential(
            nn.Conv2D(3, 16, 3, padding=1), nn.BatchNorm2D(16), nn.ReLU(), nn.Conv2D(16, 16, 3, padding=1), nn.GELU()
        )
        optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
        loss_of = wrap(lambda x: (model(x) ** 2).mean())
        losses = []
        for step in range(4):
            paddle.seed(step)
            loss = loss_of(paddle.randn(SHAPE))
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            losses.append(float(loss))
        return losses

    count = counts()
    np.testing.assert_allclose(train(compiled), train(lambda f: f), rtol=1e-4)
    assert count.launches > 0 and count.failed == 0


def test_another_order_of_memory_at_another_call(at_once):
    """A result of a convolution that someone looked at has its plain order from then on."""
    convolution = nn.Conv2D(3, CHANNELS, 3, padding=1)
    program = compiled(lambda y: F.relu(y * 2 - 1) + y)
    with paddle.no_grad():
        for look in (False, True, False):
            y = convolution(paddle.randn(SHAPE))
            if look:
                y.numpy()
            got = program(y)
            np.testing.assert_array_equal(got.numpy(), (F.relu(y * 2 - 1) + y).numpy())
