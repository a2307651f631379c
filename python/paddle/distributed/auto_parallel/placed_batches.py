# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A DataLoader whose tensors are placed on a mesh."""

from ..._core import Tensor
from ...io import DataLoader, DistributedBatchSampler
from ..parallel import get_rank
from .api import _check, dtensor_from_local, reshard, shard_tensor
from .placement import Replicate, Shard


class ShardDataloader:
    """A DataLoader whose tensors are placed on a mesh, or each on one of several.

    Args:
        dataloader: The DataLoader.
        meshes: A ProcessMesh, or a list with one per entry of a batch.
        input_keys: Keys of a batch, in the order of `meshes`.
        shard_dims: Axis of the mesh over which batches are split, by name or number, or a list of such; None: each process
            loads whole batches.
        is_dataset_splitted: Whether the loader gives this process's part already; otherwise the samples are dealt out, and
            the batches of the loader are the shards.
    """

    def __init__(self, dataloader, meshes, input_keys=None, shard_dims=None, is_dataset_splitted=False):
        self._meshes = list(meshes) if isinstance(meshes, (list, tuple)) else [meshes]
        self._input_keys = input_keys
        for mesh in self._meshes:
            _check("shard_dataloader", mesh, None, 1)
        self._own = next((mesh for mesh in self._meshes if mesh.contains(get_rank())), self._meshes[0])
        dims = list(shard_dims) if isinstance(shard_dims, (list, tuple)) else [shard_dims]
        dim = dims[self._meshes.index(self._own) % len(dims)]
        self._axis = self._own.dim_names.index(dim) if isinstance(dim, str) else dim
        split = self._axis is not None and self._own.shape[self._axis] > 1
        self._dataloader = self._dealt_out(dataloader) if split and not is_dataset_splitted else dataloader
        self.batch_sampler = getattr(self._dataloader, "batch_sampler", None)

    def _dealt_out(self, loader):
        """The loader with the samples of this process's place on the axis."""
        given = loader.batch_sampler
        if given is None:
            raise ValueError(
                "shard_dataloader: the DataLoader has batch_size=None; give it batches, or split the data yourself."
            )
        shuffled = getattr(given, "shuffle", type(getattr(given, "sampler", None)).__name__ == "RandomSampler")
        sampler = DistributedBatchSampler(
            loader.dataset,
            given.batch_size,
            num_replicas=self._own.shape[self._axis],
            rank=max(self._own.get_rank_by_dim_and_process_id(self._axis, get_rank()), 0),
            shuffle=bool(shuffled),
            drop_last=given.drop_last,
        )
        return DataLoader(
            loader.dataset, batch_sampler=sampler, collate_fn=loader.collate_fn, num_workers=loader.num_workers
        )

    def __len__(self):
        return len(self._dataloader)

    def _placed(self, value, index):
        mesh = self._meshes[min(index, len(self._meshes) - 1)]
        if isinstance(value, Tensor):
            if self._axis is None:
                return shard_tensor(value, mesh, None)
            placements = [Shard(0) if axis == self._axis else Replicate() for axis in range(mesh.ndim)]
            own = [Shard(0) if axis == self._axis else Replicate() for axis in range(self._own.ndim)]
            placed = dtensor_from_local(value, self._own, own)
            return placed if mesh is self._own else reshard(placed, mesh, placements)
        if isinstance(value, (list, tuple)):
            return type(value)(self._placed(v, index) for v in value)
        if isinstance(value, dict):
            return {key: self._placed(v, index) for key, v in value.items()}
        return value

    def __iter__(self):
        for batch in self._dataloader:
            if isinstance(batch, dict):
                keys = self._input_keys or list(batch)
                yield {k: self._placed(v, keys.index(k) if k in keys else 0) for k, v in batch.items()}
            else:
                yield [self._placed(v, i) for i, v in enumerate(batch)]

    def __call__(self):
        return iter(self)


def shard_dataloader(
    dataloader, meshes, input_keys=None, shard_dims=None, is_dataset_splitted=False, dense_tensor_idx=None
):
    """A DataLoader whose tensors are placed.

    Args:
        dataloader: The DataLoader.
        meshes: A ProcessMesh, or a list with one per entry of the batch.
        input_keys: Keys of the batch, in the order of `meshes`.
        shard_dims: Axis of the mesh over which batches are split.
        is_dataset_splitted: Whether the loader gives this process's part already.
        dense_tensor_idx: Kept for the caller.

    Returns:
        A ShardDataloader.
    """
    return ShardDataloader(dataloader, meshes, input_keys, shard_dims, is_dataset_splitted)
