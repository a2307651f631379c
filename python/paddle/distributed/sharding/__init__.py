# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sharding of optimizer state, gradients and parameters over a group (ZeRO)."""

import os

from ... import _paths
from ..communication.group import _get_global_group

__all__ = ["group_sharded_parallel", "save_group_sharded_model"]


def group_sharded_parallel(
    model,
    optimizer,
    level,
    scaler=None,
    group=None,
    offload=False,
    sync_buffers=False,
    buffer_max_size=2**23,
    segment_size=2**20,
    sync_comm=False,
    dp_group=None,
    exclude_layer=None,
):
    """Split the state of training over a group (ZeRO): each parameter is updated in one member, which has its state.

    Args:
        model: The Layer.
        optimizer: The optimizer of all its parameters.
        level: 'os' splits optimizer state, 'os_g' gradients too, 'p_g_os' parameters too. 'os' does what 'os_g' does.
        scaler: A GradScaler, or None.
        group: A Group; None: the default group.
        offload: Keep state on the host; it is there anyway.
        sync_buffers: Whether buffers are those of the first member, in every forward.
        buffer_max_size, segment_size, sync_comm, exclude_layer: Accepted.
        dp_group: A Group whose members have the same parameters and other data.

    Returns:
        (model, optimizer, scaler) to train with; in a group of one those that are given.

    Raises:
        ValueError: There is no such level.
        RuntimeError: `init_parallel_env` was not called.
    """
    if level not in ("os", "os_g", "p_g_os"):
        raise ValueError(f"group_sharded_parallel: level has value {level!r}; pass 'os', 'os_g' or 'p_g_os'.")
    group = _get_global_group() if group is None else group
    if group.nranks == 1:
        return model, optimizer, scaler
    from ..fleet.meta_parallel import sharding

    if level == "p_g_os":
        model = sharding.GroupShardedStage3(
            model, optimizer, group, sync_buffers, offload=offload, dp_group=dp_group, exclude_layer=exclude_layer
        )
    else:
        optimizer = sharding.GroupShardedOptimizerStage2(
            model.parameters(), optimizer, group, offload, dp_group=dp_group
        )
        model = sharding.GroupShardedStage2(model, optimizer, group, sync_buffers)
    return model, optimizer, None if scaler is None else sharding.GroupShardedScaler(scaler)


def save_group_sharded_model(model, output, optimizer=None):
    """Save `model.pdmodel` and `model.pdopt` into the folder `output`.

    Every member calls it at once. The state of an optimizer is that of this member's parameters.

    Args:
        model: The model that `group_sharded_parallel` gave.
        output: Path of the folder, which is made where it is missing.
        optimizer: The optimizer that it gave, or None.

    Raises:
        ValueError: `output` is a file.
    """
    from ...framework.io import save

    if os.path.isfile(output):
        raise ValueError(f"save_group_sharded_model: {output} is a file; pass a folder.")
    os.makedirs(output, exist_ok=True)
    if hasattr(model, "get_all_parameters"):
        model.get_all_parameters()
    save(model.state_dict(), os.path.join(output, "model.pdmodel"))
    if optimizer is not None:
        save(optimizer.state_dict(), os.path.join(output, "model.pdopt"))


_paths.attach(__name__)
