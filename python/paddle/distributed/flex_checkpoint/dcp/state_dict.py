# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Save and load of a state dictionary as a folder. Each process writes the parts that it holds, and reads what it needs of the
parts that any job wrote: the processes, meshes and placements of both need not be alike."""

import os
import random
import threading
import time

import numpy as np

from .... import _core
from ....framework.io import load
from ....framework.modes import no_grad
from ...communication.group import _get_global_group, is_initialized
from ...parallel import get_rank, get_world_size
from . import files
from .parts import flatten, overlap, part_of
from .sharded_weight import ShardedWeight

_running = {}  # saves in the background, by folder


def _ranks(group):
    """The ranks of the processes that save or load together."""
    if group is not None:
        return list(group.ranks)
    return list(_get_global_group().ranks) if is_initialized() else list(range(get_world_size()))


def _token(ranks):
    """A number that the processes of one save share, and no other save has."""
    number = _core.to_tensor([random.SystemRandom().getrandbits(62)])
    return int(_core.ops.mesh_broadcast(number, ranks, 0))


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
    """Save a (nested) dictionary of tensors, ShardedWeights and plain values as a folder.

    Each process writes what it holds of distributed tensors, of equal parts the first; plain tensors are written by the
    coordinator. The checkpoint is there when all files are: a save that is stopped leaves the one before.

    Args:
        state_dict: The dictionary; beside tensors it may hold what JSON holds. Every process of the group has the same keys.
        path: A folder that all processes reach; it is made.
        process_group: A Group; None: the default group.
        coordinator_rank: Rank in the job of the process that completes the checkpoint.
        unique_id: Its number; None: one more than that of the newest in the folder, whose files then go.
        async_save: Copy the values and write in the background. The next save or load of the folder waits for it, and raises
            what it raised.
        safetensors: Accepted: the files of parts are safetensors files in any case.
        save_replicas: Must be False.

    Raises:
        NotImplementedError: save_replicas is True.
        ValueError: A dtype cannot be written, or a tensor is Partial.
        TypeError: A value is no tensor and nothing that JSON holds.
    """
    if save_replicas:
        raise NotImplementedError(
            "save_state_dict: save_replicas=True is not available; of equal parts one is written."
        )
    wait_for_save(path)
    ranks = _ranks(process_group)
    if coordinator_rank not in ranks:
        raise ValueError(f"save_state_dict: coordinator_rank is {coordinator_rank}; the group has ranks {ranks}.")
    os.makedirs(path, exist_ok=True)
    arrays, entry = _described(state_dict, coordinator_rank, async_save)
    token = _token(ranks)
    number = max(files.numbers(path), default=-1) + 1 if unique_id is None else int(unique_id)
    save = _Save(path, number, token, ranks, coordinator_rank, unique_id is None)
    if async_save:
        _running[os.path.abspath(path)] = save
        save.start(arrays, entry)
    else:
        save.run(arrays, entry)


def wait_for_save(path):
    """Wait for a save of a folder that runs in the background; raises what it raised."""
    save = _running.pop(os.path.abspath(path), None)
    if save is not None:
        save.wait()


def _described(state, coordinator, copies):
    """(the arrays that this process writes by key, the description of tensors and values)."""
    arrays, tensors, values = {}, {}, {}
    with no_grad():
        for keys, value in flatten(state):
            name = ".".join(map(str, keys))
            if not isinstance(value, (_core.Tensor, ShardedWeight)):
                value = value.item() if isinstance(value, np.generic) else value
                if not isinstance(value, (int, float, str, bool, list, type(None))):
                    raise TypeError(
                        f"save_state_dict: {name!r} is a {type(value).__name__}, which a checkpoint does not hold."
                    )
                values[name] = {"keys": list(keys), "value": value}
                continue
            part = part_of(value, coordinator)
            dtype = (value.local_tensor if isinstance(value, ShardedWeight) else value).dtype.name
            tensors[name] = {"keys": list(keys), "shape": part.shape, "dtype": dtype, "parts": []}
            if part.writes and part.tensor is not None and part.tensor.size > 0:
                array = files.bits_of(part.tensor)
                arrays[name] = (array.copy() if copies else array, dtype)
                tensors[name]["parts"].append({"offset": part.offset, "shape": list(array.shape)})
    return arrays, {"tensors": tensors, "values": values}


class _Save:
    """One process's share of a save."""

    def __init__(self, path, number, token, ranks, coordinator, replaces):
        self._path, self._number, self._token, self._ranks = path, number, token, ranks
        self._rank, self._coordinator, self._replaces = get_rank(), coordinator, replaces
        self._thread = self._error = None

    def start(self, arrays, entry):
        def guarded():
            try:
                self.run(arrays, entry)
            except BaseException as error:
                self._error = error

        self._thread = threading.Thread(target=guarded, name=f"save of {self._path}", daemon=False)
        self._thread.start()

    def wait(self):
        self._thread.join()
        if self._error is not None:
            raise self._error

    def _share(self, rank):
        return os.path.join(self._path, f"{self._token}.{rank}.share")

    def run(self, arrays, entry):
        name = files.data_name(self._rank, self._number)
        # A file of that name may belong to the checkpoint that is there: it is replaced with the metadata alone.
        written = f"{name}.{self._token}"
        entry["file"] = files.write_data(os.path.join(self._path, written), arrays)
        files.write_json(self._share(self._rank), entry)
        metadata = os.path.join(self._path, f"{self._number}.metadata")
        if self._rank == self._coordinator:
            self._complete(metadata)
        else:
            _until(lambda: self._is_complete(metadata), f"rank {self._coordinator} to complete {metadata}")

    def _is_complete(self, metadata):
        if not os.path.exists(metadata):
            return False
        return files.read_json(metadata).get("token") == self._token

    def _complete(self, metadata):
        _until(
            lambda: all(os.path.exists(self._share(rank)) for rank in self._ranks),
            f"the ranks {self._ranks} to write their parts to {self._path}",
        )
        whole = {"format": files.FORMAT, "token": self._token, "tensors": {}, "values": {}, "files": {}}
        for rank in self._ranks:
            share = files.read_json(self._share(rank))
            name = f"{files.data_name(rank, self._number)}.{self._token}"
            whole["files"][name] = share["file"]
            whole["values"] = share["values"] | whole["values"]
            for key, tensor in share["tensors"].items():
                known = whole["tensors"].setdefault(key, {**tensor, "parts": []})
                if known["shape"] != tensor["shape"] or known["dtype"] != tensor["dtype"]:
                    raise ValueError(
                        f"save_state_dict: {key!r} has shape {tensor['shape']} and dtype {tensor['dtype']} on rank {rank}, "
                        f"and {known['shape']}, {known['dtype']} on others."
                    )
                known["parts"] += [{**part, "file": name} for part in tensor["parts"]]
        before = files.numbers(self._path)
        files.write_json(metadata, whole)
        self._remove_old([n for n in before if n != self._number] if self._replaces else [], set(whole["files"]))

    def _remove_old(self, old, own):
        for number in old:
            os.remove(os.path.join(self._path, f"{number}.metadata"))
        kept = set(own)
        for number in files.numbers(self._path):
            known = files.read_json(os.path.join(self._path, f"{number}.metadata"))
            kept |= set(known.get("files", ()))
        for name in os.listdir(self._path):
            if name.endswith(".share") or (".distcp." in name and name not in kept):
                os.remove(os.path.join(self._path, name))


def _until(done, what, seconds=1800.0):
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise RuntimeError(f"save_state_dict: waited {seconds:.0f} s for {what}.")
        time.sleep(0.005)


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

    Each process reads what its parts need, and nothing is sent.

    Args:
        state_dict: Nested dictionary of tensors, ShardedWeights and plain values, which are replaced.
        path: The folder.
        unique_id: The number of the checkpoint; None: the newest.
        aoa_config, worker_groups: Must be None.

    Raises:
        KeyError: The checkpoint has no tensor of a name.
        ValueError: A shape differs, or a file is damaged.
        FileNotFoundError: The folder has no checkpoint.
        NotImplementedError: aoa_config or worker_groups is given.
    """
    if aoa_config is not None or worker_groups is not None:
        raise NotImplementedError("load_state_dict: aoa_config and worker_groups must be None; rename tensors before.")
    wait_for_save(path)
    stored = _opened("load_state_dict", path, unique_id)
    with no_grad():
        for keys, value in flatten(state_dict):
            name = ".".join(map(str, keys))
            if not isinstance(value, (_core.Tensor, ShardedWeight)):
                _assign(state_dict, keys, stored.value(name))
                continue
            part = part_of(value)
            if part.tensor is not None:
                found = stored.read(name, part.shape, part.offset, list(part.tensor.shape))
                part.tensor.copy_(found.astype(part.tensor.dtype))


class _Stored:
    """A checkpoint that is open for reading."""

    def __init__(self, path, metadata):
        self._path, self._metadata, self._open = path, metadata, {}

    def _file(self, name):
        if name not in self._open:
            self._open[name] = files.DataFile(os.path.join(self._path, name), self._metadata["files"][name])
        return self._open[name]

    def names(self):
        return list(self._metadata["tensors"])

    def _entry(self, kind, name):
        if name not in self._metadata[kind]:
            known = sorted(self._metadata[kind])[:8]
            raise KeyError(f"load_state_dict: the checkpoint has no {name!r}; it has {known} ...")
        return self._metadata[kind][name]

    def value(self, name):
        return self._entry("values", name)["value"]

    def read(self, name, shape=None, offset=None, extent=None):
        """A part of a tensor; without more the whole."""
        entry = self._entry("tensors", name)
        whole = entry["shape"]
        if shape is not None and list(shape) != whole:
            raise ValueError(f"load_state_dict: {name!r} has shape {list(shape)}, the checkpoint {whole}.")
        offset, extent = (offset, extent) if shape is not None else ([0] * len(whole), whole)
        array, filled = np.empty(extent, files.array_type(entry["dtype"])), 0
        for part in entry["parts"]:
            common = overlap(offset, extent, part["offset"], part["shape"])
            if common is not None:
                piece = self._file(part["file"]).read(name, common[1])
                array[common[0]] = piece
                filled += piece.size
        if filled < array.size:
            raise ValueError(f"load_state_dict: the checkpoint has {filled} of {array.size} elements of {name!r}.")
        return files.tensor_of(array, entry["dtype"])


class _Whole:
    """A checkpoint of whole tensors in one file, as PaddlePaddle's process of rank 0 writes it."""

    def __init__(self, path):
        self._tensors = load(path)

    def names(self):
        return list(self._tensors)

    def value(self, name):
        if name not in self._tensors:
            raise KeyError(f"load_state_dict: the checkpoint has no {name!r}; it has {sorted(self._tensors)[:8]} ...")
        return self._tensors[name]

    def read(self, name, shape=None, offset=None, extent=None):
        found = self.value(name)
        if shape is None:
            return found
        if list(shape) != list(found.shape):
            raise ValueError(f"load_state_dict: {name!r} has shape {list(shape)}, the checkpoint {list(found.shape)}.")
        return found[tuple(slice(o, o + e) for o, e in zip(offset, extent, strict=True))] if found.ndim else found


def _opened(operation, path, unique_id=None):
    known = files.numbers(path)
    number = max(known, default=None) if unique_id is None else int(unique_id)
    if number is None or number not in known:
        raise FileNotFoundError(f"{operation}: {path} has no checkpoint; save_state_dict writes one.")
    try:
        metadata = files.read_json(os.path.join(path, f"{number}.metadata"))
    except ValueError:
        metadata = None
    if metadata is not None and metadata.get("format") == files.FORMAT:
        return _Stored(path, metadata)
    if metadata is None and os.path.isfile(os.path.join(path, files.data_name(0, number))):
        return _Whole(os.path.join(path, files.data_name(0, number)))
    raise ValueError(f"{operation}: {path} has metadata that is not known here.")


def load_merged_state_dict(path, prefix=None, unique_id=None, offload=False, aoa_config=None, safetensors=False):
    """The tensors that `save_state_dict` wrote, whole and by name.

    Args:
        path: The folder.
        prefix: The names of the tensors that are wanted begin so, as 'net' of 'net.weight'; the results are named
            without it and the point.
        unique_id: The number of the checkpoint; None: the newest.
        offload: Accepted: tensors are in host memory.
        aoa_config: Must be None.
        safetensors: Accepted: the files say what they are.

    Raises:
        FileNotFoundError: The folder has no checkpoint.
        NotImplementedError: aoa_config is given.
    """
    if aoa_config is not None:
        raise NotImplementedError("load_merged_state_dict: aoa_config is not supported; rename tensors after.")
    wait_for_save(path)
    stored, start = _opened("load_merged_state_dict", path, unique_id), f"{prefix.removesuffix('.')}." if prefix else ""
    return {name.removeprefix(start): stored.read(name) for name in stored.names() if name.startswith(start)}


def _assign(state, keys, value):
    for key in keys[:-1]:
        state = state[key]
    state[keys[-1]] = value
