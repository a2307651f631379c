# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`fully_shard`: splits the parameters of a layer over a mesh; each is whole only while it is used."""

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
        reshard_after_forward: None or True: a parameter is joined for each operator that needs it whole, and split after it.
        shard_placement_fn: Function of a parameter that gives a Shard, or None for one along dimension 0.
        mp_policy, offload_policy: Must be None.
        ignored_params: Parameters that stay as they are.
        enable_tensor_fusion_and_overlap: Parameters are joined one by one whatever it says.

    Returns:
        The layer.

    Raises:
        ValueError: There is no mesh.
        NotImplementedError: mp_policy or offload_policy is given, or reshard_after_forward is False.
    """
    mesh = get_mesh() if mesh is None else mesh
    if mesh is None:
        raise ValueError("fully_shard: there is no mesh; pass one or call paddle.distributed.set_mesh first.")
    if mp_policy is not None or offload_policy is not None:
        raise NotImplementedError(
            "fully_shard: mp_policy and offload_policy must be None; paddle.amp has mixed precision."
        )
    if reshard_after_forward is False:
        raise NotImplementedError(
            "fully_shard: reshard_after_forward=False is not available; parameters are split again."
        )
    _check("fully_shard", mesh, None, 1)
    ignored = {id(parameter) for parameter in ignored_params or ()}
    for parameter in module.parameters():
        if id(parameter) not in ignored:
            wanted = shard_placement_fn(parameter) if shard_placement_fn is not None else None
            whole = [Replicate() for _ in range(mesh.ndim - 1)]
            _place(parameter, mesh, [Shard(0) if wanted is None else wanted, *whole])
    return module
