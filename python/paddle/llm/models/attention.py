# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Attention of whole sequences, the rotation of queries and keys, and a contiguous cache of keys and values."""

from ... import _core
from ...nn.functional import scaled_dot_product_attention, softmax
from ...tensor.ranges import arange

ops = _core.ops


def rotation_tables(rotary, positions, dtype):
    """Cosine and sine for positions, as `rotate` takes them.

    Args:
        rotary: A Rotary.
        positions: int64 Tensor of any shape.
        dtype: dtype of the tables. Angles are computed in float64: a float32 angle is wrong by 2e-3 at position 32,768.

    Returns:
        Two Tensors [*positions.shape, 1, width].
    """
    shape = [*positions.shape, 1, rotary.width]
    frequencies = _core.to_tensor(rotary.frequencies())
    angles = ops.unsqueeze(ops.cast(positions, "float64"), [-1, -2]) * ops.concat([frequencies, frequencies], 0)
    scale = rotary.scale

    def table(values):
        return ops.cast(values if scale == 1.0 else values * scale, dtype).reshape(shape)

    return table(ops.cos(angles)), table(ops.sin(angles))


def rotate(x, tables):
    """x [..., heads, head_dim] with its first elements rotated, as many as the tables have columns."""
    cos, sin = tables
    width, whole = cos.shape[-1], x.shape[-1]
    if width == whole:
        return ops.rotate_halves(x, cos, sin)
    turned, rest = ops.split(x, [width, whole - width], -1)
    return ops.concat([ops.rotate_halves(turned, cos, sin), rest], -1)


def visible(queries, keys, first, window):
    """Which keys each query sees: bool Tensor [queries, keys]; query i stands at position first + i."""
    distance = arange(first, first + queries, dtype="int64").unsqueeze(1) - arange(keys, dtype="int64")
    seen = distance >= 0
    return ops.logical_and(seen, distance < window) if window else seen


def attend(q, k, v, form, first=0):
    """Causal attention of sequences.

    Args:
        q: [batch, queries, heads, head_dim].
        k, v: [batch, keys, kv heads, head_dim], from position 0; narrower values are filled up by the caller.
        form: An AttentionForm.
        first: Position of the first query; 0 where keys and queries have the same positions.

    Returns:
        A Tensor of the shape of q.
    """
    queries, keys = q.shape[1], k.shape[1]
    # In a program for sequences of any length a window may always hide something.
    is_plain = first == 0 and (not form.window or (isinstance(keys, int) and keys <= form.window))
    if form.cap:
        return _capped(q, k, v, form, visible(queries, keys, first, form.window))
    if is_plain:
        return scaled_dot_product_attention(q, k, v, is_causal=True, scale=form.scale)
    return scaled_dot_product_attention(q, k, v, visible(queries, keys, first, form.window), scale=form.scale)


def _capped(q, k, v, form, seen):
    batch, queries, heads, width = q.shape
    groups = k.shape[2]
    # [batch, kv heads, heads of a group, queries, head_dim] against [batch, kv heads, 1, keys, head_dim]
    q = q.reshape([batch, queries, groups, heads // groups, width]).transpose([0, 2, 3, 1, 4])
    k, v = (t.transpose([0, 2, 1, 3]).unsqueeze(2) for t in (k, v))
    scores = ops.tanh(ops.matmul(q, k, False, True) * (form.scale / form.cap)) * form.cap
    scores = ops.where(seen, scores, ops.full([], float("-inf"), scores.dtype))
    out = ops.matmul(softmax(scores, -1), v)
    return out.transpose([0, 3, 1, 2, 4]).reshape([batch, queries, heads, width])


class ContiguousCache:
    """Keys and values of sequences of one length, in one piece a layer.

    A step is `extend(count)`, then a call of the model with `count` tokens a sequence and this cache.

    Args:
        config: DecoderConfig of the model.
        batch: Number of sequences.
        capacity: The longest length.
        dtype: dtype of keys and values.

    For a model with latent attention a position has one row, which all heads share.

    Attributes:
        length: Positions that are held.
        positions: Those of the current step, int64 Tensor [1, count].
    """

    def __init__(self, config, batch, capacity, dtype="float32"):
        self.forms = [config.attention(layer) for layer in range(config.num_layers)]
        latent = config.latent
        shape = [batch, capacity, config.num_kv_heads, config.head_dim]
        if latent is not None:
            shape = [batch, capacity, 1, latent.width + config.rotary.width]
        self.keys = [ops.full(shape, 0.0, dtype) for _ in self.forms]
        self.values = [ops.full(shape, 0.0, dtype) for _ in self.forms] if latent is None else None
        self.capacity, self.length, self.first, self.positions = capacity, 0, 0, None

    def extend(self, count):
        """Begin a step of so many further positions."""
        if self.length + count > self.capacity:
            raise ValueError(
                f"ContiguousCache: {self.length} positions are held and {count} follow; the capacity is {self.capacity}."
            )
        self.first, self.length = self.length, self.length + count
        self.positions = arange(self.first, self.length, dtype="int64").unsqueeze(0)

    def write_and_attend(self, layer, q, k, v):
        """Keep k and v of the step, and attend to all positions so far.

        Args:
            layer: Index of the layer.
            q: [batch, count, heads, head_dim].
            k, v: [batch, count, kv heads, head_dim].

        Returns:
            A Tensor of the shape of q.
        """
        keys, values = self.keys[layer], self.values[layer]
        keys[:, self.first : self.length] = k
        values[:, self.first : self.length] = v
        held, read = keys[:, : self.length].astype(q.dtype), values[:, : self.length].astype(q.dtype)
        return attend(q, held, read, self.forms[layer], self.first)

    def write_and_attend_latent(self, layer, q_latent, q_rope, latent, k_rope):
        """Keep a row [latent, k_rope] a position, and attend to all so far: these rows are the keys of all heads, their
        latent parts the values.

        Args:
            layer: Index of the layer.
            q_latent: [batch, count, heads, latent width], queries times the matrix that makes keys of latent vectors.
            q_rope: [batch, count, heads, rotated width].
            latent: [batch, count, latent width].
            k_rope: [batch, count, rotated width].

        Returns:
            A Tensor of the shape of q_latent.
        """
        rows = self.keys[layer]
        rows[:, self.first : self.length, 0] = ops.concat([latent, k_rope], -1)
        held = rows[:, : self.length].astype(q_latent.dtype)
        out = attend(ops.concat([q_latent, q_rope], -1), held, held, self.forms[layer], self.first)
        return out[..., : q_latent.shape[-1]]
