# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""8-bit floats for expert layers and matrix products; what has no kernel on the CPU says so."""

import numpy as np
import paddle
import paddle.incubate.nn.functional as F
import pytest


@pytest.mark.parametrize("transpose", [True, False])
def test_stacked_matrices_come_back_from_their_blocks(transpose):
    rng = np.random.default_rng(0)
    matrices = [rng.normal(size=(256, 128)).astype("float32") * (i + 1) for i in range(2)]
    given = [paddle.to_tensor(m).astype("bfloat16") for m in matrices]
    out, scale = F.fused_stack_transpose_quant(given, transpose=transpose)
    rows = np.concatenate([t.astype("float32").numpy().T if transpose else t.astype("float32").numpy() for t in given])
    assert out.dtype == paddle.float8_e4m3fn and out.shape == list(rows.shape)
    assert scale.dtype == paddle.float32 and scale.shape == [rows.shape[0] // 128, rows.shape[1] // 128]
    wide = scale.numpy().repeat(128, 0).repeat(128, 1)
    np.testing.assert_allclose(out.astype("float32").numpy() * wide, rows, atol=np.abs(rows).max() / 16)
    tops = np.abs(rows.reshape(rows.shape[0] // 128, 128, -1, 128)).max((1, 3))
    np.testing.assert_allclose(scale.numpy(), tops / 448, rtol=1e-6)


def test_stacked_matrices_must_be_alike():
    with pytest.raises(ValueError, match="at least one"):
        F.fused_stack_transpose_quant([])
    with pytest.raises(ValueError, match=r"x\[1\] has shape"):
        F.fused_stack_transpose_quant([paddle.ones([128, 128], "bfloat16"), paddle.ones([128, 256], "bfloat16")])


@pytest.mark.parametrize("act", ["identity", "relu", "gelu"])
def test_product_of_8_bit_floats(act):
    rng = np.random.default_rng(1)
    x, y = (paddle.to_tensor(rng.normal(size=s).astype("float32")).astype("float8_e4m3fn") for s in ((4, 16), (8, 16)))
    bias = paddle.to_tensor(rng.normal(size=8).astype("float32"))
    out = paddle.linalg.fp8_fp8_half_gemm_fused(x, y, transpose_y=True, bias=bias, scale=0.5, act=act)
    plain = 0.5 * x.astype("float32").numpy() @ y.astype("float32").numpy().T + bias.numpy()
    expected = {
        "identity": lambda v: v,
        "relu": lambda v: np.maximum(v, 0),
        "gelu": lambda v: paddle.nn.functional.gelu(paddle.to_tensor(v)).numpy(),
    }[act](plain)
    assert out.dtype == paddle.float16
    np.testing.assert_allclose(out.astype("float32").numpy(), expected, rtol=2e-3, atol=2e-3)


def test_product_refuses_other_arguments():
    x = paddle.ones([4, 4]).astype("float8_e4m3fn")
    with pytest.raises(TypeError, match="8-bit"):
        paddle.linalg.fp8_fp8_half_gemm_fused(paddle.ones([4, 4]), x)
    with pytest.raises(ValueError, match="output_dtype"):
        paddle.linalg.fp8_fp8_half_gemm_fused(x, x, output_dtype="float32")
    with pytest.raises(ValueError, match="act"):
        paddle.linalg.fp8_fp8_half_gemm_fused(x, x, act="tanh")


@pytest.mark.parametrize(
    "call",
    [
        lambda: F.moe_gate_dispatch(paddle.ones([4, 8]), paddle.ones([4, 2]), None, 2, 4, True),
        lambda: F.moe_gate_dispatch_partial_nosoftmaxtopk(
            paddle.ones([4, 8]), paddle.ones([4, 2]), paddle.zeros([4, 2], "int32"), 2, 4, 2, True, 0, 2, False
        ),
        lambda: F.expand_modality_expert_id(paddle.zeros([4, 2], "int64"), 2, 2, 0, False),
        lambda: F.fused_act_dequant(paddle.ones([4, 8]), paddle.ones([4, 1])),
        lambda: F.build_src_rank_and_local_expert_id(paddle.zeros([4], "int64"), [1, 3], 2),
        lambda: F.cal_aux_loss(paddle.ones([4, 4]), paddle.ones([4]), None, None, 4, False, 2, 1e-6),
        lambda: F.cross_entropy_with_softmax_bwd_w_downcast(*[paddle.ones([4, 1])] * 3),
        lambda: F.cudnn_flash_attention(*[paddle.ones([1, 2, 2, 8])] * 3),
        lambda: F.fused_transpose_split_quant(paddle.ones([4, 8]), None, [4]),
        lambda: F.fused_transpose_wlch_split_quant(paddle.ones([1, 1, 4, 8]), [4]),
        lambda: F.fused_weighted_swiglu_act_quant(paddle.ones([4, 8])),
        lambda: F.moe_combine_no_weight(paddle.ones([4, 8]), paddle.ones([2, 2]), paddle.zeros([2, 2], "int32")),
        lambda: F.moe_gate_dispatch_and_quant(*[paddle.ones([4, 4])] * 2, None, 2, 4, True, False),
        lambda: F.moe_gate_dispatch_permute(*[paddle.ones([4, 4])] * 2, None, 2, 4, 1),
        lambda: F.block_multihead_attention_xpu(*[paddle.ones([2, 24])] * 13),
    ],
)
def test_operators_of_gpus_raise_as_in_a_cpu_build(call):
    with pytest.raises(RuntimeError, match="no kernel for the CPU"):
        call()


def test_products_of_blocks_need_a_gpu():
    x, scale = paddle.ones([4, 4]).astype("float8_e4m3fn"), paddle.ones([4, 1])
    with pytest.raises(ValueError, match="no GPU"):
        F.fp8_gemm_blockwise(x, scale, x, scale, "bfloat16")


def test_svd_writes_into_out():
    x = paddle.to_tensor(np.random.default_rng(2).normal(size=(3, 2)).astype("float32"))
    out = (paddle.zeros([3, 2]), paddle.zeros([2]), paddle.zeros([2, 2]))
    paddle.linalg.svd(x, out=out)
    np.testing.assert_allclose((out[0] * out[1] @ out[2]).numpy(), x.numpy(), atol=1e-5)
