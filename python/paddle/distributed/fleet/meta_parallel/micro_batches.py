# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""A batch cut into micro-batches."""

from ...._core import Tensor


class MicroBatches:
    """Inputs and labels of micro-batches.

    A tensor is cut along its first axis, a tuple entry by entry; a list has an entry for each micro-batch, and what is none of
    these, such as None, is the same for all. An iterator gives (inputs, labels) of one micro-batch after the other.

    Args:
        data: (inputs, labels), or an iterator.
        size: Rows of a micro-batch.
        count: Number of micro-batches.

    Raises:
        ValueError: `data` is neither, or has other numbers of rows or entries.
    """

    def __init__(self, data, size, count):
        self._size, self._count, self._given, self._data = size, count, [], None
        if hasattr(data, "__next__"):
            self._given = [next(data) for _ in range(count)]
        elif isinstance(data, (list, tuple)) and len(data) == 2:
            self._data = data
        elif data is None:
            self._data = None, None
        else:
            raise ValueError(
                "train_batch: data must be (inputs, labels), or an iterator over such pairs of micro-batches."
            )

    def inputs(self, micro):
        """Inputs of a micro-batch."""
        return self._given[micro][0] if self._given else self._cut("inputs", self._data[0], micro)

    def labels(self, micro):
        """Labels of a micro-batch."""
        return self._given[micro][1] if self._given else self._cut("labels", self._data[1], micro)

    def _cut(self, name, value, micro):
        if isinstance(value, tuple):
            return tuple(self._cut(name, entry, micro) for entry in value)
        if isinstance(value, list):
            if len(value) != self._count:
                raise ValueError(
                    f"train_batch: {name} is a list of {len(value)} entries; it must have one for each of {self._count} "
                    "micro-batches."
                )
            return value[micro]
        if not isinstance(value, Tensor):
            return value
        if value.shape[0] != self._size * self._count:
            raise ValueError(
                f"train_batch: the batch has {value.shape[0]} rows; micro_batch_size {self._size} times accumulate_steps "
                f"{self._count} is {self._size * self._count}."
            )
        return value[micro * self._size : (micro + 1) * self._size]
