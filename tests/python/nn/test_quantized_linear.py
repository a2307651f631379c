# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weight-only quantization: codes, scales, layouts, and the products with quantized weights."""

import numpy as np
import paddle
import pytest
from paddle.nn.quant import llm_int8_linear, weight_dequantize, weight_only_linear, weight_quantize

K, N = 128, 64
ALGORITHMS = {"weight_only_int8": 127, "weight_only_int4": 7, "llm.int8": 127}


def weight(dtype="float16"):
    return np.random.default_rng(0).standard_normal((K, N)).astype(dtype)


def reference(w, algo, group):
    """Codes [K, N] and scales [groups, N] by the definition, in float32."""
    top = ALGORITHMS[algo]
    blocks = w.astype("float32").reshape(-1, group, N)
    scale = np.abs(blocks).max(1) / np.float32(top)
    if algo != "llm.int8":
        scale = scale.astype("float16").astype("float32")
    steps = blocks / scale[:, None]
    return np.clip(np.trunc(steps + np.copysign(np.float32(0.5), steps)), -top, top).reshape(K, N), scale


def layout_indices(bits, arch):
    """Row and column of the code at every place of the packed weight, element by element."""
    places = []
    if arch == 70:
        order = [0, 2, 1, 3] if bits == 8 else [0, 2, 4, 6, 1, 3, 5, 7]
        for block in range(0, K * N, len(order)):
            places += [divmod(block + o, N) for o in order]
        return places
    columns = 16 // bits
    lanes = columns
    for column in range(0, N, columns):
        for tile in range(0, K, 64):
            for inner in range(columns):
                for block in range(tile, tile + 64, 8 * lanes):
                    places += [(block + 8 * lane + row, column + inner) for row in range(8) for lane in range(lanes)]
    return places


@pytest.mark.parametrize("group", [-1, 64, 128])
@pytest.mark.parametrize("arch", [70, 75, 80, 90])
@pytest.mark.parametrize("algo", ALGORITHMS)
def test_codes_and_layout(algo, arch, group):
    w = weight()
    packed, scale = weight_quantize(paddle.to_tensor(w), algo, arch, group)
    codes, scales = reference(w, algo, K if group == -1 else group)
    np.testing.assert_array_equal(scale.astype("float32").numpy().reshape(-1, N), scales)
    assert scale.dtype == (paddle.float32 if algo == "llm.int8" else paddle.float16)
    assert list(scale.shape) == ([N] if group == -1 else [K // group, N])
    if algo == "llm.int8":
        np.testing.assert_array_equal(packed.numpy(), codes.T)
        return
    bits = 4 if algo.endswith("int4") else 8
    stored = packed.numpy().view("uint8").astype("int32").reshape(-1)
    if bits == 4:
        stored = np.stack([stored & 15, stored >> 4], -1).reshape(-1)
    rows, columns = np.array(layout_indices(bits, arch)).T
    np.testing.assert_array_equal(stored - 2 ** (bits - 1), codes[rows, columns])


def test_bytes_of_the_reference_layout():
    """The first bytes that PaddlePaddle 3.3.1 writes for this matrix."""
    w = ((np.arange(K * N).reshape(K, N)) % 100).astype("float16")
    w[0] = 127
    packed, _ = weight_quantize(paddle.to_tensor(w), arch=80)
    first = [255, 140, 192, 204, 156, 168, 220, 132, 184, 196, 148, 160, 212, 224, 176, 188, 152, 164, 216, 128]
    assert packed.numpy().view("uint8")[0, :20].tolist() == first
    packed, _ = weight_quantize(paddle.to_tensor(w), arch=70)
    assert packed.numpy().view("uint8")[1, :8].tolist() == [156, 158, 157, 159, 160, 162, 161, 163]


@pytest.mark.parametrize("group", [-1, 64, 128])
@pytest.mark.parametrize("algo", ALGORITHMS)
def test_dequantize_is_within_half_a_step(algo, group):
    w = weight()
    packed, scale = weight_quantize(paddle.to_tensor(w), algo, 80, group)
    back = weight_dequantize(packed, scale, algo, "float32", group)
    step = np.repeat(scale.astype("float32").numpy().reshape(-1, N), K if group == -1 else group, 0)
    # float16 scales are rounded: the largest codes are off by up to 127 * 2 ** -11 of a step more.
    assert (np.abs(back.numpy() - w) <= step * 0.57).all()


@pytest.mark.parametrize("group", [-1, 64])
@pytest.mark.parametrize("dtype", ["int8", "int4"])
@pytest.mark.parametrize("arch", [None, 70, 80])
def test_weight_only_linear(dtype, arch, group):
    w = weight()
    packed, scale = weight_quantize(paddle.to_tensor(w), f"weight_only_{dtype}", arch, group)
    codes, scales = reference(w, f"weight_only_{dtype}", K if group == -1 else group)
    dense = codes * np.repeat(scales, K // len(scales), 0)
    x = paddle.to_tensor(np.random.default_rng(1).standard_normal((2, 3, K)).astype("float32"), stop_gradient=False)
    bias = np.arange(N, dtype="float32")
    out = weight_only_linear(x, packed, paddle.to_tensor(bias), scale, dtype, arch, group)
    np.testing.assert_allclose(out.numpy(), x.numpy() @ dense + bias, rtol=1e-4, atol=1e-4)
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy()[0, 0], dense.sum(1), rtol=1e-4, atol=1e-4)


def test_llm_int8_linear_keeps_outliers():
    w = weight()
    packed, scale = weight_quantize(paddle.to_tensor(w), "llm.int8", 80)
    dense = packed.numpy().T * scale.numpy()
    x = np.random.default_rng(1).uniform(-1, 1, (4, K)).astype("float32")
    x[1, 5] = 50.0
    out = llm_int8_linear(paddle.to_tensor(x), packed, None, scale, 6.0).numpy()
    inside = np.where(np.arange(K) == 5, 0, x)
    bound = np.abs(inside).max(1, keepdims=True)
    expected = (np.round(inside * (127 / bound)) * bound / 127) @ dense + x[:, 5:6] * dense[5:6]
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(out, x @ dense, atol=0.6)


def test_zero_weight_and_bfloat16():
    packed, scale = weight_quantize(paddle.zeros([64, 16], "bfloat16"), arch=80)
    assert scale.dtype == paddle.bfloat16
    assert not weight_dequantize(packed, scale, out_dtype="float32").numpy().any()


@pytest.mark.parametrize(
    "shape, arguments, error",
    [
        ([64, 8], {"arch": 80}, ValueError),
        ([48, 16], {"arch": 80}, ValueError),
        ([64, 16], {"arch": 81}, ValueError),
        ([64, 16], {"algo": "int3"}, ValueError),
        ([64, 16], {"group_size": 32}, AssertionError),
        ([64, 16, 2], {}, ValueError),
    ],
)
def test_quantize_refuses(shape, arguments, error):
    with pytest.raises(error):
        weight_quantize(paddle.zeros(shape, "float16"), **arguments)
    with pytest.raises(RuntimeError):
        weight_quantize(paddle.zeros([64, 16], "float32"))


def test_products_refuse():
    packed, scale = weight_quantize(paddle.ones([64, 16], "float16"))
    x = paddle.ones([2, 32])
    for call in (
        lambda: weight_only_linear(x, packed, None, scale),
        lambda: weight_only_linear(paddle.ones([2, 64]), packed),
        lambda: weight_only_linear(paddle.ones([2, 64]), packed, None, scale[:8]),
        lambda: weight_only_linear(paddle.ones([2, 64]), packed, None, scale, "int2"),
        lambda: llm_int8_linear(x, packed, None, scale),
    ):
        with pytest.raises(ValueError):
            call()
