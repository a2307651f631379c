# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The part of a tensor that placements give to a process of a mesh, and the whole that the parts of all make.

A dimension of n over k processes is cut into parts of ceil(n / k), of which the last may be smaller or empty.
"""

import functools
import warnings
import zlib

from ... import _core
from ...autograd import PyLayer
from ...framework.random import get_rng_state, set_rng_state
from ..communication import tensors as _t
from ..communication.group import initialize_default
from ..communication.objects import broadcast_object_list
from ..parallel import get_rank, get_world_size
from ..transport import job
from ..transport.process_group import ProcessGroup
from .placement import Partial, ReduceType, Shard

ops = _core.ops
_COMBINE = {
    ReduceType.kRedSum: ops.add,
    ReduceType.kRedAvg: ops.add,
    ReduceType.kRedMax: ops.maximum,
    ReduceType.kRedMin: ops.minimum,
    ReduceType.kRedProd: ops.multiply,
    ReduceType.kRedAny: ops.logical_or,
    ReduceType.kRedAll: ops.logical_and,
}
_NEUTRAL = {ReduceType.kRedSum: 0, ReduceType.kRedProd: 1}  # With the others every part can be the whole.
_started = False


def start(operation, mesh):
    """Connect the processes of the job before the first mesh of several, and give all the random state of the first.

    Every process computes the whole of each placed tensor, so they have to draw the same numbers.

    Raises:
        ValueError: The mesh has processes that the job does not have.
    """
    global _started
    if mesh.size < 2:
        return
    if max(mesh.process_ids) >= get_world_size():
        raise ValueError(
            f"{operation}: the mesh has processes {mesh.process_ids} and the job has {get_world_size()}; start the program "
            "with python -m paddle.distributed.launch --nproc_per_node."
        )
    if _started:
        return
    _started = True
    initialize_default()
    state = [get_rng_state()]
    broadcast_object_list(state, 0)
    set_rng_state(state[0])
    if get_rank() == 0:
        warnings.warn(
            "Placements of tensors define the shard of each process; paddle computes and keeps the whole in every process, "
            "so a mesh saves neither time nor memory. This warning is shown once.",
            stacklevel=4,
        )


@functools.cache
def _processes(ranks):
    """The ProcessGroup of some processes. Its number follows from their ranks, so they need not agree on one."""
    return ProcessGroup(job.mesh(), (1 << 40) + zlib.crc32(repr(ranks).encode()), ranks)


def exchange(array, ranks):
    """The arrays of some processes, of which this is one, in their order; shapes may differ."""
    if len(ranks) == 1:
        return [array]
    processes, everyone = _processes(tuple(ranks)), range(len(ranks))
    found = processes.exchange_objects([array] * len(ranks), everyone, everyone, "exchange")
    return [found[member] for member in everyone]


def agree(tensor, mesh):
    """Make a tensor that of the first process of a mesh, in all of them."""
    if mesh.size > 1 and mesh.contains(get_rank()):
        processes, array = _processes(tuple(mesh.process_ids)), _t.array_of(tensor)
        processes.broadcast(array, 0)
        if processes.rank:
            _t.fill(tensor, array)


def _line(mesh, axis):
    """Ranks of the processes that differ from this one on an axis of a mesh alone."""
    index = [mesh.get_rank_by_dim_and_process_id(a, get_rank()) for a in range(mesh.ndim)]
    index[axis] = slice(None)
    return [int(rank) for rank in mesh.mesh[tuple(index)]]


def _in_order(mesh, placements):
    """(axis, placement) in the order in which the axes cut a tensor."""
    pairs = [(axis, p) for axis, p in enumerate(placements) if mesh.shape[axis] > 1]
    for _, placement in pairs:
        if isinstance(placement, Shard) and placement.get_split_factor() != 1:
            raise NotImplementedError("Shard: split_factor must be 1 on a mesh of several processes.")
    return sorted(pairs, key=lambda pair: pair[1].get_co_shard_order() if isinstance(pair[1], Shard) else 0)


def _cut(tensor, dim, place, count):
    """Part number `place` of `count` along a dimension."""
    extent = tensor.shape[dim]
    size = -(-extent // count)
    return ops.slice(tensor, [dim], [min(place * size, extent)], [min((place + 1) * size, extent)])


def local_shape(shape, mesh, placements):
    """Shape of the part that this process has of a tensor."""
    shape = list(shape)
    if mesh.contains(get_rank()):
        for axis, placement in _in_order(mesh, placements):
            if isinstance(placement, Shard):
                dim, place = placement.get_dim() % len(shape), mesh.get_rank_by_dim_and_process_id(axis, get_rank())
                size = -(-shape[dim] // mesh.shape[axis])
                shape[dim] = max(min(size, shape[dim] - place * size), 0)
    return shape


def part_of(tensor, mesh, placements):
    """What this process has of a whole tensor; an empty tensor where it is not in the mesh."""
    if not mesh.contains(get_rank()):
        return ops.full([0], 0, tensor.dtype)
    for axis, placement in _in_order(mesh, placements):
        place = mesh.get_rank_by_dim_and_process_id(axis, get_rank())
        if isinstance(placement, Shard):
            tensor = _cut(tensor, placement.get_dim() % tensor.ndim, place, mesh.shape[axis])
        elif isinstance(placement, Partial) and place > 0 and placement.reduce_type() in _NEUTRAL:
            tensor = ops.full(list(tensor.shape), _NEUTRAL[placement.reduce_type()], tensor.dtype)
    return tensor


def whole_of(part, mesh, placements):
    """The tensor whose parts the processes of a mesh have; every process of the job calls it."""
    inside = mesh.contains(get_rank())
    whole = joined(part, mesh, placements) if inside else part
    return whole if mesh.size == get_world_size() else _told(whole, mesh, inside)


def joined(part, mesh, placements):
    """The tensor whose parts the processes of a mesh have, of which this is one."""
    for axis, placement in reversed(_in_order(mesh, placements)):
        if isinstance(placement, (Shard, Partial)):
            ranks = _line(mesh, axis)
            part = _combined([_t.new_like(part, array) for array in exchange(_t.array_of(part), ranks)], placement)
    return part


def _combined(parts, placement):
    if isinstance(placement, Shard):
        return ops.concat(parts, placement.get_dim() % parts[0].ndim)
    kind = placement.reduce_type()
    whole = functools.reduce(_COMBINE[kind], parts)
    return whole / len(parts) if kind == ReduceType.kRedAvg else whole


def _told(whole, mesh, inside):
    """The whole from the first process of a mesh, in those outside of it."""
    first, everyone = mesh.process_ids[0], range(get_world_size())
    outside = [rank for rank in everyone if not mesh.contains(rank)]
    processes = _processes(tuple(everyone))
    sent = {rank: (_t.array_of(whole), whole.dtype.name) for rank in outside} if get_rank() == first else {}
    found = processes.exchange_objects(sent, [first], outside, "exchange")
    if inside:
        return whole
    array, dtype = found[first]
    return _t.new_like(ops.full([0], 0, dtype), array)


class ToPart(PyLayer):
    """`part_of`, whose gradients are the parts of that of the whole, by the placements of gradients."""

    @staticmethod
    def forward(ctx, whole, mesh, placements, of_gradients):
        """The part."""
        ctx.mesh, ctx.of_gradients = mesh, of_gradients
        return ops.assign(part_of(whole.detach(), mesh, placements))

    @staticmethod
    def backward(ctx, gradient):
        """The gradient of the whole."""
        return whole_of(gradient, ctx.mesh, ctx.of_gradients)


class ToWhole(PyLayer):
    """`whole_of`, whose gradient is the part of that of the whole."""

    @staticmethod
    def forward(ctx, part, mesh, placements):
        """The whole."""
        ctx.mesh, ctx.placements, ctx.shape, ctx.scale = mesh, placements, list(part.shape), 1
        for axis, placement in enumerate(placements):
            if isinstance(placement, Partial) and placement.reduce_type() == ReduceType.kRedAvg:
                ctx.scale *= mesh.shape[axis]
        return ops.assign(whole_of(part.detach(), mesh, placements))

    @staticmethod
    def backward(ctx, gradient):
        """The gradient of the part: of a sum each part has that of the sum."""
        if not ctx.mesh.contains(get_rank()):
            return ops.full(ctx.shape, 0, gradient.dtype)
        for axis, placement in _in_order(ctx.mesh, ctx.placements):
            if isinstance(placement, Shard):
                place = ctx.mesh.get_rank_by_dim_and_process_id(axis, get_rank())
                gradient = _cut(gradient, placement.get_dim() % gradient.ndim, place, ctx.mesh.shape[axis])
        return gradient / ctx.scale if ctx.scale > 1 else ops.assign(gradient)
