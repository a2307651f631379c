# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Save and load of a state dictionary as a folder: a file of tensors and one of metadata. In a job of several processes
each holds whole tensors, the same in all of them, which one process writes and all read."""

import os

from ....framework.io import load, save
from ...auto_parallel.across_meshes import on_mesh
from ...auto_parallel.api import unshard_dtensor
from ...auto_parallel.process_mesh import ProcessMesh
from ...communication import barrier
from ...communication.group import _get_global_group, is_initialized
from ...parallel import get_rank
from .sharded_weight import ShardedWeight


def _flatten(state, prefix=()):
    """Pairs (path of keys, value) of nested dictionaries."""
    for key, value in state.items():
        if isinstance(value, dict):
            yield from _flatten(value, (*prefix, key))
        else:
            yield (*prefix, key), value


def _tensor(value):
    return value.local_tensor if isinstance(value, ShardedWeight) else value


def _collected(state):
    """The dictionary with the whole of each distributed tensor, on the first process of the job.

    Every process of the job calls it: parts come from all processes of a mesh, and a mesh may lack the first process.
    """
    made = {}
    for keys, value in _flatten(state):
        if hasattr(value, "is_dist") and value.is_dist():
            first = ProcessMesh([0])
            whole = on_mesh(value.detach(), first)
            value = unshard_dtensor(whole) if get_rank() == 0 else None
        place = made
        for key in keys[:-1]:
            place = place.setdefault(key, {})
        place[keys[-1]] = value
    return made


def _members(operation, group, state):
    """The group, if it has several members; then no tensor may be a part.

    Raises:
        NotImplementedError: A member holds a part of a tensor.
    """
    if group is None:
        group = _get_global_group() if is_initialized() else None
    if group is None or not group.is_member():
        return None
    for keys, value in _flatten(state):
        if isinstance(value, ShardedWeight) and list(value.global_shape) != list(value.local_tensor.shape):
            raise NotImplementedError(
                f"{operation}: {'.'.join(map(str, keys))} has shape {list(value.local_tensor.shape)}, a shard of "
                f"{list(value.global_shape)}; several processes save and load whole tensors in paddle."
            )
    return group


def _files(path):
    return os.path.join(path, "0_0.distcp"), os.path.join(path, "0.metadata")


def save_state_dict(
    state_dict,
    path,
    process_group=None,
    coordinator_rank=0,
    unique_id=None,
    async_save=False,
    safetensors=False,
    save_replicas=False,
):
    """Save a (nested) dictionary of tensors and ShardedWeights.

    Args:
        state_dict: The dictionary.
        path: A folder; it is made.
        process_group: A Group; None: the default group.
        coordinator_rank: Rank in the job of the process that writes.
        async_save: Write in the background; here the files are there when the call returns.
        safetensors: Must be False.

    Raises:
        NotImplementedError: The job has several processes and one of them holds a part of a tensor.
    """
    group = _members("save_state_dict", process_group, state_dict)
    if safetensors:
        raise NotImplementedError("save_state_dict: safetensors=True is not available; pass False.")
    if any(hasattr(value, "is_dist") and value.is_dist() for _, value in _flatten(state_dict)):
        if coordinator_rank != 0:
            raise NotImplementedError(
                "save_state_dict: coordinator_rank must be 0 for a dictionary with distributed tensors."
            )
        state_dict = _collected(state_dict)
    if group is None or group.rank == group.get_group_rank(coordinator_rank):
        _write(state_dict, path)
    if group is not None:
        barrier(group)


def _write(state_dict, path):
    os.makedirs(path, exist_ok=True)
    tensors, metadata = {}, {}
    for keys, value in _flatten(state_dict):
        name = ".".join(map(str, keys))
        tensors[name] = _tensor(value)
        metadata[name] = {
            "keys": list(keys),
            "shape": list(value.global_shape if isinstance(value, ShardedWeight) else getattr(value, "shape", [])),
            "offset": list(value.global_offset if isinstance(value, ShardedWeight) else []),
            "file": "0_0.distcp",
        }
    data, description = _files(path)
    save(tensors, data)
    save(metadata, description)


def load_state_dict(
    state_dict,
    path,
    process_group=None,
    coordinator_rank=0,
    unique_id=None,
    offload=False,
    mw_name_compatibility=True,
    aoa_config=None,
    safetensors=False,
    worker_groups=None,
    comm_method="broadcast",
):
    """Fill the tensors of a dictionary, in place, with what `save_state_dict` wrote.

    Args:
        state_dict: Nested dictionary of tensors and ShardedWeights.
        path: The folder.

    Raises:
        KeyError: The checkpoint has no tensor of a name.
        ValueError: A shape differs.
    """
    _members("load_state_dict", process_group, state_dict)
    stored = _stored("load_state_dict", path)
    for keys, value in _flatten(state_dict):
        name = ".".join(map(str, keys))
        if name not in stored:
            raise KeyError(f"load_state_dict: the checkpoint has no {name!r}; it has {sorted(stored)[:8]} ...")
        target = _tensor(value)
        if not hasattr(target, "set_value"):
            _assign(state_dict, keys, stored[name])
            continue
        if list(target.shape) != list(stored[name].shape):
            raise ValueError(
                f"load_state_dict: {name!r} has shape {list(target.shape)}, the checkpoint {list(stored[name].shape)}."
            )
        target.set_value(stored[name].astype(target.dtype))


def load_merged_state_dict(path, prefix=None, unique_id=None, offload=False, aoa_config=None, safetensors=False):
    """The tensors that `save_state_dict` wrote, by name.

    Args:
        path: The folder.
        prefix: The names of the tensors that are wanted begin so, as 'net' of 'net.weight'; the results are named
            without it and the point.
        unique_id: Accepted: a folder holds one checkpoint.
        offload: Accepted: tensors are in host memory.
        aoa_config: Must be None.
        safetensors: Must be False.

    Raises:
        FileNotFoundError: The folder has no checkpoint.
        NotImplementedError: aoa_config or safetensors is given.
    """
    if aoa_config is not None or safetensors:
        raise NotImplementedError(
            "load_merged_state_dict: aoa_config and safetensors are not supported; rename tensors after."
        )
    stored, start = _stored("load_merged_state_dict", path), f"{prefix.removesuffix('.')}." if prefix else ""
    return {name.removeprefix(start): value for name, value in stored.items() if name.startswith(start)}


def _stored(operation, path):
    data, description = _files(path)
    if not os.path.isfile(data) or not os.path.isfile(description):
        raise FileNotFoundError(f"{operation}: {path} has no checkpoint; save_state_dict writes one.")
    return load(data)


def _assign(state, keys, value):
    for key in keys[:-1]:
        state = state[key]
    state[keys[-1]] = value
