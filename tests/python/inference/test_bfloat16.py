# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`Config.enable_mkldnn_bfloat16`: what computes in bfloat16, and how far results move from float32."""

import re
import warnings

import numpy as np
import paddle
import pytest
from paddle import inference, nn
from paddle.nn import functional as F

RELATIVE = 2**-6  # of the largest value: a few roundings to 8 bits on the way
NATIVE = "avx512_bf16" in open("/proc/cpuinfo").read()
native = pytest.mark.skipif(not NATIVE, reason="this processor has no bfloat16 instructions")


class ConvNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.norm = nn.Conv2D(3, 24, 3, stride=2, padding=1, bias_attr=False), nn.BatchNorm2D(24)
        self.depth, self.point = nn.Conv2D(24, 24, 3, padding=1, groups=24), nn.Conv2D(24, 24, 1)
        self.squeeze, self.excite = nn.Conv2D(24, 6, 1), nn.Conv2D(6, 24, 1)
        self.head = nn.Linear(24, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.first(x))), 2)
        y = F.relu(self.point(F.hardswish(self.depth(x))) + x)
        y = y * F.hardsigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool2d(y, 1)))))
        y = paddle.concat([y, F.interpolate(F.avg_pool2d(y, 2), scale_factor=2)], axis=2)
        return F.softmax(self.head(F.adaptive_avg_pool2d(y, 1).flatten(1)))


class Encoder(nn.Layer):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(50, 32)
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, activation="gelu"), 2)
        self.out = nn.Linear(32, 5)

    def forward(self, tokens):
        return self.out(self.layers(self.words(tokens)))


def saved(model, shape, dtype, path):
    model.eval()
    spec = paddle.static.InputSpec(shape, dtype, "x")
    paddle.jit.save(paddle.jit.to_static(model, full_graph=True), path, input_spec=[spec])
    return path + ".json", path + ".pdiparams"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    paddle.seed(3)
    folder = tmp_path_factory.mktemp("bfloat16")
    rng = np.random.default_rng(0)
    image = rng.standard_normal([2, 3, 32, 32]).astype("float32")
    tokens = rng.integers(0, 50, [2, 9])
    return {
        "conv": (saved(ConvNet(), [None, 3, None, None], "float32", str(folder / "conv")), image),
        "encoder": (saved(Encoder(), [2, 9], "int64", str(folder / "encoder")), tokens),
    }


def predictor_of(files, bfloat16=True, ops=None):
    config = inference.Config(*files)
    if bfloat16:
        config.enable_mkldnn_bfloat16()
    if ops is not None:
        config.set_bfloat16_op(ops)
    return inference.create_predictor(config)


def lines_of(predictor, operator):
    return [line for line in str(predictor._native).splitlines() if f'"pd_op.{operator}"' in line]


@native
@pytest.mark.parametrize("name", ["conv", "encoder"])
def test_results_are_those_of_float32_to_a_few_roundings(models, name):
    files, x = models[name]
    (expected,) = predictor_of(files, False).run([x])
    predictor = predictor_of(files)
    for _ in range(3):
        (found,) = predictor.run([x])
    assert found.dtype == paddle.float32
    a, b = expected.numpy(), found.numpy()
    assert 0 < np.abs(a - b).max() <= RELATIVE * np.abs(a).max()


@native
def test_what_runs_between_convolutions_is_bfloat16(models):
    files, _ = models["conv"]
    predictor = predictor_of(files)
    operands = re.compile(r": \((.*)\) -> \((.*)\)$")
    for operator in ("pool2d", "concat", "multiply", "nearest_interp"):
        for line in lines_of(predictor, operator):
            assert "float32" not in operands.search(line).group(2), line
    convolutions = lines_of(predictor, "conv2d_epilogue")
    assert len(convolutions) == 5
    for line in convolutions:
        assert "float32>" not in operands.search(line).group(2), line
    # One cast of the input; those of weights were evaluated when the model was loaded.
    assert len(lines_of(predictor, "cast")) == 1
    (head,) = lines_of(predictor, "matmul_epilogue")
    assert "xbfloat16>, tensor<24x10xbfloat16>, tensor<10xfloat32>" in head and head.endswith("float32>)")
    assert "float32" in lines_of(predictor, "softmax")[0]


@native
def test_norms_and_attention_stay_in_float32(models):
    files, _ = models["encoder"]
    predictor = predictor_of(files)
    for operator in ("layer_norm", "flash_attn"):
        lines = lines_of(predictor, operator)
        assert lines and all("bfloat16" not in line for line in lines)


@native
@pytest.mark.parametrize(
    "ops, converted, kept",
    [({"conv2d"}, "conv2d_epilogue", "matmul_epilogue"), ({"matmul_v2"}, "matmul_epilogue", "conv2d_epilogue")],
)
def test_only_the_operators_that_are_named(models, ops, converted, kept):
    files, x = models["conv"]
    predictor = predictor_of(files, ops=ops)
    assert all("bfloat16" in line for line in lines_of(predictor, converted))
    assert all("bfloat16" not in line for line in lines_of(predictor, kept))
    assert predictor.run([x])[0].shape == [2, 10]


def test_the_setting_is_known_and_warns_where_the_processor_cannot(models):
    config = inference.Config(*models["conv"][0])
    assert not config.mkldnn_bfloat16_enabled()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if not NATIVE else "error")
        config.enable_mkldnn_bfloat16()
    assert config.mkldnn_bfloat16_enabled() == NATIVE
    assert ("bfloat16_conv" in config.pass_builder().all_passes()) == NATIVE
    assert "bfloat16" in config.summary()


def test_mixed_dtypes_of_fused_operators():
    rng = np.random.default_rng(1)
    x, w, b, r = (rng.standard_normal(s).astype("float32") for s in ([6, 40], [40, 24], [24], [6, 24]))
    low = [paddle.to_tensor(v).astype("bfloat16") for v in (x, w)]
    exact = sum(v.astype("float32").numpy() @ u.astype("float32").numpy() for v, u in [low]) + b
    expected = np.maximum(exact + r, 0)
    bias, residual = paddle.to_tensor(b), paddle.to_tensor(r)
    out = paddle._C_ops.matmul_epilogue(*low, bias, residual, epilogue="add relu", out_dtype="float32")
    assert out.dtype == paddle.float32
    np.testing.assert_allclose(out.numpy(), expected, rtol=1e-5, atol=1e-5)
    out = paddle._C_ops.matmul_epilogue(*low, bias, residual, epilogue="add relu")
    assert out.dtype == paddle.bfloat16
    np.testing.assert_allclose(out.astype("float32").numpy(), expected, rtol=2**-8, atol=1e-5)
    with pytest.raises(ValueError, match="out_dtype is float64"):
        paddle._C_ops.matmul_epilogue(*low, None, None, out_dtype="float64")
