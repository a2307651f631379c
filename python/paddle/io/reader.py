# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""`DataLoader`: batches of a dataset as Tensors, made in this process or in worker processes."""

from .. import _core
from ..framework.modes import in_dynamic_mode
from .dataloader.batch_sampler import BatchSampler, _chunks
from .dataloader.dataloader_iter import _DataLoaderIterMultiProcess, _DataLoaderIterSingleProcess
from .dataloader.dataset import IterableDataset

_use_pinned_memory = True


def use_pinned_memory(*args):
    """Get (without argument) or set whether batches for a GPU are staged in pinned memory."""
    global _use_pinned_memory
    if not args:
        return _use_pinned_memory
    if len(args) != 1 or not isinstance(args[0], bool):
        raise ValueError(f"use_pinned_memory: takes one bool, got {args!r}.")
    _use_pinned_memory = args[0]
    return None


class _NoLength(ValueError, TypeError):
    """A ValueError as in PaddlePaddle that `list(loader)` passes over like a TypeError."""


class _DatasetKind:
    MAP = 0
    ITER = 1


class DataLoader:
    """Iterates over batches of a dataset.

    Args:
        dataset: A Dataset (items by index) or an IterableDataset.
        feed_list: In static mode the variables that a batch is for.
        places: Where batches are put; the current device by default.
        return_list: Batches are lists, or dicts when samples are dicts. False in static mode with a feed_list: a batch
            is a list that holds a feed, a dict by name, for each place.
        batch_sampler: Lists of indices, instead of batch_size, shuffle and drop_last.
        batch_size: Samples per batch; None gives single samples.
        shuffle: Random order.
        drop_last: Leave out a smaller batch at the end.
        collate_fn: Makes a batch from a list of samples.
        num_workers: Number of worker processes; 0 makes batches in this process.
        use_buffer_reader: Accepted; workers prefetch in any case.
        reader_buffer_size: Accepted.
        prefetch_factor: Batches that each worker prepares ahead.
        use_shared_memory: Pass arrays through shared memory instead of a pipe.
        timeout: Seconds to wait for a batch of a worker; 0 waits without limit.
        worker_init_fn: Called in each worker with its number.
        persistent_workers: Keep the workers from one epoch to the next.

    Raises:
        AssertionError: An option has a wrong value, or options exclude each other; in static mode return_list=False has
            no feed_list.
        TypeError: batch_size is a str.
        ValueError: An IterableDataset is given with shuffle or batch_sampler; places holds something else than places.
        RuntimeError: While iterating, a worker died or did not answer in time.

    Example:
        >>> import numpy, paddle
        >>> from paddle.io import DataLoader, Dataset
        >>> class Squares(Dataset):
        ...     def __len__(self):
        ...         return 4
        ...     def __getitem__(self, i):
        ...         return numpy.float32(i), i * i
        >>> [y.tolist() for x, y in DataLoader(Squares(), batch_size=2)]
        [[0, 1], [4, 9]]
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
        self._check_numbers(num_workers, prefetch_factor, timeout)
        if not return_list and feed_list is None and not in_dynamic_mode():
            raise AssertionError(
                "DataLoader: with return_list=False in static mode feed_list names the inputs; pass it."
            )
        self.dataset, self.return_list, self.collate_fn = dataset, return_list, collate_fn
        self.num_workers, self.worker_init_fn = num_workers, worker_init_fn
        self.feed_list, self.timeout, self.pin_memory = feed_list, timeout, _use_pinned_memory
        self.use_buffer_reader, self.reader_buffer_size = use_buffer_reader, reader_buffer_size
        self.prefetch_factor = prefetch_factor
        self.use_shared_memory = bool(use_shared_memory and num_workers > 0)
        self._persistent_workers, self._iterator = persistent_workers, None
        self.places = _place_list(places)
        iterable = isinstance(dataset, IterableDataset)
        self.dataset_kind = _DatasetKind.ITER if iterable else _DatasetKind.MAP
        if iterable and (shuffle or batch_sampler is not None):
            raise ValueError(
                "DataLoader: an IterableDataset gives its own order; pass neither shuffle nor batch_sampler."
            )
        if batch_sampler is not None and (batch_size != 1 or shuffle or drop_last):
            raise AssertionError(
                "DataLoader: with batch_sampler, batch_size, shuffle and drop_last must keep their defaults."
            )
        if isinstance(batch_size, str):
            raise TypeError("DataLoader: batch_size has type str; it must be a positive integer or None.")
        if batch_size is not None and (not isinstance(batch_size, int) or batch_size <= 0):
            raise AssertionError(
                f"DataLoader: batch_size has value {batch_size!r}; it must be a positive integer or None."
            )
        self.batch_sampler = batch_sampler
        self.batch_size = None if batch_sampler is not None else batch_size
        self.drop_last = drop_last
        if batch_sampler is None and not iterable and batch_size is not None:
            self.batch_sampler = BatchSampler(dataset, shuffle=shuffle, batch_size=batch_size, drop_last=drop_last)
        self.auto_collate_batch = self.batch_sampler is not None or (iterable and batch_size is not None)

    @staticmethod
    def _check_numbers(num_workers, prefetch_factor, timeout):
        if not isinstance(num_workers, int) or num_workers < 0:
            raise AssertionError(f"DataLoader: num_workers has value {num_workers!r}; it must not be negative.")
        if not isinstance(prefetch_factor, int) or prefetch_factor <= 0:
            raise AssertionError(f"DataLoader: prefetch_factor has value {prefetch_factor!r}; it must be positive.")
        if timeout < 0:
            raise AssertionError(f"DataLoader: timeout has value {timeout!r}; it must not be negative.")

    def __len__(self):
        if self.dataset_kind == _DatasetKind.ITER:
            raise _NoLength("DataLoader: an IterableDataset has no length.")
        return len(self.batch_sampler) if self.auto_collate_batch else len(self.dataset)

    def __iter__(self):
        from .dataloader.memory import keep_temporaries

        keep_temporaries()
        if self.feed_list is not None and not in_dynamic_mode():
            from .static_batches import feeds

            return feeds(self._batches(), self.feed_list, len(self.places), self.return_list)
        return self._batches()

    def _batches(self):
        if self.num_workers == 0:
            return _DataLoaderIterSingleProcess(self)
        if not self._persistent_workers:
            return _DataLoaderIterMultiProcess(self)
        if self._iterator is not None and self._iterator.alive():
            self._iterator.restart()
        else:
            self._iterator = _DataLoaderIterMultiProcess(self)
        return self._iterator

    def __call__(self):
        return iter(self)

    def __getstate__(self):
        return {**self.__dict__, "_iterator": None}


def batch(reader, batch_size, drop_last=False):
    """A reader of lists of samples.

    Args:
        reader: Function that returns an iterator of samples.
        batch_size: Length of a list.
        drop_last: Leave out a shorter list at the end.

    Returns:
        Function that returns an iterator of lists.

    Raises:
        ValueError: batch_size is not positive.

    Example:
        >>> list(paddle.batch(lambda: iter([1, 2, 3]), 2)())
        [[1, 2], [3]]
    """
    batch_size = int(batch_size)
    if batch_size <= 0:
        raise ValueError(f"batch: batch_size has value {batch_size}; it must be a positive integer.")

    def batches():
        return _chunks(reader(), batch_size, drop_last)

    return batches


def _place_list(places):
    from ..device import current_place

    if places is None:
        return [current_place()]
    listed = list(places) if isinstance(places, (list, tuple)) else [places]
    for place in listed:
        if not isinstance(place, (str, _core.Place)):
            raise ValueError(
                f"DataLoader: places holds a {type(place).__name__}; it must hold places or names of devices."
            )
    return listed
