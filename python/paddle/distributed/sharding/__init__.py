# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sharding of optimizer state, gradients and parameters over a group (ZeRO)."""

import os

from ... import _paths
from ..communication.group import group_of_one

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
    """Split the state of training over a group; a group of one holds all of it.

    Args:
        model: The Layer.
        optimizer: The optimizer.
        level: 'os' splits optimizer state, 'os_g' gradients too, 'p_g_os' parameters too.
        scaler: A GradScaler, or None.
        group: A Group; None: the default group.
        offload: Keep state on the host; it is there anyway.

    Returns:
        (model, optimizer, scaler).
    """
    if level not in ("os", "os_g", "p_g_os"):
        raise ValueError(f"group_sharded_parallel: level has value {level!r}; pass 'os', 'os_g' or 'p_g_os'.")
    group_of_one("group_sharded_parallel", group)
    return model, optimizer, scaler


def save_group_sharded_model(model, output, optimizer=None):
    """Save `model.pdmodel` and `model.pdopt` into the folder `output`."""
    from ...framework.io import save

    if os.path.isfile(output):
        raise ValueError(f"save_group_sharded_model: {output} is a file; pass a folder.")
    os.makedirs(output, exist_ok=True)
    save(model.state_dict(), os.path.join(output, "model.pdmodel"))
    if optimizer is not None:
        save(optimizer.state_dict(), os.path.join(output, "model.pdopt"))


_paths.attach(__name__)
