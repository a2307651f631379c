# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rows of tokens sorted by the experts they are routed to, and back."""

from ... import _core
from ...tensor._args import check_tensor

ops = _core.ops

__all__ = ["moe_permute", "moe_unpermute"]


def _routes(expert_routemap_topk, num_experts):
    """[tokens, choices, experts]: 1 where the choice is the expert; choices of -1 have none."""
    route = ops.unsqueeze(ops.cast(expert_routemap_topk, _core.int64), [2])
    experts = ops.arange(0, num_experts, 1, _core.int64)
    return ops.cast(ops.equal(route, experts), _core.int64)


def moe_permute(
    hidden_states,
    scale,
    expert_routemap_topk,
    expert_prob_topk,
    num_experts,
    tokens_per_expert,
    padding_alignment,
    do_gather=True,
    using_ue8m0_scale=False,
    return_expert_indices=False,
    override_buffer_size=-1,
    name=None,
):
    """Copies of token rows, sorted by expert.

    Args:
        hidden_states: [tokens, size].
        scale: Scales of the rows that go with them, [tokens, blocks], or None.
        expert_routemap_topk: The experts of each token, -1 for none, int32 [tokens, choices].
        expert_prob_topk: Their weights, [tokens, choices].
        num_experts: Number of experts.
        tokens_per_expert: Number of tokens of each expert, a list.
        padding_alignment: Rows of an expert are filled up to a multiple of it, with zeros.
        do_gather: Copy the rows; without it they are left out.
        return_expert_indices: Return the expert of every row too, -1 for padding.
        override_buffer_size: Number of rows of the results when not negative.

    Returns:
        Rows [rows, size], the row of each token and expert (-1 for none) as int32 [tokens, experts],
        weights [rows], scales [rows, blocks] (no elements without scale), and the experts on demand.
    """
    op = "moe_permute"
    check_tensor(op, hidden_states=hidden_states, expert_routemap_topk=expert_routemap_topk)
    if len(tokens_per_expert) != num_experts:
        raise ValueError(
            f"{op}: tokens_per_expert has {len(tokens_per_expert)} entries and num_experts is {num_experts}; it needs "
            f"one per expert."
        )
    if using_ue8m0_scale:
        raise NotImplementedError(f"{op}: using_ue8m0_scale=True is not available; pass float scales.")
    starts, total = [], 0
    for count in tokens_per_expert:
        starts.append(total)
        total += -(-int(count) // padding_alignment) * padding_alignment
    if override_buffer_size >= 0:
        if override_buffer_size < total:
            raise ValueError(f"{op}: override_buffer_size is {override_buffer_size}; the rows need {total}.")
        total = override_buffer_size
    choices = _routes(expert_routemap_topk, num_experts)
    chosen = ops.max(choices, [1], False)
    counts = ops.sum(chosen, [0], None, False).tolist()
    if any(a > int(b) for a, b in zip(counts, tokens_per_expert, strict=True)):
        raise ValueError(
            f"{op}: the experts get {counts} tokens and tokens_per_expert is {list(tokens_per_expert)}; it may not be "
            f"less."
        )
    place = ops.cumsum(chosen, 0) - 1 + _core.to_tensor(starts, _core.int64)
    row_map = ops.where(chosen > 0, place, ops.full_like(place, -1))
    # Entry of the flattened map that each row comes from; padding comes from none.
    entries = ops.squeeze(ops.nonzero(ops.reshape(row_map, [-1]) >= 0), [1])
    rows = ops.gather(ops.reshape(row_map, [-1]), entries, 0)
    source = ops.put_along_axis(ops.full([total], -1, _core.int64), rows, entries, 0, "assign", True)
    real = source >= 0
    safe = ops.where(real, source, ops.full_like(source, 0))
    token = ops.floor_divide(safe, ops.full_like(safe, num_experts))

    def gathered(x):
        taken = ops.gather(x, token, 0)
        flag = ops.reshape(real, [-1, *[1] * (x.ndim - 1)])
        return ops.where(flag, taken, ops.full([], 0.0, x.dtype))

    weights = ops.sum(
        ops.cast(choices, expert_prob_topk.dtype) * ops.unsqueeze(expert_prob_topk, [2]), [1], None, False
    )
    weights = ops.gather(ops.reshape(weights, [-1]), safe, 0)
    results = [
        gathered(hidden_states) if do_gather else ops.full([0], 0.0, hidden_states.dtype),
        ops.cast(row_map, _core.int32),
        ops.where(real, weights, ops.full([], 0.0, weights.dtype)),
        ops.full([0], 0.0, _core.float32) if scale is None else gathered(scale),
    ]
    if return_expert_indices:
        expert = ops.remainder(safe, ops.full_like(safe, num_experts))
        results.append(ops.cast(ops.where(real, expert, ops.full_like(expert, -1)), _core.int32))
    return tuple(results)


def moe_unpermute(
    hidden_states_unzipped,
    zipped_expertwise_rowmap,
    expert_routemap_topk,
    token_prob_unzipped,
    total_zipped_tokens,
    num_experts,
    using_mix_precision=True,
    using_weighted_combine=False,
    name=None,
):
    """The sum of the rows of each token, and its weights: the way back of moe_permute.

    Args:
        hidden_states_unzipped: [rows, size].
        zipped_expertwise_rowmap: The row of each token and expert, -1 for none, [tokens, experts].
        expert_routemap_topk: The experts of each token, -1 for none, [tokens, choices].
        token_prob_unzipped: Weights of the rows, [rows].
        total_zipped_tokens: Number of tokens.
        using_mix_precision: Add 16-bit rows in float32.
        using_weighted_combine: Multiply the rows by their weights.

    Returns:
        Rows of the tokens [tokens, size], and weights [tokens, choices].
    """
    check_tensor("moe_unpermute", hidden_states_unzipped=hidden_states_unzipped)
    if zipped_expertwise_rowmap.shape != [total_zipped_tokens, num_experts]:
        raise ValueError(
            f"moe_unpermute: zipped_expertwise_rowmap has shape {list(zipped_expertwise_rowmap.shape)}; it must be "
            f"[{total_zipped_tokens}, {num_experts}]."
        )
    row_map = ops.cast(zipped_expertwise_rowmap, _core.int64)
    real = row_map >= 0
    safe = ops.where(real, row_map, ops.full_like(row_map, 0))
    flat = ops.reshape(safe, [-1])
    prob = ops.reshape(token_prob_unzipped, [-1])
    dtype = hidden_states_unzipped.dtype
    wide = _core.float32 if using_mix_precision and dtype.name in ("float16", "bfloat16") else dtype
    rows = ops.cast(ops.gather(hidden_states_unzipped, flat, 0), wide)
    rows = ops.reshape(rows, [total_zipped_tokens, num_experts, -1])
    weights = ops.where(real, ops.reshape(ops.gather(prob, flat, 0), safe.shape), ops.full([], 0.0, prob.dtype))
    factor = ops.cast(weights if using_weighted_combine else real, wide)
    zipped = ops.cast(ops.sum(rows * ops.unsqueeze(factor, [2]), [1], None, False), dtype)
    choices = ops.cast(_routes(expert_routemap_topk, num_experts), prob.dtype)
    return zipped, ops.sum(choices * ops.unsqueeze(weights, [1]), [2], None, False)
