# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Samplers of lists of indices: `BatchSampler`, and `DistributedBatchSampler` for one of several processes."""

import math

from ...framework.execution_context import job_size, own_rank
from .dataset import IterableDataset
from .sampler import RandomSampler, Sampler, SequenceSampler


def _check_options(owner, batch_size, shuffle, drop_last):
    if not isinstance(batch_size, int) or batch_size <= 0:
        raise AssertionError(f"{owner}: batch_size has value {batch_size!r}; it must be a positive integer.")
    for name, value in (("shuffle", shuffle), ("drop_last", drop_last)):
        if not isinstance(value, bool):
            raise AssertionError(f"{owner}: {name} has value {value!r}; it must be a bool.")


def _chunks(indices, batch_size, drop_last):
    """Lists of `batch_size` indices; the last one may be shorter."""
    batch = []
    for index in indices:
        batch.append(index)
        if len(batch) == batch_size:
            yield batch
            batch = []
    if batch and not drop_last:
        yield batch


class BatchSampler(Sampler):
    """Lists of indices, one for each batch.

    Args:
        dataset: What is sampled, or None with `sampler`.
        sampler: The order of indices, instead of `dataset` and `shuffle`.
        shuffle: Random order.
        batch_size: Length of a list.
        drop_last: Leave out a shorter list at the end.

    Raises:
        AssertionError: Neither or both of dataset and sampler are given, or an option has a wrong type.

    Example:
        >>> list(paddle.io.BatchSampler(range(5), batch_size=2))
        [[0, 1], [2, 3], [4]]
    """

    def __init__(self, dataset=None, sampler=None, shuffle=False, batch_size=1, drop_last=False):
        super().__init__(dataset)
        if (dataset is None) == (sampler is None):
            raise AssertionError("BatchSampler: dataset and sampler are both given or both None; pass one of them.")
        _check_options("BatchSampler", batch_size, shuffle, drop_last)
        if isinstance(dataset, IterableDataset):
            raise AssertionError(
                "BatchSampler: dataset is an IterableDataset, which has no indices; give it to DataLoader itself."
            )
        if sampler is not None and not hasattr(type(sampler), "__iter__"):
            raise AssertionError(
                f"BatchSampler: sampler has type {type(sampler).__name__}; it must give indices one by one."
            )
        if sampler is not None and shuffle:
            raise AssertionError("BatchSampler: shuffle must be False with sampler, which gives the order.")
        if sampler is None:
            sampler = RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
        self.sampler, self.batch_size, self.shuffle = sampler, batch_size, shuffle
        self.drop_last = drop_last

    def __iter__(self):
        return _chunks(self.sampler, self.batch_size, self.drop_last)

    def __len__(self):
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)


class DistributedBatchSampler(BatchSampler):
    """The batches of one of several processes; indices repeat until all have equally many.

    Args:
        dataset: What is sampled.
        batch_size: Length of a list.
        num_replicas: Number of processes (of the environment by default).
        rank: Number of this process (of the environment by default).
        shuffle: Random order, the same in all processes; it changes with every epoch.
        drop_last: Leave out a shorter list at the end.

    Example:
        >>> list(paddle.io.DistributedBatchSampler(range(5), 2, num_replicas=2, rank=1))
        [[2, 3], [0]]
    """

    def __init__(self, dataset, batch_size, num_replicas=None, rank=None, shuffle=False, drop_last=False):
        _check_options("DistributedBatchSampler", batch_size, shuffle, drop_last)
        if num_replicas is not None and (not isinstance(num_replicas, int) or num_replicas <= 0):
            raise AssertionError(
                f"DistributedBatchSampler: num_replicas has value {num_replicas!r}; it must be a positive integer."
            )
        if rank is not None and (not isinstance(rank, int) or rank < 0):
            raise AssertionError(f"DistributedBatchSampler: rank has value {rank!r}; it must not be negative.")
        self.dataset, self.batch_size = dataset, batch_size
        self.shuffle, self.drop_last = shuffle, drop_last
        self.nranks = job_size() if num_replicas is None else num_replicas
        self.local_rank = own_rank() if rank is None else rank
        self.epoch = 0
        self.num_samples = math.ceil(len(dataset) / self.nranks)
        self.total_size = self.num_samples * self.nranks

    def __iter__(self):
        indices = list(range(len(self.dataset)))
        if indices:
            indices = (indices * math.ceil(self.total_size / len(indices)))[: self.total_size]
        if self.shuffle:
            import numpy

            numpy.random.RandomState(self.epoch).shuffle(indices)
            self.epoch += 1
        if self.nranks > 1:
            indices = self._own(indices)
        return _chunks(indices, self.batch_size, self.drop_last)

    def _own(self, indices):
        """Whole batches in turn, then equal shares of the rest."""
        step = self.batch_size * self.nranks
        whole = self.total_size // step * step
        own = []
        for start in range(self.local_rank * self.batch_size, whole, step):
            own.extend(indices[start : start + self.batch_size])
        share = (self.total_size - whole) // self.nranks
        first = whole + self.local_rank * share
        return own + indices[first : first + share]

    def __len__(self):
        count = self.num_samples + (0 if self.drop_last else self.batch_size - 1)
        return count // self.batch_size

    def set_epoch(self, epoch):
        """Set the number that the random order depends on."""
        self.epoch = epoch
