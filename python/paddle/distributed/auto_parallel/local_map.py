# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`local_map`: a function of the shards of tensors that this process holds."""

from ... import _core
from ...utils.nesting import flatten, pack_sequence_as
from .api import dtensor_from_local, dtensor_to_local, reshard

__all__ = ["local_map"]


def local_map(func, out_placements, in_placements=None, process_mesh=None, reshard_inputs=False):
    """A function of tensors over a mesh that runs on the part of each that this process holds.

    Args:
        func: The function of the shards.
        out_placements: Placements of each Tensor of the result; None leaves one without.
        in_placements: Placements that each Tensor argument must have, None for any; None for any of all.
        process_mesh: The ProcessMesh; that of the arguments by default.
        reshard_inputs: Whether arguments with other placements are moved, in place of a ValueError.

    Returns:
        A function of the arguments of func, whose results have the placements.

    Raises:
        ValueError: An argument has other placements, there is no mesh, or the lengths of the lists do not fit.
    """

    def prepared(arguments):
        mesh, tensors = process_mesh, 0
        for argument in arguments:
            if not isinstance(argument, _core.Tensor):
                yield mesh, argument
                continue
            own = getattr(argument, "process_mesh", None)
            mesh = own if mesh is None else mesh
            wanted = None if in_placements is None or tensors >= len(in_placements) else in_placements[tensors]
            tensors += 1
            if own is None:
                yield mesh, argument
                continue
            if wanted is not None and list(wanted) != list(argument.placements):
                if not reshard_inputs:
                    raise ValueError(
                        f"local_map: Tensor {tensors - 1} has placements {argument.placements} and in_placements asks "
                        f"for {list(wanted)}; pass reshard_inputs=True to move it."
                    )
                argument = reshard(argument, mesh, wanted)
            yield mesh, dtensor_to_local(argument)
        if in_placements is not None and tensors != len(in_placements):
            raise ValueError(
                f"local_map: {tensors} Tensors are given and in_placements has {len(in_placements)} entries."
            )

    def call(*args, **kwargs):
        pairs = list(prepared(flatten(args)))
        result = func(*pack_sequence_as(args, [argument for _, argument in pairs]), **kwargs)
        mesh = process_mesh or next((mesh for mesh, _ in pairs if mesh is not None), None)
        if mesh is None:
            raise ValueError("local_map: process_mesh is None and no Tensor argument has a mesh; pass one.")
        leaves = flatten(result)
        count = sum(isinstance(leaf, _core.Tensor) for leaf in leaves)
        if count != len(out_placements):
            raise ValueError(
                f"local_map: func gives {count} Tensors and out_placements has {len(out_placements)} entries."
            )
        wanted = iter(out_placements)
        for i, leaf in enumerate(leaves):
            if isinstance(leaf, _core.Tensor):
                placements = next(wanted)
                leaves[i] = leaf if placements is None else dtensor_from_local(leaf, mesh, placements)
        return pack_sequence_as(result, leaves)

    return call
