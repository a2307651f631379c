# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Sends and receipts between two members."""

from .tasks import Task
from .tensors import check_tensor, peer


def send(tensor, dst=0, group=None, sync_op=True):
    """Send a tensor to rank `dst` of the job.

    Args:
        tensor: What is sent.
        dst: Rank of the receiver in the job.
        group: A Group; None: the default group.
        sync_op: Unused: the tensor may be changed when the call returns.

    Raises:
        ValueError: The group has no such peer; a group of one has none.
    """
    check_tensor("send", "tensor", tensor)
    processes, member = peer("send", "dst", dst, group)
    if processes is None:
        return None
    processes.send(tensor, member)
    return Task()


def recv(tensor, src=0, group=None, sync_op=True):
    """Receive a tensor from rank `src` of the job.

    Args:
        tensor: Written in place.
        src: Rank of the sender in the job.
        group: A Group; None: the default group.
        sync_op: False returns before the tensor is there; `wait()` of the result writes it.

    Raises:
        ValueError: The group has no such peer; a group of one has none.
        RuntimeError: The peer is gone, or sent another dtype or number of elements.
    """
    check_tensor("recv", "tensor", tensor)
    processes, member = peer("recv", "src", src, group)
    if processes is None:
        return None
    task = processes.expect(tensor, member)
    if sync_op:
        task.wait()
    return task


def isend(tensor, dst, group=None):
    """Send a tensor to another member, and go on.

    Args:
        tensor: What is sent.
        dst: Rank of the receiver in the job.
        group: A Group, or None for the whole job.

    Returns:
        A task; `wait()` returns when the tensor may be changed.
    """
    return send(tensor, dst, group, sync_op=False)


def irecv(tensor, src=None, group=None):
    """Receive a tensor from another member, and go on.

    Args:
        tensor: Written in place.
        src: Rank of the sender in the job.
        group: A Group, or None for the whole job.

    Returns:
        A task; `wait()` returns when the tensor is there.
    """
    return recv(tensor, src, group, sync_op=False)
