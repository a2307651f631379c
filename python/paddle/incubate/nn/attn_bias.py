# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Biases of attention as objects: causal, of sequences packed one after another, of padded keys.

`materialize(shape)` gives the tensor that is added to the scores: 0 where a query attends to a key, -inf elsewhere.
"""

import abc
import dataclasses
import itertools

from ... import _core
from ...tensor import creation

ops = _core.ops

__all__ = [
    "AttentionBias",
    "BlockDiagonalCausalMask",
    "BlockDiagonalCausalWithOffsetPaddedKeysMask",
    "BlockDiagonalMask",
    "LowerTriangularMask",
    "LowerTriangularMaskWithTensorBias",
    "PaddedSeqLenInfo",
    "SeqLenInfo",
]


def _bias_of(attends, dtype):
    """0 where `attends`, else -inf."""
    zero = creation.zeros(attends.shape, dtype)
    return ops.where(attends, zero, creation.full(attends.shape, float("-inf"), dtype))


def _lower(rows, columns, offset=0):
    """[rows, columns]: whether column <= row + offset."""
    row = creation.arange(rows).reshape([rows, 1])
    return creation.arange(columns).reshape([1, columns]) <= row + offset


class AttentionBias(abc.ABC):
    """What is added to the scores of attention."""

    @abc.abstractmethod
    def materialize(self, shape, dtype="float32"):
        """The bias as a tensor.

        Args:
            shape: That of the scores, [..., queries, keys].
        """


class LowerTriangularMask(AttentionBias):
    """Positions attend only to themselves and to earlier ones."""

    def materialize(self, shape, dtype="float32"):
        """The bias as a tensor of the shape of the scores."""
        return ops.expand(_bias_of(_lower(*shape[-2:]), dtype), list(shape))

    def add_bias(self, bias):
        """This mask with a tensor added to it."""
        return LowerTriangularMaskWithTensorBias(bias)


class LowerTriangularMaskWithTensorBias(LowerTriangularMask):
    """A causal mask with a tensor added to it."""

    def __init__(self, bias):
        self._bias = bias

    def materialize(self, shape, dtype="float32"):
        """The bias as a tensor of the shape of the scores."""
        return super().materialize(shape, dtype) + self._bias


@dataclasses.dataclass
class SeqLenInfo:
    """Where the sequences of a packed batch begin.

    Attributes:
        seqstart: Their first positions and the end of the last one, int32.
        max_seqlen: The length of the longest.
        seqstart_py: The same positions as a list.
    """

    seqstart: _core.Tensor
    max_seqlen: int
    seqstart_py: list[int]

    def intervals(self):
        """(first position, end) of each sequence."""
        yield from itertools.pairwise(self.seqstart_py)

    @classmethod
    def from_seqlens(cls, seqlens):
        """Of sequences of these lengths."""
        lengths = [int(n) for n in seqlens]
        starts = [0, *itertools.accumulate(lengths)]
        return cls(creation.to_tensor(starts, dtype="int32"), max(lengths, default=-1), starts)

    def split(self, x, batch_sizes=None):
        """The sequences of a packed batch.

        Args:
            x: [1, sum of the lengths, ...].
            batch_sizes: How many sequences of one length lie in each part; one by default.

        Returns:
            A list of tensors [batch size, length, ...].
        """
        assert x.shape[0] == 1 and x.shape[1] == self.seqstart_py[-1], (
            f"split: x has shape {list(x.shape)}; it must be [1, {self.seqstart_py[-1]}, ...]."
        )
        sizes = [1] * (len(self.seqstart_py) - 1) if batch_sizes is None else list(batch_sizes)
        parts, at = [], 0
        for size in sizes:
            first, end = self.seqstart_py[at], self.seqstart_py[at + size]
            parts.append(x[:, first:end].reshape([size, -1, *x.shape[2:]]))
            at += size
        return parts


@dataclasses.dataclass
class PaddedSeqLenInfo(SeqLenInfo):
    """Sequences that all take the same room, of which the first `seqlen` positions are filled.

    Attributes:
        seqlen: The lengths, int32.
        seqlen_py: The same lengths as a list.
    """

    seqlen: _core.Tensor
    seqlen_py: list[int]

    def intervals(self):
        """(first position, end of what is filled) of each sequence."""
        for (first, _), length in zip(super().intervals(), self.seqlen_py, strict=True):
            yield first, first + length

    @classmethod
    def from_seqlens(cls, seqlens):
        """Not for padded sequences: `from_seqlens_padded` makes them."""
        raise NotImplementedError("from_seqlens: call SeqLenInfo.from_seqlens or PaddedSeqLenInfo.from_seqlens_padded.")

    @classmethod
    def from_seqlens_padded(cls, seqlens, padding):
        """Of sequences of these lengths, each in a room of `padding` positions."""
        lengths = [int(n) for n in seqlens]
        assert all(n <= padding for n in lengths), (
            f"from_seqlens_padded: seqlens has {max(lengths)}; the room of a sequence is {padding}."
        )
        starts = list(range(0, len(lengths) * padding + 1, padding))
        tensors = [creation.to_tensor(values, dtype="int32") for values in (starts, lengths)]
        return cls(tensors[0], max(lengths, default=-1), starts, tensors[1], lengths)

    def split(self, x, batch_sizes=None):
        """Not for padded sequences."""
        raise NotImplementedError("split: the sequences are padded; take x[:, first:end] of intervals().")


class _Blocks(AttentionBias):
    """Queries attend to keys of their own sequence."""

    def _attends(self, pair, rows, columns):
        """[rows, columns] of the block of sequence number `pair`."""
        return creation.full([rows, columns], True)

    def materialize(self, shape, dtype="float32"):
        """The bias as a tensor of the shape of the scores."""
        ends = self.q_seqinfo.seqstart_py[-1], self.k_seqinfo.seqstart_py[-1]
        assert tuple(shape[-2:]) == ends, (
            f"materialize: shape is {list(shape)}; its last extents must be {list(ends)}, the packed lengths."
        )
        attends = creation.zeros(ends, "bool")
        pairs = zip(self.q_seqinfo.intervals(), self.k_seqinfo.intervals(), strict=True)
        for pair, ((row, row_end), (column, column_end)) in enumerate(pairs):
            attends[row:row_end, column:column_end] = self._attends(pair, row_end - row, column_end - column)
        return ops.expand(_bias_of(attends, dtype), list(shape))


@dataclasses.dataclass
class BlockDiagonalMask(_Blocks):
    """Queries attend to all keys of their own sequence.

    Attributes:
        q_seqinfo: A SeqLenInfo of the queries.
        k_seqinfo: A SeqLenInfo of the keys.
    """

    q_seqinfo: SeqLenInfo
    k_seqinfo: SeqLenInfo
    _batch_sizes: list[int] | None = None

    @classmethod
    def from_seqlens(cls, q_seqlen, kv_seqlen=None):
        """Of sequences of these lengths; those of the keys are the same by default."""
        q = SeqLenInfo.from_seqlens(q_seqlen)
        same = kv_seqlen is None or list(kv_seqlen) == list(q_seqlen)
        return cls(q, q if same else SeqLenInfo.from_seqlens(kv_seqlen))

    @classmethod
    def from_tensor_list(cls, tensors):
        """(the mask, tensors [batch, length, ...] packed as [1, total length, ...])."""
        sizes = [t.shape[0] for t in tensors]
        info = SeqLenInfo.from_seqlens([t.shape[1] for t in tensors for _ in range(t.shape[0])])
        packed = ops.concat([t.reshape([1, -1, *t.shape[2:]]) for t in tensors], 1)
        return cls(info, info, sizes), packed

    @classmethod
    def from_tensor_lists_qkv(cls, tensors_q, tensors_k, tensors_v=None):
        """(the mask, packed queries, packed keys, packed values or None)."""
        assert len(tensors_q) == len(tensors_k) and (tensors_v is None or len(tensors_v) == len(tensors_q)), (
            "from_tensor_lists_qkv: the lists must have the same length."
        )
        q, queries = cls.from_tensor_list(tensors_q)
        k, keys = cls.from_tensor_list(tensors_k)
        values = None if tensors_v is None else cls.from_tensor_list(tensors_v)[1]
        return cls(q.q_seqinfo, k.k_seqinfo, q._batch_sizes), queries, keys, values

    def split_queries(self, tensor):
        """The sequences of packed queries."""
        return self.q_seqinfo.split(tensor, self._batch_sizes)

    def split_kv(self, tensor):
        """The sequences of packed keys or values."""
        return self.k_seqinfo.split(tensor, self._batch_sizes)

    def split(self, tensor):
        """The sequences of a packed tensor, where queries and keys have the same lengths."""
        assert self.q_seqinfo is self.k_seqinfo, "split: call split_queries or split_kv; the lengths differ."
        return self.q_seqinfo.split(tensor, self._batch_sizes)

    def make_causal(self):
        """The same blocks, in which queries attend to no later keys."""
        return BlockDiagonalCausalMask(self.q_seqinfo, self.k_seqinfo, self._batch_sizes)


@dataclasses.dataclass
class BlockDiagonalCausalMask(BlockDiagonalMask):
    """Queries attend to keys of their own sequence that are not later."""

    def _attends(self, pair, rows, columns):
        return _lower(rows, columns)


@dataclasses.dataclass
class BlockDiagonalCausalWithOffsetPaddedKeysMask(_Blocks):
    """Queries attend to the filled keys of their own sequence that are not later than an offset.

    Attributes:
        q_seqinfo: A SeqLenInfo of the queries.
        k_seqinfo: A PaddedSeqLenInfo of the keys.
        causal_diagonal: The offset of each sequence: query i attends to keys up to i + offset; 0 by default.
    """

    q_seqinfo: SeqLenInfo
    k_seqinfo: PaddedSeqLenInfo
    causal_diagonal: _core.Tensor | None = None

    def _attends(self, pair, rows, columns):
        offset = 0 if self.causal_diagonal is None else int(self.causal_diagonal[pair])
        return _lower(rows, columns, offset)

    @classmethod
    def from_seqlens(cls, q_seqlen, kv_padding, kv_seqlen, causal_diagonal=None):
        """Of queries and keys of these lengths; each sequence of keys takes `kv_padding` positions."""
        assert len(q_seqlen) == len(kv_seqlen), (
            f"from_seqlens: there are {len(q_seqlen)} sequences of queries and {len(kv_seqlen)} of keys."
        )
        keys = PaddedSeqLenInfo.from_seqlens_padded(kv_seqlen, kv_padding)
        return cls(SeqLenInfo.from_seqlens(q_seqlen), keys, causal_diagonal)
