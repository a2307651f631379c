# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Save and load of a state dictionary as a folder: a file of tensors per process and one of
metadata."""

import os

from ....framework.io import load, save
from ...communication.group import group_of_one, is_initialized
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


def _check_group(operation, group):
    if group is not None or is_initialized():
        group_of_one(operation, group)


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
        coordinator_rank: The process that writes the metadata.
        async_save: Write in the background; here the files are there when the call returns.
        safetensors: Must be False.
    """
    _check_group("save_state_dict", process_group)
    if safetensors:
        raise NotImplementedError("save_state_dict: safetensors=True is not available; pass False.")
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
    _check_group("load_state_dict", process_group)
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
