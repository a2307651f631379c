# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers: functions that return an iterator over samples, and what makes new readers of them."""

import itertools
import random

from . import _paths
from .io.reader import batch

__all__ = [
    "batch",
    "buffered",
    "cache",
    "chain",
    "compose",
    "firstn",
    "map_readers",
    "multiprocess_reader",
    "shuffle",
    "xmap_readers",
]


class ComposeNotAligned(ValueError):
    """The readers given to `compose` have different lengths."""


def cache(reader):
    """The same samples, read once and kept in memory."""
    samples = tuple(reader())
    return lambda: iter(samples)


def map_readers(func, *readers):
    """`func` of one sample of each reader."""
    return lambda: map(func, *(reader() for reader in readers))


def shuffle(reader, buf_size):
    """The samples in random order within blocks of `buf_size`.

    Args:
        reader: A function that gives an iterator over samples.
        buf_size: Samples of a block.

    Returns:
        A function like reader.
    """

    def shuffled():
        samples = iter(reader())
        while block := list(itertools.islice(samples, buf_size)):
            random.shuffle(block)
            yield from block

    return shuffled


def chain(*readers):
    """The samples of one reader after those of the other."""
    return lambda: itertools.chain.from_iterable(reader() for reader in readers)


def compose(*readers, **kwargs):
    """Tuples of one sample of each reader; tuples among them are joined.

    Args:
        check_alignment: Raise when a reader ends before the others; False ends with the shortest.
    """
    aligned = kwargs.pop("check_alignment", True)
    missing = object()

    def composed():
        together = itertools.zip_longest if aligned else zip
        extra = {"fillvalue": missing} if aligned else {}
        for parts in together(*(reader() for reader in readers), **extra):
            if any(part is missing for part in parts):
                raise ComposeNotAligned(
                    "compose: the readers have different lengths; pass check_alignment=False to end with the shortest."
                )
            yield sum((part if isinstance(part, tuple) else (part,) for part in parts), ())

    return composed


def firstn(reader, n):
    """The first `n` samples."""
    return lambda: itertools.islice(reader(), n)


def buffered(reader, size):
    """The same samples, read ahead by a thread; at most `size` wait."""
    return _read_ahead(reader, size)


def _read_ahead(reader, size):
    import queue
    import threading

    def samples():
        waiting, end = queue.Queue(maxsize=size), object()
        failure = []

        def fill():
            try:
                for sample in reader():
                    waiting.put(sample)
            except BaseException as error:
                failure.append(error)
            waiting.put(end)

        threading.Thread(target=fill, daemon=True).start()
        while (sample := waiting.get()) is not end:
            yield sample
        if failure:
            raise failure[0]

    return samples


def xmap_readers(mapper, reader, process_num, buffer_size, order=False):
    """`mapper` of every sample, by `process_num` threads.

    Args:
        buffer_size: Results that may wait.
        order: Kept for compatibility: results always come in the order of the samples.
    """
    from concurrent.futures import ThreadPoolExecutor

    def mapped():
        with ThreadPoolExecutor(process_num) as pool:
            samples = iter(reader())
            running = [pool.submit(mapper, s) for s in itertools.islice(samples, max(buffer_size, 1))]
            while running:
                yield running.pop(0).result()
                running += [pool.submit(mapper, s) for s in itertools.islice(samples, 1)]

    return mapped


def multiprocess_reader(readers, use_pipe=True, queue_size=1000):
    """The samples of several readers, each read by a process of its own; which comes first is left to chance.

    Args:
        readers: List of readers; None is no sample.
        use_pipe: Kept for compatibility: samples always go through one queue.
        queue_size: Samples that may wait.

    Raises:
        AssertionError: `readers` is no list, or it is empty.
        ValueError: While reading: a reader failed.
    """
    if not isinstance(readers, (list, tuple)) or not readers:
        raise AssertionError("multiprocess_reader: `readers` must be a list or tuple of readers.")
    return lambda: _from_processes(readers, queue_size)


def _from_processes(readers, queue_size):
    import multiprocessing

    context = multiprocessing.get_context("fork")
    waiting = context.Queue(queue_size)
    processes = [context.Process(target=_fill, args=(reader, waiting), daemon=True) for reader in readers]
    for process in processes:
        process.start()
    try:
        running = len(processes)
        while running:
            kind, sample = waiting.get()
            if kind == "failure":
                raise ValueError(f"multiprocess_reader: a reader failed: {sample}")
            running -= kind == "end"
            if kind == "sample":
                yield sample
    finally:
        for process in processes:
            process.terminate()
            process.join()


def _fill(reader, waiting):
    try:
        for sample in reader():
            if sample is None:
                raise ValueError("a sample is None")
            waiting.put(("sample", sample))
        waiting.put(("end", None))
    except Exception as error:
        waiting.put(("failure", repr(error)))


_paths.attach(__name__)
