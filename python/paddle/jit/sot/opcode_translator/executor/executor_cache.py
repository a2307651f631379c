# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""What functions that run in segments have seen, all together: calls of a new kind, counted."""

import inspect
import weakref

from ..... import _core
from ....api import StaticFunction
from ....entry import environment_of
from ....segmented import SegmentedCalls
from ....spec import marked_shape
from ....tree import flatten, key_of
from ...utils.envs import ENV_SOT_ALLOW_DYNAMIC_SHAPE


def _is_leaf(value):
    return isinstance(value, _core.Tensor) or type(value) is int


class OpcodeExecutorCache:
    """The kinds of calls that all functions had; there is one in a process.

    Calls are of one kind when a function gets tensors of the same dtypes and shapes, and equal other values. An
    extent or int that was seen to change may have any value from then on, but 0 and 1. From its creation on it counts.
    """

    _one = None

    def __new__(cls):
        if cls._one is None:
            cls._one = super().__new__(cls)
            cls._one._kinds, cls._one._count = {}, 0
            SegmentedCalls.watch = cls._one
        return cls._one

    @property
    def cache(self):
        """The kinds of calls, by what is no number in them."""
        return self._kinds

    @property
    def translate_count(self):
        """How many kinds of calls there were, and how often they were cut by `psdb`."""
        return self._count

    def clear(self):
        """Forgets them, and the segments: the next calls capture anew."""
        self.load_state({})
        for function in list(StaticFunction.in_segments):
            function.forget_segments()

    def dump_state(self):
        """What is known, for `load_state`."""
        return {"cache": self._kinds, "translate_count": self._count}

    def load_state(self, state):
        """Takes what `dump_state` gave in place of what is known."""
        self._kinds, self._count = state.get("cache", {}), state.get("translate_count", 0)

    def notice(self, function, args, kwargs):
        """Counts a call if it is of a new kind."""
        owner = getattr(function, "__self__", None)
        plain = inspect.unwrap(getattr(function, "__func__", function))
        leaves, numbers = [], []
        key = [getattr(plain, "__code__", plain), key_of(flatten((args, kwargs), _is_leaf, leaves))]
        for leaf in leaves:
            if isinstance(leaf, _core.Tensor):
                key.append((leaf.dtype, len(leaf.shape), leaf.stop_gradient))
                numbers.extend(None if extent < 0 else extent for extent in marked_shape(leaf))
            else:
                numbers.append(leaf)
        environment, held = environment_of(plain, owner)
        self._add((*key, environment), numbers, held)

    def notice_cut(self, frame):
        """Counts a place that divides a function into parts."""
        self._add((frame.f_code, frame.f_lineno), [], ())

    def _add(self, key, numbers, held):
        kinds = self._kinds.setdefault(key, [])
        for known, _ in kinds:
            if all(a == b or (a is None and b not in (0, 1)) for a, b in zip(known, numbers, strict=True)):
                return
        if kinds and ENV_SOT_ALLOW_DYNAMIC_SHAPE.get():
            last = kinds[-1][0]
            numbers = [b if a == b or b in (0, 1) else None for a, b in zip(last, numbers, strict=True)]
        kinds.append((numbers, [weakref.ref(t) for t in held]))
        self._count += 1
