# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Readers of several processes."""

from ...distributed import ParallelEnv


def distributed_batch_reader(batch_reader):
    """A reader of the batches of this process: of each group of as many batches as there are processes, its own.

    Args:
        batch_reader: Function that returns an iterator of batches.

    Example:
        >>> from paddle import fluid
        >>> reader = fluid.contrib.reader.distributed_batch_reader(lambda: iter([[1], [2]]))
        >>> list(reader())
        [[1], [2]]
    """

    def read():
        env = ParallelEnv()
        waiting = None
        for number, batch in enumerate(batch_reader()):
            if number % env.nranks == env.local_rank:
                waiting = batch
            if number % env.nranks == env.nranks - 1:
                yield waiting

    return read


__all__ = ["distributed_batch_reader"]
