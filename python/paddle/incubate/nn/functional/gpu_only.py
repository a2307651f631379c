# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of expert layers whose operators exist for GPUs only: on the CPU they raise, as PaddlePaddle's CPU build does."""

__all__ = [
    "block_multihead_attention_xpu",
    "build_src_rank_and_local_expert_id",
    "cal_aux_loss",
    "cross_entropy_with_softmax_bwd_w_downcast",
    "cudnn_flash_attention",
    "expand_modality_expert_id",
    "fp8_gemm_blockwise",
    "fused_act_dequant",
    "fused_transpose_split_quant",
    "fused_transpose_wlch_split_quant",
    "fused_weighted_swiglu_act_quant",
    "moe_combine_no_weight",
    "moe_gate_dispatch",
    "moe_gate_dispatch_and_quant",
    "moe_gate_dispatch_partial_nosoftmaxtopk",
    "moe_gate_dispatch_permute",
]


def no_kernel(op):
    """The error of an operator without a kernel for the CPU."""
    return RuntimeError(f"{op}: this operator has no kernel for the CPU; run it on a GPU.")


def moe_gate_dispatch(x, gate_logits, corr_bias, k, capacity, use_pad, name=None):
    """Send each token to the k experts with the largest gates.  RuntimeError on the CPU."""
    raise no_kernel("moe_gate_dispatch")


def moe_gate_dispatch_partial_nosoftmaxtopk(
    x,
    combine_weights,
    expert_id,
    k,
    capacity,
    num_experts,
    use_pad,
    expert_start_index,
    expert_end_index,
    reverse_token_drop,
    name=None,
):
    """Send tokens to a range of experts that were chosen before.  RuntimeError on the CPU."""
    raise no_kernel("moe_gate_dispatch_partial_nosoftmaxtopk")


def expand_modality_expert_id(
    expert_id, num_expert_per_modality, group_size, modality_offset, is_group_expert, name=None
):
    """Numbers of experts of one modality as numbers among those of all.  RuntimeError on the CPU."""
    raise no_kernel("expand_modality_expert_id")


def block_multihead_attention_xpu(
    qkv,
    key_cache,
    value_cache,
    seq_lens_encoder,
    seq_lens_decoder,
    seq_lens_this_time,
    padding_offsets,
    cum_offsets,
    cu_seqlens_q,
    cu_seqlens_k,
    block_tables,
    cache_k_per_batch_maxs,
    cache_v_per_batch_maxs,
    pre_key_cache=None,
    pre_value_cache=None,
    cache_k_quant_scales=None,
    cache_v_quant_scales=None,
    cache_k_dequant_scales=None,
    cache_v_dequant_scales=None,
    qkv_out_scale=None,
    qkv_bias=None,
    out_shift=None,
    out_smooth=None,
    max_enc_len_this_time=None,
    max_dec_len_this_time=None,
    rope_emb=None,
    mask=None,
    tgt_mask=None,
    max_seq_len=-1,
    block_size=64,
    use_neox_style=False,
    use_dynamic_cachekv_quant=False,
    quant_round_type=1,
    quant_max_bound=127.0,
    quant_min_bound=-127.0,
    out_scale=-1,
    compute_dtype="default",
    rope_theta=10000.0,
):
    """Attention over caches in blocks, on an XPU.  RuntimeError on the CPU."""
    raise no_kernel("block_multihead_attention_xpu")


def build_src_rank_and_local_expert_id(expert_num_global_tensor, expert_num_global, num_local_experts, name=None):
    """The sending process and the local number of the expert of each token.  RuntimeError on the CPU."""
    raise no_kernel("build_src_rank_and_local_expert_id")


def cal_aux_loss(
    gate_prob, dispatch_mask, tokens_mask, dispatch_tokens_mask, num_experts, use_group, moe_k, clip_min, name=None
):
    """The loss that balances the load of experts.  RuntimeError on the CPU."""
    raise no_kernel("cal_aux_loss")


def cross_entropy_with_softmax_bwd_w_downcast(label, softmax, loss_grad, name=None):
    """The gradient of cross entropy in a narrower dtype.  RuntimeError on the CPU."""
    raise no_kernel("cross_entropy_with_softmax_bwd_w_downcast")


def cudnn_flash_attention(
    q,
    k,
    v,
    bias=None,
    cu_seqlen_q=None,
    cu_seqlen_k=None,
    scaling_factor=1.0,
    dropout_prob=0.0,
    training=True,
    mask_type=None,
    bias_type=None,
    name=None,
):
    """Attention by cuDNN.  RuntimeError on the CPU."""
    raise no_kernel("cudnn_flash_attention")


def fused_act_dequant(x, x_scale):
    """Numbers of 8 bits with a scale for each block, as bfloat16.  RuntimeError on the CPU."""
    raise no_kernel("fused_act_dequant")


def fused_transpose_split_quant(x, input_scales, tokens_per_expert, pow_2_scales=False):
    """Groups of rows, transposed and quantized to 8 bits.  RuntimeError on the CPU."""
    raise no_kernel("fused_transpose_split_quant")


def fused_transpose_wlch_split_quant(x, tokens_per_expert, pow_2_scales=False):
    """Groups of rows, transposed and quantized to 8 bits, of a tensor of four axes.  RuntimeError on the CPU."""
    raise no_kernel("fused_transpose_wlch_split_quant")


def fused_weighted_swiglu_act_quant(x, prob=None, using_pow2_scaling=False, name=None):
    """swiglu, weighted and quantized to 8 bits.  RuntimeError on the CPU."""
    raise no_kernel("fused_weighted_swiglu_act_quant")


def moe_combine_no_weight(x, combine_weight, scatter_index, epsilon=1e-15, name=None):
    """Sums of the results of experts, without weights.  RuntimeError on the CPU."""
    raise no_kernel("moe_combine_no_weight")


def moe_gate_dispatch_and_quant(x, gate_logits, corr_bias, k, capacity, use_pad, use_pow2_scale):
    """Send tokens to experts, quantized to 8 bits.  RuntimeError on the CPU."""
    raise no_kernel("moe_gate_dispatch_and_quant")


def moe_gate_dispatch_permute(x, gate_logits, corr_bias, k, capacity, world_size, name=None):
    """Send tokens to experts of several processes.  RuntimeError on the CPU."""
    raise no_kernel("moe_gate_dispatch_permute")


def fp8_gemm_blockwise(
    a,
    a_decode_scale,
    b,
    b_decode_scale,
    out_dtype,
    out=None,
    bias=None,
    accumulate=False,
    use_split_accumulator=True,
    is_a_1d_scaled=True,
    is_b_1d_scaled=True,
):
    """A product of 8-bit matrices with a scale for each block.  ValueError without a GPU."""
    raise ValueError("fp8_gemm_blockwise: paddle has no GPU; paddle.linalg.fp8_fp8_half_gemm_fused runs on the CPU.")
