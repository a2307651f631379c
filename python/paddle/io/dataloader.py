# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`DataLoader`: batches of a dataset as Tensors, in this process."""

from .collate import default_collate_fn, default_convert_fn, to_tensors
from .dataset import IterableDataset
from .sampler import BatchSampler


def get_worker_info():
    """Description of the worker process, None in the main process."""
    return None


class _NoLength(ValueError, TypeError):
    """A ValueError as in PaddlePaddle that `list(loader)` passes over like a TypeError."""


class DataLoader:
    """Iterates over batches.

    Args:
        dataset: A Dataset or IterableDataset.
        return_list: True gives lists; dict samples give dicts.
        batch_sampler: Lists of indices, instead of batch_size, shuffle and drop_last.
        batch_size: Samples per batch; None gives single samples.
        shuffle: Random order.
        drop_last: Leave out a smaller batch at the end.
        collate_fn: Makes a batch from a list of samples.
        num_workers: Must be 0.
    """

    def __init__(
        self,
        dataset,
        feed_list=None,
        places=None,
        return_list=True,
        batch_sampler=None,
        batch_size=1,
        shuffle=False,
        drop_last=False,
        collate_fn=None,
        num_workers=0,
        use_buffer_reader=True,
        reader_buffer_size=2,
        prefetch_factor=2,
        use_shared_memory=True,
        timeout=0,
        worker_init_fn=None,
        persistent_workers=False,
    ):
        if num_workers < 0:
            raise AssertionError(f"DataLoader: num_workers has value {num_workers}; it must not be negative.")
        if num_workers > 0:
            raise NotImplementedError(
                f"DataLoader: num_workers has value {num_workers}; worker processes are not "
                f"available in this build, pass num_workers=0."
            )
        self.dataset, self.return_list = dataset, return_list
        self.num_workers, self.worker_init_fn = num_workers, worker_init_fn
        self.feed_list, self.places, self.timeout = feed_list, places, timeout
        self.use_buffer_reader, self.prefetch_factor = use_buffer_reader, prefetch_factor
        self.use_shared_memory, self.persistent_workers = use_shared_memory, persistent_workers
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable and (shuffle or batch_sampler is not None):
            raise ValueError(
                "DataLoader: an IterableDataset gives its own order; pass neither shuffle nor batch_sampler."
            )
        if batch_sampler is not None and (batch_size != 1 or shuffle or drop_last):
            raise AssertionError(
                "DataLoader: with batch_sampler, batch_size, shuffle and drop_last must keep their defaults."
            )
        self.batch_sampler = batch_sampler
        self.batch_size = None if batch_sampler is not None else batch_size
        self.drop_last, self.shuffle = drop_last, shuffle
        if batch_sampler is None and not self._iterable and batch_size is not None:
            self.batch_sampler = BatchSampler(dataset, shuffle=shuffle, batch_size=batch_size, drop_last=drop_last)
        batched = self.batch_sampler is not None or (self._iterable and batch_size is not None)
        self.auto_collate_batch = batched
        self.collate_fn = collate_fn or (default_collate_fn if batched else default_convert_fn)

    def __len__(self):
        if self._iterable:
            raise _NoLength("DataLoader: an IterableDataset has no length.")
        if self.auto_collate_batch:
            return len(self.batch_sampler)
        return len(self.dataset)

    def _samples(self):
        """Lists of samples (single samples without batches)."""
        if self._iterable:
            if self.batch_size is None:
                yield from self.dataset
                return
            batch = []
            for sample in self.dataset:
                batch.append(sample)
                if len(batch) == self.batch_size:
                    yield batch
                    batch = []
            if batch and not self.drop_last:
                yield batch
        elif self.batch_sampler is None:
            for i in range(len(self.dataset)):
                yield self.dataset[i]
        else:
            for indices in self.batch_sampler:
                yield [self.dataset[i] for i in indices]

    def __iter__(self):
        for samples in self._samples():
            batch = to_tensors(self.collate_fn(samples))
            yield batch if isinstance(batch, (list, tuple, dict)) else ([batch] if self.auto_collate_batch else batch)

    def __call__(self):
        return iter(self)
