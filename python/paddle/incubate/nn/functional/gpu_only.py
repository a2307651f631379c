# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Functions of expert layers whose operators exist for GPUs only: on the CPU they raise, as PaddlePaddle's CPU build does."""

__all__ = ["expand_modality_expert_id", "moe_gate_dispatch", "moe_gate_dispatch_partial_nosoftmaxtopk"]


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
