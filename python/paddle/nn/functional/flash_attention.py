# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention over the operator flash_attn: dense, packed, of several lengths, with row-range masks."""

import contextlib

from ... import _core
from ...tensor._args import check_tensor

ops = _core.ops

__all__ = [
    "scaled_dot_product_attention",
    "flash_attn_qkvpacked",
    "flash_attn_varlen_qkvpacked",
    "flash_attention_v3_varlen",
    "flashmask_attention",
    "sparse_attention",
    "sdp_kernel",
]


def _scaled(query, scale):
    """The query such that the operator's own 1 / sqrt(size) makes `scale`."""
    return query if scale is None else query * (scale * query.shape[-1] ** 0.5)


def _additive(mask, dtype):
    """A mask of bool (True where attention is allowed) as what is added to the scores."""
    if mask is None or mask.dtype.name != "bool":
        return mask
    zero = ops.full([], 0.0, dtype)
    return ops.where(mask, zero, ops.full([], float("-inf"), dtype))


def _attend(query, key, value, mask, dropout, causal, training, with_softmax=False):
    drop = float(dropout) if training else 0.0
    return ops.flash_attn(query, key, value, None, mask, drop, causal, with_softmax, not training, "")


def scaled_dot_product_attention(
    query,
    key,
    value,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    training=True,
    backend=None,
    scale=None,
    enable_gqa=True,
    name=None,
):
    """softmax(query @ key^T * scale + mask) @ value (Vaswani et al. 2017).

    Args:
        query: Floating Tensor [batch, length, heads, size], or without the batch.
        key: [batch, key length, key heads, size].
        value: As key.
        attn_mask: True where attention is allowed, or what is added to the scores; broadcasts to
            [batch, heads, length, key length].
        dropout_p: Probability that a weight is dropped while training.
        is_causal: Positions attend only to earlier ones, counted from the start of both sequences.
        training: Whether weights are dropped.
        backend: Accepted; there is one.
        scale: 1 / sqrt(size) by default.
        enable_gqa: Fewer heads of key and value serve groups of query heads.
        name: Unused.

    Returns:
        A Tensor of the shape of query.

    Raises:
        ValueError: A tensor has another number of dimensions.
        AssertionError: The numbers of heads do not fit.

    Example:
        >>> x = paddle.ones([1, 4, 2, 8])
        >>> paddle.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True).shape
        paddle.Size([1, 4, 2, 8])
    """
    check_tensor("scaled_dot_product_attention", query=query, key=key, value=value)
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if tensor.ndim != query.ndim or tensor.ndim not in (3, 4):
            raise ValueError(
                f"scaled_dot_product_attention: {name} has shape {list(tensor.shape)}; query, key and value must be "
                "[batch, length, heads, size], or all without the batch."
            )
    single = query.ndim == 3
    if single:
        query, key, value = (ops.unsqueeze(t, [0]) for t in (query, key, value))
    heads, groups = query.shape[2], key.shape[2]
    if heads != groups and (not enable_gqa or heads % groups):
        raise AssertionError(
            f"scaled_dot_product_attention: query has {heads} heads and key {groups}; they must be equal, or a "
            f"multiple with enable_gqa=True."
        )
    mask = _additive(attn_mask, query.dtype)
    out = _attend(_scaled(query, scale), key, value, mask, dropout_p, is_causal, training)[0]
    return ops.squeeze(out, [0]) if single else out


def flash_attention(
    query,
    key,
    value,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    *,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
    softmax_scale=None,
):
    """Attention for [batch, length, heads, size]; returns the result and None or the softmax."""
    query = _scaled(query, softmax_scale)
    drop = float(dropout) if training else 0.0
    out = ops.flash_attn(
        query, key, value, fixed_seed_offset, None, drop, causal, return_softmax, not training, rng_name
    )
    return out[0], out[1] if return_softmax else None


def flash_attn_qkvpacked(
    qkv,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    *,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
):
    """flash_attention of query, key and value in one tensor.

    Args:
        qkv: [batch, length, query heads / key heads + 2, key heads, size].
    """
    check_tensor("flash_attn_qkvpacked", qkv=qkv)
    return flash_attention(
        *_unpack(qkv),
        dropout,
        causal,
        return_softmax,
        fixed_seed_offset=fixed_seed_offset,
        rng_name=rng_name,
        training=training,
    )


def _unpack(qkv):
    """Query, key and value of [..., groups + 2, key heads, size]."""
    axis = qkv.ndim - 3
    groups = qkv.shape[axis] - 2
    if groups < 1:
        raise ValueError(
            f"flash_attn_qkvpacked: qkv has shape {list(qkv.shape)}; axis {axis} holds the groups of query heads, then key "
            f"and value, so it must be at least 3."
        )
    query = ops.slice(qkv, [axis], [0], [groups])
    query = ops.reshape(query, [*qkv.shape[:axis], groups * qkv.shape[-2], qkv.shape[-1]])
    parts = (ops.squeeze(ops.slice(qkv, [axis], [groups + i], [groups + i + 1]), [axis]) for i in range(2))
    return (query, *parts)


def _bounds(lengths, total, op, name):
    bounds = [int(n) for n in lengths.tolist()]
    ordered = all(a <= b for a, b in zip(bounds, bounds[1:], strict=False))
    if not bounds or bounds[0] != 0 or bounds[-1] > total or not ordered:
        raise ValueError(f"{op}: {name} has value {bounds}; it must rise from 0 to at most {total}, the packed length.")
    return bounds


def flash_attn_unpadded(
    query,
    key,
    value,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q,
    max_seqlen_k,
    scale,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
):
    """Attention within sequences that stand one behind another.

    Args:
        query: [all lengths, heads, size].
        key: [all key lengths, key heads, size].
        value: As key.
        cu_seqlens_q: Starts of the sequences and the end of the last one, int32 [batch + 1].
        cu_seqlens_k: The same for key and value.
        scale: Factor of the scores.

    Returns:
        The result, of the shape of query, and None.
    """
    op = "flash_attn_unpadded"
    if return_softmax:
        raise NotImplementedError(
            f"{op}: return_softmax=True is not available for sequences of several lengths; pass False."
        )
    starts = _bounds(cu_seqlens_q, query.shape[0], op, "cu_seqlens_q")
    key_starts = _bounds(cu_seqlens_k, key.shape[0], op, "cu_seqlens_k")
    if len(starts) != len(key_starts):
        raise ValueError(
            f"{op}: cu_seqlens_q has {len(starts)} entries and cu_seqlens_k {len(key_starts)}; they must be equal."
        )
    outs = []
    for i in range(len(starts) - 1):
        q = ops.slice(query, [0], [starts[i]], [starts[i + 1]])
        k, v = (ops.slice(t, [0], [key_starts[i]], [key_starts[i + 1]]) for t in (key, value))
        q, k, v = (ops.unsqueeze(t, [0]) for t in (q, k, v))
        out = _attend(_scaled(q, scale), k, v, None, dropout, causal, training)[0]
        outs.append(ops.squeeze(out, [0]))
    rest = query.shape[0] - starts[-1]
    if rest or not outs:
        outs.append(ops.full([rest, *query.shape[1:]], 0.0, query.dtype))
    return ops.concat(outs, 0), None


def flash_attn_varlen_qkvpacked(
    qkv,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q,
    max_seqlen_k,
    scale,
    dropout=0.0,
    causal=False,
    return_softmax=False,
    fixed_seed_offset=None,
    rng_name="",
    varlen_padded=True,
    training=True,
    name=None,
):
    """flash_attn_unpadded of query, key and value in one tensor.

    Args:
        qkv: [all lengths, query heads / key heads + 2, key heads, size]; with varlen_padded the
            sequences stand max_seqlen_q apart and rows behind their ends are padding.
    """
    check_tensor("flash_attn_varlen_qkvpacked", qkv=qkv)
    query, key, value = _unpack(qkv)
    args = (dropout, causal, return_softmax, fixed_seed_offset, rng_name, training)
    if not varlen_padded:
        return flash_attn_unpadded(
            query, key, value, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale, *args
        )
    op = "flash_attn_varlen_qkvpacked"
    starts = _bounds(cu_seqlens_q, qkv.shape[0], op, "cu_seqlens_q")
    batch, step = len(starts) - 1, int(max_seqlen_q)
    if batch * step != qkv.shape[0]:
        raise ValueError(
            f"{op}: qkv has {qkv.shape[0]} rows; with varlen_padded=True it must have {batch} * max_seqlen_q = "
            f"{batch * step}."
        )
    outs = []
    for i in range(batch):
        length = starts[i + 1] - starts[i]
        rows = [ops.slice(t, [0], [i * step], [i * step + length]) for t in (query, key, value)]
        whole = _core.to_tensor([0, length], _core.int32)
        out = flash_attn_unpadded(*rows, whole, whole, length, length, scale, *args)[0]
        outs.append(ops.pad(out, [0, step - length, 0, 0, 0, 0], 0.0))
    return ops.concat(outs, 0), None


def flash_attention_v3_varlen(
    query,
    key,
    value,
    cu_seqlens_q,
    cu_seqlens_k,
    max_seqlen_q,
    max_seqlen_k,
    seqused_q=None,
    seqused_k=None,
    softmax_scale=None,
    causal=False,
    qv=None,
    q_descale=None,
    k_descale=None,
    v_descale=None,
    window_size=(-1, -1),
    softcap=0.0,
    num_splits=1,
    pack_gqa=None,
    sm_margin=0,
):
    """flash_attn_unpadded in the argument order of FlashAttention 3.

    Returns:
        The result, of the shape of query, and None.
    """
    check_tensor("flash_attention_v3_varlen", query=query, key=key, value=value)
    op = "flash_attention_v3_varlen"
    absent = dict(seqused_q=seqused_q, seqused_k=seqused_k, qv=qv, q_descale=q_descale, k_descale=k_descale)
    for name, given in (absent | dict(v_descale=v_descale)).items():
        if given is not None:
            raise NotImplementedError(f"{op}: {name} is given; it is not available, pass None.")
    if tuple(window_size) != (-1, -1) or softcap:
        raise NotImplementedError(f"{op}: window_size and softcap are not available; leave them at their defaults.")
    scale = query.shape[-1] ** -0.5 if softmax_scale is None else softmax_scale
    return flash_attn_unpadded(
        query, key, value, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, scale, causal=causal
    )


flash_attn_varlen_func = flash_attention_v3_varlen


def _row_ranges(indices, causal, rows):
    """True where a query row (axis 2) may see a key (axis 3)."""
    count = indices.shape[-1]
    if count not in ((1, 2) if causal else (2, 4)):
        raise ValueError(
            f"flashmask_attention: startend_row_indices has shape {list(indices.shape)}; its last axis must be "
            f"{'1 or 2 with causal=True' if causal else '2 or 4 with causal=False'}."
        )
    bounds = [ops.unsqueeze(ops.cast(b, _core.int64), [2]) for b in ops.unbind(indices, -1)]
    row = ops.reshape(ops.arange(0, rows, 1, _core.int64), [1, 1, rows, 1])
    if count == 1:
        return row < bounds[0]
    if count == 2 and not causal:
        return ops.logical_and(row < bounds[0], row >= bounds[1])
    allowed = ops.logical_or(row < bounds[0], row >= bounds[1])
    if count == 4:
        allowed = ops.logical_and(allowed, ops.logical_or(row < bounds[2], row >= bounds[3]))
    return allowed


def _window(window_size, causal, rows, columns):
    left, right = (window_size, window_size) if isinstance(window_size, int) else window_size
    gap = ops.reshape(ops.arange(0, rows, 1, _core.int64), [-1, 1]) - ops.arange(0, columns, 1, _core.int64)
    allowed = gap <= left
    if not causal:
        allowed = ops.logical_and(allowed, gap >= -right)
    return ops.unsqueeze(allowed, [0, 1])


def flashmask_attention(
    query,
    key,
    value,
    startend_row_indices=None,
    *,
    dropout=0.0,
    causal=False,
    window_size=None,
    return_softmax_lse=False,
    return_seed_offset=False,
    fixed_seed_offset=None,
    rng_name="",
    training=True,
    name=None,
    softmax_scale=None,
    block_mask=None,
):
    """Attention in which each key is hidden from ranges of query rows (Wang et al. 2024).

    Args:
        query: [batch, length, heads, size].
        key: [batch, key length, key heads, size].
        value: As key.
        startend_row_indices: int32 [batch, 1 or key heads, key length, n]. With causal, n = 1 hides
            rows from the start on and n = 2 rows in [start, end); without, n = 2 hides rows from the
            first number on and rows below the second, and n = 4 rows in two ranges.
        window_size: Distance up to which positions see each other, one number or (left, right).

    Returns:
        The result; with return_softmax_lse and return_seed_offset a list with these behind it. Rows
        that see no key are 0. The mask takes memory of the square of the length.
    """
    check_tensor("flashmask_attention", query=query, key=key, value=value)
    if block_mask is not None:
        raise NotImplementedError("flashmask_attention: block_mask is not available; pass None.")
    rows, columns = query.shape[1], key.shape[1]
    allowed = None if startend_row_indices is None else _row_ranges(startend_row_indices, causal, rows)
    if window_size is not None:
        near = _window(window_size, causal, rows, columns)
        allowed = near if allowed is None else ops.logical_and(allowed, near)
    if allowed is not None and causal:
        gap = ops.reshape(ops.arange(0, rows, 1, _core.int64), [-1, 1]) - ops.arange(0, columns, 1, _core.int64)
        allowed = ops.logical_and(allowed, gap >= 0)
    mask, empty = None, None
    if allowed is not None:
        if allowed.shape[1] not in (1, query.shape[2]):  # one mask per key head
            allowed = ops.repeat_interleave(allowed, query.shape[2] // allowed.shape[1], 1)
        empty = ops.logical_not(ops.any(allowed, [3], True))
        mask = _additive(ops.logical_or(allowed, empty), query.dtype)
    out, _, lse, seed = _attend(
        _scaled(query, softmax_scale), key, value, mask, dropout, causal and mask is None, training
    )
    if empty is not None:
        out = ops.where(ops.transpose(empty, [0, 2, 1, 3]), ops.full([], 0.0, out.dtype), out)
    results = [out] + ([lse] if return_softmax_lse else []) + ([seed] if return_seed_offset else [])
    return out if len(results) == 1 else results


def sparse_attention(
    query,
    key,
    value,
    sparse_csr_offset,
    sparse_csr_columns,
    key_padding_mask=None,
    attn_mask=None,
    name=None,
):
    """Attention to the keys that a sparse matrix in CSR form names. It takes memory of the square of the length.

    Args:
        query: [batch, heads, length, size].
        key: As query.
        value: As query.
        sparse_csr_offset: Where each row begins in the columns, int32 [batch, heads, length + 1].
        sparse_csr_columns: The keys of the rows, int32 [batch, heads, number of entries].
        key_padding_mask: 0 for keys that are hidden, [batch, length].
        attn_mask: 0 for entries that are hidden, [length, length].
    """
    check_tensor("sparse_attention", query=query, key=key, value=value)
    batch, heads, length, _ = query.shape
    columns = ops.cast(sparse_csr_columns, _core.int64)
    ends = ops.slice(ops.cast(sparse_csr_offset, _core.int64), [2], [1], [length + 1])
    entry = ops.reshape(ops.arange(0, columns.shape[2], 1, _core.int64), [1, 1, 1, -1])
    row = ops.sum(ops.cast(ops.unsqueeze(ends, [3]) <= entry, _core.int64), [2], None, False)
    empty = ops.full([batch, heads, length * length], 0.0, _core.float32)
    ones = ops.full(columns.shape, 1.0, _core.float32)
    allowed = ops.put_along_axis(empty, row * length + columns, ones, 2, "assign", True) > 0
    allowed = ops.reshape(allowed, [batch, heads, length, length])
    if key_padding_mask is not None:
        allowed = ops.logical_and(allowed, ops.reshape(key_padding_mask, [batch, 1, 1, length]) != 0)
    if attn_mask is not None:
        allowed = ops.logical_and(allowed, attn_mask != 0)
    q, k, v = (ops.transpose(t, [0, 2, 1, 3]) for t in (query, key, value))
    out = _attend(q, k, v, _additive(allowed, query.dtype), 0.0, False, False)[0]
    return ops.transpose(out, [0, 2, 1, 3])


@contextlib.contextmanager
def sdp_kernel(enable_math=False, enable_flash=True, enable_mem_efficient=True):
    """Accepts a choice of attention kernels; on CPUs there is one, which serves them all."""
    yield
