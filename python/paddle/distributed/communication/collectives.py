# SPDX-FileCopyrightText: paddle-core contributors
# SPDX-License-Identifier: Apache-2.0
"""Collectives on tensors and objects.

In a group of one process every reduction is the identity and every exchange a copy to oneself.
Each returns a finished task, so that programs may wait for it.
"""

import copy

from ..._core import Tensor
from .group import Group, group_of_one
from .reduce import ReduceOp, check


class Task:
    """A finished communication."""

    def wait(self, timeout=None):
        """Return at once: the result is there."""
        return True

    def is_completed(self):
        """Whether the result is there."""
        return True

    def synchronize(self):
        """Wait for the result."""


def _check_tensor(operation, name, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"{operation}: {name} has type {type(value).__name__}; it must be a Tensor.")


def _check_root(operation, name, rank, group):
    if group.get_group_rank(rank) < 0:
        raise ValueError(f"{operation}: {name} has value {rank}; the group has ranks {group.ranks}.")


def _write(operation, target, source):
    """Copy into a tensor of the same shape and dtype."""
    _check_tensor(operation, "the output", target)
    _check_tensor(operation, "the input", source)
    if target.shape != source.shape or target.dtype != source.dtype:
        raise ValueError(
            f"{operation}: the output has shape {list(target.shape)} and dtype {target.dtype.name}, the input "
            f"{list(source.shape)} and {source.dtype.name}; in a group of one they are equal."
        )
    if target is not source:
        target.set_value(source.detach())


def _only(operation, name, tensors):
    """The entry of a list that has one per member."""
    if len(tensors) != 1:
        raise ValueError(f"{operation}: {name} has {len(tensors)} entries; a group of one takes 1.")
    return tensors[0]


def all_reduce(tensor, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduce a tensor over the group, in place on every member.

    Args:
        tensor: The Tensor.
        op: A reduction of ReduceOp.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.
    """
    _check_tensor("all_reduce", "tensor", tensor)
    check("all_reduce", op)
    group_of_one("all_reduce", group)
    return Task()


def reduce(tensor, dst, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduce a tensor over the group, in place on rank `dst` of the job.

    Args:
        tensor: The Tensor.
        dst: Rank of the receiver in the job.
        op: A reduction of ReduceOp.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    _check_tensor("reduce", "tensor", tensor)
    check("reduce", op)
    _check_root("reduce", "dst", dst, group_of_one("reduce", group))
    return Task()


def broadcast(tensor, src, group=None, sync_op=True):
    """Copy the tensor of one member to every other.

    Args:
        tensor: Sent by rank `src`, written in place in the others.
        src: Rank of the sender in the job.
        group: A Group, or None for the whole job.
        sync_op: False returns a task at once.
    """
    _check_tensor("broadcast", "tensor", tensor)
    _check_root("broadcast", "src", src, group_of_one("broadcast", group))
    return Task()


def all_gather(tensor_list, tensor, group=None, sync_op=True):
    """Append the tensors of all members, by rank, to a list.

    Args:
        tensor_list: The list; what it holds stays in front.
        tensor: The tensor of this member; all have one shape and dtype.
        group: A Group, or None for the whole job.
        sync_op: False returns a task at once.
    """
    _check_tensor("all_gather", "tensor", tensor)
    group_of_one("all_gather", group)
    if tensor_list:
        _write("all_gather", _only("all_gather", "tensor_list", tensor_list), tensor)
    else:
        tensor_list.append(tensor.detach().clone())
    return Task()


def gather(tensor, gather_list=None, dst=0, group=None, sync_op=True):
    """Append the tensors of all members, by rank, to `gather_list` on rank `dst` of the job.

    Args:
        tensor: The tensor of this member; all have one shape and dtype.
        gather_list: The list, needed on rank dst.
        dst: Rank of the receiver in the job.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Returns:
        A task, whose `wait()` returns when the result is there.

    Raises:
        ValueError: There is no list on rank dst, or dst is not in the group.
    """
    _check_tensor("gather", "tensor", tensor)
    _check_root("gather", "dst", dst, group_of_one("gather", group))
    if gather_list is None:
        raise ValueError("gather: gather_list is None on the destination; pass a list.")
    return all_gather(gather_list, tensor, group)


def scatter(tensor, tensor_list=None, src=0, group=None, sync_op=True):
    """Write entry r of the list of one member into the tensor of member r.

    Args:
        tensor: Written in place.
        tensor_list: The entries, by rank; used in rank `src`.
        src: Rank of the sender in the job.
        group: A Group, or None for the whole job.
        sync_op: False returns a task at once.
    """
    _check_root("scatter", "src", src, group_of_one("scatter", group))
    _write("scatter", tensor, _only("scatter", "tensor_list", tensor_list or []))
    return Task()


def reduce_scatter(tensor, tensor_list, op=ReduceOp.SUM, group=None, sync_op=True):
    """Reduce a list over the group and write entry r into the tensor of member r.

    Args:
        tensor: Written in place.
        tensor_list: One tensor a member, by rank; or one tensor that holds them along its first axis.
        op: A reduction of ReduceOp.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    check("reduce_scatter", op)
    group_of_one("reduce_scatter", group)
    source = tensor_list if isinstance(tensor_list, Tensor) else _only("reduce_scatter", "tensor_list", tensor_list)
    _write("reduce_scatter", tensor, source)
    return Task()


def alltoall(out_tensor_list, in_tensor_list, group=None, sync_op=True):
    """Send entry r of a list to member r.

    Args:
        out_tensor_list: Gets what each member sent here, by rank.
        in_tensor_list: What is sent, by rank.
        group: A Group, or None for the whole job.
        sync_op: False returns a task at once.
    """
    group_of_one("alltoall", group)
    if isinstance(out_tensor_list, Tensor):
        _write("alltoall", out_tensor_list, in_tensor_list)
    else:
        source = _only("alltoall", "in_tensor_list", in_tensor_list)
        if out_tensor_list:
            _write("alltoall", _only("alltoall", "out_tensor_list", out_tensor_list), source)
        else:
            out_tensor_list.append(source.detach().clone())
    return Task()


all_to_all = alltoall


def alltoall_single(out_tensor, in_tensor, in_split_sizes=None, out_split_sizes=None, group=None, sync_op=True):
    """Send slice r of a tensor, along its first axis, to member r.

    Args:
        out_tensor: Gets what each member sent here, by rank.
        in_tensor: What is sent.
        in_split_sizes: Rows for each member; None: equally many.
        out_split_sizes: Rows from each member; None: equally many.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Returns:
        A task, whose `wait()` returns when the result is there.
    """
    group_of_one("alltoall_single", group)
    _write("alltoall_single", out_tensor, in_tensor)
    return Task()


def _no_peer(operation, name, rank, group):
    group = group_of_one(operation, group)
    raise ValueError(f"{operation}: {name} has value {rank}; the group has ranks {group.ranks}, so there is no peer.")


def send(tensor, dst=0, group=None, sync_op=True):
    """Send a tensor to rank `dst` of the job.

    Args:
        tensor: What is sent.
        dst: Rank of the receiver in the job.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Raises:
        ValueError: The group has no such peer; a group of one has none.
    """
    _no_peer("send", "dst", dst, group)


def recv(tensor, src=0, group=None, sync_op=True):
    """Receive a tensor from rank `src` of the job.

    Args:
        tensor: Written in place.
        src: Rank of the sender in the job.
        group: A Group; None: the default group.
        sync_op: False returns before the result is there.

    Raises:
        ValueError: The group has no such peer; a group of one has none.
    """
    _no_peer("recv", "src", src, group)


def _peer_of(operation, name, rank, group, in_group):
    if rank is None and in_group is not None:
        rank = group_of_one(operation, group).get_global_rank(in_group)
    _no_peer(operation, name, rank, group)


def send_object_list(object_list, dst=None, group=None, dst_in_group=None):
    """Send objects to rank `dst` of the job, or to member `dst_in_group` of the group."""
    _peer_of("send_object_list", "dst", dst, group, dst_in_group)


def recv_object_list(object_list, src=None, group=None, src_in_group=None):
    """Receive objects into a list from rank `src` of the job, or from member `src_in_group` of the group."""
    _peer_of("recv_object_list", "src", src, group, src_in_group)


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


def all_gather_object(object_list, obj, group=None):
    """Append the objects of all members, by rank, to a list.

    Args:
        object_list: The list; what it holds stays in front.
        obj: The object of this member; it can be pickled.
        group: A Group, or None for the whole job.
    """
    group_of_one("all_gather_object", group)
    object_list.append(copy.deepcopy(obj))


def broadcast_object_list(object_list, src, group=None):
    """Replace the entries of a list by those of one member.

    Args:
        object_list: Objects that can be pickled, equally many in every member.
        src: Rank of the sender in the job.
        group: A Group, or None for the whole job.
    """
    _check_root("broadcast_object_list", "src", src, group_of_one("broadcast_object_list", group))


def scatter_object_list(out_object_list, in_object_list=None, src=0, group=None):
    """Append entry r of the list of rank `src` to the list of member r."""
    _check_root("scatter_object_list", "src", src, group_of_one("scatter_object_list", group))
    out_object_list.append(copy.deepcopy(_only("scatter_object_list", "in_object_list", in_object_list or [])))


__all__ = [
    "Group",
    "ReduceOp",
    "all_gather",
    "all_gather_object",
    "all_reduce",
    "all_to_all",
    "alltoall",
    "alltoall_single",
    "broadcast",
    "broadcast_object_list",
    "gather",
    "irecv",
    "isend",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
]
