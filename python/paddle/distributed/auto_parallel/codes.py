# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Meshes and placements as the arguments of the core's placing operators, and back."""

from ... import _core
from .placement import Partial, ReduceType, Replicate, Shard
from .process_mesh import ProcessMesh

_meshes = {}


def code_of(placement):
    """The number that stands for a placement: d for Shard(d), -1 for Replicate, -2 - r for Partial."""
    if isinstance(placement, Shard):
        if placement.get_split_factor() != 1 or placement.get_co_shard_order() != 0:
            raise NotImplementedError(
                f"{placement}: split_factor must be 1 and shard_order 0; several axes of a mesh that split one dimension "
                "split it in their order."
            )
        return placement.get_dim()
    return -2 - int(placement.reduce_type()) if isinstance(placement, Partial) else -1


def placement_of(code):
    """The placement that a number stands for."""
    if code >= 0:
        return Shard(code)
    return Replicate() if code == -1 else Partial(ReduceType(-2 - code))


def codes_of(placements):
    """The numbers of a list of placements."""
    return [code_of(p) for p in placements]


def arguments(mesh, placements):
    """Extents, ranks, names and placements, as the operators take them."""
    return list(mesh.shape), list(mesh.process_ids), ",".join(mesh.dim_names), codes_of(placements)


def mesh_of(tensor):
    """The ProcessMesh of a distributed tensor; None of a plain one."""
    found = _core.dist_attr(tensor)
    if found is None:
        return None
    key = (tuple(found[0]), tuple(found[1]), tuple(found[2]))
    if key not in _meshes:
        _meshes[key] = ProcessMesh(shape=found[0], process_ids=found[1], dim_names=found[2])
    return _meshes[key]


def placements_of(tensor):
    """The placements of a distributed tensor; None of a plain one."""
    found = _core.dist_attr(tensor)
    return None if found is None else [placement_of(code) for code in found[3]]
