# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Random models through the passes of deployment: the same results as the program that was saved, in float32 and,
roughly, in bfloat16. PROGRAMS sets how many (60), SEED where they begin."""

import os

import numpy as np
import paddle
import pytest
from paddle import _core, nn
from paddle.nn import functional as F

COUNT = int(os.environ.get("PROGRAMS", "60"))
SEED = int(os.environ.get("SEED", "1"))
IMAGE, TOKENS = [2, 4, 6, 6], [2, 5, 8]


class Random:
    """Draws choices, and makes parameters in the order in which they are asked for."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.parameters = nn.ParameterList()
        self.recording, self.used = True, 0

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def tensor(self, *shape, low=-0.5, high=0.5):
        if self.recording:
            values = np.random.default_rng(len(self.parameters)).uniform(low, high, shape).astype("float32")
            init = nn.initializer.Assign(values)
            self.parameters.append(paddle.create_parameter(list(shape), "float32", default_initializer=init))
        self.used += 1
        return self.parameters[self.used - 1]


def convolution(x, r):
    if x.ndim != 4:
        return x @ r.tensor(x.shape[-1], r.pick([4, 8]))
    channels, size = x.shape[1], r.pick([1, 3])
    groups = r.pick([1, channels])
    out = channels if groups > 1 else r.pick([4, 6, 16])
    bias = r.tensor(out) if r.pick([0, 1]) else None
    return F.conv2d(x, r.tensor(out, channels // groups, size, size), bias, padding=size // 2, groups=groups)


def transposed(x, r):
    if x.ndim != 4 or x.shape[2] > 8:
        return x
    return F.conv2d_transpose(x, r.tensor(x.shape[1], r.pick([2, 4]), 2, 2), stride=2)


def product(x, r):
    if x.ndim == 4:
        return x
    if r.pick([0, 1]):
        return F.linear(x, r.tensor(x.shape[-1], 8), r.tensor(8))
    return paddle.matmul(x, r.tensor(8, x.shape[-1]), transpose_y=True)


def affine(x, r):
    shape = r.pick([[1], [x.shape[1], 1, 1] if x.ndim == 4 else [x.shape[-1]]])
    t = r.tensor(*shape, low=0.5, high=1.5)
    return r.pick([lambda: x * t, lambda: x + t, lambda: t + x, lambda: t * x, lambda: x - t, lambda: x / t])()


def norm(x, r):
    if x.ndim == 4:
        c = x.shape[1]
        mean, variance = r.tensor(c), r.tensor(c, low=0.5, high=2.0)
        return F.batch_norm(x, mean, variance, r.tensor(c, low=0.5, high=1.5), r.tensor(c), training=False)
    gain, shift = r.tensor(x.shape[-1], low=0.5, high=1.5), r.tensor(x.shape[-1])
    if r.pick([0, 1]):
        return F.layer_norm(x, x.shape[-1:], gain, shift)
    d = x - x.mean(-1, keepdim=True)
    return d / paddle.sqrt((d * d).mean(-1, keepdim=True) + 1e-2) * gain + shift


def activation(x, r):
    functions = [F.relu, F.relu6, F.sigmoid, F.hardswish, F.hardsigmoid, F.silu, F.gelu, paddle.tanh, F.leaky_relu]
    return r.pick([*functions, lambda v: paddle.clip(v, -1.0, 2.0), lambda v: F.gelu(v, approximate=True)])(x)


def scaled(x, r):
    return r.pick(
        [x * 0.5, x + 1.0, paddle.scale(x, 2.0, bias=-0.5), x * 1.0, x / 4, F.dropout(x, 0.3, training=False)]
    )


def excite(x, r):
    if x.ndim != 4:
        return x * F.softmax(x, -1)
    s = F.adaptive_avg_pool2d(x, 1)
    s = F.hardsigmoid(F.conv2d(F.relu(F.conv2d(s, r.tensor(2, x.shape[1], 1, 1))), r.tensor(x.shape[1], 2, 1, 1)))
    return r.pick([x * s, x + x * s])


def attention(x, r):
    if x.ndim != 3:
        return F.max_pool2d(x, 2) if x.shape[2] >= 4 else x
    d, heads = x.shape[-1], 2
    split = [0, 0, heads, d // heads]
    q, k, v = (F.linear(x, r.tensor(d, d), r.tensor(d)).reshape(split).transpose([0, 2, 1, 3]) for _ in range(3))
    scores = paddle.matmul(q * (d // heads) ** -0.5, k, transpose_y=True)
    if r.pick([0, 1]):
        scores = scores + r.tensor(1, 1, x.shape[1], x.shape[1])
    return paddle.matmul(F.softmax(scores), v).transpose([0, 2, 1, 3]).reshape([0, 0, d])


def moved(x, r):
    if x.ndim == 3:
        return r.pick([x.reshape([0, -1]).reshape(x.shape), x.unsqueeze(1).squeeze(1), paddle.concat([x, x * 1.0], 1)])
    return r.pick(
        [paddle.concat([x, x], 1)[:, :4], F.interpolate(F.avg_pool2d(x, 2), scale_factor=2), F.pad(x, [1, 0, 0, 1])]
    )


STEPS = [convolution, convolution, transposed, product, product, affine, norm, activation, activation, scaled]
STEPS += [excite, attention, moved]


class Model(nn.Layer):
    """Inputs and parameters in random operators; some values are used twice, some results twice."""

    def __init__(self, seed):
        super().__init__()
        self.seed, self.random = seed, Random(seed)
        self.random.recording = True
        with paddle.no_grad():
            self.forward(paddle.ones(IMAGE), paddle.ones(TOKENS))
        self.parameters_used = self.random.parameters
        self.random.recording = False

    def forward(self, image, tokens):
        r = self.random
        r.rng, r.used = np.random.default_rng(self.seed), 0
        values = [image, tokens]
        for _ in range(int(r.rng.integers(4, 14))):
            x = values[-1] if r.rng.random() < 0.7 else r.pick(values)
            x = r.pick(STEPS)(x, r)
            others = [v for v in values if v.shape == x.shape]
            if others and r.rng.random() < 0.3:
                x = r.pick([x + r.pick(others), r.pick(others) * x])
            values.append(x)
        return values[-1], r.pick(values) * 1.0


def save(seed, folder):
    paddle.seed(seed)
    model = Model(seed)
    model.eval()
    spec = [paddle.static.InputSpec(IMAGE, "float32", "image"), paddle.static.InputSpec(TOKENS, "float32", "tokens")]
    path = str(folder / "model")
    paddle.jit.save(paddle.jit.to_static(model, full_graph=True), path, input_spec=spec)
    return path + ".json", path + ".pdiparams" if os.path.exists(path + ".pdiparams") else ""


@pytest.fixture(autouse=True)
def verified():
    paddle.set_flags({"FLAGS_pir_verify_passes": True})
    yield
    paddle.set_flags({"FLAGS_pir_verify_passes": False})


@pytest.mark.parametrize("seed", range(SEED, SEED + COUNT))
def test_deployed_programs_give_what_was_saved(seed, tmp_path):
    files = save(seed, tmp_path)
    rng = np.random.default_rng(seed)
    given = [paddle.to_tensor(rng.standard_normal(s).astype("float32")) for s in (IMAGE, TOKENS)]
    load = _core.pir.SavedProgram.load
    plain, deployed = load(*files, optimize=False), load(*files, frozen=True)
    low = load(*files, frozen=True, bfloat16=True)
    given = [x for x, name in zip(given, ("image", "tokens"), strict=True) if name in plain.input_names]
    expected = [t.numpy() for t in plain.run(given)]
    for _ in range(2):  # weights are packed on the first run
        found, rounded = deployed.run(given), low.run(given)
        for a, b, c in zip(expected, found, rounded, strict=True):
            np.testing.assert_allclose(
                b.numpy(), a, rtol=2e-5, atol=2e-5 * max(1, np.abs(a).max()), err_msg=f"seed {seed}"
            )
            assert c.dtype == b.dtype
            assert np.abs(c.numpy() - a).max() <= 0.2 * max(1, np.abs(a).max()), f"seed {seed}"
