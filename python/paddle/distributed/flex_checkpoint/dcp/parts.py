# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What a process holds of the tensors of a state dictionary: their parts, with their place in the whole."""

from dataclasses import dataclass

from ...auto_parallel.placement import Partial, Replicate, Shard
from ...parallel import get_rank
from .sharded_weight import ShardedWeight


@dataclass
class Part:
    """A part of a tensor.

    Attributes:
        tensor: The plain Tensor that holds it; None: this process has no part of the whole.
        shape: Shape of the whole.
        offset: Index of its first element in the whole.
        writes: Whether this process writes it: of processes with the same part the first does.
    """

    tensor: object
    shape: list
    offset: list
    writes: bool


def flatten(state, prefix=()):
    """Pairs (path of keys, value) of nested dictionaries."""
    for key, value in state.items():
        if isinstance(value, dict):
            yield from flatten(value, (*prefix, key))
        else:
            yield (*prefix, key), value


def part_of(value, first=0):
    """The Part that this process has of a Tensor or a ShardedWeight.

    Args:
        value: The tensor; a plain one is the same in all processes.
        first: Rank of the process that writes plain tensors.

    Raises:
        NotImplementedError: A ShardedWeight is a range of a flattened tensor.
        ValueError: The tensor is Partial, so no process has elements of it.
    """
    if isinstance(value, ShardedWeight):
        if value.is_flattened:
            raise NotImplementedError(f"checkpoint: {value} is a range of a flattened tensor; save the tensor itself.")
        return Part(value.local_tensor, list(value.global_shape), list(value.global_offset), True)
    shape = list(value.shape)
    if not value.is_dist():
        return Part(value.detach(), shape, [0] * len(shape), get_rank() == first)
    mesh, placements = value.process_mesh, value.placements
    if any(isinstance(p, Partial) for p in placements):
        raise ValueError(
            f"checkpoint: a tensor of shape {shape} is placed {placements}; reshard it from Partial first."
        )
    if not mesh.contains(get_rank()):
        return Part(None, shape, [0] * len(shape), False)
    offset, extent, writes = [0] * len(shape), list(shape), True
    for axis, placement in enumerate(placements):
        place = mesh.get_rank_by_dim_and_process_id(axis, get_rank())
        if isinstance(placement, Shard):
            dim = placement.get_dim()
            size = -(-extent[dim] // mesh.shape[axis])
            begin = min(size * place, extent[dim])
            offset[dim] += begin
            extent[dim] = min(size, extent[dim] - begin)
        elif isinstance(placement, Replicate):
            writes = writes and place == 0
    return Part(value.detach()._local_value(), shape, offset, writes)


def overlap(offset, shape, other_offset, other_shape):
    """What two parts of one tensor have in common: slices into each; None where they have nothing."""
    mine, others = [], []
    for begin, extent, other_begin, other_extent in zip(offset, shape, other_offset, other_shape, strict=True):
        low, high = max(begin, other_begin), min(begin + extent, other_begin + other_extent)
        if low >= high:
            return None
        mine.append(slice(low - begin, high - begin))
        others.append(slice(low - other_begin, high - other_begin))
    return tuple(mine), tuple(others)
