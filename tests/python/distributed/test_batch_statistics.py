# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""SyncBatchNorm over processes: shares of a batch are normalised as the whole batch is."""

import numpy as np
import paddle
import paddle.distributed as dist
import pytest

BATCH = np.random.default_rng(1).standard_normal((5, 3, 2, 4)).astype("float32") * 3 + 1
SHARES = [slice(0, 2), slice(2, 5)]


def run(layer, x, keep):
    x = paddle.to_tensor(x, stop_gradient=False)
    out = layer(x)
    (out * out * paddle.to_tensor(np.arange(3, dtype="float32")).reshape(keep)).sum().backward()
    return out, x.grad


def normalised(layout):
    dist.init_parallel_env()
    share = SHARES[dist.get_rank()]
    last = layout == "NHWC"
    batch, keep = (BATCH.transpose(0, 2, 3, 1), [3]) if last else (BATCH, [3, 1, 1])
    whole = paddle.nn.BatchNorm2D(3, momentum=0.7, data_format=layout)
    model = paddle.nn.SyncBatchNorm.convert_sync_batchnorm(paddle.nn.BatchNorm2D(3, momentum=0.7, data_format=layout))
    for layer in (whole, model):
        layer.weight.set_value(np.asarray([1.0, 2.0, 0.5], "float32"))
    out, gradient = run(model, batch[share], keep)
    expected, expected_gradient = run(whole, batch, keep)
    np.testing.assert_allclose(out.numpy(), expected.numpy()[share], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(gradient.numpy(), expected_gradient.numpy()[share], rtol=1e-3, atol=1e-4)
    for name in ("_mean", "_variance"):
        np.testing.assert_allclose(getattr(model, name).numpy(), getattr(whole, name).numpy(), rtol=1e-4)
    dist.all_reduce(model.weight.grad)
    np.testing.assert_allclose(model.weight.grad.numpy(), whole.weight.grad.numpy(), rtol=1e-4, atol=1e-4)
    model.eval()
    np.testing.assert_allclose(model(expected).numpy(), whole.eval()(expected).numpy(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_shares_of_a_batch(layout):
    dist.spawn(normalised, (layout,), nprocs=2)
