# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention and convolution over a ring of one process, the plan of a convolution, `to_distributed`."""

import numpy as np
import paddle
import paddle.distributed as dist
import paddle.nn.functional as F
import pytest
from paddle.distributed.auto_parallel import RingConv2d, RingFlashAttention, exclude_ops_in_recompute, recompute


def gradients(function, arrays):
    tensors = [paddle.to_tensor(a, stop_gradient=False) for a in arrays]
    out = function(*tensors)
    (out * paddle.arange(out.size, dtype=out.dtype).reshape(out.shape)).sum().backward()
    return [out.detach(), *(t.grad for t in tensors)]


def assert_same(ring, plain, arrays):
    for found, wanted in zip(gradients(ring, arrays), gradients(plain, arrays), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_ring_attention(causal):
    arrays = np.random.RandomState(0).rand(3, 2, 4, 2, 8).astype("float32")
    mask = paddle.rand([2, 2, 4, 4]) if not causal else None
    assert_same(
        lambda *qkv: RingFlashAttention.apply(*qkv, mask, is_causal=causal),
        lambda *qkv: F.scaled_dot_product_attention(*qkv, mask, is_causal=causal),
        arrays,
    )
    with pytest.raises(NotImplementedError, match="fixed_seed_offset"):
        RingFlashAttention.apply(*map(paddle.to_tensor, arrays), fixed_seed_offset=paddle.ones([2]))


@pytest.mark.parametrize("bias", [True, False])
def test_ring_convolution(bias):
    chance = np.random.RandomState(0)
    arrays = [chance.rand(*shape).astype("float32") for shape in ([2, 3, 6, 6], [4, 3, 3, 3], [4])]
    assert_same(
        lambda *t: RingConv2d.apply(*t, stride=2, padding=1),
        lambda *t: F.conv2d(*t, stride=2, padding=1),
        arrays if bias else arrays[:2],
    )
    x, weight = map(paddle.to_tensor, arrays[:2])
    assert RingConv2d.apply(x, weight, padding_algorithm="SAME").shape == [2, 4, 6, 6]


def test_a_ring_gives_no_gradient_to_what_needs_none():
    x, weight = paddle.rand([1, 1, 3, 3]), paddle.to_tensor(np.ones([1, 1, 2, 2], "float32"), stop_gradient=False)
    RingConv2d.apply(x, weight).sum().backward()
    assert x.grad is None
    np.testing.assert_allclose(weight.grad, F.conv2d(x, paddle.ones([1, 1, 2, 2])), rtol=1e-6)


def test_conv_parallel():
    mesh = dist.ProcessMesh([0], dim_names=["mp"])
    x = paddle.rand([1, 2, 5, 5])
    for data_format in ("NCHW", "NHWC"):
        conv = paddle.nn.Conv2D(2, 3, 3, data_format=data_format)
        given = x if data_format == "NCHW" else x.transpose([0, 2, 3, 1])
        before = conv(given)
        dist.ConvParallel().apply(conv, mesh, [])
        np.testing.assert_allclose(conv(given), before, rtol=1e-6)
    with pytest.raises(NotImplementedError, match="Linear"):
        dist.ConvParallel().apply(paddle.nn.Linear(2, 2), mesh, [])


def test_to_distributed_of_one_device():
    layer = paddle.nn.Linear(2, 2)
    optimizer = paddle.optimizer.SGD(parameters=layer.parameters())
    data = paddle.io.DataLoader(paddle.io.TensorDataset([paddle.ones([4, 2])]), batch_size=2)
    assert dist.to_distributed(layer, optimizer, data, 1) == (layer, optimizer, data)
    with pytest.raises(ValueError, match="device_num is 8"):
        dist.to_distributed(layer, optimizer, data, 8)
    assert dist.create_nccl_config({"blocking": 1}) is None
    with pytest.raises(ValueError, match="dict"):
        dist.create_nccl_config(3)


def test_what_is_left_out_of_recompute_gives_the_same():
    x = paddle.to_tensor([0.5, 2.0], stop_gradient=False)
    kept = exclude_ops_in_recompute(paddle.exp)
    recompute(lambda x: kept(x) * x)(x).sum().backward()
    np.testing.assert_allclose(x.grad, np.exp([0.5, 2.0]) * [1.5, 3.0], rtol=1e-6)


def test_a_sequence_of_one_process_keeps_its_order():
    from paddle.distributed.auto_parallel.ring_attention import shard_seq_load_balance

    x = paddle.arange(8).reshape([1, 8])
    assert shard_seq_load_balance(x, 1).tolist() == [list(range(8))]
    with pytest.raises(ValueError, match="even"):
        shard_seq_load_balance(x, 0)
