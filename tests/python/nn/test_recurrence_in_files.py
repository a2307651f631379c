# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Recurrent networks that are saved and loaded give the values of the layer, to the last bit."""

import numpy as np
import paddle
import pytest


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", ["SimpleRNN", "LSTM", "GRU"])
@pytest.mark.parametrize("time_major", [False, True])
def test_loaded_network_gives_the_bits_of_the_layer(tmp_path, dtype, kind, time_major):
    paddle.set_default_dtype(dtype)
    try:
        net = getattr(paddle.nn, kind)(16, 32, 2, direction="bidirectional", time_major=time_major)
        net.eval()
        x = paddle.randn([4, 10, 16])
        spec = [paddle.static.InputSpec([None, None, 16], dtype)]
        paddle.jit.save(paddle.jit.to_static(net, spec), str(tmp_path / "net"))
        found = paddle.jit.load(str(tmp_path / "net"))(x)[0]
        np.testing.assert_array_equal(found.numpy(), net(x)[0].numpy())
    finally:
        paddle.set_default_dtype("float32")


@pytest.mark.parametrize("rows", [1, 4, 32, 33])
@pytest.mark.parametrize("flag", [False, True])
def test_products_of_a_transposed_batch_with_one_matrix(rows, flag):
    x = paddle.randn([rows, 5, 24])
    w = paddle.randn([40, 24] if flag else [24, 40])
    found = paddle.matmul(x.transpose([1, 0, 2]), w, transpose_y=flag).numpy()
    other = w.numpy().T if flag else w.numpy()
    np.testing.assert_allclose(found, x.numpy().transpose(1, 0, 2) @ other, rtol=1e-4, atol=1e-5)
    spread = paddle.expand(x[:1, :1], [3, rows, 24])
    np.testing.assert_allclose(
        paddle.matmul(spread, w, False, flag).numpy(), spread.numpy() @ other, rtol=1e-4, atol=1e-5
    )
