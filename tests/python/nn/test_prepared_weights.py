# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Weights that kernels keep in an order of their own are never out of date."""

import numpy as np
import paddle
import paddle.nn.functional as F
import pytest

SIZE = 512


def tensors(rows):
    rng = np.random.default_rng(0)
    return [paddle.to_tensor(rng.standard_normal(s).astype("float32")) for s in ((rows, SIZE), (SIZE, SIZE))]


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
