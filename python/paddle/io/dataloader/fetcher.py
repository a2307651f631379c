# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Takes the samples of a batch from a dataset and collates them, here or in a worker."""

import itertools

from .assemble import assemble


class MapFetcher:
    """Batches of a dataset with items by index.

    Args:
        dataset: The dataset.
        collate_fn: Makes a batch of samples; None for the default.
        batched: False for single samples.
        arena: Memory of default batches.
        check: Called between samples; may raise to give up.
    """

    def __init__(self, dataset, collate_fn, batched, arena, check=None):
        self._dataset, self._collate, self._batched = dataset, collate_fn, batched
        self._arena, self._check = arena, check

    def _samples(self, indices):
        for index in indices:
            if self._check is not None:
                self._check()
            yield self._dataset[index]

    def fetch(self, indices):
        """The batch of the given indices."""
        if not self._batched:
            sample = self._dataset[indices]
            return self._collate(sample) if self._collate else sample
        if self._collate is None:
            return assemble(self._samples(indices), len(indices), self._arena)[0]
        return self._collate(list(self._samples(indices)))


class IterableFetcher:
    """Batches of a stream; `fetch` raises StopIteration at its end."""

    def __init__(self, dataset, collate_fn, batch_size, drop_last, arena, check=None):
        self._stream = iter(dataset)
        self._collate, self._size, self._drop_last = collate_fn, batch_size, drop_last
        self._arena, self._check = arena, check

    def _samples(self):
        for sample in itertools.islice(self._stream, self._size):
            yield sample
            if self._check is not None:
                self._check()

    def fetch(self, indices=None):
        """The next batch."""
        if self._size is None:
            sample = next(self._stream)
            return self._collate(sample) if self._collate else sample
        if self._collate is None:
            batch, count = assemble(self._samples(), self._size, self._arena)
        else:
            samples = list(self._samples())
            count = len(samples)
        if count == 0 or (count < self._size and self._drop_last):
            raise StopIteration
        return batch if self._collate is None else self._collate(samples)
