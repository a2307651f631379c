# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Samplers: the order in which samples are taken, and how they are batched."""

import math


class Sampler:
    """Base: subclasses define `__iter__` over indices."""

    def __init__(self, data_source=None):
        self.data_source = data_source

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__}: __iter__ is not defined.")

    def __len__(self):
        return len(self.data_source)


class SequenceSampler(Sampler):
    """0, 1, 2, ..."""

    def __iter__(self):
        return iter(range(len(self.data_source)))


class RandomSampler(Sampler):
    """Random order, or random draws with `replacement`.

    Args:
        num_samples: How many indices; the length of the data by default.
        generator: An iterator of indices to take them from.
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        super().__init__(data_source)
        if not isinstance(replacement, bool):
            raise TypeError("RandomSampler: replacement must be a bool.")
        self.replacement, self._num_samples, self.generator = replacement, num_samples, generator
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"RandomSampler: num_samples has value {self.num_samples}; it must be a positive integer.")

    @property
    def num_samples(self):
        """How many indices an epoch has."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        import numpy

        size = len(self.data_source)
        if self.generator is not None:
            for _, index in zip(range(self.num_samples), self.generator, strict=False):
                yield index
        elif self.replacement:
            yield from numpy.random.choice(size, self.num_samples, replace=True).tolist()
        else:
            yield from numpy.random.permutation(size)[: self.num_samples].tolist()

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Given indices in random order."""

    def __init__(self, indices):
        if len(indices) == 0:
            raise ValueError("SubsetRandomSampler: indices is empty.")
        self.indices = indices

    def __iter__(self):
        import numpy

        return (self.indices[i] for i in numpy.random.permutation(len(self.indices)).tolist())

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with the given weights."""

    def __init__(self, weights, num_samples, replacement=True):
        import numpy

        weights = numpy.asarray(weights, dtype="float64").reshape(-1)
        if (weights < 0).any() or not weights.sum() > 0:
            raise ValueError("WeightedRandomSampler: weights must be positive somewhere.")
        if not replacement and num_samples > (weights > 0).sum():
            raise ValueError(
                f"WeightedRandomSampler: num_samples has value {num_samples} and only "
                f"{int((weights > 0).sum())} weights are positive; pass replacement=True."
            )
        self.weights = weights / weights.sum()
        self.num_samples, self.replacement = num_samples, replacement

    def __iter__(self):
        import numpy

        size = len(self.weights)
        draws = numpy.random.choice(size, self.num_samples, self.replacement, self.weights)
        return iter(draws.tolist())

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of indices.

    Args:
        dataset: What is sampled, or None with `sampler`.
        sampler: The order of indices.
        shuffle: Random order.
        batch_size: Length of a list.
        drop_last: Leave out a shorter list at the end.
    """

    def __init__(self, dataset=None, sampler=None, shuffle=False, batch_size=1, drop_last=False):
        if (dataset is None) == (sampler is None):
            raise AssertionError("BatchSampler: pass either dataset or sampler.")
        if not isinstance(batch_size, int) or batch_size <= 0:
            raise AssertionError(f"BatchSampler: batch_size has value {batch_size}; it must be a positive integer.")
        if sampler is None:
            sampler = RandomSampler(dataset) if shuffle else SequenceSampler(dataset)
        self.sampler, self.batch_size, self.shuffle = sampler, batch_size, shuffle
        self.drop_last = drop_last

    def __iter__(self):
        batch = []
        for index in self.sampler:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)


class DistributedBatchSampler(BatchSampler):
    """The batches of one of several processes.

    Args:
        num_replicas: Number of processes (of the environment by default).
        rank: Number of this process (of the environment by default).
    """

    def __init__(self, dataset, batch_size, num_replicas=None, rank=None, shuffle=False, drop_last=False):
        import os

        if not isinstance(batch_size, int) or batch_size <= 0:
            raise AssertionError(
                f"DistributedBatchSampler: batch_size has value {batch_size}; it must be a positive integer."
            )
        self.dataset, self.batch_size = dataset, batch_size
        self.shuffle, self.drop_last = shuffle, drop_last
        env = os.environ.get
        self.nranks = int(env("PADDLE_TRAINERS_NUM", 1)) if num_replicas is None else num_replicas
        self.local_rank = int(env("PADDLE_TRAINER_ID", 0)) if rank is None else rank
        self.epoch = 0
        self.num_samples = math.ceil(len(dataset) / self.nranks)
        self.total_size = self.num_samples * self.nranks

    def __iter__(self):
        import numpy

        indices = list(range(len(self.dataset)))
        indices += indices[: self.total_size - len(indices)]
        if self.shuffle:
            numpy.random.RandomState(self.epoch).shuffle(indices)
            self.epoch += 1
        if self.nranks > 1:
            indices = self._own(indices)
        batch = []
        for index in indices:
            batch.append(index)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

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
