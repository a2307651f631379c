# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Iterators of the data loader: in this process, and over worker processes."""

import contextlib
import os
import pickle
import time
import weakref

from .collate import to_tensors
from .dataset import IterableDataset
from .fetcher import IterableFetcher, MapFetcher
from .worker import BATCH, END, ERROR, Worker


class _DataLoaderIterBase:
    """Base: an iterator over batches."""

    def __init__(self, loader):
        from ...device import device_to_place

        self._loader = loader
        self._place = device_to_place(loader.places[0] if loader.places else None)

    def __iter__(self):
        return self

    def __len__(self):
        return len(self._loader)


def _index_source(loader):
    """What a fetch takes, batch by batch; None forever for a stream."""
    if isinstance(loader.dataset, IterableDataset):
        return iter(lambda: None, object())
    if loader.batch_sampler is not None:
        return iter(loader.batch_sampler)
    return iter(range(len(loader.dataset)))


class _DataLoaderIterSingleProcess(_DataLoaderIterBase):
    """Makes each batch when it is asked for."""

    def __init__(self, loader):
        from .memory import TensorArena

        super().__init__(loader)
        self._indices = _index_source(loader)
        if isinstance(loader.dataset, IterableDataset):
            self._fetcher = IterableFetcher(
                loader.dataset, loader.collate_fn, loader.batch_size, loader.drop_last, TensorArena()
            )
        else:
            self._fetcher = MapFetcher(loader.dataset, loader.collate_fn, loader.auto_collate_batch, TensorArena())

    def __next__(self):
        return to_tensors(self._fetcher.fetch(next(self._indices)), self._place)


class _Handle:
    """The parent's side of one worker."""

    def __init__(self, process, channel, slabs):
        from .memory import ParentSlabs

        self.process, self.channel = process, channel
        self.slabs = ParentSlabs(slabs)
        self.finished = False  # its stream has ended


class _Pool:
    """The worker processes of one iterator; closing it leaves none behind."""

    def __init__(self, loader):
        import mmap
        import multiprocessing
        import warnings

        import numpy

        from .memory import STORE

        context = multiprocessing.get_context("fork")
        self.owner = os.getpid()
        self.stop = mmap.mmap(-1, 1)
        self.workers = []
        base = int(numpy.random.randint(0, 2**62))
        shared = STORE.take(loader.num_workers) if loader.use_shared_memory else [()] * loader.num_workers
        try:
            for number, slabs in enumerate(shared):
                here, there = context.Pipe(duplex=True)
                args = (loader, number, base + number, here, there, self.stop, list(self.workers), slabs)
                process = context.Process(target=_run_worker, args=args, daemon=True)
                with warnings.catch_warnings():
                    # Python warns of any fork with threads; ours are made fork-safe.
                    warnings.simplefilter("ignore", DeprecationWarning)
                    process.start()
                there.close()
                self.workers.append(_Handle(process, here, slabs))
        except BaseException:
            self.close()
            raise

    def close(self):
        """End the workers: by request, then by signal."""
        if os.getpid() != self.owner:
            return
        self.stop[0] = 1
        for worker in self.workers:
            worker.channel.close()
        deadline = time.monotonic() + 5
        for worker in self.workers:
            worker.process.join(max(0.0, deadline - time.monotonic()))
            if worker.process.is_alive():
                worker.process.terminate()
                worker.process.join(1)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.process.close()
            worker.slabs.close()
        self.workers = []


def _run_worker(loader, number, seed, parent_end, channel, stop, siblings, slabs):
    """Start of a worker process: closes what belongs to the parent, so that every end is seen."""
    parent_end.close()
    for sibling in siblings:
        sibling.channel.close()
    Worker(loader, number, seed, channel, stop, slabs).run()


class _DataLoaderIterMultiProcess(_DataLoaderIterBase):
    """Batches of worker processes, in the order of the batch sampler.

    Batch i is made by worker i modulo the number of workers, so results do not depend on timing.
    Each worker has up to `prefetch_factor` batches asked for.
    """

    def __init__(self, loader):
        super().__init__(loader)
        self._pool = _Pool(loader)
        self._finalizer = weakref.finalize(self, _Pool.close, self._pool)
        self._epoch = 0
        self._begin()

    def _begin(self):
        self._indices = _index_source(self._loader)
        self._asked = self._next = 0
        self._owner = {}  # batch number -> worker
        self._ready = {}  # batch number -> answer
        self._turn = 0
        self._done = False
        for worker in self._pool.workers:
            worker.finished = False
        with self._closing_on_error():
            for _ in range(self._loader.prefetch_factor * len(self._pool.workers)):
                self._ask()

    def restart(self):
        """Start the next epoch with the same workers; answers of the last one are dropped."""
        self._epoch += 1
        for number, answer in self._ready.items():
            if answer[0] == BATCH and answer[1] is not None:
                self._owner[number].slabs.discard(answer[1])
        self._begin()

    def alive(self):
        """Whether the workers can be used again."""
        return self._finalizer.alive

    def close(self):
        """End the workers."""
        self._finalizer()

    @contextlib.contextmanager
    def _closing_on_error(self):
        try:
            yield
        except BaseException:
            self._done = True
            self.close()
            raise

    def _ask(self):
        """Send the next indices to the worker whose turn it is."""
        workers = self._pool.workers
        if all(worker.finished for worker in workers):
            return
        try:
            indices = next(self._indices)
        except StopIteration:
            return
        while workers[self._turn].finished:
            self._turn = (self._turn + 1) % len(workers)
        worker = workers[self._turn]
        self._turn = (self._turn + 1) % len(workers)
        self._owner[self._asked] = worker
        message = pickle.dumps((self._epoch, self._asked, indices, worker.slabs.released()))
        self._asked += 1
        try:
            worker.channel.send_bytes(message)
        except ConnectionError:
            self._raise_dead(worker)

    def __next__(self):
        if self._done:
            raise StopIteration
        with self._closing_on_error():
            while self._next < self._asked:
                worker = self._owner.pop(self._next)
                answer = self._receive(self._next)
                self._next += 1
                kind = answer[0]
                if kind == END:
                    worker.finished = True
                    self._ask()
                    continue
                self._ask()
                if kind == ERROR:
                    _reraise(*answer[1:])
                return self._tensors(worker, *answer[1:])
        self._finish()
        raise StopIteration

    def _finish(self):
        self._done = True
        if not self._loader._persistent_workers:
            self.close()

    def _tensors(self, worker, slab, tree):
        return to_tensors(worker.slabs.tensors(slab, tree), self._place)

    def _receive(self, number):
        """The answer for batch `number`; answers that come earlier are kept."""
        from multiprocessing.connection import wait

        timeout = self._loader.timeout
        deadline = time.monotonic() + timeout if timeout > 0 else None
        workers = self._pool.workers
        by_channel = {w.channel: w for w in workers}
        by_sentinel = {w.process.sentinel: w for w in workers}
        while number not in self._ready:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            events = wait([*by_channel, *by_sentinel], left)
            if not events:
                raise RuntimeError(
                    f"DataLoader: no batch came within timeout={timeout} seconds; the workers are "
                    f"{[w.process.pid for w in workers]}. Raise timeout, or look for what blocks them."
                )
            channels = [e for e in events if e in by_channel]
            for channel in channels:
                self._take(by_channel[channel])
            if not channels:
                self._raise_dead(by_sentinel[events[0]])
        return self._ready.pop(number)

    def _take(self, worker):
        """Read one answer of a worker."""
        try:
            epoch, number, kind, *rest = pickle.loads(worker.channel.recv_bytes())
            if kind == BATCH and rest[1] is not None:
                from multiprocessing.reduction import recv_handle

                worker.slabs.receive(rest[0], rest[1], recv_handle(worker.channel))
        except (EOFError, ConnectionError):
            self._raise_dead(worker)
        if kind == BATCH:
            rest = (rest[0], rest[2])
        if epoch == self._epoch:
            self._ready[number] = (kind, *rest)
        elif kind == BATCH and rest[0] is not None:
            worker.slabs.discard(rest[0])

    def _raise_dead(self, worker):
        import signal

        worker.process.join(5)
        code, pid = worker.process.exitcode, worker.process.pid
        number = self._pool.workers.index(worker)
        how = f"exited with status {code}"
        if code is not None and code < 0:
            how = f"was killed by {signal.Signals(-code).name}"
            if -code == signal.SIGKILL:
                how += " (the system does that when memory runs out)"
        raise RuntimeError(
            f"DataLoader: worker {number} (pid {pid}) {how}. Run with num_workers=0 to see where it "
            f"fails in the main process."
        ) from None


def _reraise(kind, text):
    """Raise the exception of a worker, with its traceback as text."""
    if issubclass(kind, KeyError):  # shows its argument's repr, which would hide the line ends
        text = _Text(text)
    try:
        error = kind(text)
    except Exception:
        error = RuntimeError(text)
    raise error


class _Text(str):
    __slots__ = ()

    def __repr__(self):
        return str(self)
