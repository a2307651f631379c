# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What belongs to one rank of a job and not to the process, bound to the threads of that rank."""

import itertools
import os
import threading
import weakref

from .. import _core


class ExecutionContext:
    """A generator of random numbers, a place in the job and the groups of one rank.

    In a `with` statement it is bound to the thread: `paddle.seed`, random operators, `get_rank` and the default group
    of `paddle.distributed` are then those of the rank. Other threads keep what they have.

    Args:
        seed: What the generator starts from.
        rank: Number of the rank; None: as the environment says.
        world_size: Number of ranks; None: as the environment says.
    """

    def __init__(self, seed=0, rank=None, world_size=None):
        self.groups, self.group_numbers = {}, itertools.count(10)
        self.objects = weakref.WeakKeyDictionary()
        self._handle = _core.new_execution_context(
            seed, -1 if rank is None else rank, -1 if world_size is None else world_size, self
        )
        self._before = threading.local()  # Several threads of the rank may be in a `with` statement.

    def __enter__(self):
        before = _core.bind_execution_context(self._handle)
        self._before.stack = [*getattr(self._before, "stack", []), before]
        return self

    def __exit__(self, *error):
        before = self._before.stack.pop()
        _core.bind_execution_context(None if before is None else before._handle)


def bound():
    """The context that is bound to this thread, or None."""
    return _core.bound_execution_context()


def own_rank():
    """Rank of the thread's context in the job."""
    rank, _ = _core.execution_place()
    return int(os.getenv("PADDLE_TRAINER_ID", "0")) if rank < 0 else rank


def job_size():
    """Number of ranks of the job."""
    _, size = _core.execution_place()
    return int(os.getenv("PADDLE_TRAINERS_NUM", "1")) if size < 0 else size


_objects = weakref.WeakKeyDictionary()


def objects_of_rank():
    """A dictionary of objects of which each rank has its own; an entry goes when its key does."""
    context = bound()
    return _objects if context is None else context.objects


class OfRank:
    """An object whose attributes each rank has for itself; `_defaults` holds those that it begins with."""

    _defaults = {}

    def __getattr__(self, name):
        found = objects_of_rank().get(self, self._defaults)
        if name not in found:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return found[name]

    def __setattr__(self, name, value):
        objects_of_rank().setdefault(self, dict(self._defaults))[name] = value

    def __delattr__(self, name):
        found = objects_of_rank().get(self, {})
        if name not in found:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        del found[name]
