# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Operators that only programs of other builds hold: files of one operator, written here, against what it stands for."""

import itertools
import json
import pathlib

import numpy as np
import paddle
import pytest
from paddle.nn import functional as F
from paddle.nn.quant import llm_int8_linear, weight_dequantize, weight_only_linear, weight_quantize

from tests.python.jit.one_operator import operation, run

COMPAT = pathlib.Path(__file__).parents[2] / "compat" / "programs"


def floats(*shape, dtype="float32"):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def same(got, wanted, tolerance=1e-5):
    assert got.dtype == wanted.numpy().dtype
    np.testing.assert_allclose(got, wanted.numpy(), rtol=tolerance, atol=tolerance)


def t(array):
    return paddle.to_tensor(array)


@pytest.mark.parametrize("kind, group", [("int8", -1), ("int4", -1), ("int8", 64)])
@pytest.mark.parametrize("arch", [80, 70])
def test_products_with_weights_of_few_bits(kind, group, arch, tmp_path):
    x, bias = floats(3, 128, dtype="float16"), floats(64, dtype="float16")
    weight, scale = weight_quantize(t(floats(128, 64, dtype="float16")), f"weight_only_{kind}", arch, group)
    wanted = weight_only_linear(t(x), weight, t(bias), scale, kind, arch, group)
    operands = [x, weight.numpy(), bias, scale.numpy()]
    settings = {"weight_dtype": kind, "arch": arch, "group_size": group}
    same(run(tmp_path, "weight_only_linear", operands, ("float16", 2), **settings), wanted, 5e-3)


def test_products_that_keep_outliers(tmp_path):
    x = floats(3, 128, dtype="float16")
    x[:, 5] *= 20
    weight, scale = weight_quantize(t(floats(128, 64, dtype="float16")), "llm.int8", 80)
    wanted = llm_int8_linear(t(x), weight, None, scale, 6.0)
    operands = [x, weight.numpy(), None, scale.numpy()]
    same(run(tmp_path, "llm_int8_linear", operands, ("float16", 2), threshold=6.0), wanted, 5e-3)


def test_weights_of_few_bits_as_numbers(tmp_path):
    weight, scale = weight_quantize(t(floats(128, 64, dtype="float16")), "weight_only_int8", 80)
    got = run(tmp_path, "weight_dequantize", [weight.numpy(), scale.numpy()], ("float16", 2), algo="weight_only_int8")
    same(got, weight_dequantize(weight, scale))


def norm(x, scale, bias):
    return F.layer_norm(x, x.shape[-1:], t(scale), t(bias))


def attention(x, weight, bias, mask, heads, alpha):
    batch, steps, width = x.shape
    parts = t(x) @ t(weight).reshape([width, -1]) + t(bias).reshape([-1])
    q, k, v = parts.reshape([batch, steps, 3, heads, -1]).transpose([2, 0, 3, 1, 4])
    share = F.softmax(q @ k.transpose([0, 1, 3, 2]) * alpha + t(mask), -1)
    return (share @ v).transpose([0, 2, 1, 3]).reshape([batch, steps, width])


X, Y, SCALE, BIAS = floats(2, 3, 4), floats(2, 3, 4) + 1, floats(4), floats(4) * 2
FC, IDS = floats(4, 4), np.array([[1, 2, 0], [4, 4, 3]], "int64")
WIDE, QKV, QKV_BIAS, MASK = floats(2, 3, 8), floats(8, 3, 2, 4), floats(3, 2, 4), floats(2, 2, 3, 3)
IMAGE, FILTER, CHANNELS = floats(1, 3, 5, 5), floats(4, 3, 3, 3), floats(4)
CALLS = {
    "skip_layernorm": (
        [X, Y, SCALE, BIAS],
        {"epsilon": 1e-5, "begin_norm_axis": -1},
        lambda: norm(t(X) + t(Y), SCALE, BIAS),
    ),
    "fused_fc_elementwise_layernorm": (
        [X, FC, Y, BIAS, SCALE, BIAS],
        {"x_num_col_dims": 2, "activation_type": "relu", "epsilon": 1e-5, "begin_norm_axis": 2},
        lambda: norm(F.relu(t(X) @ t(FC) + t(BIAS)) + t(Y), SCALE, BIAS),
    ),
    "fused_embedding_eltwise_layernorm": (
        [[IDS[..., None], IDS[..., None]], [floats(5, 4), floats(5, 4) + 1], BIAS, SCALE],
        {"epsilon": 1e-5},
        lambda: norm(F.embedding(t(IDS), t(floats(5, 4) * 2 + 1)), SCALE, BIAS),
    ),
    "multihead_matmul": (
        [WIDE, QKV, QKV_BIAS, MASK],
        {"transpose_q": False, "transpose_k": True, "transpose_v": False, "alpha": 0.5, "head_number": 2},
        lambda: attention(WIDE, QKV, QKV_BIAS, MASK, 2, 0.5),
    ),
    "fused_conv2d_add_act": (
        [IMAGE, FILTER, CHANNELS, None],
        {"strides": [2, 2], "paddings": [1, 1], "dilations": [1, 1], "groups": 1, "activation": "relu"},
        lambda: F.relu(F.conv2d(t(IMAGE), t(FILTER), t(CHANNELS), 2, 1)),
    ),
    "fused_bias_act": (
        [X, BIAS],
        {"act_method": "swiglu"},
        lambda: paddle.incubate.nn.functional.swiglu(t(X) + t(BIAS)),
    ),
    "fused_elementwise_add": ([X, Y], {"axis": -1, "fuse_activation": "relu"}, lambda: F.relu(t(X) + t(Y))),
    "fused_dropout_add": ([X, Y, None], {"is_test": True, "mode": "upscale_in_train"}, lambda: t(X) + t(Y)),
    "fused_bias_dropout_residual_layer_norm": (
        [X, Y, BIAS, SCALE, BIAS],
        {"is_test": True, "dropout_rate": 0.5, "dropout_implementation": "upscale_in_train", "ln_epsilon": 1e-5},
        lambda: norm(t(X) + t(BIAS) + t(Y), SCALE, BIAS),
    ),
    "fusion_transpose_flatten_concat": (
        [[IMAGE, IMAGE + 1]],
        {"trans_axis": [0, 2, 3, 1], "flatten_axis": 1, "concat_axis": 1},
        lambda: paddle.concat([t(v).transpose([0, 2, 3, 1]).flatten(1) for v in (IMAGE, IMAGE + 1)], 1),
    ),
    "apply_per_channel_scale": ([X, SCALE], {}, lambda: t(X) * t(SCALE)),
    "partial_sum": ([[X[0], Y[0]]], {"start_index": 1, "length": 2}, lambda: t(X[0] + Y[0])[:, 1:3]),
    "partial_concat": (
        [[X[0], Y[0]]],
        {"start_index": -3, "length": 2},
        lambda: paddle.concat([t(X[0])[:, 1:3], t(Y[0])[:, 1:3]], 1),
    ),
    "depend": ([X, [Y]], {}, lambda: t(X)),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_an_operator_stands_for(name, tmp_path):
    operands, attributes, wanted = CALLS[name]
    value = wanted()
    same(run(tmp_path, name, operands, ("float32", value.ndim), **attributes), value)


def test_a_rate_that_drops_elements_is_refused(tmp_path):
    with pytest.raises(NotImplementedError, match="fused_dropout_add: it drops elements"):
        run(tmp_path, "fused_dropout_add", [X, Y, None], ("float32", 3), is_test=False, p=0.5)


def test_lists_of_results_that_nobody_reads_may_be_taken_apart(tmp_path):
    folder = COMPAT / "einsum"
    program = json.loads((folder / "model.json").read_text())
    block = program["program"]["regions"][0]["blocks"][0]
    ops, fresh = [], itertools.count(5000)
    for op in block["ops"]:
        ops.append(op)
        for result in op["O"][1:] if op["#"] == "1.einsum" else ():
            parts = [{"%": next(fresh), "TT": part} for part in result["TT"]["D"]]
            ops.append(operation("0.split", [result["%"]], parts))
    assert len(ops) > len(block["ops"])
    block["ops"] = ops
    (tmp_path / "m.json").write_text(json.dumps(program))
    wanted = paddle.jit.load(str(folder / "model"))
    arrays = np.load(folder / "io.npz")
    inputs = [paddle.to_tensor(arrays[name]) for name in arrays if name.startswith("in_0")]
    got = paddle.jit.load(str(tmp_path / "m"))(*inputs)
    for a, b in zip(got, wanted(*inputs), strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())
