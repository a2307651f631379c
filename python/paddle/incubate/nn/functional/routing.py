# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Steps of expert layers and of embeddings: products in groups, sums of experts, gradients added in place."""

from .... import _core
from ....framework.memory import write
from ....framework.modes import no_grad

__all__ = ["batched_gemm", "embedding_grad_add_to_", "fused_swiglu_weighted_bwd", "moe_combine"]

ops = _core.ops


def moe_combine(x, combine_weights, scatter_index, name=None):
    """Sums of the results of experts: out[s] = sum over k of combine_weights[s, k] x[scatter_index[s, k]].

    Args:
        x: Results of experts, [rows, size].
        combine_weights: [tokens, k].
        scatter_index: Rows of x, int32 or int64 [tokens, k].

    Returns:
        A tensor [tokens, size].
    """
    if list(combine_weights.shape) != list(scatter_index.shape) or scatter_index.ndim != 2:
        raise ValueError(
            f"moe_combine: combine_weights has shape {list(combine_weights.shape)} and scatter_index "
            f"{list(scatter_index.shape)}; both must be [tokens, k]."
        )
    tokens, k = scatter_index.shape
    rows = ops.reshape(ops.gather(x, ops.reshape(scatter_index, [-1]), 0), [tokens, k, x.shape[-1]])
    weights = ops.unsqueeze(ops.cast(combine_weights, x.dtype), [1])
    return ops.reshape(ops.matmul(weights, rows, False, False), [tokens, x.shape[-1]])


def batched_gemm(lhs, rhs, batch_sizes, trans_lhs=False, trans_rhs=False):
    """Products of consecutive groups of rows, each with its own matrix.

    Args:
        lhs: [rows, inputs].
        rhs: A matrix a group, [groups, inputs, outputs]; with trans_rhs [groups, outputs, inputs]; with trans_lhs
            [rows, outputs] instead.
        batch_sizes: Rows of each group.
        trans_lhs: Whether the result is lhs^T rhs a group.
        trans_rhs: Whether the matrices are transposed.

    Returns:
        [rows, outputs], with trans_lhs [groups, inputs, outputs].

    Raises:
        ValueError: The groups do not hold all rows, or both are transposed.
    """
    sizes = [int(n) for n in batch_sizes]
    if sum(sizes) != lhs.shape[0] or (not trans_lhs and rhs.shape[0] != len(sizes)):
        raise ValueError(
            f"batched_gemm: batch_sizes has value {sizes}, lhs shape {list(lhs.shape)} and rhs {list(rhs.shape)}; the "
            "sizes must sum up to the rows of lhs, and rhs must have a matrix for each."
        )
    if trans_lhs and trans_rhs:
        raise ValueError("batched_gemm: trans_lhs and trans_rhs are both set; only one can be.")
    lefts = ops.split(lhs, sizes, 0)
    if trans_lhs:
        rights = ops.split(rhs, sizes, 0)
        return ops.stack([ops.matmul(a, b, True, False) for a, b in zip(lefts, rights, strict=True)], 0)
    return ops.concat([ops.matmul(a, rhs[i], False, trans_rhs) for i, a in enumerate(lefts)], 0)


def embedding_grad_add_to_(token_indices, main_grad_, out_grad, name=None):
    """Add the gradient of rows that an embedding gave to the gradient of its table, in place.

    Args:
        token_indices: The tokens, int32 or int64 of any shape.
        main_grad_: Gradient of the table, [tokens of the table, size]; changed.
        out_grad: Gradient of the rows, [..., size].

    Returns:
        main_grad_.
    """
    with no_grad():
        rows = ops.cast(ops.reshape(out_grad, [-1, main_grad_.shape[-1]]), main_grad_.dtype)
        index = ops.reshape(token_indices, [-1, 1])
        return write(main_grad_, ops.scatter_nd_add(main_grad_, index, rows))


def fused_swiglu_weighted_bwd(o1, do2_s, unzipped_probs, name=None):
    """Gradients of silu(a) b p, where o1 is a and b beside each other and p a weight a row.

    Args:
        o1: [..., 2 size].
        do2_s: Gradient of the result, [..., size].
        unzipped_probs: The weights p, float32 [...] or [..., 1].

    Returns:
        (gradient of o1, gradient of the weights in float32, the result itself).
    """
    wide = _core.float64 if o1.dtype == _core.float64 else _core.float32
    with no_grad():
        a, b = ops.split(ops.cast(o1, wide), [o1.shape[-1] // 2] * 2, -1)
        gradient = ops.cast(do2_s, wide)
        weight = ops.cast(ops.reshape(unzipped_probs, [*o1.shape[:-1], 1]), wide)
        gate = ops.sigmoid(a)
        silu = a * gate
        from_weight = ops.sum(gradient * silu * b, [-1], None, True)
        gradient = gradient * weight
        slope = gate * (1 + a * (1 - gate))
        from_o1 = ops.concat([gradient * b * slope, gradient * silu], -1)
        result = ops.cast(silu * b * weight, o1.dtype)
        from_weight = ops.cast(ops.reshape(from_weight, list(unzipped_probs.shape)), unzipped_probs.dtype)
        return ops.cast(from_o1, o1.dtype), from_weight, result
