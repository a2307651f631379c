# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Under FLAGS_batch_invariant an element has the same bits in any batch, with any threads, next to any columns."""

import os
import subprocess
import sys

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

DTYPES = ["float32", "float64", "bfloat16", "float16"]
ROWS = [1, 2, 3, 4, 5, 7, 8, 12, 13, 16, 31, 32, 33, 48, 63, 64]


@pytest.fixture(autouse=True)
def invariant():
    before = paddle.get_num_threads()
    paddle.set_flags({"FLAGS_batch_invariant": True})
    yield
    paddle.set_flags({"FLAGS_batch_invariant": False})
    paddle.set_num_threads(before)


def numbers(seed, shape, dtype="float32"):
    values = np.random.default_rng(seed).standard_normal(shape)
    return paddle.to_tensor(values.astype("float64")).cast(dtype)


def bits(x):
    """The stored bits of a tensor as integers."""
    width = {"float32": "int32", "float64": "int64"}.get(str(x.dtype).rpartition(".")[2], "int16")
    return x.contiguous().view(width).numpy()


def same(found, expected, what):
    np.testing.assert_array_equal(bits(found), bits(expected), err_msg=what)


def each_thread_count():
    for threads in (1, 2):
        paddle.set_num_threads(threads)
        yield threads


def check_products(dtype, rows, k, n):
    """x[i:j] @ y[:, p:q] is the part of x @ y, for operands in any order of memory."""
    x, y = numbers(0, [max(rows), k], dtype), numbers(1, [k, n], dtype)
    paddle.set_num_threads(2)
    whole = paddle.matmul(x, y)
    exact = x.cast("float64").numpy() @ y.cast("float64").numpy()
    tolerance = {"float32": 1e-5, "float64": 1e-13, "bfloat16": 8e-3, "float16": 2e-3}[dtype]
    np.testing.assert_allclose(whole.cast("float64").numpy(), exact, rtol=tolerance, atol=tolerance * k**0.5)
    x_t, y_t = x.t().contiguous(), y.t().contiguous()
    cuts = [(0, 1), (0, 3), (1, n), (n // 3, n // 3 + 17), (n - 2, n), (0, n)]
    for threads in each_thread_count():
        for m in rows:
            what = f"{dtype} [{m}, {k}] x [{k}, {n}], {threads} threads"
            same(paddle.matmul(x[:m], y), whole[:m], what)
            same(paddle.matmul(x_t[:, -m:], y, transpose_x=True), whole[-m:], what + ", x transposed")
            same(paddle.matmul(x[:m], y_t, transpose_y=True), whole[:m], what + ", y transposed")
        for first, last in cuts:
            last = min(last, n)
            what = f"{dtype} columns {first} to {last} of {n}, k {k}, {threads} threads"
            for m in (1, 4, 5, rows[-1]):
                same(paddle.matmul(x[:m], y[:, first:last]), whole[:m, first:last], what)
                same(paddle.matmul(x[:m], y_t[first:last], transpose_y=True), whole[:m, first:last], what)
        same(paddle.mv(x, y[:, 0].contiguous()), whole[:, 0], f"{dtype} matrix by vector")
        same(paddle.matmul(x[0], y), whole[0], f"{dtype} vector by matrix")


def check_batched(dtype):
    x, y = numbers(2, [3, 5, 9, 70], dtype), numbers(3, [5, 70, 21], dtype)
    for threads in each_thread_count():
        whole = paddle.matmul(x, y)
        for i in range(3):
            for j in range(5):
                same(paddle.matmul(x[i, j], y[j]), whole[i, j], f"{dtype} batch entry {i}, {j}, {threads} threads")
        same(paddle.bmm(x[0, :2], y[:2]), whole[0, :2], f"{dtype} bmm")
        shared = paddle.matmul(x, y[0])
        same(paddle.matmul(x[1:2, 2, 3:4], y[0]), shared[1:2, 2, 3:4], f"{dtype} one y")


def check_linear(dtype):
    x, w, b = numbers(4, [64, 300], dtype), numbers(5, [300, 130], dtype), numbers(6, [130], dtype)
    for threads in each_thread_count():
        whole = F.linear(x, w, b)
        for m in ROWS:
            same(F.linear(x[:m], w, b), whole[:m], f"{dtype} linear of {m} rows, {threads} threads")


def rows_of(dtype):
    """Functions whose results for a row depend on the row."""
    w, b = numbers(7, [301], dtype), numbers(8, [301], dtype)
    norm = paddle.nn.GroupNorm(7, 7)
    if dtype != "float32":
        norm = norm.to(dtype=dtype)
    return {
        "rms_norm": lambda x: F.rms_norm(x, [301], w),
        "layer_norm": lambda x: F.layer_norm(x, [301], w, b),
        "softmax": lambda x: F.softmax(x, axis=-1),
        "log_softmax": lambda x: F.log_softmax(x, axis=-1),
        "softmax of an inner axis": lambda x: F.softmax(x.reshape([-1, 43, 7]), axis=1).reshape([-1, 301]),
        "sum": lambda x: x.sum(-1),
        "mean": lambda x: x.mean(-1),
        "sum of an inner axis": lambda x: x.reshape([-1, 43, 7]).sum(1),
        "group_norm": lambda x: norm(x.reshape([-1, 7, 43])),
    }


def check_rows(dtype):
    x = numbers(9, [64, 301], dtype)
    for name, fn in rows_of(dtype).items():
        paddle.set_num_threads(2)
        whole = fn(x)
        for threads in each_thread_count():
            for m in ROWS:
                same(fn(x[:m]), whole[:m], f"{dtype} {name} of {m} rows, {threads} threads")
            same(fn(x[37:38]), whole[37:38], f"{dtype} {name} of row 37, {threads} threads")


def check_attention(dtype, queries, keys):
    """More samples, more queries and more hidden keys leave the results of a query as they are."""
    q = numbers(10, [3, queries, 4, 40], dtype)
    k, v = numbers(11, [3, keys, 2, 40], dtype), numbers(12, [3, keys, 2, 40], dtype)
    attend = F.scaled_dot_product_attention
    for threads in each_thread_count():
        what = f"{dtype} attention of {queries} queries and {keys} keys, {threads} threads"
        whole = attend(q, k, v)
        scores = np.einsum("bqhd,bkhd->bhqk", q.cast("float64").numpy(), np.repeat(k.cast("float64").numpy(), 2, 2))
        weights = np.exp(scores / 40**0.5)
        weights /= weights.sum(-1, keepdims=True)
        expected = np.einsum("bhqk,bkhd->bqhd", weights, np.repeat(v.cast("float64").numpy(), 2, 2))
        tolerance = {"float32": 1e-5, "float64": 1e-12, "bfloat16": 1e-2, "float16": 2e-3}[dtype]
        np.testing.assert_allclose(whole.cast("float64").numpy(), expected, rtol=tolerance, atol=tolerance)
        same(attend(q[1:2], k[1:2], v[1:2]), whole[1:2], what + ": one sample")
        for m in {1, 2, 5, queries // 2 + 1}:
            same(attend(q[:, :m], k, v), whole[:, :m], f"{what}: {m} queries")
        # Keys that a mask hides, behind and between those that are seen.
        extra = [numbers(13 + i, [3, 300, 2, 40], dtype) for i in range(2)]
        seen = paddle.concat([paddle.zeros([7]), paddle.ones([keys]), paddle.zeros([293])]).cast("bool")
        longer = [paddle.concat([e[:, :7], t, e[:, 7:]], 1) for e, t in zip(extra, (k, v), strict=True)]
        mask = seen.reshape([1, 1, 1, -1]).expand([3, 1, queries, -1])
        same(attend(q, *longer, attn_mask=mask), whole, what + ": hidden keys")
        added = paddle.where(mask, paddle.zeros([1]), paddle.full([1], -np.inf)).cast(dtype)
        same(attend(q, *longer, attn_mask=added), whole, what + ": hidden keys by addition")
        # A query that sees the keys up to its own position.
        length = min(queries, keys)
        causal = attend(q[:, :length], k[:, :length], v[:, :length], is_causal=True)
        for m in {1, 3, length // 2 + 1, length}:
            same(
                attend(q[:, m - 1 : m], k[:, :m], v[:, :m]),
                causal[:, m - 1 : m],
                f"{what}: causal query {m}",
            )


def check_convolution(dtype):
    x, w, b = numbers(20, [5, 6, 11, 13], dtype), numbers(21, [8, 6, 3, 3], dtype), numbers(22, [8], dtype)
    one = numbers(23, [6, 1, 3, 3], dtype)
    for threads in each_thread_count():
        whole, apart = F.conv2d(x, w, b, padding=1), F.conv2d(x, one, groups=6)
        for m in (1, 2, 4):
            same(F.conv2d(x[:m], w, b, padding=1), whole[:m], f"{dtype} conv2d, batch {m}, {threads} threads")
            same(F.conv2d(x[:m], one, groups=6), apart[:m], f"{dtype} depthwise, batch {m}, {threads} threads")
        same(F.conv2d(x[:, :, :6], w, b, padding=1)[:, :, :5], whole[:, :, :5], f"{dtype} conv2d of fewer lines")


# Format -> numbers and bytes of a block, where its float16 scales stand.
BLOCKS = {
    "Q8_0": (32, 34, [0]),
    "Q5_0": (32, 22, [0]),
    "Q5_1": (32, 24, [0, 2]),
    "Q2_K": (256, 84, [80, 82]),
    "Q4_K": (256, 144, [0, 2]),
    "Q6_K": (256, 210, [208]),
    "IQ4_NL": (32, 18, [0]),
}


def check_quantized(format):
    """A row of x W^T, for W quantised in blocks, packed or not, depends on no other row."""
    weights, size, scales = BLOCKS[format]
    rng = np.random.default_rng(30)
    for rows, columns in ((5, 256), (37, 256 + 512)):
        data = rng.integers(0, 256, (rows, columns // weights, size), "u1")
        for at in scales:
            data[..., at : at + 2] = rng.uniform(0.001, 0.1, (*data.shape[:2], 1)).astype("<f2").view("u1")
        weight = paddle.to_tensor(data.reshape(rows, -1))
        packed = paddle._C_ops.pack_q(weight, format)
        exact = paddle._C_ops.dequantize_q(packed, format, rows, columns, True).numpy().astype("float64")
        x = numbers(31, [max(ROWS), columns])
        whole = paddle._C_ops.matmul_q(x, packed, None, format, rows, True)
        expected = x.numpy() @ exact.T
        # Rounded to 8 bits, each number of x is wrong by up to a 254th of the largest of 32.
        assert np.abs(whole.numpy() - expected).max() < 0.02 * np.abs(expected).max()
        for threads in each_thread_count():
            for m in ROWS:
                what = f"{format} {rows} x {columns}, {m} rows, {threads} threads"
                same(paddle._C_ops.matmul_q(x[:m], packed, None, format, rows, True), whole[:m], what)
                same(paddle._C_ops.matmul_q(x[-m:], weight, None, format, rows), whole[-m:], what + ", not packed")


def check_codes(dtype):
    """The same of a weight of int8 or int4 codes."""
    w = numbers(32, [192, 48], "float16")
    for bits in (8, 4):
        for group in (-1, 64):
            codes, scale = paddle.nn.quant.weight_quantize(w, f"weight_only_int{bits}", 80, group)
            x = numbers(33, [max(ROWS), 192], dtype)
            for threads in each_thread_count():
                whole = paddle.nn.quant.weight_only_linear(x, codes, None, scale, f"int{bits}", 80, group)
                for m in ROWS:
                    part = paddle.nn.quant.weight_only_linear(x[:m], codes, None, scale, f"int{bits}", 80, group)
                    same(part, whole[:m], f"{dtype} int{bits}, groups of {group}, {m} rows, {threads} threads")


def check_all(dtype, shapes):
    for k, n in shapes:
        check_products(dtype, ROWS, k, n)
    check_products(dtype, [1, 64, 150, 300], 65, 70)
    check_batched(dtype)
    check_linear(dtype)
    check_rows(dtype)
    check_attention(dtype, 9, 33)
    check_attention(dtype, 140, 270)
    check_convolution(dtype)
    check_codes(dtype)


@pytest.mark.parametrize("format", BLOCKS)
def test_weights_in_blocks(format):
    check_quantized(format)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("k, n", [(1, 1), (3, 5), (31, 17), (64, 64), (300, 257), (2049, 40), (1030, 520)])
def test_products(dtype, k, n):
    check_products(dtype, ROWS, k, n)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_of_many_rows(dtype):
    check_products(dtype, [1, 64, 150, 300], 65, 70)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("check", [check_batched, check_linear, check_rows, check_convolution, check_codes])
def test_batches_and_rows(check, dtype):
    check(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("queries, keys", [(1, 5), (9, 33), (140, 270)])
def test_attention(dtype, queries, keys):
    check_attention(dtype, queries, keys)


class Block(paddle.nn.Layer):
    """A part of a network whose products the passes of a deployed program fuse and pack."""

    def __init__(self, width):
        super().__init__()
        self.norm = paddle.nn.LayerNorm(width)
        self.up, self.down = paddle.nn.Linear(width, 3 * width), paddle.nn.Linear(3 * width, width)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(self.norm(x))))


def test_captured_and_deployed_programs(tmp_path):
    paddle.seed(3)
    layer = Block(96)
    layer.eval()
    x = numbers(30, [64, 96])
    spec = paddle.static.InputSpec([None, 96], "float32")
    captured = paddle.jit.to_static(Block(96), input_spec=[spec])
    captured.set_state_dict(layer.state_dict())
    captured.eval()
    paddle.jit.save(captured, str(tmp_path / "block"))
    config = paddle.inference.Config(str(tmp_path / "block.json"), str(tmp_path / "block.pdiparams"))
    predictor = paddle.inference.create_predictor(config)
    deployed = lambda t: predictor.run([t])[0]
    with paddle.no_grad():
        for run in (layer, captured, deployed):
            for threads in each_thread_count():
                whole = run(x)
                for m in ROWS:
                    same(run(x[:m].contiguous()), whole[:m], f"{m} rows, {threads} threads")


@pytest.mark.parametrize("isa", ["avx2", "avx512"])
def test_each_instruction_set(isa):
    """The checks in a process that keeps to one instruction set."""
    if isa == "avx512" and "avx512f" not in open("/proc/cpuinfo").read():
        pytest.skip("this processor has no AVX-512")
    environment = dict(os.environ, PADDLE_CPU_ISA=isa, FLAGS_batch_invariant="1")
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


if __name__ == "__main__":
    for each in BLOCKS:
        check_quantized(each)
    for each in DTYPES:
        check_all(each, [(31, 17), (300, 257)])
