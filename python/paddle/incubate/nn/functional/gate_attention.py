# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`fused_gate_attention`: attention whose result is gated by the queries (Jumper et al. 2021, AlphaFold, algorithm 7)."""

from .... import _core

__all__ = ["fused_gate_attention"]

ops = _core.ops


def _projected(x, weight):
    """x [..., a] times weight [a, heads, size]: [..., heads, size]."""
    inputs, heads, size = weight.shape
    made = ops.matmul(x, ops.reshape(weight, [inputs, heads * size]), False, False)
    return ops.reshape(made, [*x.shape[:-1], heads, size])


def fused_gate_attention(
    query,
    key=None,
    query_weight=None,
    key_weight=None,
    value_weight=None,
    qkv_weight=None,
    gate_linear_weight=None,
    gate_linear_bias=None,
    out_linear_weight=None,
    out_linear_bias=None,
    nonbatched_bias=None,
    attn_mask=None,
    has_gating=True,
    merge_qkv=True,
    use_flash_attn=False,
):
    """Attention with a gate for each head: sigmoid(query G + g) softmax(q k^T / sqrt(size) + mask + bias) v, projected.

    Args:
        query: [batch, rows, queries, inputs].
        key: [batch, rows, keys, key inputs], where merge_qkv is False; query by default.
        query_weight, key_weight, value_weight: [inputs or key inputs, heads, size], where merge_qkv is False.
        qkv_weight: [3, heads, size, inputs], where merge_qkv is True.
        gate_linear_weight, gate_linear_bias: [inputs, heads, size] and [heads, size], where has_gating is True.
        out_linear_weight, out_linear_bias: [heads, size, inputs] and [inputs].
        nonbatched_bias: Added to the scores, [batch, 1, heads, queries, keys].
        attn_mask: Added to the scores, [batch, rows, 1, 1, keys].
        has_gating: Whether there is a gate.
        merge_qkv: Whether queries, keys and values come from query by one weight.
        use_flash_attn: Accepted; the result is the same.

    Returns:
        A tensor of the shape and dtype of query.

    Raises:
        ValueError: A weight that is needed is None.
    """
    needed = {"out_linear_weight": out_linear_weight}
    if merge_qkv:
        needed["qkv_weight"] = qkv_weight
    else:
        needed |= {"query_weight": query_weight, "key_weight": key_weight, "value_weight": value_weight}
    if has_gating:
        needed |= {"gate_linear_weight": gate_linear_weight, "gate_linear_bias": gate_linear_bias}
    for name, value in needed.items():
        if value is None:
            raise ValueError(f"fused_gate_attention: {name} is None; it is needed here.")
    if merge_qkv:
        weights = [ops.transpose(qkv_weight[i], [2, 0, 1]) for i in range(3)]
        key = query
    else:
        weights = [query_weight, key_weight, value_weight]
        key = query if key is None else key
    q, k, v = (_projected(x, w) for x, w in zip((query, key, key), weights, strict=True))
    heads, size = q.shape[-2:]
    q, k, v = (ops.transpose(t, [0, 1, 3, 2, 4]) for t in (q, k, v))
    scores = ops.matmul(q * size**-0.5, k, False, True)
    if attn_mask is not None:
        scores = scores + attn_mask
    if nonbatched_bias is not None:
        scores = scores + nonbatched_bias
    found = ops.transpose(ops.matmul(ops.softmax(scores, -1), v, False, False), [0, 1, 3, 2, 4])
    if has_gating:
        found = found * ops.sigmoid(_projected(query, gate_linear_weight) + gate_linear_bias)
    found = ops.reshape(found, [*found.shape[:-2], heads * size])
    out = ops.matmul(found, ops.reshape(out_linear_weight, [heads * size, -1]), False, False)
    return out if out_linear_bias is None else out + out_linear_bias
