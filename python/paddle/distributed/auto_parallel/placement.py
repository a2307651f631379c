# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Placements: how one axis of a process mesh holds a tensor."""

import enum


class _Kind(enum.IntEnum):
    """Base of ReduceType; `name` and `value` can be looked at on the class too, as descriptors."""

    name = property(lambda self: self._name_, doc="The name of the member.")
    value = property(lambda self: self._value_, doc="The number of the member.")


class ReduceType(_Kind):
    """How the shards of a Partial tensor are reduced."""

    kRedSum = 0
    kRedMax = 1
    kRedMin = 2
    kRedProd = 3
    kRedAvg = 4
    kRedAny = 5
    kRedAll = 6


class Placement:
    """Base of the placements."""

    def is_shard(self, dim=None):
        """Whether the tensor is split (along `dim`)."""
        return False

    def is_replicated(self):
        """Whether every process has the whole tensor."""
        return False

    def is_partial(self):
        """Whether the shards have yet to be reduced."""
        return False

    def __eq__(self, other):
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash((type(self), tuple(sorted(self.__dict__.items()))))


class Replicate(Placement):
    """Every process of a mesh's axis has the whole tensor.

    Example:
        >>> paddle.distributed.Replicate().is_replicated()
        True
    """

    def is_replicated(self):
        """True."""
        return True

    def __repr__(self):
        return "Replicate()"


class Shard(Placement):
    """The tensor is split along a dimension over a mesh's axis.

    Args:
        dim: The dimension, an int.
        split_factor: Number of shards that are interleaved.
        shard_order: Which of the mesh's axes that split the same dimension splits it first: 0, then 1, ...

    Example:
        >>> place = paddle.distributed.Shard(0)
        >>> place.is_shard(), place.get_dim()
        (True, 0)
    """

    def __init__(self, dim, *, split_factor=1, shard_order=0):
        self._dim = int(dim)
        self._split_factor, self._shard_order = int(split_factor), int(shard_order)

    def get_co_shard_order(self):
        """The place of this split among those of the same dimension."""
        return self._shard_order

    def get_dim(self):
        """The dimension."""
        return self._dim

    def is_shard(self, dim=None):
        """Whether `dim` is None or the dimension."""
        return dim is None or dim == self._dim

    def get_split_factor(self):
        """Number of shards that are interleaved."""
        return self._split_factor

    def set_split_factor(self, split_factor):
        """Set the number of shards that are interleaved."""
        self._split_factor = int(split_factor)

    def __repr__(self):
        return f"Shard(dim={self._dim})"


class Partial(Placement):
    """Every process has a part of the same shape; combined they are the tensor.

    Args:
        reduce_type: A ReduceType.
    """

    def __init__(self, reduce_type=ReduceType.kRedSum):
        self._reduce_type = ReduceType(reduce_type)

    def reduce_type(self):
        """The ReduceType."""
        return self._reduce_type

    def is_partial(self):
        """True."""
        return True

    def __repr__(self):
        return f"Partial(reduce_type={self._reduce_type.name[4:].upper()})"
