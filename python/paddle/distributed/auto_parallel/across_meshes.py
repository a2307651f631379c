# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Numbers that stages of a pipeline, each on a mesh of its own, compute together."""

from ... import _core
from .codes import arguments
from .placement import Replicate
from .process_mesh import merge_process_meshes


def on_mesh(tensor, mesh):
    """The tensor replicated on another mesh."""
    return _core.ops.reshard(tensor, *arguments(mesh, [Replicate() for _ in range(mesh.ndim)]))


def on_one_mesh(tensors):
    """Small tensors of several meshes, replicated on the mesh with the processes of all; plain ones as they are.

    Every process of the meshes calls it. Those of one mesh are added before they move.
    """
    sums, plain = {}, []
    for tensor in tensors:
        mesh = tensor.process_mesh
        if mesh is None:
            plain.append(tensor)
        else:
            sums[mesh] = sums[mesh] + tensor if mesh in sums else tensor
    if len(sums) < 2:
        return [*sums.values(), *plain]
    union = merge_process_meshes(list(sums))
    order = sorted(sums, key=lambda mesh: mesh.process_ids)  # one order in all processes
    return [*(on_mesh(sums[mesh], union) for mesh in order), *plain]
