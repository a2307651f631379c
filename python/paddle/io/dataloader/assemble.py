# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Default collation that copies each sample into the batch as soon as it is made.

The first sample fixes the structure of the batch; memory of all its arrays is then taken at once
from an arena, and the rows of later samples are written while they are still in the cache.  A
sample that does not fit goes to `default_collate_fn`, together with those already written.
"""

from .collate import default_collate_fn, is_numeric


class Misfit(Exception):
    """A sample has another structure, shape or dtype than the first."""


class _Rows:
    """An array field: one row per sample."""

    def __init__(self, first):
        self.shape, self.dtype = first.shape, first.dtype
        self.slot = None

    def fields(self):
        yield self

    def put(self, i, value):
        if getattr(value, "shape", None) != self.shape or getattr(value, "dtype", None) != self.dtype:
            raise Misfit
        self.slot.array[i] = value

    def sample(self, i):
        return self.slot.array[i].copy()

    def finish(self, count):
        return self.slot.finish(count)


class _Values:
    """Numbers, strings, Tensors: kept, and collated at the end."""

    def __init__(self, first):
        self.values = []

    def fields(self):
        return ()

    def put(self, i, value):
        self.values.append(value)

    def sample(self, i):
        return self.values[i]

    def finish(self, count):
        return default_collate_fn(self.values)


class _Sequence:
    def __init__(self, first):
        self.parts = [_plan(value) for value in first]

    def fields(self):
        for part in self.parts:
            yield from part.fields()

    def put(self, i, value):
        if not isinstance(value, (list, tuple)) or len(value) != len(self.parts):
            raise Misfit
        for part, item in zip(self.parts, value, strict=True):
            part.put(i, item)

    def sample(self, i):
        return tuple(part.sample(i) for part in self.parts)

    def finish(self, count):
        return [part.finish(count) for part in self.parts]


class _Mapping:
    def __init__(self, first):
        self.parts = {key: _plan(value) for key, value in first.items()}

    def fields(self):
        for part in self.parts.values():
            yield from part.fields()

    def put(self, i, value):
        if not isinstance(value, dict) or any(key not in value for key in self.parts):
            raise Misfit
        for key, part in self.parts.items():
            part.put(i, value[key])

    def sample(self, i):
        return {key: part.sample(i) for key, part in self.parts.items()}

    def finish(self, count):
        return {key: part.finish(count) for key, part in self.parts.items()}


def _plan(sample):
    import numpy

    if type(sample) is numpy.ndarray and is_numeric(sample) and sample.size and sample.dtype.isnative:
        return _Rows(sample)
    if isinstance(sample, dict):
        return _Mapping(sample)
    if isinstance(sample, (list, tuple)):
        return _Sequence(sample)
    return _Values(sample)


def assemble(samples, limit, arena):
    """Collate up to `limit` samples of an iterator.

    Args:
        samples: Iterator of samples.
        limit: The largest number of samples.
        arena: Gives memory: `arena.allocate([(shape, dtype), ...])` returns slots with the
            attribute `array` to write to and `finish(count)`, the value of the first rows.

    Returns:
        (batch, number of samples); (None, 0) for an exhausted iterator.
    """
    plan, count = None, 0
    for sample in samples:
        if plan is None:
            plan = _plan(sample)
            rows = list(plan.fields())
            slots = arena.allocate([((limit, *row.shape), row.dtype) for row in rows])
            for row, slot in zip(rows, slots, strict=True):
                row.slot = slot
        try:
            plan.put(count, sample)
        except Misfit:
            done = [plan.sample(i) for i in range(count)]
            return _collate_rest(done, sample, samples, limit)
        count += 1
        if count == limit:
            break
    return (None, 0) if plan is None else (plan.finish(count), count)


def _collate_rest(done, sample, samples, limit):
    done.append(sample)
    while len(done) < limit:
        try:
            done.append(next(samples))
        except StopIteration:
            break
    return default_collate_fn(done), len(done)
