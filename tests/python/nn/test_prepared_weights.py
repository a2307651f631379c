# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weights that kernels keep in an order of their own: bounded in bytes, dropped with the weight, never out of date."""

import numpy as np
import pytest

import paddle
import paddle.nn.functional as F
from paddle import _core

SIZE = 512
HOST = paddle.CPUPlace()


@pytest.fixture
def limit():
    before = paddle.get_flags("FLAGS_prepared_weight_bytes")
    yield lambda count: paddle.set_flags({"FLAGS_prepared_weight_bytes": count})
    paddle.set_flags(before)


def tensors(rows):
    rng = np.random.default_rng(0)
    return [paddle.to_tensor(rng.standard_normal(s).astype("float32")) for s in ((rows, SIZE), (SIZE, SIZE))]


def kept_by(w, x):
    """Bytes that stay when a product with the same weight has been taken several times."""
    before = _core.memory_stats(HOST)[0]
    with paddle.no_grad():
        for _ in range(4):
            F.linear(x, w)
    return _core.memory_stats(HOST)[0] - before


def test_the_limit_is_in_bytes(limit):
    x, w = tensors(16)
    limit(0)
    assert kept_by(w, x) == 0
    limit(SIZE * SIZE * 4 // 2)
    assert kept_by(w, x) <= SIZE * SIZE * 4 // 2
    limit(1 << 30)
    whole = kept_by(w, x)
    assert whole >= SIZE * SIZE * 4
    # A second weight finds no room once the first has taken it.
    other = w + 1.0
    limit(whole)
    assert kept_by(other, x) == 0
    np.testing.assert_allclose(F.linear(x, other).numpy(), x.numpy() @ other.numpy(), rtol=1e-4, atol=1e-3)


def test_what_is_kept_goes_with_the_weight(limit):
    limit(1 << 30)
    x, w = tensors(16)
    before = _core.memory_stats(HOST)[0]
    assert kept_by(w, x) >= SIZE * SIZE * 4
    del w
    assert _core.memory_stats(HOST)[0] <= before - SIZE * SIZE * 4


@pytest.mark.parametrize("rows", [1, 4, 16, 64, 256])
def test_a_written_weight_is_prepared_anew(rows):
    x, w = tensors(rows)
    with paddle.no_grad():
        for round in range(4):
            for _ in range(3):
                got = F.linear(x, w)
            np.testing.assert_allclose(got.numpy(), x.numpy() @ w.numpy(), rtol=1e-4, atol=1e-3)
            w[round] = float(round)


def test_a_weight_serves_several_kernels_at_once():
    """Products of few and of many rows, and of the transposed weight, keep forms of their own."""
    x, w = tensors(256)
    with paddle.no_grad():
        for _ in range(3):
            for rows in (2, 16, 256):
                part = x[:rows]
                np.testing.assert_allclose(F.linear(part, w).numpy(), part.numpy() @ w.numpy(), rtol=1e-4, atol=1e-3)
                turned = paddle.matmul(part, w, transpose_y=True)
                np.testing.assert_allclose(turned.numpy(), part.numpy() @ w.numpy().T, rtol=1e-4, atol=1e-3)
