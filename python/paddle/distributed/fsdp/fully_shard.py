# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`fully_shard`: places the parameters of a layer on a mesh; a mesh of one process holds each of them whole."""

from ..auto_parallel.api import _check, _place
from ..auto_parallel.placement import Replicate, Shard
from ..auto_parallel.process_mesh import get_mesh


def fully_shard(
    module,
    *,
    mesh=None,
    reshard_after_forward=None,
    shard_placement_fn=None,
    mp_policy=None,
    offload_policy=None,
    ignored_params=None,
    enable_tensor_fusion_and_overlap=True,
):
    """Split the parameters of a layer over the first axis of a mesh.

    Args:
        module: The Layer.
        mesh: A ProcessMesh; None: that of `set_mesh`.
        reshard_after_forward: Accepted: with one process there is nothing to join or split again.
        shard_placement_fn: Function of a parameter that gives a Shard, or None for one along dimension 0.
        mp_policy, offload_policy: Must be None.
        ignored_params: Parameters that stay as they are.
        enable_tensor_fusion_and_overlap: Accepted: with one process nothing is sent.

    Returns:
        The layer.

    Raises:
        ValueError: There is no mesh.
        NotImplementedError: mp_policy or offload_policy is given, or the mesh has several processes.
    """
    mesh = get_mesh() if mesh is None else mesh
    if mesh is None:
        raise ValueError("fully_shard: there is no mesh; pass one or call paddle.distributed.set_mesh first.")
    if mp_policy is not None or offload_policy is not None:
        raise NotImplementedError(
            "fully_shard: mp_policy and offload_policy must be None; paddle.amp has mixed precision."
        )
    if mesh.size > 1:
        raise NotImplementedError(
            f"fully_shard: the mesh has processes {mesh.process_ids}; paddle has it for a mesh of one process. "
            "paddle.distributed.sharding.group_sharded_parallel splits parameters over processes."
        )
    _check("fully_shard", mesh, None, 1)
    ignored = {id(parameter) for parameter in ignored_params or ()}
    for parameter in module.parameters():
        if id(parameter) not in ignored:
            wanted = shard_placement_fn(parameter) if shard_placement_fn is not None else None
            whole = [Replicate() for _ in range(mesh.ndim - 1)]
            _place(parameter, mesh, [Shard(0) if wanted is None else wanted, *whole])
    return module
