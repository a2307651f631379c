# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Rotary position embedding (Su et al. 2021)."""

from .... import _core

ops = _core.ops

__all__ = ["fused_partial_rope", "fused_rotary_position_embedding"]


def fused_rotary_position_embedding(
    q,
    k=None,
    v=None,
    sin=None,
    cos=None,
    position_ids=None,
    use_neox_rotary_style=True,
    time_major=False,
    rotary_emb_base=10000.0,
):
    """Turns pairs of entries by angles that grow with the position.

    Args:
        q: [batch, length, heads, size], or [length, batch, heads, size] with time_major.
        k: As q, with heads of its own.
        v: As k.
        sin: Sines of the angles, [length, size] or [1, length, 1, size]; computed when None.
        cos: As sin.
        position_ids: Positions, int64 [batch, length]; 0, 1, ... when None.
        use_neox_rotary_style: Pairs are neighbours; else the first half with the second.
        rotary_emb_base: Base of the computed angles.

    Returns:
        The turned q, k and v; None for those that are None.
    """
    if (sin is None) != (cos is None):
        raise ValueError("fused_rotary_position_embedding: only one of sin and cos is given; pass both or neither.")
    if sin is None and not use_neox_rotary_style:
        raise AssertionError(
            "fused_rotary_position_embedding: use_neox_rotary_style=False needs sin and cos; pass them."
        )
    if sin is None:
        sin, cos = _tables(q.shape[0 if time_major else 1], q.shape[-1], rotary_emb_base, position_ids, q.dtype)
    return tuple(
        ops.fused_rotary_position_embedding(
            q, k, v, sin, cos, position_ids, use_neox_rotary_style, time_major, rotary_emb_base
        )
    )


def _tables(length, size, base, position_ids, dtype):
    """Sines and cosines of position * base ** (-2 i / size), each twice in a row."""
    if position_ids is not None:
        length = max(length, int(ops.max(position_ids)) + 1)
    position = ops.reshape(ops.arange(0, length, 1, _core.float32), [-1, 1])
    exponent = ops.arange(0, size, 2, _core.float32) * (-1.0 / size)
    angle = position * ops.elementwise_pow(ops.full_like(exponent, base), exponent)
    angle = ops.reshape(ops.stack([angle, angle], 2), [1, length, 1, size])
    return ops.cast(ops.sin(angle), dtype), ops.cast(ops.cos(angle), dtype)


def fused_partial_rope(x, cos, sin):
    """Neighbours at the end of each head turned by angles; what was even comes before what was odd.

    Args:
        x: [batch, length, heads, size].
        cos, sin: [1, length, 1, turned], where turned is even and at most size.

    Returns:
        A tensor of the shape and dtype of x.
    """
    turned = cos.shape[-1]
    if turned % 2 or turned > x.shape[-1]:
        raise ValueError(
            f"fused_partial_rope: cos has shape {list(cos.shape)} and x {list(x.shape)}; the last extent of cos must be "
            "even and at most that of x."
        )
    kept, end = x[..., : x.shape[-1] - turned], x[..., x.shape[-1] - turned :]
    even, odd = end[..., 0::2], end[..., 1::2]
    cos, sin = cos[:, : x.shape[1]], sin[:, : x.shape[1]]
    made = ops.concat([even, odd], -1) * cos + ops.concat([-odd, even], -1) * sin
    return ops.concat([kept, ops.cast(made, x.dtype)], -1)
