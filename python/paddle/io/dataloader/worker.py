# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""The worker process of a data loader, and what `get_worker_info` returns in it.

Parent and worker talk over one socket pair.  To the worker go (epoch, batch number, indices,
numbers of free slabs); from it come (epoch, batch number, kind, ...), see `Worker.answer`.
"""

import gc
import os
import pickle
import signal
import sys

from ... import _core
from .dataset import IterableDataset
from .fetcher import IterableFetcher, MapFetcher

BATCH, END, ERROR = "batch", "end", "error"
_IDLE_SECONDS = 2.0

_info = None


class WorkerInfo:
    """Description of a worker process.

    Attributes:
        id: Number of the worker, from 0.
        num_workers: How many workers the loader has.
        dataset: The worker's copy of the dataset.
        seed: What the worker's random generators were seeded with.
    """

    def __init__(self, id, num_workers, dataset, seed):
        values = {"id": id, "num_workers": num_workers, "dataset": dataset, "seed": seed}
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        raise RuntimeError(f"WorkerInfo: {name} cannot be set; the description of a worker is read-only.")

    def __repr__(self):
        return f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed})"


def get_worker_info():
    """Description of the worker process that this code runs in; None in the main process."""
    return _info


class GiveUp(BaseException):
    """The parent needs no more batches."""


def seed_all(seed):
    """Seed the random generators of Python, NumPy and Paddle."""
    import random

    import numpy

    from ...framework.random import seed as paddle_seed

    random.seed(seed)
    numpy.random.seed([seed & 0xFFFFFFFF, seed >> 32])
    paddle_seed(seed)


class Worker:
    """Runs in the worker process.

    Args:
        loader: The data loader, inherited through fork.
        number: Number of the worker.
        seed: Seed of its random generators.
        channel: Its end of the connection.
        stop: Shared byte that is set when no more batches are needed.
        slabs: Shared memory that it inherits.
    """

    def __init__(self, loader, number, seed, channel, stop, slabs):
        self._loader, self._number, self._seed = loader, number, seed
        self._channel, self._stop = channel, stop
        self._parent = os.getppid()
        self._epoch, self._fetcher, self._failure = None, None, None
        if loader.use_shared_memory:
            from .memory import WorkerSlabs

            self._slabs = self._arena = WorkerSlabs(slabs)
        else:
            from .memory import ArrayArena

            self._slabs, self._arena = None, ArrayArena()

    def run(self):
        """Answer requests until the parent closes the connection."""
        global _info
        gc.freeze()  # what the parent made is not looked at again, so its pages stay shared
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C ends
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        loader = self._loader
        _info = WorkerInfo(self._number, loader.num_workers, loader.dataset, self._seed)
        _core.set_default_place(_core.CPUPlace())  # no device outlives a fork
        try:
            seed_all(self._seed)
            if loader.worker_init_fn is not None:
                loader.worker_init_fn(self._number)
        except Exception:
            self._failure = sys.exc_info()
        try:
            while self._wait():
                self.answer(*pickle.loads(self._channel.recv_bytes()))
        except (EOFError, ConnectionError, GiveUp):
            pass

    def _wait(self):
        """True when a request is there; False when the parent is gone."""
        while not self._channel.poll(_IDLE_SECONDS):
            if os.getppid() != self._parent:
                return False
        return not self._stop[0]

    def _check(self):
        if self._stop[0]:
            raise GiveUp

    def answer(self, epoch, number, indices, released):
        """Make one batch and send (epoch, number, BATCH, slab, size, tree), END, or ERROR with its text."""
        try:
            if self._failure is not None:
                raise self._failure[1].with_traceback(self._failure[2])
            if self._slabs is not None:
                self._slabs.release(released)
                self._slabs.begin()
            if epoch != self._epoch:
                self._epoch, self._fetcher = epoch, self._make_fetcher()
            try:
                batch = self._fetcher.fetch(indices)
            except StopIteration:
                if not isinstance(self._loader.dataset, IterableDataset):
                    raise
                return self._send((epoch, number, END))
            self._send_batch(epoch, number, batch)
        except (GiveUp, ConnectionError):
            raise
        except Exception as error:
            self._send_error(epoch, number, error)

    def _make_fetcher(self):
        loader = self._loader
        if isinstance(loader.dataset, IterableDataset):
            return IterableFetcher(
                loader.dataset, loader.collate_fn, loader.batch_size, loader.drop_last, self._arena, self._check
            )
        return MapFetcher(loader.dataset, loader.collate_fn, loader.auto_collate_batch, self._arena, self._check)

    def _send(self, message):
        self._channel.send_bytes(pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))

    def _send_batch(self, epoch, number, batch):
        if self._slabs is None:
            return self._send((epoch, number, BATCH, None, None, batch))
        slab, tree = self._slabs.export(batch)
        if slab is None:
            return self._send((epoch, number, BATCH, None, None, tree))
        fresh = slab.fd is not None
        self._send((epoch, number, BATCH, slab.number, slab.size if fresh else None, tree))
        self._slabs.current = None
        if fresh:
            from multiprocessing.reduction import send_handle

            send_handle(self._channel, slab.fd, self._parent)
            slab.close()

    def _send_error(self, epoch, number, error):
        import traceback

        text = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        kind = type(error)
        try:
            pickle.loads(pickle.dumps(kind))
        except Exception:
            kind = RuntimeError
        self._send((epoch, number, ERROR, kind, f"DataLoader worker {self._number} raised:\n{text}"))


def _generate_states(base_seed=0, worker_id=0):
    """Four numbers to seed generators of a worker with, from the seed of the loader and the worker's number.

    Args:
        base_seed: An integer of up to 64 bits.
        worker_id: Number of the worker.
    """
    import numpy

    words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
    return [int(state) for state in numpy.random.SeedSequence(words).generate_state(4)]
