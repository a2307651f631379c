# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Marks for calls: where inputs and outputs lie, and what is computed again in backward."""

import functools

from .api import _check, reshard
from .placement import Replicate, Shard
from .process_mesh import get_mesh


def _placed(values, specs, mesh):
    """Values with the placements that a list of specs says; a spec names an axis of the mesh, or None, a dimension."""
    many = isinstance(values, (tuple, list))
    values = list(values) if many else [values]
    if len(specs) != len(values):
        raise ValueError(f"shard_op: {len(specs)} specs for {len(values)} tensors; pass a spec or None for each.")
    for i, spec in enumerate(specs):
        if spec is not None:
            placements = [Shard(spec.index(name)) if name in spec else Replicate() for name in mesh.dim_names]
            values[i] = reshard(values[i], mesh, placements)
    return values if many else values[0]


def shard_op(op, process_mesh=None, in_shard_specs=None, out_shard_specs=None, **kwargs):
    """A function with its inputs and outputs placed on a mesh.

    Args:
        op: The function.
        process_mesh: A ProcessMesh; None: that of `set_mesh` or of the `with` around it.
        in_shard_specs: For each input None, or a list with the name of an axis of the mesh or None a dimension.
        out_shard_specs: The same for each output.
        kwargs: Kept for older programs.

    Returns:
        A function that takes what `op` takes.

    Raises:
        ValueError: There is no mesh.

    Example:
        >>> import paddle
        >>> import paddle.distributed as dist
        >>> mesh = dist.ProcessMesh([0], dim_names=["x"])
        >>> add = dist.shard_op(paddle.add, mesh, [["x"], None], [["x"]])
        >>> add(paddle.ones([2]), paddle.ones([2])).placements
        [Shard(dim=0)]
    """
    mesh = get_mesh() if process_mesh is None else process_mesh
    if mesh is None:
        raise ValueError("shard_op: there is no mesh; pass one or call paddle.distributed.set_mesh first.")
    _check("shard_op", mesh, None, 1)

    @functools.wraps(op)
    def call(*inputs, **keywords):
        if in_shard_specs is not None:
            inputs = _placed(inputs, in_shard_specs, mesh)
        outputs = op(*inputs, **keywords)
        return outputs if out_shard_specs is None else _placed(outputs, out_shard_specs, mesh)

    return call


def recompute(op):
    """A function whose inner values are computed again in backward; see `fleet.utils.recompute`."""
    from ..fleet.recompute import recompute as run_again

    @functools.wraps(op, updated=())
    def call(*inputs, **keywords):
        return run_again(op, *inputs, **keywords)

    return call


def exclude_ops_in_recompute(run_function):
    """A function whose inner values are kept for backward, also inside of one that is computed again.

    Args:
        run_function: The function; a call of it in a function under `recompute` gives what it gives alone.
    """

    @functools.wraps(run_function, updated=())
    def call(*inputs, **keywords):
        return run_function(*inputs, **keywords)

    return call


def parallel_manual_seed(seed, name=""):
    """Seed the random numbers of all processes.

    Args:
        seed: The number.
        name: Name of the state; there is one.
    """
    from ...framework.random import seed as set_seed

    set_seed(seed)
