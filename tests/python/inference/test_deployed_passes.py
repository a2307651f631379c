# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Saved models through the passes of deployment: the same values as eager, in fewer operators."""

import collections
import re

import numpy as np
import paddle
import pytest
from paddle import _core, inference, nn
from paddle.nn import functional as F


class ConvNet(nn.Layer):
    """Batch norm, residual, squeeze-and-excitation, pointwise, depthwise and transposed."""

    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2D(3, 24, 3, stride=2, padding=1, bias_attr=False), nn.BatchNorm2D(24)
        self.depth, self.norm2 = nn.Conv2D(24, 24, 3, padding=1, groups=24), nn.BatchNorm2D(24)
        self.point = nn.Conv2D(24, 24, 1)
        self.squeeze, self.excite = nn.Conv2D(24, 6, 1), nn.Conv2D(6, 24, 1)
        self.up, self.norm3 = nn.Conv2DTranspose(48, 5, 2, stride=2), nn.BatchNorm2D(5)

    def forward(self, x):
        x = F.hardswish(self.norm(self.first(x)))
        y = F.relu(self.point(F.swish(self.norm2(self.depth(x)))) + x)
        s = F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(y, 1)))))
        y = y + y * s
        y = paddle.concat([y, F.interpolate(F.avg_pool2d(y, 2), scale_factor=2)], axis=1)
        return F.sigmoid(self.norm3(self.up(y)) * 1.5 + 0.25)


class Encoder(nn.Layer):
    """Attention and norms spelled out of their parts."""

    def __init__(self, mask):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(32, 32) for _ in range(4))
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)
        self.gain = self.create_parameter([32], default_initializer=nn.initializer.Uniform(0.5, 1.5))
        self.shift = self.create_parameter([32], default_initializer=nn.initializer.Uniform(-1, 1))
        self.drop = nn.Dropout(0.1)
        self.mask = mask

    def norm(self, x):
        d = x - x.mean(-1, keepdim=True)
        return d / paddle.sqrt((d * d).mean(-1, keepdim=True) + 1e-5) * self.gain + self.shift

    def forward(self, x):
        q, k, v = (f(x).reshape([0, 0, 4, 8]).transpose([0, 2, 1, 3]) for f in (self.q, self.k, self.v))
        scores = paddle.matmul(q * 8**-0.5, k, transpose_y=True)
        if self.mask:
            scores = scores + (paddle.tril(paddle.ones([9, 9])) * 4 - 4)
        y = paddle.matmul(self.drop(F.softmax(scores)), v).transpose([0, 2, 1, 3]).reshape([0, 0, 32])
        x = self.norm(x + self.o(y))
        y = self.down(F.gelu(self.up(x)))
        return (x + y) * paddle.rsqrt(((x + y) ** 2).mean(-1, keepdim=True) + 1e-6) * self.gain


def settle(model):
    """Statistics and affine parameters that are not those of a new layer."""
    rng = np.random.default_rng(0)
    for layer in model.sublayers():
        if isinstance(layer, nn.BatchNorm2D):
            for t, low in ((layer._mean, -1.0), (layer._variance, 0.5), (layer.weight, 0.5), (layer.bias, -1.0)):
                t.set_value(rng.uniform(low, low + 1.5, t.shape).astype("float32"))
    model.eval()
    return model


def saved(model, spec, path):
    paddle.jit.save(paddle.jit.to_static(model, full_graph=True), path, input_spec=[spec])
    return path + ".json", path + ".pdiparams"


def operators(files):
    text = str(_core.pir.SavedProgram.load(*files, frozen=True))
    return collections.Counter(re.findall(r'= "pd_op\.(\w+)"', text))


def predict(files, *arrays, optimize=True):
    config = inference.Config(*files)
    config.switch_ir_optim(optimize)
    predictor = inference.create_predictor(config)
    results = []
    for x in arrays:
        predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
        predictor.run()
        results.append(predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu())
    return results


@pytest.mark.parametrize("dynamic", [False, True])
def test_convolutions(tmp_path, dynamic):
    paddle.seed(1)
    model = settle(ConvNet())
    shape = [None, 3, None, None] if dynamic else [2, 3, 16, 12]
    files = saved(model, paddle.static.InputSpec(shape, "float32", "x"), str(tmp_path / "m"))
    rng = np.random.default_rng(1)
    shapes = [(2, 3, 16, 12), (1, 3, 24, 40), (2, 3, 16, 12)] if dynamic else [(2, 3, 16, 12)] * 3
    arrays = [rng.standard_normal(s).astype("float32") for s in shapes]
    for x, y in zip(arrays, predict(files, *arrays), strict=True):
        np.testing.assert_allclose(y, model(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=2e-6)
    found = operators(files)
    assert found["conv2d_epilogue"] == 6
    for gone in ("conv2d", "depthwise_conv2d", "conv2d_transpose", "batch_norm_", "relu", "hardswish", "sigmoid"):
        assert found[gone] == 0, gone


class Heads(nn.Layer):
    """Attention whose shapes are computed of the batch, and residuals around it."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(32, 32) for _ in range(4))

    def forward(self, x):
        for _ in range(2):
            batch = x.shape[0]
            q, k, v = (f(x).reshape([batch, 9, 4, 8]) for f in (self.q, self.k, self.v))
            y = F.scaled_dot_product_attention(q, k, v)
            x = F.relu(x + self.o(y.reshape([batch, 9, 32])))
        return x


def test_shapes_computed_of_an_open_batch(tmp_path):
    paddle.seed(5)
    model = settle(Heads())
    files = saved(model, paddle.static.InputSpec([None, 9, 32], "float32", "x"), str(tmp_path / "m"))
    rng = np.random.default_rng(5)
    arrays = [rng.standard_normal((n, 9, 32)).astype("float32") for n in (1, 3, 1)]
    for x, y in zip(arrays, predict(files, *arrays), strict=True):
        np.testing.assert_allclose(y, model(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=2e-6)
    found = operators(files)
    assert found["matmul_epilogue"] == 8
    assert found["flash_attn"] == 2
    for gone in ("shape64", "add", "relu", "matmul", "softmax", "transpose"):
        assert found[gone] == 0, gone


@pytest.mark.parametrize("mask", [False, True])
def test_attention_and_norms(tmp_path, mask):
    paddle.seed(2)
    model = settle(Encoder(mask))
    files = saved(model, paddle.static.InputSpec([2, 9, 32], "float32", "x"), str(tmp_path / "m"))
    x = np.random.default_rng(2).standard_normal((2, 9, 32)).astype("float32")
    expected = model(paddle.to_tensor(x)).numpy()
    for y in predict(files, x, x, x):
        np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_array_equal(*predict(files, x, x, optimize=False))
    found = operators(files)
    assert found["matmul_epilogue"] == 6
    assert found["flash_attn"] == 1
    assert found["layer_norm"] == 1
    assert found["rms_norm"] == 1
    for gone in ("matmul", "softmax", "gelu", "dropout", "mean", "scale"):
        assert found[gone] == 0, gone


def test_a_loaded_layer_still_trains(tmp_path):
    paddle.seed(3)
    model = settle(ConvNet())
    spec = paddle.static.InputSpec([1, 3, 8, 8], "float32", "x")
    saved(model, spec, str(tmp_path / "m"))
    layer = paddle.jit.load(str(tmp_path / "m"))
    layer.train()
    layer(paddle.ones([1, 3, 8, 8])).sum().backward()
    assert all(p.grad is not None for p in layer.parameters() if not p.stop_gradient)


def test_a_pass_can_be_left_out(tmp_path):
    model = settle(ConvNet())
    files = saved(model, paddle.static.InputSpec([1, 3, 8, 8], "float32", "x"), str(tmp_path / "m"))
    x = np.ones((1, 3, 8, 8), "float32")
    config = inference.Config(*files)
    config.delete_pass("fuse_epilogue")
    predictor = inference.create_predictor(config)
    predictor.get_input_handle(predictor.get_input_names()[0]).copy_from_cpu(x)
    predictor.run()
    y = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
    np.testing.assert_allclose(y, model(paddle.to_tensor(x)).numpy(), rtol=1e-5, atol=2e-6)


@pytest.mark.parametrize(
    "epilogue, residual, message",
    [
        ("relu(", None, "epilogue holds the step 'relu('"),
        ("clip(1)", None, "epilogue holds the step 'clip(1)'"),
        ("cube", None, "epilogue holds the step 'cube'"),
        ("add", None, "residual must be given"),
        ("relu", [1, 3, 2, 2], "residual must be given"),
        ("add", [1, 3, 2, 1], "residual has shape"),
        ("add add", [1, 3, 2, 2], "combines with residual 2 times"),
    ],
)
def test_wrong_epilogues(epilogue, residual, message):
    x, w = paddle.ones([1, 2, 4, 4]), paddle.ones([3, 2, 3, 3])
    residual = None if residual is None else paddle.ones(residual)
    with pytest.raises(ValueError, match=re.escape(message)):
        paddle._C_ops.conv2d_epilogue(x, w, None, residual, epilogue=epilogue)


class Decoder(nn.Layer):
    """Attention over what the loop has made so far."""

    def __init__(self):
        super().__init__()
        self.q, self.k = nn.Linear(8, 8), nn.Linear(8, 8)

    def attend(self, x):
        q, k = (part(x).reshape([0, -1, 2, 4]).transpose([0, 2, 1, 3]) for part in (self.q, self.k))
        scores = F.softmax(paddle.matmul(q * 0.5, k, transpose_y=True))
        return paddle.matmul(scores, k).transpose([0, 2, 1, 3]).reshape([0, -1, 8])

    def forward(self, x):
        turns = paddle.zeros([1], "int64")
        while turns < 3:
            x = paddle.concat([x, self.attend(x)[:, -1:]], axis=1)
            turns = turns + 1
        return x


def test_attention_in_a_loop_whose_extents_grow(tmp_path):
    net = Decoder()
    x = np.random.default_rng(0).standard_normal((2, 3, 8)).astype("float32")
    expected = net(paddle.to_tensor(x)).numpy()
    static = paddle.jit.to_static(
        net, full_graph=True, input_spec=[paddle.static.InputSpec([None, None, 8], "float32", "x")]
    )
    paddle.jit.save(static, str(tmp_path / "decoder"))
    predictor = inference.create_predictor(
        inference.Config(str(tmp_path / "decoder.json"), str(tmp_path / "decoder.pdiparams"))
    )
    (out,) = predictor.run([paddle.to_tensor(x)])
    assert out.shape == [2, 6, 8]
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-6)


class Prompts(nn.Layer):
    """Tokens joined from lists whose extents only a run knows, then reshaped by what shape() says of them."""

    def forward(self, points, marks):
        marked = paddle.where(marks.unsqueeze(-1) == 0, -points, paddle.concat([points, points], 1)[:, :4])
        tokens = paddle.concat([paddle.ones([3, 4]), marked])
        pair = paddle.concat(paddle.unbind(paddle.stack([tokens, tokens * 2]), 0))
        return tokens.reshape([tokens.shape[0], 2, 2]), pair.reshape([pair.shape[0] // 2, -1])


def test_reshapes_by_extents_of_joined_lists(tmp_path):
    net = Prompts()
    spec = [
        paddle.static.InputSpec([None, 4], "float32", "points"),
        paddle.static.InputSpec([None], "int64", "marks"),
    ]
    paddle.jit.save(paddle.jit.to_static(net, full_graph=True, input_spec=spec), str(tmp_path / "prompts"))
    predictor = inference.create_predictor(inference.Config(str(tmp_path / "prompts.json"), ""))
    for n in (2, 1, 5):
        given = [paddle.arange(n * 4, dtype="float32").reshape([n, 4]), paddle.arange(n)]
        for got, want in zip(predictor.run(given), net(*given), strict=True):
            np.testing.assert_array_equal(got.numpy(), want.numpy())
