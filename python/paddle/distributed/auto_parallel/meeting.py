# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What the processes of a mesh have to agree on before they compute together."""

from ... import _core
from ...framework import execution_context
from ...framework.random import get_rng_state, set_rng_state
from ..communication.group import initialize_default
from ..communication.objects import broadcast_object_list
from ..parallel import get_rank, get_world_size
from .placement import Shard

_started = False


def start(operation, mesh):
    """Connect the processes of the job before the first mesh of several, and give all the random state of the first.

    Raises:
        ValueError: The mesh has processes that the job does not have.
    """
    global _started
    if mesh.size < 2:
        return
    if max(mesh.process_ids) >= get_world_size():
        raise ValueError(
            f"{operation}: the mesh has processes {mesh.process_ids} and the job has {get_world_size()}; start the program "
            "with python -m paddle.distributed.launch --nproc_per_node, or try it with paddle.distributed.simulate."
        )
    if _started or execution_context.bound() is not None:  # simulated ranks begin with one seed
        return
    _started = True
    initialize_default()
    state = [get_rng_state()]
    broadcast_object_list(state, 0)
    set_rng_state(state[0])


def line(mesh, axis):
    """Ranks of the processes that differ from this one on an axis of a mesh alone."""
    index = [mesh.get_rank_by_dim_and_process_id(a, get_rank()) for a in range(mesh.ndim)]
    index[axis] = slice(None)
    return [int(rank) for rank in mesh.mesh[tuple(index)]]


def whole_shape(shape, mesh, placements):
    """The shape of the tensor of which every process has a part of its shape."""
    shape = list(shape)
    inside = mesh.contains(get_rank())
    for axis in reversed(range(mesh.ndim)):
        placement = placements[axis]
        if not isinstance(placement, Shard) or mesh.shape[axis] == 1:
            continue
        dim = placement.get_dim()
        if inside:
            extent = _core.ops.full([1], shape[dim], _core.int64)
            shape[dim] = int(_core.ops.mesh_all_reduce(extent, line(mesh, axis), 0))
        else:
            shape[dim] *= mesh.shape[axis]
    return shape
