# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Counting chunks: the pieces of sequences that tags mark, such as B-LOC I-LOC."""

import numpy as np

from .. import _core
from .operators import offsets_of

# Tags of a kind by scheme: which of them are Begin, Inside, End and Single (-1: none).
_SCHEMES = {"IOB": (2, 0, 1, -1, -1), "IOE": (2, -1, 0, 1, -1), "IOBES": (4, 0, 1, 2, 3), "plain": (1, -1, -1, -1, -1)}


def _ends(before, now, begin, inside, end, single):
    """Whether a chunk ends between two tags, given as (tag, kind)."""
    (tag, kind), (next_tag, next_kind) = before, now
    if kind is None:
        return False
    if next_kind != kind:
        return True
    if tag in (begin, inside) and tag >= 0:
        return next_tag in (begin, single)
    return tag in (end, single) and tag >= 0


def _starts(before, now, begin, inside, end, single):
    """Whether a chunk starts at the second of two tags, given as (tag, kind)."""
    (tag, kind), (next_tag, next_kind) = before, now
    if next_kind is None:
        return False
    if kind is None or next_kind != kind:
        return True
    if next_tag in (begin, single) and next_tag >= 0:
        return True
    return next_tag in (inside, end) and next_tag >= 0 and tag in (end, single) and tag >= 0


def chunks_of(tags, scheme, kinds):
    """The chunks of a sequence of tags.

    Args:
        tags: Integers: kind * tags of a kind + tag; those from kinds * tags on are outside of chunks.
        scheme: 'IOB', 'IOE', 'IOBES' or 'plain'.
        kinds: Number of kinds.

    Returns:
        A set of (first place, last place, kind).

    Example:
        >>> from paddle.fluid.chunks import chunks_of
        >>> sorted(chunks_of([0, 1, 4, 2, 3], "IOB", 2))
        [(0, 1, 0), (3, 4, 1)]
    """
    number, *roles = _SCHEMES[scheme]
    made, first = set(), 0
    before = (-1, None)
    for place, value in enumerate([*tags, number * kinds]):
        now = (-1, None) if value >= number * kinds or value < 0 else (value % number, value // number)
        if _ends(before, now, *roles):
            made.add((first, place - 1, before[1]))
        if _starts(before, now, *roles):
            first = place
        before = now
    return made


def counts(input, label, scheme, kinds, excluded, length):
    """Numbers of predicted, of true and of right chunks, int64 of shape [1] each; see `fluid.layers.chunk_eval`."""
    if scheme not in _SCHEMES:
        raise ValueError(f"chunk_eval: chunk_scheme has value {scheme!r}; it must be one of {', '.join(_SCHEMES)}.")
    if length is None:
        levels = offsets_of(input) or offsets_of(label)
        if not levels:
            raise ValueError("chunk_eval: input has no sequences and seq_length is None; pass the lengths.")
        given = [input, label, levels[-1]]
    else:
        given = [input, label, length]

    def count(found, true, where):
        found, true, where = (np.asarray(v) for v in (found, true, where))
        if length is None:
            pairs = [(found.reshape(-1)[a:b], true.reshape(-1)[a:b]) for a, b in zip(where, where[1:], strict=False)]
        else:
            sizes = where.reshape(-1)
            pairs = [(f[:n], t[:n]) for f, t, n in zip(_rows(found, sizes), _rows(true, sizes), sizes, strict=True)]
        total = np.zeros(3, "int64")
        for predicted, correct in pairs:
            a, b = (
                {c for c in chunks_of(v.tolist(), scheme, kinds) if c[2] not in excluded} for v in (predicted, correct)
            )
            total += (len(a), len(b), len(a & b))
        return [total[:1], total[1:2], total[2:]]

    return _called(count, given)


def _rows(values, sizes):
    return values.reshape(len(sizes), -1)


def _called(function, inputs):
    """Three int64 vectors of one element that a Python function gives."""
    from ..framework.modes import in_dynamic_mode
    from ..static.py_func import py_func

    if in_dynamic_mode():
        return [_core.to_tensor(v) for v in function(*[t.numpy() for t in inputs])]
    made = [_core.ops.full([1], 0, _core.int64) for _ in range(3)]
    return list(py_func(lambda *tensors: function(*tensors), inputs, made))
