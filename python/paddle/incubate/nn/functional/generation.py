# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention of new tokens to the keys and values of earlier ones, which caches hold in one piece or in blocks."""

from .... import _core
from ....framework.modes import no_grad

__all__ = ["blha_get_max_len", "block_multihead_attention", "masked_multihead_attention"]

ops = _core.ops

# Of caches that the operators of paged attention read; others are attended to a sequence at a time.
PAGED = (_core.float32, _core.float16, _core.bfloat16)


def _no(op, reason, **arguments):
    for name, value in arguments.items():
        if value is not None:
            raise NotImplementedError(f"{op}: {name} is given; {reason} is not supported on the CPU. Pass None.")


def _turned(x, cos, sin, halves):
    """Pairs of x [..., D] turned by angles: the two halves of x, or neighbours."""
    if halves:
        half = x.shape[-1] // 2
        other = ops.concat([-x[..., half:], x[..., :half]], -1)
    else:
        other = ops.reshape(ops.stack([-x[..., 1::2], x[..., 0::2]], -1), list(x.shape))
    return x * cos + other * sin


def _quantized(x, scale, round_type, largest, smallest):
    """x as int8, where round_type 0 takes the even neighbour of a half and 1 the one away from zero."""
    scaled = ops.cast(x, _core.float32) * (largest * scale)
    away = ops.sign(scaled) * ops.floor(ops.abs(scaled) + 0.5)
    rounded = ops.round(scaled) if round_type == 0 else away
    return ops.cast(ops.minimum(ops.maximum(rounded, _number(smallest)), _number(largest)), _core.int8)


def _number(value):
    return ops.full([], float(value), _core.float32)


def _result(out, dtype, out_shift, out_smooth, out_scale, round_type, largest, smallest):
    """What an attention gives to the next projection: shifted, smoothed and quantized where asked for."""
    if out_shift is not None:
        out = out + ops.reshape(out_shift, [-1])
    if out_smooth is not None:
        out = out * ops.reshape(out_smooth, [-1])
    if out_scale > 0:
        return _quantized(out, out_scale, round_type, largest, smallest)
    return ops.cast(out, dtype)


def _attended(query, key, value, bias):
    """softmax(query key^T / sqrt(D) + bias) value, in float32 or float64; a group of heads shares a key.

    Args:
        query: [heads, tokens, D].
        key, value: [key heads, past, D].
        bias: What is added to the scores, or None.
    """
    wide = _core.float64 if query.dtype == _core.float64 else _core.float32
    query, key, value = (ops.cast(t, wide) for t in (query, key, value))
    heads, tokens, size = query.shape
    groups = key.shape[0]
    query = ops.reshape(query, [groups, heads // groups * tokens, size])
    scores = ops.reshape(ops.matmul(query, key, False, True) * size**-0.5, [heads, tokens, key.shape[1]])
    if bias is not None:
        scores = scores + ops.cast(bias, wide)
    weights = ops.reshape(ops.softmax(scores, -1), [groups, -1, key.shape[1]])
    return ops.reshape(ops.matmul(weights, value, False, False), [heads, tokens, size])


def _heads(x, key_heads, size, op):
    """The number of query heads in rows of queries, keys and values."""
    heads = x.shape[-1] // size - 2 * key_heads
    if x.shape[-1] % size or heads <= 0 or heads % key_heads:
        raise ValueError(
            f"{op}: a row has {x.shape[-1]} numbers and the cache {key_heads} heads of {size}; a row must hold the "
            "queries, a multiple of the heads of the cache, then one key and one value a head."
        )
    return heads


def _written(cache, rows, slots):
    """Puts rows into slots of the keys or of the values [blocks, heads, places, size], in its memory."""
    _core.function("paddle.incubate.nn.functional.paged_cache_write_")(cache, rows, None, slots)


def paged(rows, caches, tables, pasts, news):
    """Attention of all new tokens to the keys and values up to their own, which are written first.

    Args:
        rows: Queries, keys and values, turned, [tokens, heads + 2 key heads, size].
        caches: The caches of keys and of values, [blocks, key heads, places, size].
        tables: The blocks of each sequence.
        pasts, news: Earlier and new tokens of each sequence.

    Returns:
        [tokens, heads, size].
    """
    _, key_heads, places, size = caches[0].shape
    heads = rows.shape[1] - 2 * key_heads
    slots, starts, lengths = [], [0], []
    for table, past, new in zip(tables, pasts, news, strict=True):
        slots += [table[i // places] * places + i % places for i in range(past, past + new)]
        starts.append(starts[-1] + new)
        lengths.append(past + new if new else 0)
    slots, tables, starts, lengths = (_core.to_tensor(t, _core.int32) for t in (slots, tables, starts, lengths))
    _written(caches[0], rows[:, heads : heads + key_heads], slots)
    _written(caches[1], rows[:, heads + key_heads :], slots)
    where = (tables, starts, lengths)
    return ops.paged_attention(rows[:, :heads], caches[0], *where, None, size**-0.5, value_cache=caches[1])


def _turned_at(rows, turning, rotary_tensor, past, neox):
    """Rows of one token a sequence whose first `turning` heads are turned by the angles of its place."""
    batch, size = rows.shape[0], rows.shape[2]
    tables = ops.reshape(rotary_tensor, [2, batch, -1, size])
    count = tables.shape[2]
    own = _core.to_tensor([b * count + (0 if count == 1 else at) for b, at in enumerate(past)], _core.int64)
    cos, sin = (ops.gather(ops.reshape(tables[i], [-1, 1, size]), own, 0) for i in range(2))
    turned = ops.cast(_turned(rows[:, :turning], cos, sin, neox), rows.dtype)
    return ops.concat([turned, rows[:, turning:]], 1)


def _one_by_one(rows, caches, past, src_mask):
    """Attention of one token a sequence, with what a mask adds to the scores: [batch, heads * size]."""
    key_heads, size = caches[0].shape[1], rows.shape[2]
    heads = rows.shape[1] - 2 * key_heads
    results = []
    for b, at in enumerate(past):
        caches[0][b, :, at], caches[1][b, :, at] = rows[b, heads : heads + key_heads], rows[b, heads + key_heads :]
        mask = None if src_mask is None else ops.reshape(src_mask[b], [1, 1, -1])[:, :, : at + 1]
        query = ops.unsqueeze(rows[b, :heads], [1])
        found = _attended(query, caches[0][b, :, : at + 1], caches[1][b, :, : at + 1], mask)
        results.append(ops.reshape(found, [heads * size]))
    return ops.stack(results, 0)


def masked_multihead_attention(
    x,
    cache_kv=None,
    bias=None,
    src_mask=None,
    cum_offsets=None,
    sequence_lengths=None,
    rotary_tensor=None,
    beam_cache_offset=None,
    qkv_out_scale=None,
    out_shift=None,
    out_smooth=None,
    seq_len=1,
    rotary_emb_dims=0,
    use_neox_rotary_style=False,
    compute_dtype="default",
    out_scale=-1,
    quant_round_type=1,
    quant_max_bound=127.0,
    quant_min_bound=-127.0,
):
    """Attention of one new token a sequence to all earlier ones; its key and value are written into the cache.

    Args:
        x: Query, key and value of the token, [batch, (heads + 2 key heads) * size].
        cache_kv: Keys and values, [2, batch, key heads, places, size].
        bias: Added to x, [heads + 2 key heads, size] in any form.
        src_mask: Added to the scores, [batch, 1, 1, earlier tokens + 1].
        cum_offsets: Accepted; not used.
        sequence_lengths: Earlier tokens of each sequence, [batch, 1]; those that src_mask is made for by default.
        rotary_tensor: Cosines and sines, [2, batch, 1, places or 1, size].
        beam_cache_offset: Must be None.
        qkv_out_scale: x is int32 and is multiplied by it.
        out_shift, out_smooth: The result is shifted, then multiplied.
        seq_len: Accepted; not used.
        rotary_emb_dims: 1 to turn queries and keys by rotary_tensor, 0 not to.
        use_neox_rotary_style: Whether the halves of a head are turned, in place of neighbours.
        compute_dtype: Accepted; the result has the dtype of the cache.
        out_scale: Where positive the result is int8: quant_max_bound * out_scale * result, rounded and clipped.
        quant_round_type: 0 rounds halves to even numbers, 1 away from zero.
        quant_max_bound, quant_min_bound: Bounds of the int8 numbers.

    Returns:
        (result [batch, heads * size], cache_kv).

    Raises:
        ValueError: A shape does not fit, or the cache has no place for the token.
    """
    op = "masked_multihead_attention"
    _no(op, "search with several beams", beam_cache_offset=beam_cache_offset)
    if cache_kv is None or cache_kv.ndim != 5:
        raise ValueError(f"{op}: cache_kv must be a Tensor of shape [2, batch, heads, places, size].")
    if rotary_emb_dims not in (0, 1):
        raise NotImplementedError(f"{op}: rotary_emb_dims has value {rotary_emb_dims}; it must be 0 or 1.")
    _, batch, key_heads, places, size = cache_kv.shape
    if x.shape[0] != batch:
        raise ValueError(f"{op}: x has {x.shape[0]} rows and cache_kv {batch} sequences; they must be equal.")
    heads = _heads(x, key_heads, size, op)
    if sequence_lengths is not None:
        past = [int(n) for n in ops.reshape(sequence_lengths, [-1]).tolist()]
    elif src_mask is not None:
        past = [src_mask.shape[-1] - 1] * batch
    else:
        raise ValueError(f"{op}: pass sequence_lengths or src_mask; they give the position of the token.")
    if len(past) != batch or not all(0 <= n < places for n in past):
        raise ValueError(f"{op}: the positions of the tokens are {past}; there must be {batch}, each in [0, {places}).")
    dtype = cache_kv.dtype
    with no_grad():
        rows = ops.reshape(ops.cast(x, dtype), [batch, heads + 2 * key_heads, size])
        if qkv_out_scale is not None:
            rows = rows * ops.cast(ops.reshape(qkv_out_scale, [1, -1, size]), dtype)
        if bias is not None:
            rows = rows + ops.reshape(bias, [1, -1, size])
        if rotary_emb_dims:
            rows = _turned_at(rows, heads + key_heads, rotary_tensor, past, use_neox_rotary_style)
        caches = (cache_kv[0], cache_kv[1])
        if src_mask is None and dtype in PAGED:
            found = paged(rows, caches, [[b] for b in range(batch)], past, [1] * batch)
            out = ops.reshape(found, [batch, heads * size])
        else:
            out = _one_by_one(rows, caches, past, src_mask)
        quantization = (out_scale, quant_round_type, quant_max_bound, quant_min_bound)
        return _result(out, dtype, out_shift, out_smooth, *quantization), cache_kv


def blha_get_max_len(seq_lens_encoder, seq_lens_decoder, batch_size):
    """The largest numbers of new and of earlier tokens, for `block_multihead_attention`.

    Args:
        seq_lens_encoder: Tokens of prompts, a sequence.
        seq_lens_decoder: Earlier tokens, a sequence.
        batch_size: A Tensor with as many entries as there are sequences.

    Returns:
        Two int32 tensors of shape [1].
    """
    count = batch_size.shape[0]
    lengths = (ops.reshape(t, [-1])[:count] for t in (seq_lens_encoder, seq_lens_decoder))
    return tuple(ops.reshape(ops.cast(ops.max(t, [], False), _core.int32), [1]) for t in lengths)


def _spread(table, size, halves):
    """Cosines or sines [places, size / 2] for each number of a head."""
    if table.shape[-1] == size:
        return table
    return ops.concat([table, table], -1) if halves else ops.reshape(ops.stack([table, table], -1), [-1, size])


def _in_blocks(blocks, start, end, block_size):
    """(block, first place, last place + 1) of the tokens from start to end."""
    at = start
    while at < end:
        block, place = divmod(at, block_size)
        stop = min(end, (block + 1) * block_size)
        yield blocks[block], place, place + stop - at
        at = stop


def _sequence(rows, caches, blocks, past, mask, tgt_mask, prompt):
    """Attention of the new tokens of one sequence, [tokens, heads, size].

    Args:
        rows: Queries, keys and values, turned, [tokens, heads + 2 key heads, size].
        caches: The caches of keys and of values, [blocks, key heads, block size, size].
        blocks: The blocks of the sequence.
        past: Earlier tokens.
        mask, tgt_mask: What is added to the scores of a prompt, and of a later token, or None.
        prompt: Whether the tokens are a prompt.
    """
    tokens, total = rows.shape[0], past + rows.shape[0]
    key_heads, block_size = caches[0].shape[1:3]
    heads = rows.shape[1] - 2 * key_heads
    seen = []
    for cache, first in ((caches[0], heads), (caches[1], heads + key_heads)):
        new = ops.transpose(rows[:, first : first + key_heads], [1, 0, 2])
        done = 0
        for block, start, stop in _in_blocks(blocks, past, total, block_size):
            cache[block, :, start:stop] = new[:, done : done + stop - start]
            done += stop - start
        seen.append(ops.concat([cache[b, :, i:j] for b, i, j in _in_blocks(blocks, 0, total, block_size)], 1))
    bias = None
    if prompt and mask is not None:
        bias = mask[:, :tokens, :total]
    elif not prompt and tgt_mask is not None:
        bias = tgt_mask[:, :, :total]
    elif tokens > 1:
        bias = ops.triu(ops.full([tokens, total], float("-inf"), _core.float32), past + 1)
    found = _attended(ops.transpose(rows[:, :heads], [1, 0, 2]), *seen, bias)
    return ops.transpose(found, [1, 0, 2])


def _check_blocks(op, qkv, key_cache, value_cache, block_size, tables, pasts, news):
    """ValueError where the caches have another form, or a sequence has no block for its tokens."""
    count, _, places, _ = key_cache.shape
    if places != block_size or list(value_cache.shape) != list(key_cache.shape):
        raise ValueError(
            f"{op}: key_cache has shape {list(key_cache.shape)}, value_cache {list(value_cache.shape)} and block_size "
            f"is {block_size}; the caches must have one shape with block_size as its third extent."
        )
    if sum(news) != qkv.shape[0]:
        raise ValueError(f"{op}: qkv has {qkv.shape[0]} rows; seq_lens_this_time tells of {sum(news)} tokens.")
    for b, (past, new) in enumerate(zip(pasts, news, strict=True)):
        needed = tables[b][: -(-(past + new) // block_size)] if new else []
        if new and (past + new > len(tables[b]) * block_size or not all(0 <= i < count for i in needed)):
            raise ValueError(f"{op}: sequence {b} of {past + new} tokens has the blocks {tables[b]} of {count}.")


def _rows(qkv, scale, bias, dtype, shape):
    """Queries, keys and values in the dtype of the caches, one row a token."""
    rows = ops.cast(qkv, dtype)
    if scale is not None:
        rows = ops.cast(rows * ops.reshape(scale, [1, -1]), dtype)
    if bias is not None:
        rows = rows + ops.reshape(bias, [1, -1])
    return ops.reshape(rows, shape)


def _turned_in_blocks(rows, turning, rope_emb, pasts, news, neox):
    """Rows whose first `turning` heads are turned by the angles of their places."""
    size, places = rows.shape[2], rope_emb.shape[2]
    own = rope_emb.shape[1] > 1
    at = [(b * places if own else 0) + past + i for b, past in enumerate(pasts) for i in range(news[b])]
    at = _core.to_tensor(at, _core.int64)
    tables = (_spread(ops.reshape(rope_emb[i], [-1, rope_emb.shape[-1]]), size, neox) for i in range(2))
    cos, sin = (ops.unsqueeze(ops.gather(t, at, 0), [1]) for t in tables)
    turned = ops.cast(_turned(rows[:, :turning], cos, sin, neox), rows.dtype)
    return ops.concat([turned, rows[:, turning:]], 1)


def block_multihead_attention(
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
    """Attention of sequences whose keys and values are kept in blocks (Kwon et al. 2023, PagedAttention).

    The new tokens of all sequences stand behind each other without padding: whole prompts, and one token of sequences
    that go on. Their keys and values are written into the blocks.

    Args:
        qkv: Queries, keys and values, [tokens, (heads + 2 key heads) * size]; takes the values with bias and turned.
        key_cache, value_cache: [blocks, key heads, block_size, size].
        seq_lens_encoder: Tokens of a prompt; 0 where a sequence goes on, [batch, 1].
        seq_lens_decoder: Tokens that the blocks hold already, [batch, 1].
        seq_lens_this_time: New tokens, [batch, 1].
        padding_offsets, cum_offsets, cu_seqlens_q, cu_seqlens_k: Accepted; seq_lens_this_time says the same.
        block_tables: Blocks of each sequence in order, [batch, blocks of a sequence].
        pre_key_cache, pre_value_cache: Must be None.
        cache_k_quant_scales, cache_v_quant_scales, cache_k_dequant_scales, cache_v_dequant_scales: Must be None.
        qkv_out_scale: qkv is int32 and is multiplied by it.
        qkv_bias: Added to qkv.
        out_shift, out_smooth: The result is shifted, then multiplied.
        max_enc_len_this_time, max_dec_len_this_time: Accepted; see `blha_get_max_len`.
        rope_emb: Cosines and sines, [2, batch or 1, places, 1, size / 2 or size].
        mask: Added to the scores of prompts, [batch, 1, places, places]; without it tokens see earlier ones only.
        tgt_mask: Added to the scores of later tokens, [batch, 1 or heads, 1, places].
        max_seq_len: Accepted; the blocks say it.
        block_size: Places of a block.
        use_neox_style: Whether the halves of a head are turned, in place of neighbours.
        use_dynamic_cachekv_quant: Must be False.
        quant_round_type, quant_max_bound, quant_min_bound, out_scale: See `masked_multihead_attention`.
        compute_dtype: Accepted; the result has the dtype of the caches.
        rope_theta: Accepted; rope_emb has the angles.

    Returns:
        (result [tokens, heads * size], qkv, key_cache, value_cache).

    Raises:
        ValueError: A shape does not fit, or a sequence has no block for its tokens.
    """
    op = "block_multihead_attention"
    _no(op, "a prefix outside the blocks", pre_key_cache=pre_key_cache, pre_value_cache=pre_value_cache)
    scales = {"cache_k_quant_scales": cache_k_quant_scales, "cache_v_quant_scales": cache_v_quant_scales}
    scales |= {"cache_k_dequant_scales": cache_k_dequant_scales, "cache_v_dequant_scales": cache_v_dequant_scales}
    _no(op, "a quantized cache", **scales)
    _, key_heads, _, size = key_cache.shape
    heads = _heads(qkv, key_heads, size, op)
    prompts, pasts, news = (
        [int(n) for n in ops.reshape(t, [-1]).tolist()]
        for t in (seq_lens_encoder, seq_lens_decoder, seq_lens_this_time)
    )
    tables = block_tables.tolist()
    _check_blocks(op, qkv, key_cache, value_cache, block_size, tables, pasts, news)
    dtype = key_cache.dtype
    with no_grad():
        rows = _rows(qkv, qkv_out_scale, qkv_bias, dtype, [-1, heads + 2 * key_heads, size])
        if not sum(news):
            return ops.full([0, heads * size], 0.0, dtype), qkv, key_cache, value_cache
        if rope_emb is not None:
            rows = _turned_in_blocks(rows, heads + key_heads, rope_emb, pasts, news, use_neox_style)
        caches = (key_cache, value_cache)
        if mask is None and tgt_mask is None and dtype in PAGED:
            found = paged(rows, caches, tables, pasts, news)
        else:
            results, start = [], 0
            for b, new in enumerate(news):
                if new:
                    masks = [None if t is None else t[b] for t in (mask, tgt_mask)]
                    own = rows[start : start + new]
                    results.append(_sequence(own, caches, tables[b], pasts[b], *masks, prompts[b] > 0))
                    start += new
            found = ops.concat(results, 0)
        if qkv.dtype == dtype:
            qkv[:] = ops.reshape(rows, list(qkv.shape))
        out = ops.reshape(found, [-1, heads * size])
        quantization = (out_scale, quant_round_type, quant_max_bound, quant_min_bound)
        return _result(out, dtype, out_shift, out_smooth, *quantization), qkv, key_cache, value_cache
